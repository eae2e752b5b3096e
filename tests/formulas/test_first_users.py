"""What the first people who tried it wrote, and got something else than they wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table

DECLARED = [
    r"Q \in \mathbb{R}^{n \times d_k}",
    r"K \in \mathbb{R}^{m \times d_k}",
    r"V \in \mathbb{R}^{m \times d_v}",
]
MEAN = r"\mu = \frac{1}{d} \sum_{i=1}^d x_i"
NORM = r"\mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta"


def softmax(x: Any) -> Any:
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def heads(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v


@table(
    Case(r"\eta = \eta_0 \cdot 0.95^{t}", "eta_0 t", lambda eta, t: eta * 0.95**t),
    Case(r"y = (1 - \beta)^t", "beta t", lambda b, t: (1 - b) ** t),
    Case(r"a = (1 - \lambda)^{T} x", "lambda_ T x[d]", lambda r, t, x: (1 - r) ** t * x),
    Case(r"y = 2^T x", "T x[d]", lambda t, x: 2.0**t * x),
    Case(
        r"m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \quad \hat m_t = \frac{m_t}{1 - \beta_1^t}",
        "beta_1 g m t",
        lambda b, g, m, t: (b * m + (1 - b) * g) / (1 - b**t),
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}\left(\frac{Q_i K_i^\top}{\sqrt{d_k}}\right) V_i",
        "Q[h,n,d] K[h,m,d] V[h,m,v]",
        heads,
        context=DECLARED,
    ),
    Case(
        r"O^{(i)} = \mathrm{softmax}\left(\frac{Q^{(i)} K^{(i)\top}}{\sqrt{d_k}}\right) V^{(i)}",
        "Q[h,n,d] K[h,m,d] V[h,m,v]",
        heads,
        context=DECLARED,
    ),
    Case(
        r"Q_i = X W_i^Q",
        "X[n,d] W_Q[h,d,k]",
        lambda x, w: x @ w,
        context=DECLARED,
    ),
    Case(
        r"L = -\sum_i p(x_i) \log p(x_i) + \sum_j p(x_j)",
        "p+[n]",
        lambda p: -(p * np.log(p)).sum() + p.sum(),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"s = P(A | B) + P(B | A)",
        r"s = p(a \mid x) + p(b \mid z)",
        r"s = p(a \mid x) - \sum_b p(b \mid x) w_b",
        r"s = \sum_t \log p(y_t | x) - \log p(y_{t-1} | x)",
        r"L = \log p(y | x) - \log p(y | z)",
    ],
)
def test_probabilities_of_two_events_are_not_one(latex: str) -> None:
    with pytest.raises(FormulaError, match="is of another event than"):
        compile_formula(latex)


@pytest.mark.parametrize(
    "variance, is_one",
    [
        (r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d (x_i - \mu)^2", True),
        (r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d |x_i - \mu|", False),
        (r"\sigma^2 = \frac{1}{d} \sum_{i=1}^d (x_i - \mu)^4", False),
        (r"s = \frac{1}{d} \sum_{i=1}^d |x_i|", True),
    ],
)
def test_a_layer_norm_has_the_moments_of_its_note(variance: str, is_one: bool) -> None:
    formula = compile_formula(NORM, context=[MEAN, variance])
    assert (formula.component == "layer_norm") == is_one


@pytest.mark.parametrize("below", [r"\sigma^2 + \epsilon", r"\epsilon + \sigma^2"])
def test_a_lost_root_makes_no_other_layer_norm(below: str) -> None:
    formula = compile_formula(rf"\mathrm{{LN}}(x) = \gamma \frac{{x - \mu}}{{{below}}} + \beta")
    assert formula.component is None
    assert any("a root is missing" in problem.message for problem in formula.diagnostics)


@table(
    Case(r"s = x^+ - x^-", "x_plus[d] x_minus[d]", lambda a, b: a - b),
    Case(
        r"L = -\log \frac{\exp(q \cdot k_+ / \tau)}{\sum_{i=0}^K \exp(q \cdot k_i / \tau)}",
        "q[d] k_plus[d] tau+ k[n,d]",
        lambda q, p, t, k: -np.log(np.exp(q @ p / t) / np.exp(k @ q / t).sum()),
    ),
    Case(r"y = [z - 1]_+", "z[d]", lambda z: np.maximum(z - 1, 0)),
    Case(r"y = (1 - z)_+^2", "z[d]", lambda z: np.maximum(1 - z, 0) ** 2),
)
def test_signs_below_and_above_are_read(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [r"y = A^+ b", r"y = x_\cdot + 1", r"y = x^{\cdot} + 1", r"s = 1^T x", r"s = 1^\top x"],
)
def test_signs_that_are_not_understood_are_refused(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)
