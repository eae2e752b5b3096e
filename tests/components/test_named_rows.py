"""Cases whose rows are named after components are a formula for each row."""

from __future__ import annotations

from pathlib import Path

from notes2code.compilation import Compilation, compile_vault
from notes2code.components.library import library
from notes2code.vault import read_vault


def compiled(folder: Path, *rows: str) -> Compilation:
    """A note with the scores of a query and a key in the rows of cases."""
    body = " \\\\\n".join(rows)
    text = f"$$\na(q, k) = \\begin{{cases}}\n{body}\n\\end{{cases}}\n$$\n"
    (folder / "Scores.md").write_text(text, encoding="utf-8")
    return compile_vault(read_vault(folder), library())


DOT = r"q^\top k & \text{dot}"
GENERAL = r"q^\top W k & \text{general}"
CONCAT = r"v^\top \tanh(W [q; k]) & \text{concat}"


def test_each_row_becomes_its_component(tmp_path: Path) -> None:
    found = compiled(tmp_path, DOT, GENERAL, CONCAT)
    parts = [f.compiled.recognised for f in found.formulas]
    assert [part and part.component.name for part in parts] == [
        "scaled_dot_product_attention",
        "bilinear_attention",
        "additive_attention",
    ]
    assert [f.position for f in found.formulas] == [(3, 1), (4, 1), (5, 1)]
    assert not [d for d in found.diagnostics() if d.code == "N2C035"]


def test_a_slip_in_a_row_is_pointed_at_in_the_note(tmp_path: Path) -> None:
    found = compiled(tmp_path, DOT, r"q^\top W k\ 12 & \text{general}", CONCAT)
    assert [f.compiled.status for f in found.formulas] == ["component", "rejected", "component"]
    (error,) = found.diagnostics()
    assert (error.code, error.line, error.column, error.end_column) == ("N2C025", 4, 13, 15)


def test_words_that_name_no_component_are_conditions(tmp_path: Path) -> None:
    found = compiled(tmp_path, r"q^\top k & \text{near}", r"0 & \text{far}")
    (formula,) = found.formulas
    assert formula.compiled.status == "rejected"
