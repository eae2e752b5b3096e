"""Capitals and letters that count something, as what stands beside them shows."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(r"P = \frac{K - 1}{2}", "K", lambda k: (k - 1) / 2),
    Case(r"P = (F - 1) / 2", "F", lambda f: (f - 1) / 2),
    Case(r"s = \log \frac{1 + N}{1 + c}", "N+ c+", lambda n, c: np.log((1 + n) / (1 + c))),
    Case(r"s = \log \frac{N}{c}", "N+ c+", lambda n, c: np.log(n / c)),
    Case(r"v = F \times F \times C_{in}", "F C_in", lambda f, c: f * f * c),
    # A Greek letter raises a length.
    Case(
        r"s = \frac{1}{t^\alpha} \sum_{i=1}^{t} \log p_i",
        "alpha p+[t]",
        lambda a, p: np.log(p).sum() / len(p) ** a,
    ),
    # Near misses: a mask, weights, and products of matrices.
    Case(r"Y = X \odot (1 - M)", "X[n,d] M[n,d]", lambda x, m: x * (1 - m)),
    Case(r"Y = W + 1", "W[a,b]", lambda w: w + 1),
    Case(r"Y = W \times W", "W[a,a]", lambda w: w @ w),
)
def test_counts(case: Case) -> None:
    check(case)


def test_a_relevance_is_made_of_numbers() -> None:
    f = compile_formula(
        r"\text{BM25}(D, Q) = \sum_{i=1}^{n} \text{IDF}(q_i) \cdot \frac{f(q_i, D) (k_1 + 1)}"
        r"{f(q_i, D) + k_1 (1 - b + b \cdot \frac{|D|}{L})}"
    )
    assert f.equation is not None
    assert not f.equation.value.indices
    given = {one.name: len(one.shape) for one in f.equation.inputs if one.kind == "array"}
    assert given["k_1"] == given["b"] == 0


@table(
    Case(r"x_{k+1} = x_k + \alpha_k d_k", "x[n] alpha d[n]", lambda x, a, d: x + a * d),
    Case(
        r"\hat x = \mathrm{round}(x / s) \cdot s",
        "x[d] s",
        lambda x, s: np.round(x / s) * s,
    ),
)
def test_what_is_made_of_x_is_of_its_kind(case: Case) -> None:
    check(case)
