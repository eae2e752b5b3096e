"""Matrices that are applied again, and may be raised to a power."""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"Y = \mathrm{softmax}(S^K X \Theta)", "S_K"),
        (r"H = \hat A^K X W", "A_K_hat"),
        (r"H = P^k x", "P_k"),
    ],
)
def test_it_is_told_that_it_is_no_power(latex: str, name: str) -> None:
    told = [one.message for one in compile_formula(latex).diagnostics if one.code == "N2C039"]
    assert told == [f"`{name}` is taken to be a matrix of its own, and no power of one"]


@pytest.mark.parametrize("latex", [r"Y = W^K X", r"Y = P^Q X + P^K Z", r"Y = A^{(K)} X W"])
def test_nothing_is_told_of_labels(latex: str) -> None:
    assert not compile_formula(latex).diagnostics


@pytest.mark.parametrize(
    "latex", [r"F = G + G^2 + \dots + G^n", r"F = (G + G^2 + \dots + G^n) / n"]
)
def test_a_capital_in_a_series_may_be_a_matrix(latex: str) -> None:
    with pytest.raises(FormulaError, match="may be that of a matrix"):
        compile_formula(latex)


@table(
    Case(
        r"f = G + G^2 + \dots + G^n",
        "G n#",
        lambda g, n: sum(g**k for k in range(1, n + 1)),
        shapes={"G": ()},
    ),
)
def test_it_is_a_number_as_declared(case: Case) -> None:
    check(case)
