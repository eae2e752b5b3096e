"""The facts as text for people, and several paths as one vault."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notes2code.inspection import read_paths, text
from notes2code.vault import VaultError

Inspected = Callable[..., dict[str, Any]]
Write = Callable[..., Path]


def test_a_note_is_summed_up(inspected: Inspected, attention: str) -> None:
    note = f"$x$, $y$ and $z$\n\n$${attention}$$\n\n$$y = \\frac{{a}}{{$$\n"
    emitted = {"A.md:3:3": "transformer.attention.Dot"}
    lines = text(inspected({"A.md": note}, emitted)).splitlines()
    assert lines[0] == "A.md (markdown): 1 component, 1 rejected"
    assert lines[1].split() == [
        *("3:3", "scaled_dot_product_attention", "(scale=d_k**-0.5)", "→"),
        "transformer.attention.Dot",
    ]
    assert lines[2].strip() == "Attention: Q (n, d_k), K (m, d_k), V (m, d_v) → (n, d_v)"
    assert lines[3].split() == ["5:3", "rejected"]
    assert lines[4].strip().startswith("N2C0")
    assert lines[5] == "  3 formulas hold nothing to compute"
    assert len(lines) == 6


def test_a_plain_formula_and_a_number(inspected: Inspected) -> None:
    lines = text(inspected({"A.md": "$$s = \\max_i a_i b_i$$\n$w$"})).splitlines()
    assert lines[0] == "A.md (markdown): 1 formula"
    assert lines[1].split() == ["1:3", "formula"]
    assert re.fullmatch(r"s: a \((\w)\), b \(\1\) → a number", lines[2].strip())
    assert lines[3] == "  1 formula holds nothing to compute"


def test_drawings_and_empty_notes_are_told(inspected: Inspected) -> None:
    note = "```mermaid\ngraph TD\nA --> B\n```\n"
    lines = text(inspected({"A.md": note, "B.md": "prose"})).splitlines()
    assert lines[0] == "A.md (markdown): nothing to compute"
    assert "(mermaid): 2 boxes, 1 arrows; no model is made from it" in lines[1]
    assert lines[3] == "B.md (markdown): nothing to compute"


def test_several_paths_are_one_vault(write: Write, tmp_path: Path) -> None:
    write({"A.md": "$x$", "sub/B.md": "$a_$"}, "one")
    write({"C.md": "---\na: [\n---\n"}, "two")
    paths = [tmp_path / "one", tmp_path / "two" / "C.md", tmp_path / "one" / "A.md"]
    vault = read_paths([str(path) for path in paths])
    assert [note.path for note in vault.notes] == ["one/A.md", "one/sub/B.md", "two/C.md"]
    assert Path(vault.root).resolve() == tmp_path
    assert [d.path for note in vault.notes for d in note.diagnostics] == ["two/C.md"]


def test_one_path_is_its_own_vault(write: Write) -> None:
    folder = write({"A.md": "$x$", "sub/B.md": "$x$"})
    assert [note.path for note in read_paths([str(folder / "sub" / "B.md")]).notes] == ["B.md"]


def test_a_path_that_is_not_there(write: Write) -> None:
    folder = write({"A.md": "$x$"})
    with pytest.raises(VaultError, match="there is no vault"):
        read_paths([str(folder), str(folder / "missing")])
