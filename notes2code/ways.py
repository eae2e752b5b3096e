"""The ways of doing one thing that a formula writes as cases, each behind its name."""

from __future__ import annotations

from itertools import accumulate

from notes2code.components.library import Library
from notes2code.latex.labelled import Part, labelled
from notes2code.latex.tokens import MAX_LENGTH
from notes2code.vault.model import SourceMap


def ways(latex: str, library: Library) -> tuple[Part, ...]:
    """The formulas of cases whose rows have names, one of which is that of a component: any other
    name may be a condition."""
    found = labelled(latex) if len(latex) <= MAX_LENGTH else ()
    words = (word for one in found for word in (one.label, *one.label.split()))
    return found if any(map(library.knows, words)) else ()


def within(one: Part) -> SourceMap:
    """Where the pieces of a formula stand in the one that holds it."""
    starts = accumulate((len(text) for text, _ in one.pieces), initial=0)
    return SourceMap(tuple((start, at) for start, (_, at) in zip(starts, one.pieces, strict=False)))
