"""What a vault compiles to: every formula with what became of it, and what the notes mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from notes2code.components.compiling import Compiled, Compiler
from notes2code.components.library import Library
from notes2code.components.mentions import Mention, mentions
from notes2code.components.repair import repaired
from notes2code.diagnostics import Diagnostic, Problem, Severity
from notes2code.meaning.linking import Entry, Linker
from notes2code.vault.model import Formula, Note, Vault

SKIP = "n2c/skip"
"""The tag of a note or section that is left out."""


@dataclass(frozen=True)
class CompiledFormula:
    """A formula of a note, what became of it, and its problems in their places."""

    note: Note
    formula: Formula
    compiled: Compiled
    diagnostics: tuple[Diagnostic, ...]

    @property
    def position(self) -> tuple[int, int]:
        """Line and column of its first character, from 1."""
        return self.note.source.position(self.formula.places.offset(0))

    @property
    def id(self) -> str:
        """A name of the formula in the vault: its note, line and column."""
        line, column = self.position
        return f"{self.note.path}:{line}:{column}"


@dataclass(frozen=True)
class Compilation:
    """A compiled vault."""

    vault: Vault
    library: Library
    formulas: tuple[CompiledFormula, ...]
    mentions: tuple[Mention, ...]
    compiler: Compiler

    def diagnostics(self) -> Iterator[Diagnostic]:
        """All diagnostics: of the vault, of its notes, of their formulas."""
        yield from self.vault.diagnostics
        for note in self.vault.notes:
            yield from note.diagnostics
            for formula in self.formulas:
                if formula.note is note:
                    yield from formula.diagnostics


def compile_vault(vault: Vault, library: Library) -> Compilation:
    """Compile the formulas of all notes in each other's light."""
    places: dict[Entry, tuple[Note, Formula]] = {}
    for note in vault.notes:
        for order, formula in enumerate(note.formulas):
            if SKIP not in formula.tags:
                places[Entry(formula.latex, note.path, formula.section, order)] = note, formula
    compiler = Compiler(Linker(list(places), library.scope), library)
    known = [c for entry in places if (c := compiler.compiled(entry)).status == "component"]
    formulas: list[CompiledFormula] = []
    for entry, (note, formula) in places.items():
        compiled = compiler.compiled(entry)
        if formula.code:
            if compiled.status != "component":
                continue
        else:
            compiled = repaired(compiled, known, library)
        formulas.append(CompiledFormula(note, formula, compiled, _placed(note, formula, compiled)))
    skipped = [n for n in vault.notes if SKIP not in n.tags]
    return Compilation(vault, library, tuple(formulas), mentions(skipped, library), compiler)


def _placed(note: Note, formula: Formula, compiled: Compiled) -> tuple[Diagnostic, ...]:
    """The problems of a formula in their places in the note."""
    return tuple(
        note.source.diagnostic(problem, formula.latex, formula.places)
        for problem in compiled.problems
    )


__all__ = ["Compilation", "CompiledFormula", "Problem", "Severity", "compile_vault", "replace"]
