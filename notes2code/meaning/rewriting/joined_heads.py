"""Heads that are joined with a sign, ``(head_1 ⊕ head_2 ⊕ … ⊕ head_h) W^O``: what stands between
heads, or goes on with dots, is no addition, which has a sign of its own."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Change, Dots, Formula, Group, Infix, Juxt, Name, Node
from notes2code.meaning.notation import binders

SIGNS = (r"\oplus", "⊕")
"""The sign that joins, as it is written."""


def by_name(formula: Formula) -> Change | None:
    """``Concat(head_1, …, head_h)`` for such a list."""
    chains = [node for node in formula.of(Infix) if node.op == "⊕"]
    parts = {node.left.span for node in chains}

    def listed(node: Infix) -> Node | None:
        if node.op != "⊕" or node.span in parts:
            return None
        items = tuple(item for operand in binders.chain(node) for item in _apart(operand))
        dotted = any(isinstance(item, Dots) for item in items[1:-1])
        if not dotted and any(binders.bare(item).lower() != "head" for item in items):
            return None
        group = Group("(", items, (",",) * (len(items) - 1), node.span)
        return Juxt((Name("Concat", node.op_span), group), node.span)

    return listed if chains else None


def _apart(operand: Node) -> Iterator[Node]:
    """The ``head_2`` and the dots of ``head_2 …``."""
    match operand:
        case Juxt((*factors, Dots() as dots)):
            yield factors[0] if len(factors) == 1 else Juxt(tuple(factors), operand.span)
            yield dots
        case _:
            yield operand
