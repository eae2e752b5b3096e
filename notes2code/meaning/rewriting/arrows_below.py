"""Messages between the nodes of a graph: the ``m_{j → i}`` of ``h_i = Σ_j m_{j → i}`` has two
indices, as ``m_{ji}`` has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Group,
    Juxt,
    Name,
    Node,
    Relation,
    Script,
    children,
    walk,
)
from notes2code.meaning.notation import binders
from notes2code.meaning.rewriting import sets_above


def as_pairs(formula: Formula) -> Change | None:
    """Both ends of an arrow below a name as indices, where each of them is one without the arrow,
    too; those of domains, ``L_{s → t}``, and of what a note defines for two of them, are labels."""
    arrows = [node for node in formula.of(Script) if _ends(node)]
    if not arrows or any(map(_defines_one, formula.of(Relation))):
        return None
    ends = {end.text for node in arrows for end in _ends(node)}
    if not ends <= {*_indices(formula)} or not ends.isdisjoint(_arrays(formula)):
        return None
    if any(
        _is_applied(one, other)
        for node in formula.of(Juxt)
        for one, other in pairwise(node.factors)
    ):
        return None

    def of_two(node: Script) -> Node | None:
        if not (ends := _ends(node)):
            return None
        assert node.sub is not None
        base = node.base
        if isinstance(base, Name) and base.text == _MESSAGE:
            base = replace(base, font="bold")
        return replace(node, base=base, sub=Group("", ends, (",",), node.sub.span))

    return of_two


_MESSAGE = "m"
"""The letter of messages, which are vectors as the nodes are."""


def _ends(node: Node) -> tuple[Name, ...]:
    """The two nodes that an arrow below a name goes between."""
    match node:
        case Script(_, Relation((Name() as one, Name() as other), ("→" | "←",))):
            if sets_above.are_nodes(one.text, other.text):
                return one, other
    return ()


def _defines_one(relation: Relation) -> bool:
    """Whether something with an arrow below is defined: its name has both ends in it."""
    left = relation.operands[0]
    return left is not None and any(map(_ends, walk(left)))


def _indices(formula: Formula) -> Iterator[str]:
    """The letters that sums count with, and those of indices."""
    for big in formula.of(Big):
        yield from binders.bound_letters(big.sub) if big.sub is not None else ()
    for node in formula.of(Script):
        if node.sub is not None and not _ends(node):
            yield from (name.text for name in walk(node.sub) if isinstance(name, Name))


def _arrays(formula: Formula) -> Iterator[str]:
    """The letters that stand by themselves, and not below something."""
    places = [clause.node for clause in formula.clauses]
    while places:
        node = places.pop()
        below = node.sub if isinstance(node, Script | Big) else None
        if isinstance(node, Name):
            yield node.text
        places += (child for child in children(node) if child is not below)


def _is_applied(node: Node, behind: Node) -> bool:
    """Whether what has an arrow below acts on what stands behind it: the matrix ``T_{i → j} x_i``,
    or the function ``f_{j → i}(x_j)``."""
    if not _ends(node):
        return False
    return binders.bare(node)[:1].isupper() or (
        isinstance(behind, Group) and behind.open in ("(", "[")
    )
