"""Two neighbours that a left-hand side names at once: the ``y_{2i, 2i+1}`` of a rotation."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Group, Infix, Juxt, Matrix, Name, Node, Relation, Script
from notes2code.meaning.notation import positions, scripts


def as_column(node: Relation) -> Node | None:
    """The column of ``y_{2i}`` and ``y_{2i+1}`` for ``y_{2i, 2i+1}`` and ``f(x, m)_{2i, 2i+1}``,
    and for that of ``f(x, m)_{2i}`` and ``f(x, m)_{2i+1}``, where what defines it is a column,
    too: of anything else two indices are a row and a column."""
    target, *values = node.operands
    if target is None or node.signs[0] != "=" or not any(map(_makes_a_column, values)):
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


def _makes_a_column(value: Node | None) -> bool:
    """Whether what defines something is a column of two, alone or behind the matrices that turn
    it; no norm of one, and no number that a row makes of it."""
    match value:
        case Matrix(rows=rows):
            return [len(row) for row in rows] == [1, 1]
        case Juxt((*before, last)):
            return _makes_a_column(last) and not any(map(scripts.is_transposed, before))
        case Infix("+" | "-" | "·" | "⊙", left, right):
            return _makes_a_column(left) or _makes_a_column(right)
    return False
