"""Names in brackets or parentheses of their own, with their indices outside: ``[A]_{ij}`` is
``A_{ij}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Clause,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    rebuilt,
    rewritten,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import is_name


def without(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with the names alone; behind another name, ``f(x)_i``, they
    may be what that is given."""
    pairs = (pair for juxt in nodes.of(Juxt) for pair in pairwise(juxt.factors))
    given = {behind.span for before, behind in pairs if is_name(before)}
    elements = {node.span for node in nodes.of(Script) if _is_element(node)} - given
    if not elements:
        return tuple(clauses)

    def written(node: Node) -> Node:
        if isinstance(node, Script) and isinstance(node.base, Group) and node.span in elements:
            return replace(node, base=node.base.items[0])
        return rebuilt(node, written)

    return rewritten(clauses, written)


def _is_element(node: Script) -> bool:
    """Whether letters that count stand below a group of one name, and nothing else."""
    match node:
        case Script(Group("(" | "[", (Name(),)), below, None, 0) if below is not None:
            letters = {inner.text for inner in walk(below) if isinstance(inner, Name)}
            return bool(letters) and letters <= names.INDEX_LETTERS
    return False
