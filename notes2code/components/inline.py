"""Writing out the functions that an equation calls, where the notes or the field define them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from notes2code.components.renewed import Parts, TooLong, renewed
from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr, Index, Lambda, Ref, Size


def inlined(equation: Equation) -> Equation | None:
    """The same equation with every call of a defined function written out; None without one, or
    where it would be too long: calls inside calls grow without end."""
    bodies = [equation.value.body, *(d.array.body for d in equation.definitions)]
    known = equation.functions
    if not any(isinstance(e, Call) and e.function in known for b in bodies for e in ir.walk(b)):
        return None
    try:
        value = _Writer().array(equation)
    except (TooLong, RecursionError):
        return None
    return Equation(equation.name, equation.inputs, (), value, equation.parameters, {})


EMPTY: Mapping[str, Size] = MappingProxyType({})


class _Writer:
    """Writes equations out: definitions and functions once each, then a copy for each use."""

    def __init__(self) -> None:
        self.parts = Parts()
        self.functions: dict[int, Lambda] = {}

    def array(self, equation: Equation) -> Lambda:
        """The value of an equation with its definitions and calls written out."""
        definitions: dict[str, Lambda] = {}

        def written(expr: Expr) -> Expr:
            expr = ir.rebuild(expr, written)
            if isinstance(expr, Ref) and expr.array in definitions:
                return self._element(definitions[expr.array], expr.at)
            if isinstance(expr, Call) and expr.function in equation.functions:
                return self._called(equation.functions[expr.function], expr)
            return expr

        for one in equation.definitions:
            definitions[one.name] = Lambda(one.array.indices, written(one.array.body))
        return Lambda(equation.value.indices, written(equation.value.body))

    def _called(self, function: Equation, call: Call) -> Expr:
        """The element of a call, in the caller's terms."""
        if id(function) not in self.functions:
            self.functions[id(function)] = self.array(function)
        arguments = dict(zip((i.name for i in function.inputs), call.arguments, strict=True))
        sizes = {
            size: index.size
            for given in function.inputs
            for size, index in zip(given.shape, arguments[given.name].indices, strict=True)
            if isinstance(size, Size)
        }
        named = {
            given.name: size
            for given in function.inputs
            if given.kind == "size" and isinstance(size := arguments[given.name].body, Size)
        }
        value = Resized(sizes, named).array(self.functions[id(function)])

        def filled(expr: Expr) -> Expr:
            expr = ir.rebuild(expr, filled)
            if isinstance(expr, Ref) and expr.array in arguments:
                return self._element(arguments[expr.array], expr.at)
            return expr

        places = dict(zip(value.indices, call.at, strict=True))
        return self.parts.put(ir.substitute(filled(value.body), places))

    def _element(self, array: Lambda, at: tuple[Expr, ...]) -> Expr:
        """A copy of the element of an array, with indices of its own."""
        own = renewed(array)
        return self.parts.put(ir.substitute(own.body, dict(zip(own.indices, at, strict=True))))


class Resized:
    """Copies what a function computes, with the caller's sizes and with indices of its own.
    ``named`` are the sizes that the function is given as such."""

    def __init__(self, sizes: dict[Size, Size], named: Mapping[str, Size] = EMPTY) -> None:
        self.sizes = sizes
        self.named = named
        self.indices: dict[Index, Index] = {}

    def array(self, array: Lambda) -> Lambda:
        """The same array over the caller's sizes."""
        return Lambda(tuple(map(self._index, array.indices)), self._expr(array.body))

    def _index(self, index: Index) -> Index:
        if index not in self.indices:
            self.indices[index] = Index(index.name, self._size(index.size), index.start)
        return self.indices[index]

    def _size(self, size: Size) -> Size:
        if size not in self.sizes and size.name in self.named:
            return self.named[size.name]
        if size not in self.sizes and size.value is not None:
            value = self._expr(size.value)
            self.sizes[size] = Size(size.name, size.rank, size.kind, value)
        return self.sizes.get(size, size)

    def _expr(self, expr: Expr) -> Expr:
        if isinstance(expr, Size):
            return self._size(expr)
        return ir.rebuild(expr, self._expr, self._index)
