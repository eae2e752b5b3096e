"""The facts that ``inspect`` shows, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from notes2code.compilation import Compilation, CompiledFormula
from notes2code.components.own_sizes import shown_settings
from notes2code.diagnostics import Diagnostic
from notes2code.inspection import drawings
from notes2code.meaning import shapes
from notes2code.vault import NOTE_SUFFIXES, Note, NoteKind, Scene

SCHEMA = 1
_KINDS: Mapping[str, NoteKind] = {
    ".excalidraw": "excalidraw",
    ".canvas": "canvas",
    ".html": "html",
    ".htm": "html",
}


def facts(
    compilation: Compilation,
    emitted: Mapping[str, str],
    remarks: Mapping[str, Sequence[Diagnostic]] | None = None,
) -> dict[str, Any]:
    """All facts; ``emitted`` gives the dotted name that a formula became, by its id, ``remarks``
    what was found when code was written, by the formula's id or the note's path.

    Notes that could not be read at all are among the notes, with the reason.
    """
    vault = compilation.vault
    more = remarks or {}
    return {
        "schema": SCHEMA,
        "vault": vault.root,
        "notes": [
            *(_note(note, more.get(note.path, ())) for note in vault.notes),
            *(_unread(d) for d in vault.diagnostics if is_note(d.path)),
        ],
        "formulas": [
            _formula(f, emitted.get(f.id), more.get(f.id, ())) for f in compilation.formulas
        ],
        "drawings": [_drawing(note, scene) for note in vault.notes for scene in note.scenes],
    }


def is_note(path: str) -> bool:
    """Whether a path is that of a note, going by its name."""
    return PurePosixPath(path).suffix.lower() in NOTE_SUFFIXES


def diagnostic_facts(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data, without its path."""
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_line": diagnostic.end_line,
        "end_column": diagnostic.end_column,
    }


def _note(note: Note, remarks: Sequence[Diagnostic]) -> dict[str, Any]:
    return {
        "path": note.path,
        "kind": note.kind,
        "title": note.title,
        "tags": list(note.tags),
        "diagnostics": [diagnostic_facts(d) for d in (*note.diagnostics, *remarks)],
    }


def _unread(diagnostic: Diagnostic) -> dict[str, Any]:
    """A note of which only the name is known."""
    path = PurePosixPath(diagnostic.path)
    return {
        "path": diagnostic.path,
        "kind": _KINDS.get(path.suffix.lower(), "markdown"),
        "title": path.stem.removesuffix(".excalidraw"),
        "tags": [],
        "diagnostics": [diagnostic_facts(diagnostic)],
    }


def _formula(
    found: CompiledFormula, emitted_as: str | None, remarks: Sequence[Diagnostic]
) -> dict[str, Any]:
    formula, recognised = found.formula, found.compiled.recognised
    line, column = found.position
    end_line, end_column = found.note.source.position(
        formula.places.offset(max(0, len(formula.latex) - 1))
    )
    return {
        "id": found.id,
        "note": found.note.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column + bool(formula.latex),
        "latex": formula.latex,
        "display": formula.display,
        "section": list(formula.section),
        "tags": list(formula.tags),
        "status": found.compiled.status,
        "component": None if recognised is None else recognised.component.name,
        "settings": {} if recognised is None else shown_settings(recognised),
        **_signature(found),
        "emitted_as": emitted_as,
        "diagnostics": [diagnostic_facts(d) for d in (*found.diagnostics, *remarks)],
    }


def _signature(found: CompiledFormula) -> dict[str, Any]:
    """What a formula defines, and the shapes of its inputs and its value."""
    equation = found.compiled.equation
    if equation is None:
        return {"name": None, "inputs": [], "output": None}
    return {
        "name": equation.name or None,
        "inputs": [
            {"name": given.name, "shape": [shapes.text(size) for size in given.shape]}
            for given in equation.inputs
        ],
        "output": [shapes.text(index.size) for index in equation.value.indices],
    }


def _drawing(note: Note, scene: Scene) -> dict[str, Any]:
    boxes, arrows = drawings.counts(scene)
    return {
        "note": note.path,
        "id": scene.id,
        "kind": scene.kind,
        "boxes": boxes,
        "arrows": arrows,
        "status": "none",
        "model": None,
        "diagnostics": [diagnostic_facts(drawings.remark(note, scene))],
    }
