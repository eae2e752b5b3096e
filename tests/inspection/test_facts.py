"""The facts of ``inspect``, as its schema has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.inspection import facts
from notes2code.vault import read_vault

Inspected = Callable[..., dict[str, Any]]

DIAGNOSTIC = {"code", "severity", "message", "help", "line", "column", "end_line", "end_column"}
FORMULA = {
    *("id", "note", "line", "column", "end_line", "end_column", "latex", "display", "section"),
    *("tags", "status", "component", "settings", "name", "inputs", "output", "emitted_as"),
    "diagnostics",
}


def test_a_component(inspected: Inspected, attention: str) -> None:
    text = f"# Heading #deep\n## Sub\n\n$$\n{attention}\n$$\n"
    found = inspected({"A.md": text}, {"A.md:5:1": "transformer.attention.Dot"})
    assert set(found) == {"schema", "vault", "notes", "formulas", "drawings"}
    assert found["schema"] == 1 and Path(found["vault"]).name == "vault"
    [formula] = found["formulas"]
    assert set(formula) == FORMULA
    assert formula["id"] == "A.md:5:1" and formula["note"] == "A.md"
    assert formula["status"] == "component" and formula["display"] is True
    assert formula["component"] == "scaled_dot_product_attention"
    assert formula["settings"]["scale"] == "d_k**-0.5" and formula["settings"]["mask"] is None
    assert formula["name"] == "Attention"
    assert formula["inputs"][0] == {"name": "Q", "shape": ["n", "d_k"]}
    assert formula["output"] == ["n", "d_v"]
    assert formula["emitted_as"] == "transformer.attention.Dot"
    assert formula["section"][-1] == "Sub"
    json.dumps(found)


def test_the_range_of_a_formula_is_that_of_its_text(inspected: Inspected) -> None:
    [formula] = inspected({"A.md": "see $y = 2 x$ here\n"})["formulas"]
    assert (formula["line"], formula["column"]) == (1, 6)
    assert (formula["end_line"], formula["end_column"]) == (1, 13)
    assert "see $y = 2 x$ here"[6 - 1 : 13 - 1] == formula["latex"]


def test_what_computes_nothing(inspected: Inspected) -> None:
    [symbol, declared] = inspected({"A.md": "$x$ and $W \\in \\mathbb{R}^{n \\times m}$\n"})[
        "formulas"
    ]
    assert (symbol["status"], declared["status"]) == ("text", "definition")
    for formula in (symbol, declared):
        assert formula["component"] is None and formula["settings"] == {}
        assert formula["inputs"] == [] and formula["output"] is None and formula["name"] is None


def test_a_rejected_formula_has_an_error_in_its_place(inspected: Inspected) -> None:
    [formula] = inspected({"A.md": "text\n\n$$y = \\frac{a}{$$\n"})["formulas"]
    assert formula["status"] == "rejected"
    errors = [d for d in formula["diagnostics"] if d["severity"] == "error"]
    assert errors and set(errors[0]) == DIAGNOSTIC
    assert errors[0]["line"] == 3 and errors[0]["column"] >= 3


def test_notes_and_their_tags(inspected: Inspected) -> None:
    found = inspected({"A.md": "---\ntags: [deep]\n---\ntext #more\n", "b/C.canvas": "{}"})["notes"]
    assert [(n["path"], n["kind"], n["title"]) for n in found] == [
        ("A.md", "markdown", "A"),
        ("b/C.canvas", "canvas", "C"),
    ]
    assert set(found[0]) == {"path", "kind", "title", "tags", "diagnostics"}
    assert set(found[0]["tags"]) == {"deep", "more"}
    assert [d["code"] for d in found[1]["diagnostics"]] == ["N2C015"]


@pytest.mark.parametrize(
    ("name", "kind", "title"),
    [
        ("Big.md", "markdown", "Big"),
        ("Big.HTML", "html", "Big"),
        ("Big.excalidraw", "excalidraw", "Big"),
        ("Big.excalidraw.md", "markdown", "Big"),
    ],
)
def test_a_note_that_cannot_be_read_is_among_the_notes(
    tmp_path: Path, name: str, kind: str, title: str
) -> None:
    (tmp_path / "good.md").write_text("text")
    (tmp_path / name).symlink_to(tmp_path / "good.md")
    compilation = compile_vault(read_vault(tmp_path), library())
    found = {note["path"]: note for note in facts(compilation, {})["notes"]}
    assert (found[name]["kind"], found[name]["title"]) == (kind, title)
    assert [d["code"] for d in found[name]["diagnostics"]] == ["N2C016"]


def test_a_drawing(inspected: Inspected) -> None:
    scene = {"elements": [{"type": "rectangle", "id": "r"}, {"type": "arrow", "id": "a"}]}
    [drawing] = inspected({"D.excalidraw": json.dumps(scene)})["drawings"]
    [remark] = drawing.pop("diagnostics")
    identity = drawing.pop("id")
    assert isinstance(identity, str)
    assert drawing == {
        "note": "D.excalidraw",
        "kind": "excalidraw",
        "boxes": 1,
        "arrows": 1,
        "status": "none",
        "model": None,
    }
    assert set(remark) == DIAGNOSTIC
    assert (remark["code"], remark["severity"]) == ("N2C079", "note")
    assert "no model is made from it" in remark["message"]


def test_the_real_notes_have_facts() -> None:
    shared = Path(__file__).resolve().parents[3] / "shared" / "seeds" / "vault"
    if not shared.is_dir():
        pytest.skip("there are no real notes beside the checkout")
    found = facts(compile_vault(read_vault(shared), library()), {})
    json.dumps(found)
    assert {f["status"] for f in found["formulas"]} >= {"component", "text"}
    assert all(set(f) == FORMULA for f in found["formulas"])
