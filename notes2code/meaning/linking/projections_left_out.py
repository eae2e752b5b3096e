"""Queries, keys and values that no note makes: those of ``head_i = softmax(Q_i K_i^⊤) V_i`` beside
``MHA(x) = [head_1, …, head_h] W`` are projections of what is given, as the textbook's are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry, Parsed, Supplied
from notes2code.meaning.linking.heads_left_out import given_to

_LETTERS = ("Q", "K", "V")
_DEFINITION = r"Q_i = %s W_i^Q, \quad K_i = %s W_i^K, \quad V_i = %s W_i^V"
_TOLD = "the `Q`, `K` and `V` of each head are taken to be projections of what `%s` is given"


def projections_left_out(parsed: Mapping[Entry, Parsed]) -> dict[Entry, Supplied]:
    """Definitions of the queries, keys and values that the heads of a note have and nothing in it
    defines, by what the function is given that joins the heads, of one array or of three."""
    made = {(entry.note, name) for entry, one in parsed.items() for name in one.arrays}
    found: dict[Entry, Supplied] = {}
    for entry, one in parsed.items():
        given = given_to(entry, one)
        if len(one.listed) != 1 or len(one.functions) != 1 or len(given) not in (1, 3):
            continue
        if any((entry.note, letter) in made for letter in _LETTERS):
            continue
        (name,) = one.listed
        if len(_joining(parsed, entry, name)) != 1 or (len(given) == 3 and _has_count(one)):
            continue
        for heads in _heads(parsed, entry, one, name):
            latex = _DEFINITION % tuple((given * 3)[:3])
            told = _TOLD % min(one.functions)
            found[Entry(latex, heads.note, heads.section, heads.order)] = Supplied("Q", told)
    return found


def _joining(parsed: Mapping[Entry, Parsed], entry: Entry, name: str) -> set[tuple[str, ...]]:
    """What the functions of its note are given that have the heads which a formula joins: of two,
    nobody knows whose queries they are."""
    return {
        (*sorted(one.functions), *given_to(other, one))
        for other, one in parsed.items()
        if other.note == entry.note and one.functions
        if name in one.mentioned - one.parameters
    }


def _has_count(one: Parsed) -> bool:
    """Whether a function is given how many there are, which nothing projects."""
    bases = {names.base_letter(name) for name in one.parameters}
    return not bases.isdisjoint(names.SIZE_BASES.difference(_LETTERS))


def _heads(
    parsed: Mapping[Entry, Parsed], entry: Entry, joined: Parsed, name: str
) -> Iterator[Entry]:
    """The formulas of its note that make the heads which a formula joins of Q_i, K_i and V_i, and
    of nothing else that its function is given, such as a mask."""
    used = joined.parameters.difference(_LETTERS)
    for other, one in parsed.items():
        if other.note == entry.note and name in one.arrays and one.seen is not None:
            written = [one.seen.written.get(letter) for letter in _LETTERS]
            if written == [{1}] * len(_LETTERS) and used.isdisjoint(one.seen.counted):
                yield other
