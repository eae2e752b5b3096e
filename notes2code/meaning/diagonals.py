"""Matrices with zeros beside their diagonal, once they are multiplied: ``Σ_k [i = k] w_i x_k`` is
``w_i x_i``. The reference computes such sums as they are written; recognition and code do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Cases,
    Compare,
    Definition,
    Equation,
    Expr,
    Idx,
    Index,
    Lambda,
    Ref,
)


def at_diagonal(index: Index, factors: Sequence[Expr]) -> tuple[Expr, ...] | None:
    """The product that is left of a sum of factors over an index, one of which is 0 everywhere but
    at one place; None where none is."""
    for at, factor in enumerate(factors):
        match factor:
            case Cases(((Compare("=", Idx(one), Idx(other)), weight),), ir.ZERO):
                if index not in (one, other) or one is other or one.size != other.size:
                    continue
                place = {index: Idx(other if one is index else one)}
                left = (*factors[:at], weight, *factors[at + 1 :])
                return tuple(ir.substitute(factor, place) for factor in left)
    return None


def written_out(equation: Equation) -> Equation:
    """The equation without definitions of matrices with zeros beside the diagonal."""
    known: dict[str, Lambda] = {}
    definitions: list[Definition] = []

    def change(expr: Expr) -> Expr:
        expr = ir.rebuild(expr, change)
        if isinstance(expr, Ref) and expr.array in known:
            array = known[expr.array]
            return ir.substitute(array.body, dict(zip(array.indices, expr.at, strict=True)))
        return expr

    for definition in equation.definitions:
        array = replace(definition.array, body=change(definition.array.body))
        if value(array.body, array.indices) is not None:
            known[definition.name] = array
        else:
            definitions.append(replace(definition, array=array))
    if not known:
        return equation
    whole = replace(equation.value, body=change(equation.value.body))
    return replace(equation, definitions=tuple(definitions), value=whole)


def value(body: Expr, axes: Sequence[Index]) -> Expr | None:
    """The w of a matrix with these axes that is w where the two are equal, and 0 elsewhere; None of
    any other."""
    match body:
        case Cases(((Compare("=", Idx(one), Idx(other)), there),), ir.ZERO):
            return there if {one, other} == {*axes} else None
    return None
