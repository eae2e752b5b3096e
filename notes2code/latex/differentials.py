"""Differentials: the ``dP`` of notes on gradients is one name, and no product of d and P.

A formula shows it by what it defines: nobody defines the product of a size and an array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.latex.tree import Accent, Clause, Juxt, Name, Node, Relation, Script, rebuilt

_DEFINING = ("=", "←")


def joined(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses with each d joined to the name behind it, if they define one that is made so."""
    if not any(map(_defines_differential, clauses)):
        return list(clauses)
    return [replace(clause, node=_joined(clause.node)) for clause in clauses]


def _defines_differential(clause: Clause) -> bool:
    node = clause.node
    if not isinstance(node, Relation) or node.signs[0] not in _DEFINING:
        return False
    match node.operands[0]:
        case Juxt((Name("d"), second)):
            return _is_letter(second)
    return False


def _is_letter(node: Node) -> bool:
    """Whether a node is a letter, with accents and scripts or without."""
    while isinstance(node, Script | Accent):
        node = node.base
    return isinstance(node, Name)


def _joined(node: Node) -> Node:
    inner = rebuilt(node, _joined)
    if not isinstance(inner, Juxt):
        return inner
    factors = tuple(_pairs(inner.factors))
    return factors[0] if len(factors) == 1 else replace(inner, factors=factors)


def _pairs(factors: Sequence[Node]) -> Iterator[Node]:
    """Factors, of which each d is put into the name behind it."""
    d: Name | None = None
    for factor in factors:
        if d is not None and _is_letter(factor):
            yield _of(d, factor)
            d = None
            continue
        if d is not None:
            yield d
        d = factor if isinstance(factor, Name) and factor.text == "d" else None
        if d is None:
            yield factor
    if d is not None:
        yield d


def _of(d: Name, node: Node) -> Node:
    """``dP`` for a d and a P, whatever stands around the P."""
    span = d.span.to(node.span)
    if isinstance(node, Name):
        return replace(node, text=f"d{node.text}", span=span)
    assert isinstance(node, Script | Accent)
    return replace(node, base=_of(d, node.base), span=span)
