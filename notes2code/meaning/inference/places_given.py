"""Places that a function is given: the i and the j of ``score(i, j)``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Size


def length_of(equation: Equation, parameter: ir.Input) -> Size | None:
    """The size that an input is, where it is the number of places that a function's index has, or
    one that what it learns is as long as, such as the c of 2c + 1 distances."""
    if parameter.kind != "size":
        return None
    counted = [index.size for index in equation.value.indices[: len(equation.counted)]]
    axes = (axis for one in equation.inputs for axis in one.shape)
    inside = (part for axis in axes for part in ir.walk(axis) if isinstance(part, Size))
    return next((size for size in (*counted, *inside) if size.name == parameter.name), None)


def counted(
    run: Run, axes: tuple[Index, ...], places: Sequence[Value], rows: tuple[Index, ...]
) -> tuple[Expr, ...]:
    """The places along the axes that a function's indices count: those that it is given; where it
    is given none, each row of its argument is taken at its own."""
    own = tuple(map(Idx, rows)) if len(rows) == len(axes) else ()
    found = tuple(map(_from_0, places)) or own
    for axis, expr in zip(axes, found, strict=False):
        if isinstance(expr, Idx):
            run.unify(find_index(expr.index).size, axis.size, Span(0, 0))
    return found


def _from_0(place: Value) -> Expr:
    """A place that a note counts from 1, where its index begins with 1, as one counted from 0."""
    counted = ir.free_indices(place.body)
    first = next(iter(counted)).start if len(counted) == 1 else 0
    return ir.add(place.body, ir.Num(-first))
