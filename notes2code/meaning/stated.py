"""What a formula may state: definitions, shapes, ranges, and facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from operator import is_
from typing import TypeAlias

from notes2code.diagnostics import Problem, Span
from notes2code.latex.tree import Node, Nodes, walk
from notes2code.records import dataclass

EXAMPLE = "example"
"""The sign of a fact that shows what comes out of something on numbers."""

OPERATOR = "lim"
"""The sign of a fact that says what a derivative, a gradient or a limit is."""


@dataclass(frozen=True, slots=True)
class Define:
    """``target = value``; ``values`` are the alternatives of a chain, which must agree.

    ``target`` is None where the left-hand side is an expression that cannot be defined; then it
    is the first of the values. ``conditions`` hold where the definition does. ``near`` says that
    the value only comes close: ``GELU(x) ≈ …``; ``keeps`` that it is put into what is there
    already, ``S_{ij} ← −∞``, which stays what it is elsewhere.
    """

    target: Node | None
    values: tuple[Node, ...]
    span: Span
    conditions: tuple[Node, ...] = ()
    near: bool = False
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Declare:
    """Names and the shape they are said to have: the axes, an empty tuple for a number."""

    names: tuple[Node, ...]
    axes: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    """An index and the first and last number it counts."""

    index: str
    first: Node | None
    last: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds, or is only remarked: it defines nothing. ``sign`` is its relation, ""
    ``EXAMPLE`` or ``OPERATOR``; ``drawn`` are names that come from a distribution of vectors."""

    sign: str
    span: Span
    drawn: tuple[Node, ...] = ()


Statement: TypeAlias = Define | Declare | Range | Fact


Restated: TypeAlias = tuple[tuple[Statement, ...], Sequence[Problem]]
"""Statements written otherwise, and what is to be told of that."""


def nodes_in(statements: Sequence[Statement]) -> Nodes:
    """All nodes in the values and the conditions of definitions."""
    defines = [one for one in statements if isinstance(one, Define)]
    said = (node for define in defines for node in (*define.values, *define.conditions))
    return Nodes(chain.from_iterable(map(walk, said)))


def rewritten(
    statements: Sequence[Statement], change: Callable[[Define], Callable[[Node], Node]]
) -> tuple[Statement, ...]:
    """The statements with the values and the conditions of definitions changed, by what ``change``
    makes of each definition."""
    return tuple(
        _changed(one, change(one)) if isinstance(one, Define) else one for one in statements
    )


def _changed(define: Define, change: Callable[[Node], Node]) -> Define:
    old = (*define.values, *define.conditions)
    new = tuple(map(change, old))
    if all(map(is_, old, new)):
        return define
    count = len(define.values)
    return replace(define, values=new[:count], conditions=new[count:])
