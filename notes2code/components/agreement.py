"""Remarks where a section has a letter for things of two kinds: one of its formulas may be misread.

Custom tells a vector from a matrix formula by formula, and nothing but a declaration ties them.
"""

from __future__ import annotations

from collections.abc import Iterable

from notes2code.components.compiled import Compiled
from notes2code.diagnostics import Problem, Span, note
from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.prose.kinds import CALLED

_ROWS = frozenset("XHZxhz")
"""Letters of tokens: what is said of one of them is said of each row of all."""


def disagreements(compiled: Iterable[Compiled], linker: Linker) -> dict[Entry, Problem]:
    """For each formula that takes a letter for something else than an earlier one of its section
    does, the remark on it."""
    first: dict[tuple[str, tuple[str, ...], str, int], tuple[int, int]] = {}
    found: dict[Entry, Problem] = {}
    for one in compiled:
        entry = one.entry
        for name, indices, rank in _ranks(one, linker):
            known, line = first.setdefault(
                (entry.note, entry.section, name, indices), (rank, entry.line)
            )
            rows = names.base_letter(name) in _ROWS and 0 not in (known, rank)
            if known != rank and not rows and max(known, rank) < len(CALLED):
                text = f"`{name}` is taken to be a {CALLED[rank]}, and a {CALLED[known]} in line"
                found[entry] = note(
                    "N2C039", f"{text} {line}", Span(0, len(entry.latex)), "declare what it is"
                )
    return found


def _ranks(one: Compiled, linker: Linker) -> Iterable[tuple[str, int, int]]:
    """The arrays that a formula is given: their names, their indices there, and their ranks."""
    seen = linker.formulas.parsed[one.entry].seen
    if one.equation is None or seen is None:
        return
    for given in one.equation.inputs:
        indices = seen.counted.get(given.name, set())
        if (
            given.kind == "array"
            and len(indices) == 1
            and given.name not in one.equation.parameters
        ):
            (count,) = indices
            yield given.name, count, len(given.shape) - count
