"""Predictions that losses are given: the ``f(x)`` of ``L(y, f(x)) = (y - f(x))^2`` is one thing,
what is predicted, and the formula says nothing of f."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Group, Juxt, Name, Node, alike, rebuilt, walk
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name


def written_out(sides: Sequence[Node]) -> list[Node]:
    """The sides of an equation with a name for what is predicted, where the first is a call of
    it and of something else, and all others have it as it stands there."""
    match sides[0]:
        case Juxt((name, Group("(", items) as group)) if len(items) > 1 and is_name(name):
            for call in items:
                if _is_call(call) and all(_uses_only(call, side) for side in sides[1:]):
                    made = [_with_name(side, call) for side in sides[1:]]
                    given = tuple(_word(item) if item is call else item for item in items)
                    left = replace(sides[0], factors=(name, replace(group, items=given)))
                    return [left, *made]
    return list(sides)


def _is_call(node: Node) -> bool:
    match node:
        case Juxt((Name() as function, Group("(", (given,)))):
            return len(function.text) == 1 and is_name(given)
    return False


def _word(call: Node) -> Name:
    """The name ``f_x`` for ``f(x)``."""
    assert isinstance(call, Juxt) and isinstance(call.factors[1], Group)
    return Name(
        f"{binders.bare(call.factors[0])}_{binders.bare(call.factors[1].items[0])}", call.span
    )


def _uses_only(call: Node, side: Node) -> bool:
    """Whether a side has the letter of a call, and only in calls as this one."""
    assert isinstance(call, Juxt)
    letter = binders.bare(call.factors[0])
    written = sum(isinstance(node, Name) and node.text == letter for node in walk(side))
    left = _with_name(side, call)
    return written > 0 and not any(isinstance(n, Name) and n.text == letter for n in walk(left))


def _with_name(node: Node, call: Node) -> Node:
    """A node with the name of a call in its places."""
    assert isinstance(call, Juxt)
    if alike(node, call):
        return replace(_word(call), span=node.span)
    inner = rebuilt(node, lambda part: _with_name(part, call))
    if not isinstance(inner, Juxt):
        return inner
    factors = list(inner.factors)
    for at in range(len(factors) - 2, -1, -1):
        if alike(tuple(factors[at : at + 2]), call.factors):
            span = factors[at].span.to(factors[at + 1].span)
            factors[at : at + 2] = [replace(_word(call), span=span)]
    return replace(inner, factors=tuple(factors)) if len(factors) > 1 else factors[0]
