"""What stands beside attention: groups of heads by a letter, scales of normalised queries, norms of
what may be columns, places that nothing counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def _grouped(q: Any, k: Any, v: Any) -> Any:
    """Attention of each token's heads, of which several share keys and values."""
    of = [i * k.shape[1] // q.shape[1] for i in range(q.shape[1])]
    scores = np.einsum("tid,jid->tij", q, k[:, of]) / np.sqrt(q.shape[-1])
    return np.einsum("tij,jie->tie", softmax(scores), v[:, of])


def _apart(q: Any, k: Any, b: Any, sign: int) -> Any:
    """The element of each query and key by how far they are apart."""
    places = sign * np.subtract.outer(range(len(q)), range(len(k)))
    return b[places - places.min()]


def _rms(x: Any, e: float, g: Any) -> Any:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + e) * g


def _normed(x: Any, e: float, g: Any, b: Any) -> Any:
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + e) + b


@table(
    # What a letter is said to be, the group of a head, stands below the keys too.
    Case(
        r"o_{t,i} = \sum_j \mathrm{softmax}_j\left(\frac{q_{t,i}^\top k_{j,g}}{\sqrt{d_h}}\right)"
        r" v_{j,g}, \quad g = \lfloor i / (h/G) \rfloor",
        "q[n,h,d] k[m,g,d] v[m,g,e]",
        _grouped,
    ),
    Case(
        r"O_i = \mathrm{softmax}(Q_i K_g^\top) V_g, \quad g = \lceil i / r \rceil",
        "Q[g*r,n,d] K[g,m,d] V[g,m,e] r#",
        lambda q, k, v, r: np.stack(
            [softmax(q[i] @ k[i // r].T) @ v[i // r] for i in range(len(q))]
        ),
    ),
    # What an element of a row and a column of the scores is added to.
    *(
        Case(
            rf"\mathrm{{softmax}}(Q K^\top + b_{{{place}}}) V",
            "Q[n,d] K[m,d] b[n+m-1] V[m,e]",
            lambda q, k, b, v, sign=sign: softmax(q @ k.T + _apart(q, k, b, sign)) @ v,
        )
        for place, sign in (("i-j", 1), ("n-m", -1))
    ),
    Case(
        r"S = Q K^\top + s b_{|i-j|}",
        "Q[n,d] K[n,d] s b[n]",
        lambda q, k, s, b: q @ k.T + s * b[np.abs(np.subtract.outer(range(len(q)), range(len(q))))],
    ),
    # One number scales the scores of what is normalised,
    Case(
        r"\mathrm{softmax}(\gamma \cdot \mathrm{RMSNorm}(Q)\, \mathrm{RMSNorm}(K)^\top) V",
        "gamma Q[n,d] epsilon+ gamma_2[d] K[m,d] epsilon_2+ gamma_3[d] V[m,e]",
        lambda s, q, e, g, k, f, h, v: softmax(s * _rms(q, e, g) @ _rms(k, f, h).T) @ v,
    ),
    # and a gain, as ever, the features of one.
    Case(
        r"y = \gamma\, \mathrm{RMSNorm}(x) W^\top",
        "gamma[d] x[d] epsilon+ gamma_2[d] W[p,d]",
        lambda s, x, e, g, w: w @ (s * _rms(x, e, g)),
    ),
    # A norm is one of rows, also of a matrix that may have a column for each token.
    Case(
        r"Y = \mathrm{LN}(X)",
        "X[d,n] gamma[n] epsilon+ beta[n]",
        lambda x, g, e, b: _normed(x, e, g, b),
        context=[r"X \in \mathbb{R}^{d \times n}"],
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_norms_of_what_may_be_columns_are_told() -> None:
    told = compile_formula(r"Y = \mathrm{LN}(X)", context=[r"X \in \mathbb{R}^{d \times n}"])
    (problem,) = told.diagnostics
    assert (problem.code, problem.message) == (
        "N2C039",
        "each row of `X` is taken to be normalised, as a token",
    )


def test_a_place_that_nothing_counts_is_told() -> None:
    for latex, letter in (
        (r"\mathrm{softmax}(q K^\top - m j) V", "j"),
        (r"\mathrm{softmax}(Q K^\top - \lambda j) V", "j"),
    ):
        (problem,) = compile_formula(latex).diagnostics
        assert problem.code == "N2C050"
        assert f"`{letter}` is one number for all scores" in problem.message
    # Near miss: what is taken off all scores as it is shows that it changes nothing.
    assert not compile_formula(r"\mathrm{softmax}(x - m)").diagnostics


def test_what_the_first_of_a_sequence_is_multiplied_by_may_be_a_power() -> None:
    (problem,) = compile_formula(r"T_i = T_0 M^i").diagnostics
    assert (problem.code, problem.message) == (
        "N2C039",
        "`M^i` is taken to be one of several, and no power",
    )
    # Near misses: weights, and what is declared.
    assert not compile_formula(r"h_l = h_0 W^l").diagnostics
    declared = [r"M^l \in \mathbb{R}^{d \times d}"]
    assert not compile_formula(r"h_l = h_0 M^l", context=declared).diagnostics


@pytest.mark.parametrize("latex", [r"e = q k^\top + b_{i-j}", r"e = q k + b_{i-j}"])
def test_one_query_and_one_key_have_no_element_by_how_far_they_are_apart(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


@table(
    # Weights of several queries weigh the rows of all keys.
    Case(
        r"U_i = \mathrm{softmax}(Q_i K_i^\top) (x W_i^V)",
        "Q[h,n,k] K[h,m,k] x[m,d] W_V[h,d,p]",
        lambda q, k, x, w: softmax(q @ np.swapaxes(k, 1, 2)) @ (x @ w),
    ),
    # Near misses: numbers of steps scale a matrix, and a vector is weighed as it is.
    Case(r"C_t = \gamma_t V", "gamma[t] V[n,d]", lambda g, v: g[:, None, None] * v),
    Case(r"Y_r = \alpha_r X", "alpha[t] X[n,d]", lambda a, x: a[:, None, None] * x),
    Case(
        r"Y_t = \alpha_t X + \sigma_t \epsilon",
        "alpha[t] X[n,d] sigma[t] epsilon[n,d]",
        lambda a, x, r, e: a[:, None, None] * x + r[:, None, None] * e,
    ),
    Case(
        r"u = \mathrm{softmax}(Q K^\top) v",
        "Q[n,k] K[m,k] v[m]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context=r"v \in \mathbb{R}^m",
    ),
)
def test_weights_weigh_all_rows(case: Case) -> None:
    check(case)
