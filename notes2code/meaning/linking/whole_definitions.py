"""Which of a note's definitions of a function say what becomes of all that it is given. Beside
``Attention(Q, K, V) = softmax(Q K^⊤) V`` an ``Attention(q_2, K, V) = α_1 v_1 + α_2 v_2`` only shows
what that comes to, and is not what heads call."""

from __future__ import annotations

from collections.abc import Callable, Set
from itertools import takewhile

from notes2code.meaning import names
from notes2code.meaning.ir import Equation
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
    takes = {
        (len(one.parameters), _shared(entry, other))
        for other, one in read.items()
        if other.note == entry.note and one is not None and not one.unused
    }
    shown = {
        other
        for other, one in read.items()
        if one is not None and one.unused and _is_beside(_shared(entry, other), one, takes)
    }
    return sorted(others, key=shown.__contains__) if shown else others


def _is_beside(shared: int, one: Equation, takes: Set[tuple[int, int]]) -> bool:
    """Whether what takes as much is in a section as near: its own section may well have another
    function of this name, which makes nothing of one argument."""
    given = len(one.parameters) + len(one.unused)
    return any(number == given and near >= shared for number, near in takes)


def _shared(entry: Entry, other: Entry) -> int:
    """How many sections two entries of one note are in together."""
    if entry.note != other.note:
        return -1
    pairs = zip(entry.section, other.section, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
