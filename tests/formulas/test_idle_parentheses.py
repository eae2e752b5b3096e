"""A Greek letter before parentheses that hold a linear layer and nothing else, which no factor
needs."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, softmax, table


@table(
    Case(
        r"h = \tau(\mathrm{Linear}(x))",
        "x[d] W_1[d,p] b_1[p] tau()",
        lambda x, w, b, f: np.asarray(f(x @ w + b)),
    ),
    Case(
        r"h = \delta(\mathrm{Linear}(x)) + x",
        "x[d] W_1[d,d] b_1[d] delta()",
        lambda x, w, b, f: np.asarray(f(x @ w + b)) + x,
    ),
    Case(
        r"h = \tau(\mathrm{Linear}(X)), \quad X \in \mathbb{R}^{n \times d}",
        "X[n,d] W_1[d,p] b_1[p] tau()",
        lambda x, w, b, f: np.asarray(f(x @ w + b)),
    ),
    # Of another call, and where the letter is one of numbers, it is a factor.
    Case(r"y = \tau(\mathrm{softmax}(x))", "tau x[d]", lambda t, x: t * softmax(x)),
    Case(r"y = \kappa(\mathrm{tr}(A))", "kappa A[n,n]", lambda k, a: k * np.trace(a)),
    Case(
        r"y = \alpha\left(\mathrm{Attention}(Q, K, V)\right)",
        "alpha Q[n,d] K[m,d] V[m,p]",
        lambda a, q, k, v: a * softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"y = \lambda(\mathrm{Linear}(x))",
        "lambda_ x[d] W_1[d,p] b_1[p]",
        lambda a, x, w, b: a * (x @ w + b),
    ),
    Case(
        r"y = x + \alpha(\mathrm{Linear}(x))",
        "x[d] alpha W_1[d,d] b_1[d]",
        lambda x, a, w, b: x + a * (x @ w + b),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "letter"),
    [
        (r"h = x + \gamma(\mathrm{Linear}(x))", r"\gamma"),
        (r"h = \tau(W x + b)", r"\tau"),
    ],
)
def test_it_is_told_where_it_is_a_factor(latex: str, letter: str) -> None:
    told = [one.message for one in compile_formula(latex).diagnostics if one.code == "N2C039"]
    assert told == [f"`{letter}` is taken to be a number here, and not to be called"]


@pytest.mark.parametrize("latex", [r"y = r + \gamma(V(s'))", r"y = \alpha (a + b)"])
def test_nothing_is_told_of_usual_factors(latex: str) -> None:
    assert "N2C039" not in {one.code for one in compile_formula(latex).diagnostics}
