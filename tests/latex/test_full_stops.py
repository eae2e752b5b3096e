"""Full stops that multiply, and those that end a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, softmax, table


@table(
    Case("y = W.x", "W[n,d] x[d]", np.matmul),
    Case("z = w.x + b", "w[d] x[d] b", lambda w, x, b: w @ x + b),
    Case(r"z = 2.w . x", "w[d] x[d]", lambda w, x: 2 * w @ x),
    Case("o = softmax(QK^T).V", "Q[n,k] K[m,k] V[m,v]", lambda q, k, v: softmax(q @ k.T) @ v),
    Case(r"S = \frac{Q.K^T}{\sqrt{c}}", "Q[n,k] K[m,k] c+", lambda q, k, c: q @ k.T / c**0.5),
    Case(
        r"g = \sigma(W_g.[u, x] + b_g)",
        "W_g[h,n+d] u[n] x[d] b_g[h]",
        lambda w, u, x, b: sigmoid(w @ np.concatenate([u, x]) + b),
    ),
    Case(r"g = x. \frac{1}{2} (1 + \tanh x)", "x[n,d]", lambda x: x / 2 * (1 + np.tanh(x))),
    Case(
        r"c = \frac{a.b}{\|a\|.\|b\|}",
        "a[d] b[d]",
        lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
    ),
    Case("Y = A .* B", "A[n,d] B[n,d]", np.multiply),
    Case("Y = A ./ B", "A[n,d] B[n,d]", np.divide),
)
def test_products(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        "y = W x. z = V y",
        r"y = W x.\quad z = V y",
        r"y = W x. \text{ where } W",
        r"y = W x. W \text{ is a matrix}",
        r"y = W x. x, y \in \mathbb{R}^d",
        "y = W x. (2)",
        "y = W x. [1.2]",
        "y = W x.",
    ],
)
def test_a_sentence_ends(latex: str) -> None:
    formula = compile_formula(latex)
    assert not any("full stop" in one.message for one in formula.diagnostics)
    assert formula.inputs[0].name == "W"


@pytest.mark.parametrize("latex", ["a = w.x = b", "Q = X W.K = X V"])
def test_a_stop_that_may_end_a_formula_before_another_is_asked_about(latex: str) -> None:
    with pytest.raises(FormulaError, match="may be a product, or the end of a formula"):
        compile_formula(latex)


@pytest.mark.parametrize("latex", [r"y = x s.t. x > 0", r"\theta_{a.b} = x"])
def test_abbreviations_and_labels_are_no_products(latex: str) -> None:
    formula = compile_formula(latex)
    assert not any("full stop" in one.message for one in formula.diagnostics)


def test_a_product_is_told() -> None:
    (told,) = compile_formula("y = W.x").diagnostics
    assert (told.code, told.span.start) == ("N2C039", 5)
