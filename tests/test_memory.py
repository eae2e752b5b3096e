"""What one build leaves for the next changes nothing but its speed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notes2code.compilation import compile_vault
from notes2code.components import compiling
from notes2code.components.library import library
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking import memory as remembering
from notes2code.meaning.linking.memory import Memory
from notes2code.vault import read_vault

NOTES = {
    "shapes.md": "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d}$.\n\n"
    "$$ y = X w $$\n\n$$ \\phi(u) = \\max(0, u) $$\n",
    "scores.md": "# Scores\n\n$$ S = \\phi(Q K^\\top / \\tau) $$\n\n"
    "$$ O = \\mathrm{softmax}(S) V $$\n\n$$ s_{ij} = q_i \\cdot k_j + b $$\n",
    "broken.md": "$$ z = (x + \\frac{1}{2} $$\n\n$$ a = b + c, \\quad e = f( $$\n",
}

EDITS: dict[str, Callable[[str, str], str]] = {
    "prose": lambda name, text: text + "\nSome words.\n",
    "a formula above": lambda name, text: f"$$ r = p + q $$\n\n{text}",
    "a declaration goes": lambda name, text: text.replace("w \\in \\mathbb{R}^{d}", "w"),
    "a declaration changes": lambda name, text: text.replace("n \\times d", "d \\times n"),
    "another function": lambda name, text: text.replace("\\max(0, u)", "u^2"),
    "a word": lambda name, text: text + "\n$$ \\mathrm{phi} = 3 $$\n",
    "a macro": lambda name, text: text + "\n$$ \\newcommand{\\tau}{2 n} $$\n",
    "a heading": lambda name, text: text.replace("# Scores", "# Scores\n\n## Of one head"),
    "mended": lambda name, text: text.replace("(x +", "x +"),
}


def _results(folder: Path, memory: Memory | None = None) -> list[Any]:
    found = compile_vault(read_vault(folder), library(), memory)
    return [
        (f.id, f.compiled.status, repr(f.compiled.equation), f.compiled.uses, f.diagnostics)
        for f in found.formulas
    ]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of a few notes."""
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_vault_edited_step_by_step_compiles_as_if_anew(vault: Path) -> None:
    memory = Memory()
    before = _results(vault, memory)
    for what, edit in EDITS.items():
        for path in vault.iterdir():
            path.write_text(edit(path.name, path.read_text(encoding="utf-8")), encoding="utf-8")
        after = _results(vault, memory)
        assert after == _results(vault), what
        assert after != before or what == "prose", what
        before = after


def test_only_what_changed_is_typed_again(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed: list[str] = []

    def counted(latex: str, *rest: Any) -> Any:
        typed.append(latex)
        return type_tree(latex, *rest)

    type_tree = remembering.type_tree
    monkeypatch.setattr(remembering, "type_tree", counted)
    memory = Memory()
    _results(vault, memory)
    assert len(typed) > 6
    typed.clear()
    note = vault / "scores.md"
    note.write_text(NOTES["scores.md"] + "\nSome words.\n", encoding="utf-8")
    _results(vault, memory)
    assert typed == []
    note.write_text(NOTES["scores.md"].replace("+ b", "- b"), encoding="utf-8")
    _results(vault, memory)
    assert typed == ["s_{ij} = q_i \\cdot k_j - b"]


def test_only_what_changed_is_compared_with_components_again(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def counted(equation: Equation, *rest: Any) -> Any:
        compared.append(equation.name)
        return recognise(equation, *rest)

    recognise = compiling.recognise
    monkeypatch.setattr(compiling, "recognise", counted)
    memory = Memory()
    _results(vault, memory)
    assert {"O", "S"} <= {*compared}
    compared.clear()
    note = vault / "scores.md"
    note.write_text(NOTES["scores.md"].replace("+ b", "- b"), encoding="utf-8")
    _results(vault, memory)
    assert {*compared} == {"s"}


def test_what_two_builds_do_not_ask_is_forgotten(vault: Path) -> None:
    memory = Memory()
    _results(vault, memory)
    (vault / "scores.md").unlink()
    for _ in range(2):
        _results(vault, memory)
    kept = [latex for table in memory._former for latex in map(str, table)]
    assert not any("softmax" in latex for latex in kept)
    anew = Memory()
    _results(vault, anew)
    assert len(memory._found) == len(anew._found)
