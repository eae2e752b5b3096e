"""Which of a note's definitions of a function say what becomes of all that it is given. Beside
``Attention(Q, K, V) = softmax(Q K^⊤) V`` an ``Attention(q_2, K, V) = α_1 v_1 + α_2 v_2`` only shows
what that comes to, and is not what heads call."""

from __future__ import annotations

from collections.abc import Callable

from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry


def whole_first(
    entry: Entry,
    name: str,
    others: list[Entry],
    function: Callable[[Entry, str], Equation | None],
) -> list[Entry]:
    """Definitions of a function, those that make nothing of what they are given behind the others
    of the note. An ``f(x)`` is another one in each place, whatever becomes of its x."""
    if len(others) < 2 or names.is_any_function(name):
        return others
    read = {other: function(other, name) for other in others}
    takes = {
        len(one.parameters)
        for other, one in read.items()
        if other.note == entry.note and one is not None and not one.unused
    }
    shown = {
        other
        for other, one in read.items()
        if one is not None and one.unused and len(one.parameters) + len(one.unused) in takes
    }
    return sorted(others, key=shown.__contains__) if shown else others
