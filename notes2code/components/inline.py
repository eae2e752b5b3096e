"""Writing out the functions that an equation calls, where the notes or the field define them."""

from __future__ import annotations

from itertools import islice

from notes2code.components.normal import rebound, renewed
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Ref, Size

MAX_PARTS = 2_000
"""The parts that a call may have when it is written out: calls inside calls grow without end."""


class _TooLong(Exception):
    """A call cannot be written out."""


def inlined(equation: Equation) -> Equation | None:
    """The same equation with every call of a defined function written out; None without one, or
    where it would be too long."""
    bodies = [equation.value.body, *(d.array.body for d in equation.definitions)]
    known = equation.functions
    if not any(isinstance(e, Call) and e.function in known for b in bodies for e in ir.walk(b)):
        return None
    try:
        value = Lambda(equation.value.indices, _written_out(equation, equation.value.body))
    except _TooLong:
        return None
    return Equation(equation.name, equation.inputs, (), value, equation.parameters, {})


def _written_out(equation: Equation, expr: Expr) -> Expr:
    """An expression of an equation with its definitions and calls written out."""
    definitions = {d.name: d.array for d in equation.definitions}

    def written(expr: Expr) -> Expr:
        if isinstance(expr, Ref) and expr.array in definitions:
            return written(_element(definitions[expr.array], expr.at))
        expr = ir.rebuild(expr, written)
        if isinstance(expr, Call) and expr.function in equation.functions:
            return _called(equation.functions[expr.function], expr)
        return expr

    return written(expr)


def _called(function: Equation, call: Call) -> Expr:
    """The element of a call, in the caller's terms. Raises ``_TooLong``."""
    arguments = dict(zip((i.name for i in function.inputs), call.arguments, strict=True))
    sizes = {
        size: index.size
        for given in function.inputs
        for size, index in zip(given.shape, arguments[given.name].indices, strict=True)
        if isinstance(size, Size)
    }
    body = _written_out(function, function.value.body)
    value = _Resized(sizes).array(Lambda(function.value.indices, body))

    def filled(expr: Expr) -> Expr:
        expr = ir.rebuild(expr, filled)
        if isinstance(expr, Ref) and expr.array in arguments:
            return _element(arguments[expr.array], expr.at)
        return expr

    whole = ir.substitute(filled(value.body), dict(zip(value.indices, call.at, strict=True)))
    if any(True for _ in islice(ir.walk(whole), MAX_PARTS, None)):
        raise _TooLong
    return whole


def _element(array: Lambda, at: tuple[Expr, ...]) -> Expr:
    own = renewed(array)
    return ir.substitute(own.body, dict(zip(own.indices, at, strict=True)))


class _Resized:
    """Copies what a function computes, with the caller's sizes and with indices of its own."""

    def __init__(self, sizes: dict[Size, Size]) -> None:
        self.sizes = sizes
        self.indices: dict[Index, Index] = {}

    def array(self, array: Lambda) -> Lambda:
        return Lambda(tuple(map(self._index, array.indices)), self._expr(array.body))

    def _index(self, index: Index) -> Index:
        if index not in self.indices:
            self.indices[index] = Index(index.name, self._size(index.size), index.start)
        return self.indices[index]

    def _size(self, size: Size) -> Size:
        if size not in self.sizes and size.value is not None:
            value = self._expr(size.value)
            self.sizes[size] = Size(size.name, size.rank, size.kind, value)
        return self.sizes.get(size, size)

    def _expr(self, expr: Expr) -> Expr:
        match expr:
            case Size():
                return self._size(expr)
            case Idx(index):
                return Idx(self._index(index))
        bound = {index: self._index(index) for index in ir.bound_indices(expr)}
        return ir.rebuild(rebound(expr, bound) if bound else expr, self._expr)
