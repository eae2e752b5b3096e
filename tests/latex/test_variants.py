"""Ways to do one thing, each behind its name in one formula."""

from __future__ import annotations

from pathlib import Path

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.latex.variants import alternatives, variants
from notes2code.vault import read_vault

POST = r"y = \mathrm{LN}(x + \mathrm{Sublayer}(x))"
PRE = r"y = x + \mathrm{Sublayer}(\mathrm{LN}(x))"


def test_in_a_row() -> None:
    found = variants(rf"\text{{Post-LN:}} \quad {POST} \qquad \text{{Pre-LN:}} \quad {PRE}")
    assert [one.label for one in found] == ["Post-LN", "Pre-LN"]
    assert [one.latex.split("quad ")[1] for one in found] == [POST, PRE]


def test_rows_of_a_note(tmp_path: Path) -> None:
    """Each begins where its name stands, and is a formula of its own."""
    rows = rf"\text{{Post-LN:}} & \quad {POST}, \\" + "\n" + rf"\text{{Pre-LN:}} & \quad {PRE}."
    text = f"$$\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n$$\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    found = compile_vault(read_vault(tmp_path), library())
    settings = [f.compiled.recognised for f in found.formulas]
    assert [one and one.component.name for one in settings] == ["add_norm", "add_norm"]
    assert [f.position for f in found.formulas] == [(3, 1), (4, 1)]
    assert not [d for d in found.diagnostics() if d.severity == "error"]


def test_steps_are_one_formula() -> None:
    assert variants(r"\text{Encoder:} \quad h = f(x) \qquad \text{Decoder:} \quad y = g(h)") == ()
    assert variants(rf"\text{{Post-LN:}} \quad {POST}") == ()
    assert variants(rf"{POST} \qquad \text{{Pre-LN:}} \quad {PRE}") == ()


def test_both_sides_of_or(tmp_path: Path) -> None:
    dot, general = r"e_{ij} = s_i^\top h_j", r"e_{ij} = s_i^\top W h_j"
    both = rf"{dot} \quad (\text{{dot}}) \qquad \text{{or}} \qquad {general}"
    (tmp_path / "a.md").write_text(f"$$ {both} $$\n", encoding="utf-8")
    found = compile_vault(read_vault(tmp_path), library())
    assert [f.compiled.status for f in found.formulas] == ["component", "component"]
    assert [f.position for f in found.formulas] == [(1, 4), (1, 4 + both.index(general))]
    assert alternatives(rf"{dot} \quad \text{{z. B. so}} \quad {general}")
    assert alternatives(rf"{dot} \quad \text{{and}} \quad {general}") == ()
    assert alternatives(rf"{dot} \quad \text{{or}} \quad a_{{ij}} = s_i^\top W h_j") == ()
    assert alternatives(r"y = \begin{cases} x & y = x \\ \text{or} & y = 2 \end{cases}") == ()


def test_space_without_end() -> None:
    """Long runs of what says nothing are passed over once: a pattern that went back would hang."""
    apart = "& ~" * 5_000
    assert variants(rf"\text{{A:}} {apart} \text{{B:}} y = 1") == ()
    found = variants(rf"\text{{A:}} y = 1 {apart} \text{{B:}} y = 2 {apart}")
    assert [one.latex.strip() for one in found] == ["y = 1", "y = 2"]
