"""Bars over squares: ``\\overline{x^2}`` is the mean of the squares, and no other letter."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Accent, Group, Juxt, Name, Node, Script
from notes2code.meaning.notation import scripts


def as_mean(node: Accent) -> Node | None:
    """``mean(x^2)`` for a bar over a square: a letter with a bar is raised behind the bar."""
    square = node.base
    if node.mark != "bar" or not isinstance(square, Script) or not scripts.is_two(square.sup):
        return None
    group = Group("(", (replace(square, span=node.span),), (), node.span)
    return Juxt((Name("mean", node.span), group), node.span)
