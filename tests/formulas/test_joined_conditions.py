"""Conditions that are joined by signs or words, ``j ≤ i ∧ i − j < w``, wherever they stand."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table

INPUTS = "w n# m#"
CASES = r"B_{ij} = \begin{cases} 0 & \text{if } %s \\ -\infty & \text{otherwise} \end{cases}"


def places(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows and those of the columns."""
    return np.arange(n)[:, None], np.arange(m)[None, :]


def both(w: float, n: int, m: int) -> np.ndarray:
    i, j = places(n, m)
    return (j <= i) & (i - j < w)


def either(w: float, n: int, m: int) -> np.ndarray:
    i, j = places(n, m)
    return (j > i) | (i - j >= w)


def hidden(seen: np.ndarray) -> np.ndarray:
    return np.where(seen, 0, -np.inf)


@table(
    *(
        Case(latex % said, INPUTS, lambda w, n, m: both(w, n, m) * 1.0)
        for said in (
            r"j \le i \land i - j < w",
            r"(j \le i) \wedge (i - j < w)",
            r"j \le i \;\&\; i - j < w",
            r"j \le i \text{ and } i - j < w",
            "j \\le i, i - j < w",
        )
        for latex in (r"T_{ij} = \mathbb{1}[%s]", r"T_{ij} = \mathbf{1}_{%s}")
    ),
    *(
        Case(latex, INPUTS, lambda w, n, m: hidden(both(w, n, m)))
        for latex in (
            CASES % r"(j \le i) \land (i - j < w)",
            r"B_{ij} = 0 \text{ if } j \le i \land i - j < w, -\infty \text{ otherwise}",
            r"B_{ij} = 0 \text{ if } j \le i \text{ and } i - j < w, \text{ else } -\infty",
        )
    ),
    Case(
        CASES % r"(j \le i \land i - j < w) \lor j < 2",
        "w n# m#",
        lambda w, n, m: hidden(both(w, n, m) | (places(n, m)[1] < 2)),
    ),
    Case(
        r"T_{ij} = (j > i) \lor (i - j \ge w)",
        INPUTS,
        lambda w, n, m: either(w, n, m) * 1.0,
    ),
    Case(
        r"A_{ij} = -\infty \text{ if } j > i \text{ or } i - j \ge w",
        "w A[n,m]",
        lambda w, a: np.where(either(w, *a.shape), -np.inf, a),
    ),
)
def test_they_hold_together_or_one_of_them(case: Case) -> None:
    check(case)


def test_a_comparison_that_is_a_value_is_told_to_be_one_or_zero() -> None:
    told = compile_formula(r"T_{ij} = (j \le i)").diagnostics
    assert [one.message for one in told] == ["`(j \\le i)` is taken to be 1 where it holds, else 0"]


@pytest.mark.parametrize(
    "latex",
    [
        r"y = \frac{1}{x} (x > 0)",
        CASES % r"j \le i \lor j < 2, i < 5",
        r"y = 1 \text{ if } x > 0 \text{ and } x < 3 \text{ or } x > 5",
        r"A_{ij} = -\infty \text{ if } j > i \text{ and } j < 5 \text{ or } i - j \ge w",
    ],
)
def test_a_remark_and_conditions_that_are_joined_nobody_knows_how_are_refused(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_a_sign_between_values_is_no_word() -> None:
    found = compile_formula(r"u \wedge v = u v^\top - v u^\top")
    assert [one.name for one in found.inputs] == ["u", "v"]


@pytest.mark.parametrize("last", [r"\text{ otherwise}", r"\text{ if } x_i \le 0"])
@pytest.mark.parametrize("joins", ["and", "or"])
def test_the_next_case_may_stand_behind_an_and_or_an_or(joins: str, last: str) -> None:
    found = compile_formula(rf"y_i = x_i \text{{ if }} x_i > 0 \text{{ {joins} }} -2 x_i {last}")
    np.testing.assert_allclose(found.reference(x=np.array([3.0, -1.0])), [3, 2])
