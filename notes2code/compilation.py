"""What a vault compiles to: every formula with what became of it, and what the notes mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace

from notes2code import faults
from notes2code.components.agreement import disagreements
from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import Library
from notes2code.components.mentions import Mention, mentions
from notes2code.components.repair import repaired
from notes2code.components.shared_results import used_on
from notes2code.components.worked import wrong_weights
from notes2code.diagnostics import Diagnostic, Problem, Severity, Span, warning
from notes2code.latex.apart import equations
from notes2code.latex.bare import bare
from notes2code.latex.labelled import Part
from notes2code.latex.tokens import MAX_LENGTH
from notes2code.latex.variants import alternatives, variants
from notes2code.meaning import of_several
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.linking.memory import Memory as Memory
from notes2code.meaning.scope import Scope
from notes2code.meaning.typed import type_formula
from notes2code.passages import passages
from notes2code.sentences import joined
from notes2code.stand_ins import unrecognised
from notes2code.vault.model import Formula, Note, Vault
from notes2code.ways import ways, within

SKIP = "n2c/skip"
"""The tag of a note, a section or a formula that is left out."""

OF_TEX = frozenset(["N2C026"])
"""The codes of what TeX shows otherwise than it is read, which does not matter in code."""

EMIT = "n2c/emit"
"""The tag of those whose plain formulas become functions."""


@dataclass(frozen=True)
class CompiledFormula:
    """A formula of a note, what became of it, and its problems in their places."""

    note: Note
    formula: Formula
    compiled: Compiled
    diagnostics: tuple[Diagnostic, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that hold here, those of the formula's own comments among them."""
        return asked(self.formula)

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
            yield from map(note.source.diagnostic, wrong_weights(note, SKIP))
            for formula in self.formulas:
                if formula.note is note:
                    yield from formula.diagnostics


def compile_vault(vault: Vault, library: Library, memory: Memory | None = None) -> Compilation:
    """Compile the formulas of all notes in each other's light. The equations of a formula that is
    refused as a whole are read each by itself. ``memory`` has what was found out when the vault was
    compiled before, and keeps what is found out now."""
    memory = memory or Memory()
    memory.begin()
    places = _entries(vault, library)
    prose = [passage for note in vault.notes for passage in passages(note)]

    def compiler_of(entries: Iterable[Entry]) -> Compiler:
        return Compiler(Linker(list(entries), library.scope, {}, prose, memory), library)

    compiler = compiler_of(places)
    refused = {
        formula
        for entry, (_, formula) in places.items()
        if _is_several(formula) and _is_refused_in_part(compiler, entry)
    }
    if refused:
        places = _entries(vault, library, refused)
        compiler = compiler_of(places)
    known = [c for entry in places if (c := compiler.compiled(entry)).status == "component"]
    named = mentions(vault.notes, library, SKIP, lambda formula: SKIP in asked(formula))
    by_note: dict[str, list[tuple[Formula, Compiled]]] = {}
    for entry, (note, formula) in places.items():
        by_note.setdefault(note.path, []).append((formula, compiler.compiled(entry)))
    doubts = unrecognised(vault.notes, by_note, named, library)
    kinds = disagreements((c for group in by_note.values() for _, c in group), compiler.linker)
    groups = ([c for _, c in group] for group in by_note.values())
    used = {entry for group in groups for entry in used_on(group, compiler.linker)}
    formulas: list[CompiledFormula] = []
    for entry, (note, formula) in places.items():
        compiled = compiler.compiled(entry)
        if formula.code and compiled.status != "component":
            continue
        if not formula.code:
            compiled = repaired(compiled, known, library)
        if formula not in doubts:
            compiled = _only_mentioned(formula, compiled)
        doubt = () if EMIT in asked(formula) else filter(None, [doubts.get(formula)])
        told = (p for p in compiled.problems if not (formula.code and p.code in OF_TEX))
        told = (p for p in told if not (entry in used and of_several.is_told(p)))
        other = () if entry not in kinds else (kinds[entry],)
        problems = (*told, *doubt, *other, *_unknown(formula, library))
        placed = tuple(_placed(note, formula, problem) for problem in problems)
        formulas.append(CompiledFormula(note, formula, compiled, placed))
    return Compilation(vault, library, tuple(formulas), named, compiler)


_NOT_COMPUTED = frozenset(["N2C031", "N2C032", "N2C036", "N2C037"])
"""The codes of what has no range or no value of its own, which prose may speak of all the same."""


