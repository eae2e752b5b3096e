"""Real parts that are added up number by number: ``Re[Σ_j q_{[2j:2j+1]} k_{[2j:2j+1]}^* e^{i(m-n)
θ_j}]`` is ``Re[q k^* e^{i(m-n)θ}]``, in which pairs of neighbours are numbers."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import (
    Apply,
    Big,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    rebuilt,
    subscripts,
    walk,
    words_in,
)
from notes2code.meaning.notation import positions, roots


def without_sum(node: Juxt | Apply) -> Node | None:
    """The real part of the vectors' product, for that of the sum over all its numbers."""
    match node:
        case Juxt((Name("Re") as function, Group(_, (Big("sum") as big,)) as group)) | Apply(
            Name("Re") as function, Group(_, (Big("sum") as big,)) as group
        ):
            letter = _over_all(big)
        case _:
            return None
    if not letter or not any(_is_turn(inner) for inner in walk(big.body)):
        return None
    body = _whole(big.body, letter)
    if any(letter in words_in(sub) for sub in subscripts(body)):
        return None
    return Juxt((function, replace(group, items=(body,))), node.span)


def _is_turn(node: Node) -> bool:
    return isinstance(node, Script) and roots.angle_of(node) is not None


def _over_all(big: Big) -> str:
    """The letter of a sum over all pairs, from 0 to ``d/2 - 1``; "" for any other. An angle of a
    pair that is counted from 1 could be another."""
    match big.sub, big.sup:
        case Name(letter), None:
            return letter
        case Relation((Name(letter), Num("0")), ("=",)), None | Infix("-", _, Num("1")):
            return letter
    return ""


def _whole(node: Node, letter: str) -> Node:
    """A product of vectors, for one of their numbers at a letter."""
    if isinstance(node, Script) and node.sub is not None:
        sub = _without(node.sub, letter)
        if sub is not node.sub:
            bare = sub is None and node.sup is None and not node.primes
            return node.base if bare else replace(node, sub=sub)
    return rebuilt(node, lambda inner: _whole(inner, letter))


def _without(sub: Node, letter: str) -> Node | None:
    """What stands below a name besides the number of a pair, ``j`` or ``2j:2j+1``."""
    match sub:
        case Name(text) if text == letter:
            return None
        case Group("" | "[" | "(", (first, last), (":",)):
            ends = positions.stride(first), positions.stride(last)
            return None if ends == ((letter, 0), (letter, 1)) else sub
        case Group("", (kept, number), (",",)) if _without(number, letter) is None:
            return kept
        case Group("" | "[" | "(", (inner,), ()):
            return None if _without(inner, letter) is None else sub
    return sub
