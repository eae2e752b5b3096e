"""Bars over squares: ``\\overline{x^2}`` is the mean of the squares, and no other letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import (
    Accent,
    Clause,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    rebuilt,
    rewritten,
)
from notes2code.meaning.notation import scripts


def as_means(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with the means that are written with a bar."""
    if not any(map(_is_mean, nodes.of(Accent))):
        return tuple(clauses)

    def written(node: Node) -> Node:
        node = rebuilt(node, written)
        if not isinstance(node, Accent) or not _is_mean(node):
            return node
        group = Group("(", (replace(node.base, span=node.span),), (), node.span)
        return Juxt((Name("mean", node.span), group), node.span)

    return rewritten(clauses, written)


def _is_mean(node: Accent) -> bool:
    """Whether a bar stands over a square, as a letter with a bar is raised behind it."""
    return node.mark == "bar" and isinstance(node.base, Script) and scripts.is_two(node.base.sup)
