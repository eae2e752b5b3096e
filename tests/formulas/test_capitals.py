"""Runs of capitals: words that are written large, abbreviations, and products of matrices."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, sigmoid, softmax, table


@table(
    # A word of the field, written large.
    Case(
        r"P = SOFTMAX(Q K^\top + MASK)",
        "Q[n,d] K[m,d] MASK[n,m]",
        lambda q, k, mask: softmax(q @ k.T + mask),
    ),
    Case(r"E = INPUT + POS", "INPUT[n,d] POS[n,d]", np.add),
    Case(r"S = \frac{SUM}{c}", "SUM[n,d] c", np.divide),
    # Abbreviations of the field; a loss is made of numbers.
    Case(r"L = MLM + \lambda NSP", "MLM lambda_ NSP", lambda m, by, n: m + by * n),
    Case(r"LOSS = BCE + \lambda REG", "BCE lambda_ REG", lambda b, by, r: b + by * r),
    Case(r"Z = CLS + SEG_{emb}", "CLS[n,d] SEG_emb[n,d]", np.add),
    # Whatever is spelt out is one name, and a letter that comes twice is none.
    Case(r"Z = X + LOCATION_{code}", "X[n,d] LOCATION_code[n,d]", np.add),
    Case(r"Z = TOKEN_{in} + ORDER_{in}", "TOKEN_in[n,d] ORDER_in[n,d]", np.add),
    Case(
        r"Z = X + OFFSET",
        "X[n,d] OFFSET[n,d]",
        np.add,
        context=[r"O = X W", r"F = O T"],
    ),
    # Products: all letters are in other formulas, or they have no vowel.
    Case(
        r"Y = ABCD",
        "A[n,d] B[d,m] C[m,k] D[k,p]",
        lambda a, b, c, d: a @ b @ c @ d,
        context=r"Matrices $A$, $B$, $C$ and $D$ are multiplied.",
        fault="",
    ),
    Case(
        r"Y = X + PQRS",
        "X[n,p] P[n,d] Q[d,m] R[m,k] S[k,p]",
        lambda x, p, q, r, s: x + p @ q @ r @ s,
    ),
    Case(r"Y = \sigma(AHW)", "A[n,m] H[m,d] W[d,p]", lambda a, h, w: sigmoid(a @ h @ w)),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", [r"Z = X + TAG", r"Y = ABC", r"Y = Z + TAG_{in}"])
def test_it_is_said_that_three_capitals_may_be_a_name(latex: str) -> None:
    (problem,) = compile_formula(latex).diagnostics
    assert problem.code == "N2C050"
    assert "is taken for the product of its letters" in problem.message


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"Y = \sigma(AHW)", ""),
        (r"Y = HXW", ""),
        (r"F = 4 BHN^2", ""),
        (r"Y = TAG + T", ""),
        (r"Y = X + TAG", r"$T \in \mathbb{R}^{n \times n}$"),
        (r"Y = X + BAx", ""),
    ],
)
def test_a_product_goes_without_saying_where_a_letter_is_known(latex: str, context: str) -> None:
    assert not any(
        "product of its letters" in problem.message
        for problem in compile_formula(latex, context=context).diagnostics
    )
