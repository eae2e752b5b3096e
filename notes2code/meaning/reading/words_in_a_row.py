"""Words in a row without commas: the ``w_1 w_2 … w_n`` of ``P(w_1 w_2 … w_n)`` is no product, but
what P is the probability of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Clause,
    Dots,
    Group,
    Juxt,
    Node,
    Nodes,
    Script,
    rebuilt,
    rewritten,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def with_commas(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with commas between the words of a probability."""
    if not nodes.of(Dots):
        return tuple(clauses)
    return rewritten(clauses, _written)


def _written(node: Node) -> Node:
    if isinstance(node, Juxt):
        pairs = pairwise((None, *node.factors))
        factors = tuple(_listed(before, factor) for before, factor in pairs if factor is not None)
        node = replace(node, factors=factors)
    return rebuilt(node, _written)


def _listed(before: Node | None, factor: Node) -> Node:
    """The parentheses behind a P, which may be raised to a power, with a list in them."""
    if isinstance(factor, Script):
        return replace(factor, base=_listed(before, factor.base))
    if before is None or binders.bare(before) not in names.PROBABILITIES:
        return factor
    match factor:
        case Group("(", items, separators):
            rows = [_row(item) for item in items]
            flat = tuple(word for row in rows for word in row)
            if len(flat) == len(items):
                return factor
            between: list[str] = []
            for at, row in enumerate(rows):
                between += [*separators[at - 1 : at], *(",",) * (len(row) - 1)]
            return replace(factor, items=flat, separators=tuple(between))
    return factor


def _row(item: Node) -> tuple[Node, ...]:
    """The words and the dots of a row, else the item."""
    match item:
        case Juxt(factors) if any(isinstance(factor, Dots) for factor in factors[1:-1]):
            words = [factor for factor in factors if not isinstance(factor, Dots)]
            if all(isinstance(word, Script) and word.sub is not None for word in words):
                return factors
    return (item,)
