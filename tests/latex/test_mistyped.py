"""What is meant where a name is mistyped."""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula


@pytest.mark.parametrize(
    ("latex", "meant"),
    [
        (r"y = \tahn(W x)", r"`\tanh`"),
        (r"y = \mathm{ReLU}(x)", r"`\mathrm`"),
        (r"y = \sqqrt{x}", r"`\sqrt`"),
        (r"y = \fraq{a}{b}", r"`\frac`"),
        (r"y = \begin{bmatrx} a \\ b \end{bmatrx}", "`bmatrix`"),
        (r"\newcommand{\energies}{Q K^\top} A = \energeis V", r"`\energies`"),
    ],
)
def test_one_slip_is_seen(latex: str, meant: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(latex)
    assert f"write {meant} if that is meant" in str(refused.value.diagnostics[-1].help)


@pytest.mark.parametrize(
    "latex",
    [r"y = \whatever x", r"y = \triangle x", r"y = \zz x", r"y = \begin{tikz} x \end{tikz}"],
)
def test_what_resembles_nothing_or_several_is_not_guessed(latex: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(latex)
    assert "if that is meant" not in str(refused.value.diagnostics[-1].help)
