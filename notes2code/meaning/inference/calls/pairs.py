"""Functions of several elements of one array: the score of ``score(x_i, x_j) = x_i · x_j``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import find_index
from notes2code.meaning.inference.values import Value, fresh
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Lambda, Ref


def apart(equation: Equation, given: int) -> Equation:
    """A function that is defined on ``given`` elements of its only parameter, as one of as many
    single things, in their order; the function itself where it is none, or computes with other
    elements too."""
    indices = equation.value.indices
    if not 1 < given == equation.elements == len(indices) or len(equation.parameters) != 1:
        return equation
    array = equation.parameters[0]
    apart: dict[Expr, str] = {
        Idx(index): names.code_name(array, str(at + 1)) for at, index in enumerate(indices)
    }
    made = [one.array.body for one in equation.definitions]
    refs = [e for body in (*made, equation.value.body) for e in ir.walk(body) if _is(e, array)]
    if any(ref.at[:1] not in [(place,) for place in apart] for ref in refs if isinstance(ref, Ref)):
        return equation
    body = _single(equation.value.body, array, apart)
    if any(part in apart for part in ir.walk(body)) or any(_is(e, array) for e in _all(made)):
        return equation
    inputs = []
    for one in equation.inputs:
        parts = apart.values() if one.name == array else ()
        inputs += [replace(one, name=name, shape=one.shape[1:]) for name in parts] or [one]
    parameters = tuple(apart.values())
    return replace(
        equation, inputs=tuple(inputs), value=Lambda((), body), parameters=parameters, elements=0
    )


def of_places(
    equation: Equation, arguments: Sequence[Value]
) -> tuple[Equation, Sequence[Value]] | None:
    """The function ``score(x_i, x_j) = q_i · k_j`` as one of the places of what it is given, and of
    that as a whole where the queries and keys are made of it; None where it is none. It is given
    elements of one array."""
    given, found = len(arguments), [_element(one) for one in arguments]
    if not 1 < given == equation.elements == len(equation.value.indices):
        return None
    elements = [one for one in found if one is not None]
    if len(equation.parameters) > 1 or len({ref.array for ref, _ in elements}) != 1:
        return None
    if len(elements) < given:
        return None
    places = [
        Value(ir.add(Idx(index), ir.Num(find_index(index).start)), (), one.span)
        for one, (_, index) in zip(arguments, elements, strict=True)
    ]
    if equation.parameters:
        (ref, index), row = elements[0], fresh(find_index(elements[0][1]).size)
        axes = (row, *arguments[0].axes)
        places.append(Value(ir.substitute(ref, {index: Idx(row)}), axes, arguments[0].span))
    every = tuple(range(given))
    return replace(equation, counted=every, unused=()), places


def _element(value: Value) -> tuple[Ref, Index] | None:
    """The x_i that is given, and its i."""
    match value.body:
        case Ref(_, (Idx(index), *_)) as ref if index not in value.axes:
            return ref, index
    return None


def _all(bodies: list[Expr]) -> list[Expr]:
    return [part for body in bodies for part in ir.walk(body)]


def _is(expr: Expr, array: str) -> bool:
    return isinstance(expr, Ref) and expr.array == array


def _single(expr: Expr, array: str, apart: Mapping[Expr, str]) -> Expr:
    """An expression with a single thing in place of each element of an array."""
    if isinstance(expr, Ref) and expr.array == array:
        rest = tuple(_single(place, array, apart) for place in expr.at[1:])
        return Ref(apart[expr.at[0]], rest)
    return ir.rebuild(expr, lambda child: _single(child, array, apart))
