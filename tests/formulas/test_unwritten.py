"""Indices that are not written: the μ of row i, used where i is at hand."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, table

MEAN = r"\mu = \frac{1}{m} \sum_{k=1}^m u_{r,k}"
VARIANCE = r"\sigma^2 = \frac{1}{m} \sum_{k=1}^m (u_{r,k} - \mu)^2"
ROOT = r"s = \sqrt{\sigma^2 + \epsilon}"


def _variance(u: np.ndarray, mu: np.ndarray) -> np.ndarray:
    return np.array([np.mean((row - m) ** 2) for row, m in zip(u, mu, strict=True)])


# What is said of an r is said of each, where the formula makes one for each t.
@table(
    Case(
        r"r = \sigma(W_r [s_{t-1}; u_t])",
        "W_r[k,d+e] s[n,d] u[n,e]",
        lambda w, s, u: sigmoid(np.concatenate([s, u], axis=1) @ w.T),
        context=[r"r \in (0, 1)^k"],
    ),
    Case(
        r"r = \tanh(A u_i + b)",
        "A[k,e] u[n,e] b[k]",
        lambda a, u, b: np.tanh(u @ a.T + b),
        context=[r"r \in \mathbb{R}^k"],
    ),
)
def test_what_is_said_of_each(case: Case) -> None:
    check(case)


def _deviations(x: np.ndarray, mean: float, y: np.ndarray, other: float) -> float:
    return sum((a - mean) * (b - other) for a, b in zip(x, y, strict=True)) / len(x)


# Numbers deviate from a mean that is a number: of vectors a norm or a transpose would tell.
@table(
    Case(
        r"v^2 = \frac{1}{n-1} \sum_{k=1}^n (z_k - \bar z)^2",
        "z[n] z_bar",
        lambda z, mean: ((z - mean) ** 2).sum() / (len(z) - 1),
    ),
    Case(
        r"c = \frac{1}{n} \sum_{k=1}^n (u_k - \bar u)(z_k - \bar z)",
        "u[n] u_bar z[n] z_bar",
        _deviations,
    ),
)
def test_deviations_from_a_mean(case: Case) -> None:
    check(case)


@table(
    Case(VARIANCE, "u[n,m] mu[n]", _variance, context=[MEAN]),
    Case(
        r"\sigma = \sqrt{\frac{1}{m} \sum_{k=1}^m (u_{r,k} - \mu)^2 + \epsilon}",
        "u[n,m] mu[n] epsilon+",
        lambda u, mu, e: np.sqrt(_variance(u, mu) + e),
        context=[MEAN],
    ),
    # A number made of numbers of row r is one of row r.
    Case(
        r"z_{r,k} = s u_{r,k}",
        "s[n] u[n,m]",
        lambda s, u: s[:, None] * u,
        context=[MEAN, VARIANCE, ROOT],
    ),
    # All in one formula.
    Case(
        rf"{MEAN} \\ {VARIANCE}",
        "u[n,m]",
        lambda u: np.var(u, axis=1),
    ),
    Case(
        r"L = \frac{1}{n} \sum_{i=1}^n (y_i - \hat y)^2",
        "y[n] y_hat[n]",
        lambda y, t: np.mean((y - t) ** 2),
        context=[r"\hat y = w^\top x_i + b"],
    ),
    Case(
        r"L_i = -y_i \log p",
        "y[n] p+[n]",
        lambda y, p: -y * np.log(p),
        context=[r"p = \sigma(w^\top x_i)"],
    ),
    Case(r"p = \sigma(z)", "z[n]", sigmoid, context=[r"z = w^\top x_i", r"L_i = -y_i \log p"]),
    Case(
        r"e_{ij} = \frac{q^\top k}{\sqrt{d_k}}",
        "q[n,d] k[m,d]",
        lambda q, k: q @ k.T / np.sqrt(q.shape[1]),
        context=[r"q = A x_i", r"k = B x_j"],
    ),
    # Near misses: nothing is loose, a bare Σ adds up over what would be, or i is not at hand.
    Case(
        r"\sigma^2 = \frac{1}{m} \sum_{k=1}^m (u_k - \mu)^2",
        "u[m] mu",
        lambda u, mu: np.mean((u - mu) ** 2),
        context=[r"\mu = \frac{1}{m} \sum_{k=1}^m u_k"],
    ),
    Case(r"z = \sum \alpha_i g_i", "alpha[n] g[n]", lambda a, g: a @ g),
    Case(r"w = 2 \mu", "mu[n]", lambda mu: 2 * mu, context=[MEAN]),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "normed",
    [
        r"v_{r,k} = \frac{u_{r,k} - \mu}{\sqrt{\sigma^2 + \epsilon}}",
        r"v_r = \frac{u_r - \mu}{\sqrt{\sigma^2 + \epsilon}}",
        r"\mathrm{Norm}(u_r) = \gamma \odot \frac{u_r - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta",
    ],
)
def test_moments_of_a_row_make_a_layer_norm(normed: str) -> None:
    f = compile_formula(normed, context=[MEAN, VARIANCE])
    assert f.component == "layer_norm"
    rng = np.random.default_rng(3)
    u, gain, bias = rng.standard_normal((4, 6)), rng.standard_normal(6), rng.standard_normal(6)
    learned = {"gamma": gain, "beta": bias} if "gamma" in normed else {"gamma": 1.0, "beta": 0.0}
    rows = (u - u.mean(1, keepdims=True)) / np.sqrt(u.var(1, keepdims=True) + 0.1)
    given = {one.name: {"u": u, "epsilon": 0.1, **learned}[one.name] for one in f.inputs}
    expected = rows * learned["gamma"] + learned["beta"]
    np.testing.assert_allclose(f.reference(**given), expected)


def test_which_of_two_letters_is_not_written_is_not_guessed() -> None:
    mean = r"\bar x = \frac{1}{n} \sum_{i=1}^n x_{ij}"
    with pytest.raises(FormulaError):
        compile_formula(
            r"s_{jk} = \frac{1}{n} \sum_{i=1}^n (x_{ij} - \bar x)(x_{ik} - \bar x)", context=[mean]
        )