def _only_mentioned(formula: Formula, compiled: Compiled) -> Compiled:
    """An expression in a sentence that equates nothing and cannot be computed, such as ``$-m |i -
    j|$``, is spoken of: what is said of it is a remark, and no error."""
    codes = {p.code for p in compiled.problems if p.severity is Severity.ERROR}
    inside = not (formula.display or formula.code or EMIT in asked(formula))
    if not codes or not codes <= _NOT_COMPUTED or not inside or _EQUATES.search(formula.latex):
        return compiled
    remarks = (
        replace(p, severity=Severity.NOTE) if p.severity is Severity.ERROR else p
        for p in compiled.problems
    )
    return replace(compiled, status="text", problems=tuple(remarks))


_EQUATES = re.compile(r"[=≈∝∼∈]|\\(?:approx|propto|sim|in|gets|leftarrow|equiv)(?![A-Za-z])")


def _entries(
    vault: Vault, library: Library, several: Set[Formula] = frozenset()
) -> dict[Entry, tuple[Note, Formula]]:
    """The formulas that are not skipped, with their notes; each equation of ``several``."""
    places: dict[Entry, tuple[Note, Formula]] = {}
    for note in vault.notes:
        whole = (one for formula in joined(note) for one in _apart(formula, library))
        apart = (p for one in whole for p in (_equations(one) if one in several else (one,)))
        for order, formula in enumerate(apart):
            tags = asked(formula)
            if SKIP not in tags:
                line, _ = note.source.position(formula.places.offset(0))
                entry = Entry(bare(formula.latex), note.path, formula.section, order, tags, line)
                places[entry] = note, formula
    return places


def _apart(formula: Formula, library: Library) -> tuple[Formula, ...]:
    """The formulas that a formula is: cases whose rows are named *dot*, *general* and so on are
    one for each row, and so are ways to do one thing, each behind its name. Unless a word of a name
    of cases is that of a component it may be a condition."""
    if len(formula.latex) > MAX_LENGTH:
        return (formula,)
    found = ways(formula.latex, library) or variants(formula.latex) or alternatives(formula.latex)
    return _parts(formula, found) if found else (formula,)


def _is_several(formula: Formula) -> bool:
    """Whether a formula is several equations, each of which may be one of its own."""
    return not formula.code and len(formula.latex) <= MAX_LENGTH and bool(equations(formula.latex))


def _is_refused_in_part(compiler: Compiler, entry: Entry) -> bool:
    """Whether a formula is refused for what one of its equations is by itself, and not for how they
    go together; or for that, where they make a layer in several steps, which are read each as
    well."""
    compiled = compiler.compiled(entry)
    if compiled.status != "rejected":
        return False
    scope, parsed = compiler.linker.scope(entry), compiler.linker.formulas.parsed[entry]
    codes = {_refusal(part.latex, scope) for part in equations(entry.latex)}
    shifts = [*parsed.seen.shifts.values()] if parsed.seen is not None else []
    layers = bool(parsed.states) or any(shift < 0 for own in shifts for shift in own)
    return compiled.problems[-1].code in codes or (layers and codes == {""})


def _refusal(latex: str, scope: Scope) -> str:
    """The code that an equation is refused for by itself, "" for one that is read."""
    try:
        typed = type_formula(latex, scope)
    except Exception as fault:  # is told when the equation is compiled
        return faults.met(latex, fault).code
    return typed.problems[-1].code if typed.kind == "rejected" else ""


def _equations(formula: Formula) -> tuple[Formula, ...]:
    return _parts(formula, equations(formula.latex))


def _parts(formula: Formula, found: Iterable[Part]) -> tuple[Formula, ...]:
    """The formulas that stand in one."""
    return tuple(_part(formula, one) for one in found)


def _part(formula: Formula, one: Part) -> Formula:
    inside = within(one)
    places = inside.through(formula.places, len(one.latex))
    return replace(formula, latex=one.latex, places=places, part_of=(formula, inside))


def asked(formula: Formula) -> tuple[str, ...]:
    """The tags of a formula; a comment ``%% n2c: emit %%`` is a tag of that formula alone."""
    return (*formula.tags, *(_COMMANDS.get(text, text) for text in formula.directives))


_COMMANDS = {"skip": SKIP, "emit": EMIT}


def _unknown(formula: Formula, library: Library) -> Iterator[Problem]:
    """Comments that ask for nothing that there is."""
    for text in formula.directives:
        if text not in _COMMANDS and not library.pinned([text]):
            yield warning(
                "N2C054",
                f"`n2c: {text}` asks for nothing that is known",
                Span(0, len(formula.latex)),
                "write `skip`, `emit`, or the name of a component such as `additive`",
            )


def _placed(note: Note, formula: Formula, problem: Problem) -> Diagnostic:
    """A problem of a formula in its place in the note."""
    return note.source.diagnostic_of(problem, formula)
