"""Messages between the nodes of a graph: the ``m_{j → i}`` of ``h_i = Σ_j m_{j → i}`` has two
indices, as ``m_{ji}`` has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from notes2code.latex.tree import Big, Change, Formula, Group, Name, Node, Relation, Script, walk
from notes2code.meaning.notation import binders
from notes2code.meaning.rewriting import sets_above


def as_pairs(formula: Formula) -> Change | None:
    """Both ends of an arrow below a name as indices, where a sum or the left-hand side counts with
    each of them; those of domains, ``L_{s → t}``, are labels."""
    if not any(_ends(node) for node in formula.of(Script)):
        return None
    counting = {*_counting(formula)}

    def of_two(node: Script) -> Node | None:
        ends = _ends(node)
        if not ends or not {end.text for end in ends} <= counting:
            return None
        assert node.sub is not None
        return replace(node, sub=Group("", ends, (",",), node.sub.span))

    return of_two


def _ends(node: Script) -> tuple[Name, ...]:
    """The two nodes that an arrow below a name goes between."""
    match node.sub:
        case Relation((Name() as one, Name() as other), ("→" | "←",)):
            if sets_above.are_nodes(one.text, other.text):
                return one, other
    return ()


def _counting(formula: Formula) -> Iterator[str]:
    """The letters that the sums of a formula and its left-hand sides count with."""
    for big in formula.of(Big):
        yield from binders.bound_letters(big.sub) if big.sub is not None else ()
    for relation in formula.of(Relation):
        match relation.operands[0]:
            case Script(_, below) if below is not None and relation.signs[0] in ("=", "←"):
                yield from (node.text for node in walk(below) if isinstance(node, Name))
