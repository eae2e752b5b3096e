"""Probabilities that a standard normal number is at most x: ``P(X ≤ x)`` is ``Φ(x)``, as in
Hendrycks and Gimpel, Gaussian Error Linear Units (2016)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

from notes2code.latex.tree import (
    Change,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Root,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def written_out(formula: Formula) -> Change | None:
    """The integral of the bell curve for each, where the formula says that the number is a standard
    normal one, or defines what is made of such a number."""
    if not any(relation.signs in _AT_MOST for relation in formula.of(Relation)):
        return None
    drawn = {letter for node in formula.of(Relation) for letter in _standard_normal(node)}
    known = {node for relation in formula.of(Relation) for node in _of_normal(relation)}

    def written(node: Juxt) -> Node | None:
        for at, (name, group) in enumerate(pairwise(node.factors)):
            if (bound := _bound(name, group, None if node in known else drawn)) is not None:
                rest = (*node.factors[:at], _integral(bound), *node.factors[at + 2 :])
                return Juxt(rest, node.span) if rest[1:] else rest[0]
        return None

    return written


_AT_MOST = (("≤",), ("<",))


def _standard_normal(node: Node) -> Iterator[str]:
    """The X of ``X ∼ N(0, 1)``."""
    match node:
        case Relation((Name(letter), Juxt((Name("N"), Group("(", (Num("0"), Num("1")))))), ("∼",)):
            yield letter


def _of_normal(relation: Relation) -> Iterator[Node]:
    """All that ``GELU(x)`` or ``Φ(x)`` is defined by."""
    target = relation.operands[0]
    head = target.factors[0] if isinstance(target, Juxt) else target
    if head is not None and names.label(head).lower() in ("gelu", "phi"):
        yield from walk(relation)


def _bound(name: Node, group: Node, drawn: Set[str] | None) -> Node | None:
    """The x of ``P(X ≤ x)``, if X is one of the numbers that are drawn, or any is."""
    match group:
        case Group("(", (Relation((Name(letter), bound), ("≤" | "<",)),)):
            if binders.bare(name) in ("P", "Pr") and (drawn is None or letter in drawn):
                return bound
    return None


def _integral(x: Node) -> Node:
    """``1/2 (1 + erf(x / √2))``."""
    at = x.span
    two = Root(Num("2", at), None, at)
    erf = Juxt((Name("erf", at), Group("(", (Frac(x, two, at),), (), at)), at)
    total = Group("(", (Infix("+", Num("1", at), erf, at, at),), (), at)
    return Frac(total, Num("2", at), at)
