"""Where products end: the β of ``\\prod_{j=1}^t \\alpha_j \\cdot \\beta`` is multiplied once, and
not for each j. In a sum it would not matter."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Big,
    Clause,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    rebuilt,
    rewritten,
    walk,
)
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name

_TIMES = frozenset("·×*")


def with_factors_behind(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with what does not count in a product behind it."""
    if not any(big.op == "prod" and big.sub is not None for big in nodes.of(Big)):
        return tuple(clauses)
    return rewritten(clauses, _written)


def _written(node: Node) -> Node:
    node = rebuilt(node, _written)
    if not isinstance(node, Big) or node.op != "prod" or node.sub is None:
        return node
    letters = {*binders.bound_letters(node.sub)}
    return _apart(node, letters) if letters else node


def _apart(big: Big, letters: Set[str]) -> Node:
    """A product over some letters, and the factors behind the last that has one of them."""
    match big.body:
        case Infix(op, left, right) as body if op in _TIMES and not _counts(right, letters):
            return replace(body, left=_apart(_of(big, left), letters), span=big.span)
        case Juxt((*_, before, last) as factors) if not _counts(last, letters):
            if isinstance(last, Group) and is_name(before):
                return big  # it may be what a function is given
            rest = factors[:-1]
            left = rest[0] if len(rest) == 1 else Juxt(rest, rest[0].span.to(before.span))
            return Juxt((_apart(_of(big, left), letters), last), big.span)
    return big


def _of(big: Big, body: Node) -> Big:
    return replace(big, body=body, span=Span(big.span.start, body.span.end))


def _counts(node: Node, letters: Set[str]) -> bool:
    """Whether a factor has one of the letters, in a script or as a number."""
    return any(isinstance(inner, Name) and inner.text in letters for inner in walk(node))
