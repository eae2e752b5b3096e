"""Heads that are joined with a sign, ``(head_1 ⊕ head_2 ⊕ … ⊕ head_h) W^O``: what stands between
heads, or goes on with dots, is no addition, which has a sign of its own. Heads in one row
of a matrix are joined as those of a list are: they are no cells; below each other they are. What is
joined ends before the weights of what comes out, ``‖_{i=1}^h head_i W^O``, of which there is one
for all heads."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Big,
    Change,
    Dots,
    Formula,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    walk,
)
from notes2code.meaning import names
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
        if not dotted and not all(map(_is_head, items)):
            return None
        return _called(items, node.op_span, node.span)

    return listed if chains else None


def in_a_matrix(formula: Formula) -> Change | None:
    """``Concat(head_1, head_2)`` for ``\\begin{bmatrix} head_1 & head_2 \\end{bmatrix}``."""

    def joined(node: Matrix) -> Node | None:
        items = tuple(cell for row in node.rows for cell in row if cell is not None)
        if len(node.rows) > 1 or len(items) < 2 or not all(map(_is_head, items)):
            return None
        return _called(items, node.span, node.span)

    return joined if formula.of(Matrix) else None


def _called(items: tuple[Node, ...], name: Span, span: Span) -> Node:
    """The call that joins some items."""
    return Juxt((Name("Concat", name), Group("(", items, (",",) * (len(items) - 1), span)), span)


def _is_head(node: Node) -> bool:
    return binders.bare(node).lower() == "head"


def before_weights(formula: Formula) -> Change | None:
    """``(‖_{i=1}^h head_i) W^O`` for ``‖_{i=1}^h head_i W^O``: of what is called a head, as the
    h_m of ``‖_m h_m W_o`` may be tokens."""

    def ended(node: Big) -> Node | None:
        match node.body:
            case Juxt((head, weights)) if (
                node.op == "concat" and _is_head(head) and _is_of_output(weights, node)
            ):
                span = node.span.to(head.span)
                joined = Group("(", (Big(node.op, node.sub, node.sup, head, span),), (), span)
                return Juxt((joined, weights), node.span)
        return None

    return ended if any(node.op == "concat" for node in formula.of(Big)) else None


def _is_of_output(node: Node, joins: Big) -> bool:
    """Whether a node is a W^O without the index that is joined over."""
    letters = {name.text for name in walk(node) if isinstance(name, Name)}
    bound = binders.bound_letters(joins.sub) if joins.sub is not None else ()
    label = names.label(node)
    return label[:1] == "W" and label[-2:].lower() == "_o" and letters.isdisjoint(bound)


def _apart(operand: Node) -> Iterator[Node]:
    """The ``head_2`` and the dots of ``head_2 …``."""
    match operand:
        case Juxt((*factors, Dots() as dots)):
            yield factors[0] if len(factors) == 1 else Juxt(tuple(factors), operand.span)
            yield dots
        case _:
            yield operand
