"""Formulas of several results that the note goes on with, each of them: the ``Q = X W_Q, K = X W_K,
V = X W_V`` above ``Attention(Q, K, V)``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.components.compiled import Compiled
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker


def used_on(group: Sequence[Compiled], linker: Linker) -> frozenset[Entry]:
    """The formulas of a note all of whose results others are made of, or are given by name: which
    of them is the value need not be told."""
    named: set[str] = set()
    made_of: dict[Entry, set[str]] = {}
    for compiled in group:
        if compiled.equation is not None:
            named.update(compiled.equation.parameters)
            for used in compiled.uses:
                names = {made.name for made in compiled.equation.definitions}
                made_of.setdefault(used, set()).update(names)
    results = {c.entry: {*linker.formulas.parsed[c.entry].arrays} for c in group}
    return frozenset(
        entry
        for entry, made in results.items()
        if len(made) > 1 and made <= named | made_of.get(entry, set())
    )
