"""A compiled vault in, the files of its package out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from notes2code.compilation import EMIT, SKIP, Compilation
from notes2code.components.compiled import Compiled
from notes2code.components.mentions import Mention
from notes2code.components.parts import Part, Source
from notes2code.components.plan import plan
from notes2code.diagnostics import Diagnostic, Problem, Span, warning
from notes2code.embeddings_said import LEARNED, SCALED, embeddings_said
from notes2code.emit import package as emitter
from notes2code.emit.formulas import Plain
from notes2code.final_norms import final_norms
from notes2code.model_sizes import sizes_of
from notes2code.numbers_said import numbers_said
from notes2code.ties_said import ties_said

DRAWINGS = ("excalidraw", "canvas")


@dataclass(frozen=True)
class Rendered:
    """The files by path, relative to the output folder, and the dotted name of the class or
    function that each emitted formula became, by the formula's id.

    ``classes`` gives the places in the notes by the dotted name of each class and function; there
    are none for what only others are built from. ``remarks`` are the diagnostics of what could
    not be written or used, by the formula's id, or by the note's path where it is no formula.
    ``tests`` are the names of the classes and functions by their tests.
    """

    files: Mapping[str, str]
    emitted: Mapping[str, str]
    classes: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    remarks: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    tests: Mapping[str, set[str]] = field(default_factory=dict)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All remarks."""
        return tuple(found for remarks in self.remarks.values() for found in remarks)


def render(
    compilation: Compilation, package: str, refused: Mapping[str, str] | None = None
) -> Rendered:
    """Render the package of a vault; the same vault gives the same files, wherever it lies.
    ``refused`` says by name which classes are left out, and why."""
    mentioned = _mentioned(compilation)
    planned = plan(_sourced(compilation), mentioned, compilation.compiler)
    vault = Path(compilation.vault.root).resolve().name
    found = {note.path: sizes_of(note) for note in compilation.vault.notes}
    sizes = {path: sizes for path, (sizes, _) in found.items() if sizes}

    def emitted(plain: Mapping[str, Plain]) -> emitter.Package:
        return emitter.render(planned, package, vault, sizes, tuple(plain.values()), refused)

    plain = _plain(compilation, {})
    rendered = emitted(plain)
    classless = {f: part for f, part in planned.owners.items() if part in rendered.left_out}
    instead = {id: made for id, made in _plain(compilation, classless).items() if id not in plain}
    if instead:  # what is asked for is written as a function where there is no class of it
        plain |= instead
        rendered = emitted(plain)
    told = {made: _left_out(_name(made), why) for made, why in rendered.left_out.items()}
    told |= {made: _doubtful(_name(made), why) for made, why in rendered.doubts.items()}
    owned: dict[str, Part | Plain | None] = {}
    for f in compilation.formulas:
        part, function = planned.owners.get(f.compiled), plain.get(f.id)
        owned[f.id] = part or function
        if function is not None and function in rendered.classes:
            owned[f.id] = function
            if part is not None:
                told[function] = _instead(told[part], rendered.classes[function])
    remarks = _remarks(compilation, owned, mentioned, told)
    for path, (_, problems) in found.items():
        if problems:
            remarks[path] = (*remarks.get(path, ()), *problems)
    classes = {
        name: part.sources if isinstance(part, Part) else (part.source,)
        for part, name in rendered.classes.items()
    }
    names = {
        id: rendered.classes[made]
        for id, made in owned.items()
        if made is not None and made in rendered.classes
    }
    return Rendered(rendered.files, names, classes, remarks, rendered.tests)


def _sourced(compilation: Compilation) -> list[tuple[Compiled, Source]]:
    """The formulas with their places; what a drawing repeats of a note is the note's."""
    ordered = sorted(compilation.formulas, key=lambda f: f.note.kind in DRAWINGS)
    formulas = compilation.compiler.linker.formulas
    numbers = numbers_said(compilation)
    ties = ties_said(compilation.vault, SKIP)
    return [
        (
            f.compiled,
            Source(
                f.note.path,
                f.position[0],
                formulas.written_out(f.formula.latex),
                f.note.title,
                numbers.get((f.note.path, f.formula.section), ()),
                ties.get(f.note.path, 0),
            ),
        )
        for f in ordered
    ]


