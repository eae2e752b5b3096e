"""The report of a build: what became of every formula, what was written, how to import it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from notes2code.components.parts import Source
from notes2code.diagnostics import Severity
from notes2code.diagnostics.render import clean
from notes2code.inspection import drawings
from notes2code.inspection.facts import diagnostic_facts
from notes2code.inspection.text import counted
from notes2code.pipeline import Outcome, Result
from notes2code.publish import Changes, Kind, diff
from notes2code.verify import Verdict

SCHEMA = 1
_PLACES = 5
_FAILURES = 10
_IMAGES = "N2C009"
_NAMES = 6
_KINDS: tuple[Kind, ...] = ("create", "update", "delete")
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}
_PLANNED = {"create": "to create", "update": "to update", "delete": "to delete"}


def text(result: Result) -> str:
    """The report for people."""
    return "\n".join(_lines(result)) + "\n"


def facts(result: Result, with_diff: bool = False) -> dict[str, Any]:
    """The report as plain data for JSON."""
    changes, verdict = result.changes, result.verdict
    emitted = result.rendered.emitted if result.rendered else {}
    report: dict[str, Any] = {
        "schema": SCHEMA,
        "outcome": str(result.outcome),
        "vault": result.compilation.vault.root,
        "out": result.out.as_posix(),
        "package": result.package,
        "notes": len(result.compilation.vault.notes),
        "formulas": dict(_statuses(result)),
        "components": [
            {
                "formula": f.id,
                "component": f.compiled.recognised.component.name,
                "emitted_as": emitted.get(f.id),
            }
            for f in result.compilation.formulas
            if f.compiled.recognised is not None
        ],
        "classes": [
            {"name": name, "places": [f"{s.note}:{s.line}" for s in sources]}
            for name, sources in _classes(result)
        ],
        "diagnostics": [{"path": d.path, **diagnostic_facts(d)} for d in result.diagnostics],
        "tests": _tests_facts(verdict) if verdict else None,
        "files": _files_facts(changes) if changes else None,
    }
    if with_diff and changes:
        report["diff"] = diff(changes)
    return report


# --- as data ------------------------------------------------------------------------------------


def _tests_facts(verdict: Verdict) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "failed": [{"test": f.test, "excerpt": f.excerpt} for f in verdict.failures],
        "problem": verdict.problem or None,
        "passed_before": verdict.before,
    }


def _files_facts(changes: Changes) -> dict[str, Any]:
    kinds = {_DONE[kind]: list(changes.of(kind)) for kind in _KINDS}
    return {
        **kinds,
        "unchanged": list(changes.of("unchanged")),
        "conflicts": list(dict.fromkeys(conflict.path for conflict in changes.conflicts)),
    }


def _statuses(result: Result) -> Counter[str]:
    found = Counter(f.compiled.status for f in result.compilation.formulas)
    order = ("component", "formula", "definition", "text", "rejected")
    return Counter({status: found[status] for status in order})


def _classes(result: Result) -> Sequence[tuple[str, Sequence[Source]]]:
    """The classes and functions of the package with their places in the notes."""
    return sorted(result.rendered.classes.items()) if result.rendered else ()


# --- as text ------------------------------------------------------------------------------------


def _lines(result: Result) -> Iterator[str]:
    yield from _formulas(result)
    yield from _written(result)
    severities = Counter(d.severity for d in result.diagnostics)
    if severities:
        told = [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "remark")]
        hint = "; notes2code inspect shows the remarks" if severities[Severity.NOTE] else ""
        yield ", ".join(counted(severities[s], noun) for s, noun in told if severities[s]) + hint
    if result.verdict:
        yield from _tests(result.verdict)
    if result.changes:
        yield from _files(result, result.changes)
    if result.outcome is Outcome.DONE:
        yield from _import(result)
    elif result.outcome is not Outcome.STALE:
        yield "nothing was written"


def _formulas(result: Result) -> Iterator[str]:
    compilation = result.compilation
    notes = counted(len(compilation.vault.notes), "note")
    formulas = counted(len(compilation.formulas), "formula")
    yield f"{clean(compilation.vault.root)}: {notes}, {formulas}"
    found = _statuses(result)
    rejected = _places(
        (f.note.path, f.position[0])
        for f in compilation.formulas
        if f.compiled.status == "rejected"
    )
    became = {
        "component": ("components", ""),
        "formula": ("formulas", "can be computed, but are no known component"),
        "definition": ("definitions", "of shapes, sizes and names"),
        "rejected": ("rejected", rejected),
        "text": ("text", "nothing to compute"),
    }
    for status, (name, what) in became.items():
        if found[status]:
            yield f"  {name:<11} {found[status]:>4}  {what}".rstrip()
    images = _places((d.path, d.line) for d in result.diagnostics if d.code == _IMAGES)
    if images:
        yield f"  embedded images are not read: {images}"
    drawn = _places(
        (note.path, note.source.position(scene.start)[0])
        for note in compilation.vault.notes
        for scene in note.scenes
        if all(drawings.counts(scene))
    )
    if drawn:
        yield f"  drawings are read for their equations and labels, no model is made of: {drawn}"


def _written(result: Result) -> Iterator[str]:
    """What the package holds, and from where in the notes."""
    classes = {name.rpartition(".")[2]: sources for name, sources in _classes(result)}
    width = max(map(len, classes), default=0)
    if classes:
        yield "classes and functions:"
    elif result.rendered:
        yield "no component is recognised in the notes, and none is named: the package is empty"
    for name, sources in classes.items():
        stated = _places((s.note, s.line) for s in sources if s.latex)
        named = _places((s.note, s.line) for s in sources)
        where = stated or (f"named in {named}" if named else "what others are built from")
        yield f"  {name:<{width}}  {where}"


def _places(found: Iterable[tuple[str, int]]) -> str:
    """Places in notes as ``A.md:3, 9; B.md:4``, the first few of them."""
    places = list(dict.fromkeys(found))
    notes: dict[str, list[int]] = {}
    for note, line in places[:_PLACES]:
        notes.setdefault(clean(note), []).append(line)
    parts = (f"{note}:{', '.join(map(str, sorted(lines)))}" for note, lines in notes.items())
    text = "; ".join(parts)
    return f"{text} … {len(places) - _PLACES} more" if len(places) > _PLACES else text


def _tests(verdict: Verdict) -> Iterator[str]:
    if verdict.problem:
        return
    before = ""
    if verdict.before:
        some = f"{verdict.before} of them " if verdict.before < verdict.passed else ""
        before = f", {some}before with the same code"
    passed = f"tests of the package: {verdict.passed} passed{before}"
    yield f"{passed}, {len(verdict.failures)} failed" if verdict.failures else passed
    for failure in verdict.failures[:_FAILURES]:
        yield f"  {failure.test}"
        yield from (f"    {line}" for line in failure.excerpt.split("\n"))
    if len(verdict.failures) > _FAILURES:
        yield f"  … and {len(verdict.failures) - _FAILURES} more"


def _files(result: Result, changes: Changes) -> Iterator[str]:
    written = result.outcome is Outcome.DONE and result.verdict is not None
    words = _DONE if written else _PLANNED
    counts = [f"{len(changes.of(kind))} {words[kind]}" for kind in _KINDS if changes.of(kind)]
    same = len(changes.of("unchanged"))
    counts += [f"{same} unchanged"] if same or not counts else []
    yield f"{clean(result.out.as_posix())}: {', '.join(counts)}"
    for kind in _KINDS:
        yield from (f"  {words[kind]} {path}" for path in changes.of(kind))


def _import(result: Result) -> Iterator[str]:
    """How to import what was emitted."""
    names = [name.rpartition(".")[2] for name, _ in _classes(result)]
    if names:
        shown = ", ".join(names[:_NAMES]) + (", …" if len(names) > _NAMES else "")
        if _module(result) == result.package:
            yield f"pip install -e {clean(result.out.as_posix())}"
        yield f"from {_module(result)} import {shown}"


def _module(result: Result) -> str:
    """The package as it is imported from the current folder."""
    path = os.path.relpath(result.out)
    parts = [part for part in Path(path).parts if part != "."]
    if all(part.isidentifier() for part in parts):
        return ".".join([*parts, result.package])
    return result.package
