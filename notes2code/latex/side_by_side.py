r"""Equations with nothing but a space or the end of a line between: ``q = x W \; k = x V``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Infix, Juxt, Name, Node, Num, Relation, Script, alike, children

_SPACE = re.compile(r"\n|~|\\(?:[;: ]|enspace\b)")
"""What sets an equation apart. A ``\\,`` stands between factors, and a blank is not shown."""


def apart(node: Node, latex: str, problems: list[Problem]) -> Iterator[Node]:
    """The equations of a chain, or the node itself. What a side ends with behind a space is defined
    by the next side, unless it is a factor that this side, or what the chain defines, is made of,
    as in ``y = W \\; x = \\sum_i w_i x_i``."""
    at = 1
    while isinstance(node, Relation) and at < len(node.signs):
        side, value = node.operands[at : at + 2]
        ended = _ended(side, latex) if {*node.signs[at - 1 : at + 1]} == {"="} else None
        if ended is None or not _is_made_of_others(value, ended[1], node.operands[0]):
            at += 1
            continue
        rest, name = ended
        told = "another equation is taken to begin behind this space"
        hint = "write `\\quad` or `\\\\` between equations"
        problems.append(note("N2C039", told, name.span, hint))
        yield _part(node, (*node.operands[:at], rest), 0)
        node, at = _part(node, (name, *node.operands[at + 1 :]), at), 1
    yield node


def _ended(side: Node | None, latex: str) -> tuple[Node, Node] | None:
    """What is left of a side without the name, or the call, that a space sets apart at its end."""
    match side:
        case Infix(_, _, right) if (ended := _ended(right, latex)) is not None:
            rest, name = ended
            return replace(side, right=rest, span=side.span.to(rest.span)), name
        case Juxt((*rest, before, Name() | Script(Name()) as name)):
            unit = isinstance(before, Num)  # that of 2 \ \text{MiB}
            if not unit and _SPACE.search(latex, before.span.end, name.span.start):
                factors = (*rest, before)
                span = side.span.to(before.span)
                return (replace(side, factors=factors, span=span) if rest else before), name
    return None


def _is_made_of_others(value: Node | None, name: Node, defined: Node | None) -> bool:
    """Whether a side is computed, and neither of a name nor, with what is defined, of this one."""
    if value is None or isinstance(value, Name | Script):
        return False
    return not any(alike(name, other) for side in (value, defined) for other in _names(side))


def _names(node: Node | None) -> Iterator[Node]:
    """The names in a node, each with its scripts; the K of ``W_K`` is none."""
    if isinstance(node, Name | Script):
        yield node
    elif node is not None:
        yield from (name for inner in children(node) for name in _names(inner))


def _part(chain: Relation, operands: tuple[Node | None, ...], start: int) -> Relation:
    """Sides of a chain, from one sign on, as a relation of their own."""
    signs = slice(start, start + len(operands) - 1)
    first, last = operands[0] or chain, operands[-1] or chain
    span = first.span.to(last.span)
    return Relation(operands, chain.signs[signs], chain.sign_spans[signs], span)
