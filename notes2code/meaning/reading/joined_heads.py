"""Heads that are joined with a sign, ``(head_1 ⊕ head_2 ⊕ … ⊕ head_h) W^O``: what stands between
heads, or goes on with dots, is no addition, which has a sign of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import (
    Clause,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    rebuilt,
    rewritten,
)
from notes2code.meaning.notation import binders

SIGNS = (r"\oplus", "⊕")
"""The sign that joins, as it is written."""


def by_name(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with ``Concat(head_1, …, head_h)`` for such a list."""
    if not any(node.op == "⊕" for node in nodes.of(Infix)):
        return tuple(clauses)
    return rewritten(clauses, _written)


def _written(node: Node) -> Node:
    if isinstance(node, Infix) and node.op == "⊕":
        items = tuple(item for operand in binders.chain(node) for item in _apart(operand))
        dotted = any(isinstance(item, Dots) for item in items[1:-1])
        if dotted or all(binders.bare(item).lower() == "head" for item in items):
            listed = Group("(", items, (",",) * (len(items) - 1), node.span)
            return Juxt((Name("Concat", node.op_span), listed), node.span)
    return rebuilt(node, _written)


def _apart(operand: Node) -> Iterator[Node]:
    """The ``head_2`` and the dots of ``head_2 …``."""
    match operand:
        case Juxt((*factors, Dots() as dots)):
            yield factors[0] if len(factors) == 1 else Juxt(tuple(factors), operand.span)
            yield dots
        case _:
            yield operand