def _plain(compilation: Compilation, classless: Mapping[Compiled, Part]) -> dict[str, Plain]:
    """The formulas that are no component, or have no class, but are tagged to be emitted, by id:
    those set apart, and those in the text that define a name."""
    found: dict[str, Plain] = {}
    for f in compilation.formulas:
        equation = f.compiled.equation
        if EMIT not in f.tags or equation is None:
            continue
        if f.compiled.status != "formula" and f.compiled not in classless:
            continue
        if f.formula.display or equation.name:
            latex = compilation.compiler.linker.formulas.written_out(f.formula.latex)
            source = Source(f.note.path, f.position[0], latex, f.note.title)
            found[f.id] = Plain(
                equation, source, f.formula.section[-1] if f.formula.section else ""
            )
    return found


def _mentioned(compilation: Compilation) -> list[tuple[Mention, Source]]:
    """What the notes name, and where each does first."""
    notes = {note.path: note for note in compilation.vault.notes}
    normed = final_norms(compilation)
    untied = ties_said(compilation.vault, SKIP, tied=False)
    learned = embeddings_said(compilation.vault.notes, LEARNED, SKIP)
    scaled = embeddings_said(compilation.vault.notes, SCALED, SKIP)
    first: dict[tuple[str, str], Mention] = {}
    for mention in compilation.mentions:
        first.setdefault((mention.note, mention.component.name), mention)
    found = []
    for mention in first.values():
        note = notes[mention.note]
        line, _ = note.source.position(mention.start)
        place = Source(
            note.path,
            line,
            "",
            note.title,
            normed=normed.get(note.path, 0),
            untied=untied.get(note.path, 0),
            learned=learned.get(note.path, 0),
            scaled=scaled.get(note.path, 0),
        )
        found.append((mention, place))
    return found


# --- what could not be written, or is doubtful --------------------------------------------------


def _remarks(
    compilation: Compilation,
    owned: Mapping[str, Part | Plain | None],
    mentioned: Sequence[tuple[Mention, Source]],
    told: Mapping[Part | Plain, Problem],
) -> dict[str, tuple[Diagnostic, ...]]:
    """What is told of parts, at their formulas or at their names."""
    remarks: dict[str, tuple[Diagnostic, ...]] = {}
    for f in compilation.formulas:
        made = owned[f.id]
        if made is not None and made in told:
            problem = replace(told[made], span=Span(0, len(f.formula.latex)))
            found = f.note.source.diagnostic_of(problem, f.formula)
            remarks[f.id] = (found,)
    notes = {note.path: note for note in compilation.vault.notes}
    for part, problem in told.items():
        for mention, source in mentioned:
            if isinstance(part, Part) and source in part.sources and not part.from_notes:
                place = Span(mention.start, mention.start + len(mention.text.strip()))
                found = notes[mention.note].source.diagnostic(replace(problem, span=place))
                remarks[mention.note] = (*remarks.get(mention.note, ()), found)
    return remarks


def _name(made: Part | Plain) -> str:
    return made.name if isinstance(made, Part) else "the formula"


def _left_out(name: str, reason: str) -> Problem:
    """The warning that a part or a formula is left out."""
    return warning(
        "N2C053",
        f"{name} is left out of the package: {reason}",
        Span(0, 0),
        "the rest of the package is written without it",
    )


def _instead(problem: Problem, name: str) -> Problem:
    """The warning that a class is left out, where a function is written in its place."""
    name = name.rpartition(".")[2]
    return replace(problem, help=f"the formula is written as the function `{name}` instead")


def _doubtful(name: str, doubt: str) -> Problem:
    """The warning that a class may not be what the notes mean."""
    help = "write its formula with the functions that it is to call, and beside it its numbers"
    return warning("N2C057", f"{name} may not be what is meant: {doubt}", Span(0, 0), help)
