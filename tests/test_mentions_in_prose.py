"""Formulas that a sentence only speaks of: what is wrong with them is a remark."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import CompiledFormula, compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault


def compiled(folder: Path, text: str) -> CompiledFormula:
    """The only formula of a note."""
    (folder / "a.md").write_text(text, encoding="utf-8")
    (formula,) = compile_vault(read_vault(folder), library()).formulas
    return formula


@pytest.mark.parametrize("latex", [r"-m \cdot |i - j|", r"\nabla_\theta J(\theta)"])
def test_in_a_sentence(tmp_path: Path, latex: str) -> None:
    formula = compiled(tmp_path, f"The penalty ${latex}$ grows.")
    assert formula.compiled.status == "text"
    assert {d.severity for d in formula.diagnostics} == {"note"}


@pytest.mark.parametrize(
    "text",
    [
        "$$\n-m \\cdot |i - j|\n$$",  # set by itself
        "The bias is $b = -m \\cdot |i - j|$.",  # equates two things
        "The weights are $\\mathrm{softmax}(Q K^\\top$.",  # is no formula at all
        "The weights are $\\mathrm{softmax}(Q^\\top K^\\top) V$.",  # of shapes that do not meet
        "The penalty is $-m \\cdot |i - j|$ #n2c/emit",  # wanted as a function
    ],
)
def test_error(tmp_path: Path, text: str) -> None:
    formula = compiled(tmp_path, text)
    assert formula.compiled.status == "rejected"
    assert "error" in {d.severity for d in formula.diagnostics}
