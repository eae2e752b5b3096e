"""Weights before what a function makes: the features of a model that is linear in them."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, sigmoid, table


@table(
    # A function of x is a number, whatever bias is added, and no outer product.
    Case(
        r"g(x) = c^\top \tanh(A x + a) + b",
        "x[d] c[p] A[p,d] a[p] b",
        lambda x, c, m, a, b: c @ np.tanh(m @ x + a) + b,
    ),
    Case(
        r"s(x) = w^T \mathrm{ReLU}(U x + b_1) + b_2",
        "x[d] w[p] U[p,d] b_1[p] b_2",
        lambda x, w, u, b, c: w @ relu(u @ x + b) + c,
    ),
    Case(
        r"g(\mathbf{x}) = \mathbf{w}^\top \tanh(A \mathbf{x} + \mathbf{a}_1) + b_2",
        "x[d] w[p] A[p,d] a_1[p] b_2",
        lambda x, w, m, a, b: w @ np.tanh(m @ x + a) + b,
    ),
    Case(
        r"g(x) = v^\top \sin(x) + b, \quad x \in \mathbb{R}^m",
        "x[m] v[m] b",
        lambda x, v, b: v @ np.sin(x) + b,
    ),
    # Near misses: keys and values are rows, and so is what a matrix on the left is made of.
    Case(
        r"S_t = S_{t-1} + v_t^T \tanh(k_t)",
        "S[e,d] v[e] k[d]",
        lambda s, v, k: s + np.outer(v, np.tanh(k)),
    ),
    # A state's matrix, a bold bias and a residual say that no number is meant.
    Case(
        r"S_t = S_{t-1} + \tanh(x_t)^\top v_t",
        "S[d,e] x[d] v[e]",
        lambda s, x, v: s + np.outer(np.tanh(x), v),
    ),
    Case(
        r"\mathbf{y} = \mathbf{w}^\top \sigma(\mathbf{x}) + \mathbf{b}",
        "w[d,p] x[d] b[p]",
        lambda w, x, b: w.T @ sigmoid(x) + b,
    ),
    Case(
        r"\mathbf{h} = \mathbf{x} + \mathbf{w}^\top \sigma(\mathbf{x})",
        "x[d] w[d,d]",
        lambda x, w: x + w.T @ sigmoid(x),
    ),
)
def test_features(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "formula",
    [
        r"p = \mathrm{softmax}(w^T x + b)",
        r"h = x + w^\top \mathrm{ReLU}(x)",
        r"c_t = f_t \odot c_{t-1} + i_t \odot \tanh(w^\top x_t + b)",
    ],
)
def test_a_small_w_that_must_be_a_matrix_makes_no_matrix_of_x(formula: str) -> None:
    with pytest.raises(FormulaError, match="are two vectors side by side"):
        compile_formula(formula)
