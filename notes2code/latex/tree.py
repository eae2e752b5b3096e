"""The syntax tree of a formula: what was written, before anything is decided about its meaning.

Juxtaposition, subscripts and superscripts stay undecided here: ``Juxt`` may be a product or
a call, ``Script`` an index, a power, a transpose or a part of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias, get_args

from notes2code.diagnostics import Problem, Span


@dataclass(frozen=True, slots=True)
class Num:
    """A number as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A letter (``Q``, ``alpha``) or a word (``softmax``); fonts are dropped except ``bold``
    and ``blackboard``, which can tell an array from a scalar and ℝ from R."""

    text: str
    span: Span
    font: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """A base with what stands below and above it; ``primes`` counts apostrophes."""

    base: Node
    sub: Node | None
    sup: Node | None
    primes: int
    span: Span


@dataclass(frozen=True, slots=True)
class Accent:
    """A hat, tilde, bar, … over a base; ``mark`` is the name (``hat``)."""

    mark: str
    base: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between two delimiters: ``items`` separated by ``separators``.

    ``open`` is one of ``( [ { | ‖ ⟨ ⌈ ⌊``; separators are ``, ; | ‖ :``.
    """

    open: str
    items: tuple[Node, ...]
    separators: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Frac:
    """A fraction written with a bar."""

    top: Node
    bottom: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Root:
    """A root; ``degree`` is None for the square root."""

    body: Node
    degree: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Neg:
    """A leading minus."""

    body: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Juxt:
    """Two or more factors side by side: a product, a call, or both."""

    factors: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Infix:
    """Two operands and a sign between them, such as ``+``, ``/``, ``·``, ``⊙``, ``‖``."""

    op: str
    left: Node
    right: Node
    op_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of the field written before its argument without parentheses (``\\sin mθ``)."""

    function: Node
    argument: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Big:
    """A sum, product, maximum, … over what its scripts say, and its body.

    ``op`` is ``sum``, ``prod``, ``max``, ``min``, ``argmax``, ``lim``, ``int`` or ``concat``.
    """

    op: str
    sub: Node | None
    sup: Node | None
    body: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix, a column of cases, or an array: rows of cells (None for an empty one)."""

    kind: str
    rows: tuple[tuple[Node | None, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Relation:
    """``a = b = c``: operands and the signs between them. A missing operand is None."""

    operands: tuple[Node | None, ...]
    signs: tuple[str, ...]
    sign_spans: tuple[Span, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Dots:
    """``…`` in any of its forms."""

    span: Span


@dataclass(frozen=True, slots=True)
class Prose:
    """Words between formulas, such as ``where`` or ``if``."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Stroke:
    """A bare operator used as an operand, such as the ``·`` of ``K(·)``."""

    text: str
    span: Span


Node: TypeAlias = (
    Num
    | Name
    | Script
    | Accent
    | Group
    | Frac
    | Root
    | Neg
    | Juxt
    | Infix
    | Apply
    | Big
    | Matrix
    | Relation
    | Dots
    | Prose
    | Stroke
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a formula: what stands between commas, wide spaces and line breaks.

    ``before`` is the separator in front of it: ``""`` for the first, ``,``, ``quad``,
    ``row`` or ``prose``; ``words`` are the prose words in front of it (``where``).
    """

    node: Node
    before: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole formula: its clauses in order, and problems that do not stop it."""

    clauses: tuple[Clause, ...]
    problems: tuple[Problem, ...] = ()


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside one, in reading order."""
    match node:
        case Name() | Num():
            return ()
        case Juxt(factors):
            return factors
        case Script(base, sub, sup):
            return tuple(n for n in (base, sub, sup) if n is not None)
        case Group(_, items):
            return items
        case Infix(_, left, right) | Frac(left, right):
            return (left, right)
        case Apply(function, argument):
            return (function, argument)
        case Neg(body) | Accent(_, body):
            return (body,)
        case Root(body, degree):
            return (body,) if degree is None else (body, degree)
        case Big(_, sub, sup, body):
            return tuple(n for n in (sub, sup, body) if n is not None)
        case Matrix(_, rows):
            return tuple(cell for row in rows for cell in row if cell is not None)
        case Relation(operands):
            return tuple(n for n in operands if n is not None)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """A node and all inside it, in reading order."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if inner := children(current):
            pending.extend(inner[::-1])


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """A node with a change made to each node directly inside it."""

    def changed(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(changed, part))
        return change(part) if isinstance(part, get_args(Node)) else part

    parts = {own.name: getattr(node, own.name) for own in fields(node)}
    return replace(node, **{name: changed(part) for name, part in parts.items()})
