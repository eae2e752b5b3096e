"""Worked examples that do not add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import SKIP, compile_vault
from notes2code.components.library import library
from notes2code.diagnostics import Diagnostic
from notes2code.vault import read_vault


def warned(folder: Path, note: str) -> list[Diagnostic]:
    """The warnings N2C055 of a vault of one note."""
    (folder / "Note.md").write_text(note, encoding="utf-8")
    found = compile_vault(read_vault(folder), library()).diagnostics()
    return [diagnostic for diagnostic in found if diagnostic.code == "N2C055"]


@pytest.mark.parametrize(
    ("formula", "message", "at"),
    [
        ("2 + 2 = 5", "4", "5"),
        (r"\frac{112}{8} = 13", "14", "13"),
        (r"d_k = 512 / 8 = 63", "64", "63"),
        (r"\frac{1}{3} = 0.34", "0.3333", "0.34"),
        (r"p = \frac{2}{3} = 0.67 = 0.6", "0.67", "0.6"),
        (r"e^2 \approx 6.5", "7.389", "6.5"),
        (r"\mathrm{softmax}(14, 12) = (0.99, 0.12)", "0.8808, 0.1192", "(0.99, 0.12)"),
        (r"\mathrm{softmax}([14, 12]) = [0.88, 0.2]", "0.8808, 0.1192", "[0.88, 0.2]"),
        (r"3 \cdot (1, 2) = (3, 7)", "3, 6", "(3, 7)"),
    ],
)
def test_a_wrong_result_is_pointed_at(tmp_path: Path, formula: str, message: str, at: str) -> None:
    (diagnostic,) = warned(tmp_path, f"$$ {formula} $$\n")
    assert diagnostic.message == f"the left-hand side is {message}"
    assert diagnostic.excerpt[diagnostic.caret.start : diagnostic.caret.end] == at


@pytest.mark.parametrize(
    "formula",
    [
        r"\frac{112}{8} = 14",
        r"\frac{1}{3} = 0.33",
        r"\frac{1}{3} = 0.3",
        r"e^2 = 7.4",
        r"e^2 \approx 7.2",
        r"0.33 \cdot 3000 = 1000",
        r"10^{-9} = 0.000000001",
        r"\mathrm{softmax}(14, 12) = (0.88, 0.12)",
        r"\log 8 = 3",
        r"\log_2 8 = 3",
        r"x = 3, \quad y = 4",
        r"64 \cdot 1024 \cdot 1024 = 64.0",  # MiB, behind the formula
        r"3 \cdot 10^9 \cdot 2 \approx 6",
        r"x_1 + 2 = 5",
        r"10 - 1 = 9 > 8",
        r"32 \cdot 32 = 1,024",
        r"/ 2 = 5",
        r"\mathrm{softmax}(1, 2) = (1, 2, 3)",
        r"\frac{1}{0} = 7",
    ],
)
def test_what_may_be_right_is_not(tmp_path: Path, formula: str) -> None:
    assert warned(tmp_path, f"$$ {formula} $$\n") == []


def lines(*text: str) -> str:
    return "\n\n".join(text) + "\n"


def test_weights_that_add_up_to_more_than_one(tmp_path: Path) -> None:
    note = lines(
        "# Example", "14", "Softmax", "0.90", "$q_1 \\cdot k_2 = 96$", "12", "0.2", "$v_1$"
    )
    (diagnostic,) = warned(tmp_path, note)
    assert diagnostic.message == "0.90 + 0.2 is 1.1, but what a softmax gives adds up to 1"
    assert (diagnostic.line, diagnostic.excerpt) == (13, "0.2")


@pytest.mark.parametrize(
    "note",
    [
        lines("Softmax", "0.88", "0.12"),
        lines("Softmax", "0.88", "0.12", "0.7", "0.3"),
        lines("Softmax", "0.33", "0.33", "0.33", "0.9"),
        lines("Softmax", "0.9"),
        lines("0.9", "0.8"),
        lines("Softmax", "0.9", "# Dropout", "0.8"),
        lines("Softmax", "0.9", "softmax", "0.8"),
        lines("Softmax makes weights of them, such as", "0.9", "0.8"),
        lines("Softmax", "a rate of 0.9", "and of 0.8", "14", "0"),
        "Softmax\n\n| a | b |\n|---|---|\n| 0.9 | 0.8 |\n",
        lines(f"#{SKIP}", "Softmax", "0.9", "0.8"),
    ],
)
def test_weights_that_may_be_right(tmp_path: Path, note: str) -> None:
    assert warned(tmp_path, note) == []
