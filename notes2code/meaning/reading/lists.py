"""Lists on the right of an equation: ``U = u_1, \\dots, u_n`` defines U by all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Clause, Dots, Group, Node, Relation, Script
from notes2code.meaning.notation import binders


def in_parentheses(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses, with the elements that go on behind commas as one list."""
    if not any(isinstance(clause.node, Dots) for clause in clauses):
        return tuple(clauses)
    found: list[Clause] = []
    at = 0
    while at < len(clauses):
        clause, items = clauses[at], _listed(clauses[at:])
        if len(items) > 1 and isinstance(clause.node, Relation):
            span = items[0].span.to(items[-1].span)
            commas = (",",) * (len(items) - 1)
            operands = (*clause.node.operands[:-1], Group("(", items, commas, span))
            whole = replace(clause.node, operands=operands, span=clause.node.span.to(span))
            clause = replace(clause, node=whole)
        found.append(clause)
        at += max(1, len(items))
    return tuple(found)


def _listed(clauses: Sequence[Clause]) -> tuple[Node, ...]:
    """The ``u_1``, dots and ``u_n`` at the end of an equation and behind it; none of any other."""
    relation = clauses[0].node
    if not isinstance(relation, Relation) or {*relation.signs} != {"="}:
        return ()
    first = relation.operands[-1]
    if not isinstance(first, Script) or first.sub is None or relation.operands[0] is None:
        return ()
    items: list[Node] = [first]
    for clause in clauses[1:]:
        alike = isinstance(clause.node, Script) and binders.bare(clause.node) == binders.bare(first)
        if clause.before != "," or clause.words or not (alike or isinstance(clause.node, Dots)):
            break
        items.append(clause.node)
    dots = any(isinstance(item, Dots) for item in items)
    return tuple(items) if dots and isinstance(items[-1], Script) else ()
