"""Formulas between dollars that have TeX's other delimiters, too."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula

X, Z = np.arange(3.0), np.array([2.0, -1.0, 5.0])


@pytest.mark.parametrize(
    "latex",
    [
        r"\( y = (x + z) \odot (x - z) \)",
        r"y = \(x + z\) \odot \(x - z\)",  # parentheses that the note escapes
    ],
)
def test_value(latex: str) -> None:
    value = compile_formula(latex).reference(x=X, z=Z)
    np.testing.assert_allclose(value, (X + Z) * (X - Z))


@pytest.mark.parametrize("latex", [r"\{ y = x + z \}", r"\( y = x \) + \( u = z \)"])
def test_what_is_within_is_no_formula(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)
