"""Two neighbours that a left-hand side names at once: the ``y_{2i, 2i+1}`` of a rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Group, Juxt, Matrix, Name, Node, Relation, Script, walk
from notes2code.meaning.notation import positions


def as_column(node: Relation) -> Node | None:
    """The column of ``y_{2i}`` and ``y_{2i+1}`` for ``y_{2i, 2i+1}`` and ``f(x, m)_{2i, 2i+1}``,
    and for that of ``f(x, m)_{2i}`` and ``f(x, m)_{2i+1}``, where what defines it is a column,
    too: of anything else two indices are a row and a column."""
    target, *values = node.operands
    if target is None or node.signs[0] != "=" or not _makes_a_column(values):
        return None
    cells = _cells(target)
    places = [positions.stride(cell.sub) for cell in cells if cell.sub is not None]
    offsets = [place[1] for place in places if place is not None]
    if offsets not in ([0, 1], [-1, 0]) or len({place[0] for place in places if place}) != 1:
        return None
    column = Matrix("pmatrix", tuple((cell,) for cell in cells), target.span)
    return replace(node, operands=(column, *values))


def _cells(target: Node) -> list[Script]:
    """The elements that a left-hand side names."""
    match target:
        case Script(_, Group("" | "(" | "[", items)) if len(items) == 2:
            return [replace(target, sub=item) for item in items]
        case Juxt((Name() as name, Script(Group("("), Group("" | "(" | "[", items), None, 0))):
            return [Script(name, item, None, 0, target.span) for item in items]
        case Matrix(rows=rows) if all(len(row) == 1 for row in rows):
            parts = [_element(cell) for (cell,) in rows]
            return [part for part in parts if part is not None]
    return []


def _element(cell: Node | None) -> Script | None:
    """``f_{2i}`` for ``f(x, m)_{2i}``; None for what is no call."""
    match cell:
        case Juxt((Name() as name, Script(Group("("), below, None, 0)), span):
            return Script(name, below, None, 0, span)
    return None


def _makes_a_column(values: Sequence[Node | None]) -> bool:
    """Whether a column of two stands in what defines something."""
    inside = [part for value in values if value is not None for part in walk(value)]
    matrices = [part for part in inside if isinstance(part, Matrix)]
    return any([len(row) for row in matrix.rows] == [1, 1] for matrix in matrices)
