"""Lists in brackets that bars part: ``[h_1 | \\dots | h_n]`` and ``[A | B | C]``, in which no bars
are those of an absolute value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.characters import Token

_DEPTHS = {"open": 1, "{": 1, "close": -1, "}": -1}
_OF_NAMES = frozenset(["name", "word", "num", "_", "^", "{", "}", "font", "dots"])


def parted(tokens: list[Token]) -> list[Token]:
    """The tokens, with the bars of each such list as what separates its items."""
    brackets = [at for at, token in enumerate(tokens) if (token.kind, token.text) == ("open", "[")]
    parting = {at for start in brackets for at in _bars(tokens, start)}
    return [
        token._replace(kind="sep") if at in parting else token for at, token in enumerate(tokens)
    ]


def _bars(tokens: Sequence[Token], start: int) -> Sequence[int]:
    """The bars that part the list which a bracket opens; none where it holds no such list: two bars
    or more stand between names, or between dots and anything."""
    places = [*_at_top(tokens, start)]
    bars = [at for at in places[:-1] if tokens[at].kind == "bar"]
    others = (tokens[at].kind for at in places[:-1] if tokens[at].kind in ("sep", "rel", "dbar"))
    if len(bars) < 2 or any(others):
        return ()
    ends = [start, *bars, places[-1]]
    items = [tokens[left + 1 : right] for left, right in pairwise(ends)]
    if not all(items):
        return ()
    dotted = any([token.kind for token in item] == ["dots"] for item in items[1:-1])
    named = all(token.kind in _OF_NAMES for item in items for token in item)
    return bars if dotted or named else ()


def _at_top(tokens: Sequence[Token], start: int) -> Iterator[int]:
    """The places right inside a bracket, and that of what closes it."""
    depth = 0
    for at, token in enumerate(tokens[start:], start):
        before, depth = depth, depth + _DEPTHS.get(token.kind, 0)
        if at > start and min(before, depth) <= 1 and (before == 1 or depth == 0):
            yield at
        if depth == 0:
            return
