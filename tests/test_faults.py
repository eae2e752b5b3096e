"""A fault of notes2code costs the formula that it is met at, and none of the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notes2code import faults
from notes2code.compilation import Compilation, compile_vault
from notes2code.components import compiling, remarks, repair
from notes2code.components.library import library
from notes2code.emit import view
from notes2code.meaning import typed
from notes2code.meaning.linking import entries
from notes2code.rendering import render
from notes2code.vault import read_vault

DESCRIBED, MET = faults.described, faults.met

NOTE = r"""# Layers

$$ \mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2 $$

$$ z = \mathrm{FFN}(x) + x $$

$$ y = \tanh(x W) $$
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that is read as users have it read: faults are told."""
    monkeypatch.setattr(faults, "described", DESCRIBED)
    monkeypatch.setattr(faults, "met", MET)
    (tmp_path / "Layers.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


def compiled(vault: Path) -> Compilation:
    return compile_vault(read_vault(vault), library())


def failing(function: Callable[..., Any], at: str) -> Callable[..., Any]:
    """The function, with a fault where an argument tells of a formula."""

    def with_fault(*arguments: Any, **named: Any) -> Any:
        told = [one for one in arguments[:2] if not isinstance(one, compiling.Compiler)]
        if any(at in str(getattr(one, "latex", one)) for one in told):
            raise KeyError(at)
        return function(*arguments, **named)

    return with_fault


@pytest.mark.parametrize(
    ("place", "name"), [(entries, "parse"), (compiling.Compiler, "_compile"), (remarks, "doubts")]
)
def test_one_formula_is_rejected_and_the_others_are_read(
    vault: Path, monkeypatch: pytest.MonkeyPatch, place: Any, name: str
) -> None:
    monkeypatch.setattr(place, name, failing(getattr(place, name), "tanh"))
    feed_forward, sum_, other = compiled(vault).formulas
    assert feed_forward.compiled.status == "component"
    assert sum_.compiled.status == "formula"
    assert other.compiled.status == "rejected"
    assert [found.code for found in other.diagnostics] == ["N2C090"]
    assert "KeyError at test_faults.py:" in other.diagnostics[0].message


def test_a_formula_of_several_equations_is_read_in_parts(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = r"$$ \begin{aligned} u &= \tanh(x) \\ v &= \exp(x) \end{aligned} $$"
    (vault / "Layers.md").write_text(two, encoding="utf-8")
    monkeypatch.setattr(typed, "_typed", failing(typed._typed, "tanh"))
    first, second = compiled(vault).formulas
    assert [found.code for found in first.diagnostics] == ["N2C090"]
    assert second.compiled.status == "formula"


def test_a_class_that_cannot_be_written_is_left_out(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view.View, "reference_source", lambda self: {}["missing"])
    rendered = render(compiled(vault), "transformer")
    assert not rendered.classes
    told = [found for found in rendered.diagnostics if found.code == "N2C053"]
    assert told and "KeyError at test_faults.py:" in told[0].message


def test_a_repair_that_fails_is_not_offered(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "Layers.md").write_text(NOTE + "\n$$ u = \\sqrt(x $$\n", encoding="utf-8")
    monkeypatch.setattr(repair, "type_formula", failing(repair.type_formula, "sqrt"))
    *others, broken = compiled(vault).formulas
    assert [one.compiled.status for one in others] == ["component", "formula", "formula"]
    assert broken.compiled.status == "rejected"
