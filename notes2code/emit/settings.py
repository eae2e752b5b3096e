"""A setting in, its text in PyTorch out."""

from __future__ import annotations

from collections.abc import Mapping

from notes2code.components.around import HOLE
from notes2code.components.rows import ordered
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Ref, Size


def render_setting(value: Lambda, x: str, known: Mapping[str, str], within: str) -> str:
    """A setting as PyTorch; the argument of a function setting has the text ``x``."""
    axes = tuple(ordered(value.body))
    given: dict[Expr | str, Local] = {HOLE: Local(x, axes)}
    for expr in ir.walk(value.body):
        if isinstance(expr, Size) and expr.value is None:
            given[expr] = Local(known.get(expr.name, expr.name), kind="int")
        elif isinstance(expr, Ref) and expr.array != HOLE and not expr.at:
            given[expr.array] = Local(known.get(expr.array, f"self.{expr.array}"), kind="float")
    return torch_expression(_held(value.body, axes), given, axes, within=within)


def _held(expr: Expr, axes: tuple[Index, ...]) -> Expr:
    """The expression with its hole as an element at all its indices."""
    if expr == Ref(HOLE):
        return Ref(HOLE, tuple(Idx(axis) for axis in axes))
    return ir.rebuild(expr, lambda child: _held(child, axes))
