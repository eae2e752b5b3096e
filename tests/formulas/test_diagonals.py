"""Matrices with zeros beside their diagonal, and vectors of ones, in products."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


def elu_plus_one(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x + 1, np.exp(x))


def linear(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    weights = elu_plus_one(q) @ elu_plus_one(k).T
    return weights @ v / weights.sum(1, keepdims=True)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    weights = np.exp(q @ k.T / np.sqrt(q.shape[1]))
    return weights @ v / weights.sum(1, keepdims=True)


PHI = r", \quad \phi(x) = \mathrm{elu}(x) + 1"

PRODUCTS = [
    Case(r"Y = \mathrm{diag}(w) X", "w[n] X[n,d]", lambda w, x: w[:, None] * x),
    Case(r"Y = X \mathrm{diag}(w)", "X[n,d] w[d]", lambda x, w: x * w),
    Case(r"Y = \mathrm{diag}(g)^{-1} X", "g+[n] X[n,d]", lambda g, x: x / g[:, None]),
    Case(
        r"P = D^{-1} A, \quad D_{ii} = \sum_j A_{ij}",
        "A+[n,m]",
        lambda a: a / a.sum(1, keepdims=True),
    ),
    Case(
        r"S = D^{-1/2} A D^{-1/2}, \quad D = \mathrm{diag}(A 1_n)",
        "A+[n,n]",
        lambda a: a / np.sqrt(np.outer(a.sum(1), a.sum(1))),
    ),
    Case(r"u = A 1_m", "A[n,m]", lambda a: a.sum(1)),
    Case(r"u = 1_n^\top A", "A[n,m]", lambda a: a.sum(0)),
    Case(r"u = \frac{1}{n} A^\top 1_n", "A[n,m]", lambda a: a.mean(0)),
    Case(r"s = \sum_{i,j} a_{ij} 1_{i < j}", "a[n,m]", lambda a: np.triu(a, 1).sum()),
]


@table(*PRODUCTS)
def test_products(case: Case) -> None:
    check(case)


@table(
    Case(
        r"Y = D^{-1} A V, \quad A = \exp(Q K^\top / \sqrt{d}), \quad D = \mathrm{diag}(A 1_m)",
        "Q[n,d] K[m,d] V[m,e]",
        attention,
    ),
    Case(
        r"Y = D^{-1} \phi(Q) (\phi(K)^\top V), D = \mathrm{diag}(\phi(Q) \phi(K)^\top 1_m)" + PHI,
        "Q[n,d] K[m,d] V[m,e]",
        linear,
    ),
    Case(
        r"Y = D^{-1} (\phi(Q) \phi(K)^\top) V, D = \mathrm{diag}(\phi(Q) (\phi(K)^\top 1_m))" + PHI,
        "Q[n,d] K[m,d] V[m,e]",
        linear,
    ),
)
def test_attention(case: Case) -> None:
    check(case)
    named = "linear_attention" if PHI in case.latex else "scaled_dot_product_attention"
    assert compile_formula(case.latex).component == named


@pytest.mark.parametrize(
    "case", [case for case in PRODUCTS if "D" in case.latex or "diag" in case.latex]
)
def test_no_matrix_is_made(case: Case) -> None:
    assert "arange" not in compile_formula(case.latex).source


@table(
    Case(r"(A^\top)_{ij} = A_{ji}", "A[n,m]", lambda a: a.T),
    Case(r"(X^T)_{rs} = X_{sr}", "X[n,m]", lambda x: x.T),
    Case(r"(Q K^\top)_{ij} = S_{ij}", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
)
def test_elements(case: Case) -> None:
    check(case)
