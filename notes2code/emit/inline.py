"""A call written out: the function's equation at the call's arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from notes2code.emit.graph import EmitError
from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import (
    Call,
    Concat,
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Iterate,
    Lambda,
    Num,
    Reduce,
    Ref,
    Size,
    Softmax,
)


def inlined(call: Call, equation: Equation) -> Expr:
    """The element that a call asks for, as an expression of what its arguments are made of."""
    given = dict(zip((i.name for i in equation.inputs), call.arguments, strict=True))
    copy = _Copy(given)
    for size, extent in shapes.solve(equation.inputs).items():
        copy.sizes[size] = copy.expr(extent)
    for definition in equation.definitions:
        copy.arrays[definition.name] = copy.array(definition.array)
    value = copy.array(equation.value)
    return ir.substitute(value.body, dict(zip(value.indices, call.at, strict=True)))


@dataclass(slots=True)
class _Copy:
    """A copy of an equation's expressions with indices of its own; ``arrays`` are what its names
    stand for, ``sizes`` what its sizes are."""

    arrays: dict[str, Lambda]
    sizes: dict[Size, Expr] = field(default_factory=dict)
    indices: dict[Index, Index] = field(default_factory=dict)

    def array(self, array: Lambda) -> Lambda:
        indices = tuple(map(self.index, array.indices))
        return Lambda(indices, self.expr(array.body))

    def index(self, index: Index) -> Index:
        size = self.expr(index.size)
        own = ir.as_size(size)
        self.indices[index] = Index(index.name, own, index.start)
        return self.indices[index]

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Idx(index):
                return Idx(self.indices[index])
            case Size():
                return self._size(expr)
            case Fn("extent", (Ref(name, ()), Num(int() as axis))):
                return self.arrays[name].indices[axis].size
            case Ref(name, at) if name in self.arrays:
                array = self.arrays[name]
                places = (self.expr(place) for place in at)
                return ir.substitute(array.body, dict(zip(array.indices, places, strict=True)))
            case Reduce(kind, index, body, where):
                index = self.index(index)
                reach = None if where is None else self.expr(where)
                return Reduce(kind, index, self.expr(body), reach)
            case Softmax(index, body, at_, where):
                place, index = self.expr(at_), self.index(index)
                reach = None if where is None else self.expr(where)
                return Softmax(index, self.expr(body), place, reach)
            case Call(function, arguments, at, site):
                arrays = tuple(map(self.array, arguments))
                return Call(function, arrays, tuple(map(self.expr, at)), site)
            case Iterate(index, state, initial, step, at):
                index, first, again = self.index(index), self.array(initial), self.array(step)
                return Iterate(index, state, first, again, tuple(map(self.expr, at)))
            case Concat(parts, at_):
                return Concat(tuple(map(self.array, parts)), self.expr(at_))
            case _:
                return ir.rebuild(expr, self.expr)

    def _size(self, size: Size) -> Expr:
        if size in self.sizes:
            return self.sizes[size]
        if size.value is not None:
            return Size("", value=self.expr(size.value))
        if size.name in self.arrays:
            return self.arrays[size.name].body
        raise EmitError(f"the size {size.name} does not follow from the arguments")
