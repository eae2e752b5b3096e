"""What is remarked of a formula alone is not said where its note, or its component, settles it."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code import FormulaError, compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault

EVEN = r"P_{t,2i} = \sin\left(\frac{t}{10000^{2i/d}}\right)"
ODD = r"P_{t,2i+1} = \cos\left(\frac{t}{10000^{2i/d}}\right)"


def remarks(folder: Path, *formulas: str) -> list[str]:
    """The messages about a note of displayed formulas."""
    note = "# Notes\n\n" + "\n\n".join(f"$$ {latex} $$" for latex in formulas) + "\n"
    (folder / "Note.md").write_text(note, encoding="utf-8")
    return [d.message for d in compile_vault(read_vault(folder), library()).diagnostics()]


def test_columns_that_another_formula_defines_are_not_missed(tmp_path: Path) -> None:
    assert not [text for text in remarks(tmp_path, EVEN, ODD) if "columns are defined" in text]


def test_columns_that_nothing_defines_are(tmp_path: Path) -> None:
    assert "only the even columns are defined here" in remarks(tmp_path, EVEN)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"y = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))", False),
        (r"y = x + \mathrm{SubLayer}(\mathrm{RMSNorm}(x))", False),
        # Near misses: another function, and another use of this one.
        (r"y = \mathrm{LayerNorm}(x + \mathrm{Refine}(x))", True),
        (r"y = 2 \, \mathrm{Sublayer}(x)", True),
    ],
)
def test_the_sublayer_of_a_residual_connection_is_any_function(
    tmp_path: Path, latex: str, told: bool
) -> None:
    found = [text for text in remarks(tmp_path, latex) if "is not defined in the notes" in text]
    assert bool(found) is told


@pytest.mark.parametrize(
    ("left", "advice"),
    [
        ("P_{t,2i}", "write `2i` in one and `2i+1` in the other"),
        ("P_{(t, 2i)}", "write `2i` in one and `2i+1` in the other"),
        # Near miss: the columns are all of them.
        ("P_{t,i}", "give one of the two another name, or join them with `=` if they are equal"),
    ],
)
def test_even_columns_that_are_defined_twice_are_advised_to_be_odd(left: str, advice: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(rf"{left} = \sin(t / b^{{2i/d}}), \quad {left} = \cos(t / b^{{2i/d}})")
    assert [problem.help for problem in refused.value.diagnostics] == [advice]


THREE = r"Q = X A, \quad K = X B, \quad V = X C"


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ((r"\mathrm{Attend}(Q, K, V) = \mathrm{softmax}(Q K^\top) V",), False),
        ((r"S = Q K^\top", r"Y = \mathrm{softmax}(S) V"), False),
        # Near misses: what becomes of V is not said, and nothing is said at all.
        ((r"S = Q K^\top",), True),
        ((), True),
    ],
)
def test_results_that_a_note_goes_on_with_are_all_its_own(
    tmp_path: Path, others: tuple[str, ...], told: bool
) -> None:
    found = remarks(tmp_path, THREE, *others)
    assert ("of several results `Q` is the value" in found) == told
