"""Probabilities that a standard normal number is at most x: ``P(X ≤ x)`` is ``Φ(x)``, as in
Hendrycks and Gimpel, Gaussian Error Linear Units (2016)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise

from notes2code.latex.tree import (
    Clause,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Root,
    rebuilt,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.stated import Define, Statement, rewritten


def written_out(stated: Sequence[Statement], clauses: Sequence[Clause]) -> tuple[Statement, ...]:
    """The statements with the integral of the bell curve for each, where the formula says that the
    number is a standard normal one, or defines what is made of such a number."""
    drawn = {letter for clause in clauses for letter in _standard_normal(clause.node)}

    def change(define: Define) -> Callable[[Node], Node]:
        known = define.target is not None and _of_normal(define.target)

        def written(node: Node) -> Node:
            node = rebuilt(node, written)
            factors = node.factors if isinstance(node, Juxt) else ()
            for at, (name, group) in enumerate(pairwise(factors)):
                if (bound := _bound(name, group, drawn if not known else None)) is not None:
                    rest = (*factors[:at], _integral(bound), *factors[at + 2 :])
                    return Juxt(rest, node.span) if rest[1:] else rest[0]
            return node

        return written

    return rewritten(stated, change)


def _standard_normal(node: Node) -> Iterator[str]:
    """The X of ``X ∼ N(0, 1)``."""
    match node:
        case Relation((Name(letter), Juxt((Name("N"), Group("(", (Num("0"), Num("1")))))), ("∼",)):
            yield letter


def _of_normal(target: Node) -> bool:
    """Whether a left-hand side is ``GELU(x)`` or ``Φ(x)``."""
    head = target.factors[0] if isinstance(target, Juxt) else target
    return names.label(head).lower() in ("gelu", "phi")


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
