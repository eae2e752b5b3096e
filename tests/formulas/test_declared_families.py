"""What is declared of each of a family, ``h_i ∈ ℝ^d``, for those that a formula has by number."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # What is declared of each of a family is so of its first two.
    Case(r"y = h_1 U", "h_1[n,d] U[d,p]", np.matmul, context=r"h_i \in \mathbb{R}^{n \times d}"),
    Case(r"y = z_1 + z_2", "z_1[n,d] z_2[n,d]", np.add, context=r"z_j \in \mathbb{R}^{n \times d}"),
    Case(r"y = h_1 + g", "h_1 g", np.add, context=r"h_i \in \mathbb{R}"),
    # Near misses: the features of one example, weights of other layers, and numbers in a column.
    Case(
        r"u = w_1 x_1 + w_2 x_2 + b",
        "w_1 x_1 w_2 x_2 b",
        lambda w, x, v, z, b: w * x + v * z + b,
        context=r"x_i \in \mathbb{R}^d",
    ),
    Case(
        r"u = W_2 \tanh(W_1 x)",
        "W_2[p,m] W_1[m,d] x[d]",
        lambda w, v, x: w @ np.tanh(v @ x),
        context=r"W_i \in \mathbb{R}^{d \times m}",
    ),
    Case(
        r"y = W_1 x",
        "W_1[m,d] x[d]",
        np.matmul,
        context=r"W_i \in \mathbb{R}^{d_i \times d_i}",
    ),
    Case(
        r"y = R \begin{bmatrix} x_1 \\ x_2 \end{bmatrix}",
        "R[n,2] x_1 x_2",
        lambda r, a, b: r @ np.array([a, b]),
        context=r"x_i \in \mathbb{R}^d",
    ),
)
def test_what_is_declared_of_a_family(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"y = \begin{bmatrix} h_1 & h_2 \end{bmatrix} W", ["`h_1` and `h_2`"]),
        (r"y = W \begin{bmatrix} h_1 \\ h_2 \end{bmatrix}", ["`h_1` and `h_2`"]),
        (r"y = R \begin{bmatrix} h_1 \\ h_2 \end{bmatrix}", []),
        (r"y = \begin{bmatrix} a & c \end{bmatrix} W", []),
    ],
)
def test_that_cells_beside_weights_are_numbers_is_told(latex: str, told: list[str]) -> None:
    found = [one.message for one in compile_formula(latex).diagnostics]
    assert found == [f"{who} are taken to be numbers" for who in told]
