"""Rotations that lack their minus: a turn by an angle has one sine taken off and one added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.tree import (
    Apply,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Nodes,
    alike,
    ungrouped,
)
from notes2code.meaning.notation import binders

_TURNS = ("cos", "sin")
_TURN = (
    "a rotation is `x \\cos θ - y \\sin θ` beside `x \\sin θ + y \\cos θ`; the code computes what "
    "is written"
)


@dataclass(frozen=True)
class _Term:
    """``± x cos θ``: the function, its argument, what it is multiplied by, and the sign."""

    function: str
    angle: Node
    factors: tuple[Node, ...]
    sign: int


def rotations(nodes: Nodes) -> Iterator[Problem]:
    """Warnings for ``x cos θ + y sin θ`` beside ``y cos θ + x sin θ``, and for matrices like it."""
    if not nodes.of(Apply):
        return
    for matrix in nodes.of(Matrix):
        yield from _matrix(matrix)
    sums = [(node, pair) for node in nodes.of(Infix) if (pair := _pair(node)) is not None]
    for (_, first), (node, second) in combinations(sums, 2):
        crossed = _same(first[0], second[1]) and _same(first[1], second[0])
        if crossed and first[0].sign * first[1].sign == second[0].sign * second[1].sign:
            yield _warning(node.span)


def _pair(node: Infix) -> tuple[_Term, _Term] | None:
    """The cosine and the sine of one angle that a node is the sum or difference of."""
    if node.op not in "+-":
        return None
    left, right = _term(node.left), _term(node.right, -1 if node.op == "-" else 1)
    if left is None or right is None or {left.function, right.function} != {*_TURNS}:
        return None
    if not alike(left.angle, right.angle):
        return None
    return (left, right) if left.function == "cos" else (right, left)


def _term(node: Node | None, sign: int = 1) -> _Term | None:
    """A product with one sine or cosine in it."""
    if isinstance(node, Neg):
        return _term(node.body, -sign)
    factors: Sequence[Node] = () if node is None else (node,)
    if isinstance(node, Infix) and node.op in "·×*⊙":
        factors = binders.chain(node)
    elif isinstance(node, Juxt):
        factors = node.factors
    turns = [f for f in factors if isinstance(f, Apply) and _name(f) in _TURNS]
    if len(turns) != 1:
        return None
    rest = tuple(factor for factor in factors if factor is not turns[0])
    return _Term(_name(turns[0]), ungrouped(turns[0].argument), rest, sign)


def _name(node: Apply) -> str:
    return node.function.text if isinstance(node.function, Name) else ""


def _same(left: _Term, right: _Term) -> bool:
    return alike(left.angle, right.angle) and alike(left.factors, right.factors)


def _matrix(node: Matrix) -> Iterator[Problem]:
    """Blocks of two rows and two columns: cosines of one angle on one diagonal, sines on the
    other."""
    for rows in pairwise(node.rows):
        for at in range(min(map(len, rows)) - 1):
            cells = [_term(cell) for row in rows for cell in row[at : at + 2]]
            found = [cell for cell in cells if cell is not None and not cell.factors]
            kinds = [cell.function for cell in found]
            if kinds not in (["cos", "sin", "sin", "cos"], ["sin", "cos", "cos", "sin"]):
                continue
            signs = [cell.sign for cell in found]
            same = [sum(alike(one.angle, cell.angle) for cell in found) for one in found]
            if same == [4] * 4 and signs[0] * signs[3] == signs[1] * signs[2]:
                yield _warning(node.span)
            if sorted(same) == [1, 3, 3, 3]:
                yield warning("N2C050", "one of the angles is another", node.span, _TURN)


def _warning(span: Span) -> Problem:
    return warning(
        "N2C050",
        "this does not turn by an angle: of the two sines, one has a minus",
        span,
        _TURN,
    )
