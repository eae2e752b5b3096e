"""Places that a function is given: the i and the j of ``score(i, j)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, free_roots
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Lambda, Ref, Size
from notes2code.meaning.notation.scripts import Use


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


def of_any(use: Use, equation: Equation, arguments: Sequence[Value]) -> Equation:
    """A function of a row and of its place, ``f(x_m, m) = R_m x_m``, as one of a vector and of a
    number where it is given another place than the row's own: ``f(x_n, -n)``."""
    if len(equation.counted) != 1 or not equation.value.indices:
        return equation
    index, own = equation.value.indices[0], equation.counted[0]
    shapes = {one.name: one.shape for one in equation.inputs}
    of_rows = [name for name in equation.parameters if shapes[name][:1] == (index.size,)]
    if not of_rows or len(arguments) != len(equation.parameters) + 1:
        return equation
    others = [value for at, value in enumerate(arguments) if at != own]
    given = dict(zip(equation.parameters, others, strict=True))
    place = _from_0(arguments[own])
    if all(_is_at(given[name], place) for name in of_rows):
        return equation
    body = _of_number(equation.value.body, index, of_rows)
    if body is None or equation.definitions or index.letter in shapes:
        raise error(
            "N2C032",
            f"`{use.name}` is defined for rows and their own places, and another is given here",
            use.span,
            f"define `{use.name}` for a vector and a number, with no index on the vector",
        )
    inputs = [
        replace(one, shape=one.shape[1:]) if one.name in of_rows else one for one in equation.inputs
    ]
    number = ir.Input(index.letter, (), index.letter)
    parameters = [*equation.parameters]
    parameters.insert(own, index.letter)
    return replace(
        equation,
        inputs=(*inputs, number),
        parameters=tuple(parameters),
        counted=(),
        value=Lambda(equation.value.indices[1:], body),
    )


def _is_at(value: Value, place: Expr) -> bool:
    """Whether a value is that at a place, such as x_m at m."""
    opened = free_roots(value.body) - {find_index(axis) for axis in value.axes}
    return {*map(Idx, opened)} == {place}


def _of_number(body: Expr, index: Index, of_rows: Sequence[str]) -> Expr | None:
    """What is computed at each place, of a row and of a number, as the note counts; None where it
    is made of other rows as well."""
    rows: dict[Expr, Expr] = {
        part: Ref(part.array, part.at[1:])
        for part in ir.walk(body)
        if isinstance(part, Ref) and part.array in of_rows
    }
    if any(isinstance(part, Ref) and part.at[:1] != (Idx(index),) for part in rows):
        return None
    number = ir.add(Ref(index.letter), ir.Num(-index.start))
    made = ir.substitute(ir.replaced(body, rows), {index: number})
    arrays = (part for part in ir.walk(made) if isinstance(part, Ref) and part.at)
    return None if any(number in part.at for part in arrays) else made


def _from_0(place: Value) -> Expr:
    """A place that a note counts from 1, where its index begins with 1, as one counted from 0."""
    counted = ir.free_indices(place.body)
    first = next(iter(counted)).start if len(counted) == 1 else 0
    return ir.add(place.body, ir.Num(-first))
