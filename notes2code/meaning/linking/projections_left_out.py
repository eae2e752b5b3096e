"""Queries, keys and values that no note makes: those of ``head_i = softmax(Q_i K_i^⊤) V_i`` beside
``MHA(x) = [head_1, …, head_h] W`` are projections of what is given, as the textbook's are, or parts
of it where the note projects that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from notes2code.latex.tree import Group, Juxt, Name, Node, Num, Script
from notes2code.meaning import names
from notes2code.meaning.linking.entries import Entry, Parsed, Supplied
from notes2code.meaning.linking.heads_left_out import given_to
from notes2code.meaning.linking.pieces_made import cut_of_themselves
from notes2code.meaning.notation import binders

_OF_ALL = ("Q", "K", "V")
_DEFINITION = r"Q_i = %s W_i^Q, \quad K_i = %s W_i^K, \quad V_i = %s W_i^V"
_OF_TOKENS = ("q", "k", "v")
_DEFINITIONS = {
    0: r"q_{i,t} = W_i^Q %s_t, \quad k_{i,t} = W_i^K %s_t, \quad v_{i,t} = W_i^V %s_t",
    1: r"q_{t,i} = W_i^Q %s_t, \quad k_{t,i} = W_i^K %s_t, \quad v_{t,i} = W_i^V %s_t",
}
"""The queries, keys and values of each token, by the place of the index of the heads."""
_PIECES = r",\quad ".join(rf"{letter}_i = \mathrm{{split}}_i(%s)" for letter in _OF_ALL)
_TOLD = "the `%s`, `%s` and `%s` of each head are taken to be %s of what `%s` is given"


def projections_left_out(parsed: Mapping[Entry, Parsed]) -> dict[Entry, Supplied]:
    """Definitions of the queries, keys and values that the heads of a note have and nothing in it
    defines, by what the function is given that joins the heads, of one array or of three."""
    made = {
        (entry.note, name)
        for entry, one in parsed.items()
        for name in one.arrays - cut_of_themselves(one)
    }
    found: dict[Entry, Supplied] = {}
    for entry, one in parsed.items():
        given = given_to(entry, one)
        if len(one.listed) != 1 or len(one.functions) != 1 or len(given) not in (1, 3):
            continue
        (name,) = one.listed
        near = _near(parsed, entry, name)
        if len(_joining(near, name)) != 1 or (len(given) == 3 and _has_count(one)):
            continue
        function = min(one.functions)
        cut = len(given) == 3 and _is_given_projections(parsed, entry, function)
        for heads, letters, definition in _heads(near, one, name):
            if any((entry.note, letter) in made for letter in letters):
                continue
            pieces = cut and letters == _OF_ALL
            latex = (_PIECES if pieces else definition) % tuple((given * 3)[:3])
            what = "its own features" if pieces else "projections"
            told = _TOLD % (*letters, what, function)
            supplied = Entry(latex, heads.note, heads.section, heads.order)
            found[supplied] = Supplied(letters[0], told)
    return found


def _is_given_projections(parsed: Mapping[Entry, Parsed], entry: Entry, function: str) -> bool:
    """Whether a formula of the note gives projections to what joins the heads, ``MultiHead(W_Q x,
    W_K x, W_V x)``: then each head has a part of these."""
    return any(
        isinstance(item, Juxt)
        for other, one in parsed.items()
        if other.note == entry.note and function in one.called and one.tree is not None
        for node in one.tree.formula.of(Juxt)
        for name, group in pairwise(node.factors)
        if isinstance(group, Group) and names.code_name(binders.bare(name)) == function
        for item in group.items
    )


def _near(parsed: Mapping[Entry, Parsed], entry: Entry, name: str) -> dict[Entry, Parsed]:
    """The formulas of the section where that has heads of its own, else those of the note."""
    note = {other: one for other, one in parsed.items() if other.note == entry.note}
    here = {other: one for other, one in note.items() if other.section == entry.section}
    return here if any(name in one.arrays for one in here.values()) else note


def _joining(near: Mapping[Entry, Parsed], name: str) -> set[tuple[str, ...]]:
    """What the functions are given that have the heads which a formula joins: of two, nobody knows
    whose queries they are."""
    return {
        (*sorted(one.functions), *given_to(other, one))
        for other, one in near.items()
        if one.functions and name in one.mentioned - one.parameters
    }


def _has_count(one: Parsed) -> bool:
    """Whether a function is given how many there are, which nothing projects."""
    bases = {names.base_letter(name) for name in one.parameters}
    return not bases.isdisjoint(names.SIZE_BASES.difference(_OF_ALL))


def _heads(
    near: Mapping[Entry, Parsed], joined: Parsed, name: str
) -> Iterator[tuple[Entry, tuple[str, ...], str]]:
    """The formulas that make the heads which a formula joins of Q_i, K_i and V_i, or of
    each token's, and of nothing else that its function is given, such as a mask; and what they
    leave out."""
    used = joined.parameters.difference(_OF_ALL)
    for other, one in near.items():
        if name not in one.arrays or one.seen is None or not used.isdisjoint(one.seen.counted):
            continue
        if all(one.seen.written.get(letter) == {1} for letter in _OF_ALL):
            yield other, _OF_ALL, _DEFINITION
        place = _place_of_heads(joined, name)
        if place is not None and _are_of_tokens(one, place):
            yield other, _OF_TOKENS, _DEFINITIONS[place]


def _place_of_heads(joined: Parsed, name: str) -> int | None:
    """The place at which the heads that are joined are numbered, of the two that each has:
    ``[o_{t,1}; …; o_{t,h}]``."""
    numbered = ([isinstance(node, Num) for node in pair] for pair in _pairs_below(joined, name))
    places = {pair.index(True) for pair in numbered if sum(pair) == 1}
    return places.pop() if len(places) == 1 else None


def _are_of_tokens(one: Parsed, place: int) -> bool:
    """Whether queries, keys and values have an index of the head at a place, and another of the
    token, which keys and values share."""
    found = [[*_pairs_below(one, letter)] for letter in _OF_TOKENS]
    letters = [{tuple(n.text for n in pair if isinstance(n, Name)) for pair in f} for f in found]
    if any(len(own) != 1 or len(min(own)) != 2 for own in letters):
        return False
    query, key, value = map(min, letters)
    return key == value and query[place] == key[place] and query[1 - place] != key[1 - place]


def _pairs_below(one: Parsed, name: str) -> Iterator[tuple[Node, ...]]:
    """The two that stand below a letter, wherever a formula has it so."""
    for node in () if one.seen is None else one.seen.nodes.of(Script):
        match node:
            case Script(Name(text), Group(items=(_, _) as pair)) if text == name:
                yield pair
