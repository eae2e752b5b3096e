"""Estimates at a step, which say that what they are made of is at that step, too, and no power."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


def steps(u: np.ndarray) -> np.ndarray:
    return np.arange(1, len(u) + 1)


@table(
    Case(
        r"\hat g^{k+1} = \frac{g^{k+1}}{1 - \beta^{k+1}}",
        "g[n] beta",
        lambda g, b: g / (1 - b ** steps(g)),
    ),
    Case(r"\bar U^{t+1} = U^{t+1} / c", "U[k,n,d] c", lambda u, c: u / c),
    # Near misses: the square of an estimate, and a power of what has none.
    Case(r"\hat{x}^{2} = x^{2} + 1", "x[d]", lambda x: x**2 + 1),
    Case(r"F = g^{n+1} / (n+1)", "g+ n", lambda g, n: g ** (n + 1) / (n + 1)),
    # A vector is raised to numbers.
    Case(r"F = x^{k+1} / c", "x+[d] k c", lambda x, k, c: x ** (k + 1) / c),
)
def test_an_estimate_is_at_the_step_of_what_it_is_made_of(case: Case) -> None:
    check(case)


def test_what_stands_at_a_step_as_well_is_no_power() -> None:
    with pytest.raises(FormulaError, match="may be a power, or `x` at another step"):
        compile_formula(r"y^{k+1} = x^{k+1} + \beta (x^{k+1} - x^k)")
