"""Arrays put into expressions: with indices of their own, and no more than may be written out."""

from __future__ import annotations

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Idx, Index, Lambda

MAX_PARTS = 2_000
"""The parts that an equation may have when its definitions and calls are written out: a chain of
definitions that each use the next one twice grows without end."""


class TooLong(Exception):
    """An equation cannot be written out."""


class Parts:
    """Counts the parts that are put into an expression while it is written out."""

    def __init__(self) -> None:
        self.left = MAX_PARTS

    def put(self, expr: Expr) -> Expr:
        """The expression itself. Raises ``TooLong`` where it is more than may be written out."""
        for _ in ir.walk(expr):
            self.left -= 1
            if self.left < 0:
                raise TooLong
        return expr


def renewed(array: Lambda) -> Lambda:
    """The array with indices of its own, so that it can be put into an expression twice."""
    fresh = {index: Index(index.name, index.size, index.start) for index in array.indices}
    body = _renew(array.body, {old: Idx(new) for old, new in fresh.items()})
    return Lambda(tuple(fresh[index] for index in array.indices), body)


def _renew(expr: Expr, names: dict[Index, Expr]) -> Expr:
    """Replace free indices, and give every bound one a new identity."""
    if isinstance(expr, Idx):
        return names.get(expr.index, expr)
    bound = ir.bound_indices(expr)
    new = {index: Index(index.name, index.size, index.start) for index in bound}
    if new:
        names = {**names, **{old: Idx(index) for old, index in new.items()}}
    return ir.rebuild(expr, lambda child: _renew(child, names), new.__getitem__)
