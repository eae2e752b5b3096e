"""The second token and the j-th: the ``ω_{2j}`` beside ``q^{(2)}`` is ``ω_{2,j}``, while the 2i of
``x_{2i}`` beside ``x_{2i+1}`` counts every second entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.latex.tree import (
    Big,
    Clause,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    rebuilt,
)
from notes2code.meaning import binders, scripts


def apart(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with a comma between the number and the letter."""
    found = {id(node) for node in _places(nodes)}
    if not found:
        return tuple(clauses)

    def written(node: Node) -> Node:
        if id(node) in found and isinstance(node, Juxt):
            return Group("", node.factors, (",",), node.span)
        return rebuilt(node, written)

    return tuple(replace(clause, node=written(clause.node)) for clause in clauses)


def _places(nodes: Nodes) -> Iterator[Juxt]:
    """What stands below names, ``2j``, where the second one of something has a name with its number
    above, or a sum runs over the m of ``2m`` besides; not where 2i or 2i + 1 stands elsewhere, and
    tells of every second one."""
    below = [sub for node in nodes.of(Script) if isinstance(sub := node.sub, Juxt)]
    pairs = [(sub, *pair) for sub in below if (pair := _pair(sub))]
    known = {id(sub) for sub, _, _ in pairs}
    if not pairs or any(scripts.stride(n) for n in nodes.of(Juxt, Infix) if id(n) not in known):
        return
    numbers = {number for node in nodes.of(Script) if (number := _number_above(node))}
    subs = (big.sub for big in nodes.of(Big) if big.sub is not None)
    summed = {letter for sub in subs for letter in binders.bound_letters(sub)}
    letters = {letter for _, _, letter in pairs}
    several = len(letters) > 1 and not letters.isdisjoint(summed)
    yield from (sub for sub, number, _ in pairs if several or number in numbers)


def _pair(node: Juxt) -> tuple[str, str] | None:
    """The 2 and the j of ``2j``."""
    match node:
        case Juxt((Num(number), Name(letter))) if len(letter) == 1:
            return number, letter
    return None


def _number_above(node: Script) -> str:
    """The 2 of ``q^{(2)}``."""
    match node.sup:
        case Group("(", (Num(number),)):
            return number
    return ""
