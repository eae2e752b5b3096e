"""Functions of several elements of one array: the score of ``score(x_i, x_j) = x_i · x_j``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from notes2code.meaning import ir, names
from notes2code.meaning.ir import Equation, Expr, Idx, Lambda, Ref


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
