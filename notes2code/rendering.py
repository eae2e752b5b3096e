"""A compiled vault in, the files of its package out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from notes2code.compilation import Compilation
from notes2code.components.plan import Source, plan
from notes2code.emit import package as emitter


@dataclass(frozen=True)
class Rendered:
    """The files by path, relative to the output folder, and the dotted name of the class or
    function that each emitted formula became, by the formula's id."""

    files: Mapping[str, str]
    emitted: Mapping[str, str]


def render(compilation: Compilation, package: str) -> Rendered:
    """Render the package of a vault; the same vault gives the same files, wherever it lies."""
    notes = {note.path: note for note in compilation.vault.notes}
    formulas = [
        (f.compiled, Source(f.note.path, f.position[0], f.formula.latex, f.note.title))
        for f in compilation.formulas
    ]
    mentioned = []
    for mention in compilation.mentions:
        note = notes[mention.note]
        line, _ = note.source.position(mention.start)
        mentioned.append((mention, Source(note.path, line, "", note.title)))
    planned = plan(formulas, mentioned, compilation.compiler)
    vault = Path(compilation.vault.root).resolve().name
    rendered = emitter.render(planned, package, vault)
    emitted = {
        f.id: rendered.classes[planned.owners[f.compiled]]
        for f in compilation.formulas
        if f.compiled in planned.owners
    }
    return Rendered(rendered.files, emitted)
