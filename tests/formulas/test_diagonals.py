"""Matrices with zeros beside their diagonal, and vectors of ones, in products."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


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


def turn(t: float) -> np.ndarray:
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def beside(*blocks: np.ndarray) -> np.ndarray:
    whole = np.zeros((sum(map(len, blocks)), sum(map(len, blocks))))
    at = 0
    for block in blocks:
        whole[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return whole


@table(
    Case(
        r"T = \begin{pmatrix} \cos a & -\sin a & & \\ \sin a & \cos a & & \\"
        r" & & \cos b & -\sin b \\ & & \sin b & \cos b \end{pmatrix}",
        "a b",
        lambda a, b: beside(turn(a), turn(b)),
    ),
    Case(
        r"L = \begin{bmatrix} p & & \\ & q & \\ & & r \end{bmatrix}",
        "p q r",
        lambda *given: np.diag(given),
    ),
)
def test_what_is_left_out_beside_a_diagonal_is_zero(case: Case) -> None:
    check(case)
    said = [one.message for one in compile_formula(case.latex).diagnostics]
    assert said == ["the cells that are left out of this matrix are taken to be zeros"]


@pytest.mark.parametrize(
    "latex",
    [
        r"L = \begin{pmatrix} p & & \\ q & r & \\ s & t & u \end{pmatrix}",
        r"L = \begin{pmatrix} p & q & \\ r & & \\ & & s \end{pmatrix}",
    ],
)
def test_what_is_left_out_elsewhere_is_not_known(latex: str) -> None:
    with pytest.raises(FormulaError, match="cells left out"):
        compile_formula(latex)


@pytest.mark.parametrize(
    ("latex", "axes"),
    [
        (r"B_{ii} = c_i", {"c": 1}),
        (r"M_{jj} = \sqrt{v_j}", {"v": 1}),
        (r"G_{kk} = a_k b_k", {"a": 1, "b": 1}),
    ],
)
def test_a_diagonal_is_made_of_numbers_and_alone_is_told(latex: str, axes: dict[str, int]) -> None:
    formula = compile_formula(latex)
    assert len(formula.shape) == 1
    assert {one.name: len(one.shape) for one in formula.inputs} == axes
    (told,) = formula.diagnostics
    assert told.code == "N2C039" and f"the diagonal of `{latex[0]}` alone" in told.message


@table(
    Case(r"P(u_t | u_{<t}) = \mathrm{softmax}(h_t)", "h[n,d]", softmax),
    Case(
        r"p(w_t \mid w_{1:t-1}) = \mathrm{softmax}(h_t / \tau)",
        "h[n,d] tau",
        lambda h, t: softmax(h / t),
    ),
    Case(r"x_{t|t} = 2 z_t", "z[n,d]", lambda z: 2 * z),
    Case(r"P(u_t, u_{<t}) = \mathrm{softmax}(o_t)", "o[n,d]", softmax),
)
def test_what_is_given_what_was_before_is_no_diagonal(case: Case) -> None:
    check(case)


@table(
    Case(r"D_{ii} = \sqrt{v_i}", "v+[n]", lambda v: np.diag(np.sqrt(v))),
    Case(r"\Lambda_{jj} = 1 - c_j", "c[n]", lambda c: np.diag(1 - c)),
)
def test_degrees_have_zeros_beside_them_whatever_they_are_made_of(case: Case) -> None:
    check(case)
