"""Weights before what a function makes: the features of a model that is linear in them."""

from __future__ import annotations

import numpy as np

from tables import Case, check, relu, table


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
    Case(
        r"g(x) = \cos(U x)^\top w + b",
        "x[d] U[p,d] w[p] b",
        lambda x, u, w, b: np.cos(u @ x) @ w + b,
    ),
    # Near misses: keys and values are rows, and so is what a matrix on the left is made of.
    Case(
        r"S_t = S_{t-1} + v_t^T \tanh(k_t)",
        "S[e,d] v[e] k[d]",
        lambda s, v, k: s + np.outer(v, np.tanh(k)),
    ),
)
def test_features(case: Case) -> None:
    check(case)
