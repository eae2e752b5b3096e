"""Which of a note's definitions of a function say what becomes of all that it is given. Beside
``Attention(Q, K, V) = softmax(Q K^⊤) V`` an ``Attention(q_2, K, V) = α_1 v_1 + α_2 v_2`` only shows
what that comes to, and is not what heads call."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from notes2code.meaning import names
from notes2code.meaning.ir import Equation, Idx, Ref, walk
from notes2code.meaning.linking.entries import Entry


def whole_first(
    entry: Entry,
    name: str,
    others: list[Entry],
    function: Callable[[Entry, str], Equation | None],
) -> list[Entry]:
    """Definitions of a function, those that make nothing of what they are given behind others of
    the note that are as near. An ``f(x)`` is another one in each place."""
    if len(others) < 2 or names.is_any_function(name):
        return others
    read = {other: function(other, name) for other in others}
    whole = [
        (one, _shared(entry, other))
        for other, one in read.items()
        if other.note == entry.note and one is not None
    ]
    shown = {
        other
        for other, one in read.items()
        if one is not None
        if any(near >= _shared(entry, other) and is_shown(one, by) for by, near in whole)
    }
    return sorted(others, key=shown.__contains__) if shown else others


def is_shown(example: Equation, whole: Equation) -> bool:
    """Whether a definition only shows by elements what another one comes to: the v_1 and v_2 of V,
    or all v_i. Any other that leaves an argument out is a function of its own."""
    given = len(example.parameters) + len(example.unused)
    if whole.unused or not example.unused or given != len(whole.parameters):
        return False
    elements = {name.lower() for name in whole.parameters if name.isupper()}
    others = {one.name for one in example.inputs} - {*example.parameters}
    counted = {
        part.array.lower()
        for part in walk(example.value.body)
        if isinstance(part, Ref) and part.at
        if isinstance(at := part.at[0], Idx) and at.index.letter
    }
    return not elements.isdisjoint({*map(names.base_letter, others), *counted})


def _shared(entry: Entry, other: Entry) -> int:
    """How many sections two entries of one note are in together."""
    if entry.note != other.note:
        return -1
    pairs = zip(entry.section, other.section, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
