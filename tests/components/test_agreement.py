"""A letter that is a vector in one formula of a section and a matrix in another is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault

VECTOR = r"P_i = \frac{e^{S \cdot T_i}}{\sum_j e^{S \cdot T_j}}"
MATRIX = r"B = S U + W"


def told(folder: Path, *sections: str) -> list[tuple[int, str]]:
    """The remarks on letters of two kinds, with their lines, in a note of such sections."""
    text = "\n".join(f"## {at}\n{section}" for at, section in enumerate(sections))
    (folder / "Note.md").write_text(text, encoding="utf-8")
    compilation = compile_vault(read_vault(folder), library())
    found = [d for formula in compilation.formulas for d in formula.diagnostics]
    return [(d.line, d.message) for d in found if " in line " in d.message]


def test_of_one_section(tmp_path: Path) -> None:
    found = told(tmp_path, f"$${VECTOR}$$\n\n$${MATRIX}$$")
    assert found == [(4, "`S` is taken to be a matrix, and a vector in line 2")]


@pytest.mark.parametrize(
    "sections",
    [
        [f"$${VECTOR}$$", f"$${MATRIX}$$"],
        [r"$$y = W x$$" "\n\n" r"$$Y = \mathrm{softmax}(X)$$"],
        [r"$$f(S) = \|S\|$$" "\n\n" f"$${MATRIX}$$"],
    ],
)
def test_nothing_is_told(tmp_path: Path, sections: list[str]) -> None:
    """Of other sections, of tokens and all of their rows, and of parameters."""
    assert not told(tmp_path, *sections)
