"""Whether two expressions compute the same: their form without the names of indices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Size


def form(expr: Expr, indices: Sequence[Index]) -> Hashable:
    """A key that is equal for expressions that differ only in which indices they use: those given
    count by their place and size, those that the expression binds by where they are bound."""
    places = {index: place for place, index in enumerate(indices)}
    return tuple(size_form(index.size) for index in indices), _form(expr, places)


def size_form(size: Expr) -> Hashable:
    """A key that is equal for equal sizes."""
    return _form(size, {})


def _form(expr: Expr, places: Mapping[Index, int]) -> Hashable:
    match expr:
        case Idx(index):
            return "index", places.get(index, index)
        case Size(value=value):
            return _form(value, {}) if value is not None else expr
        case ir.Reduce(kind, index, body, where):
            return "reduce", kind, _bound(Lambda((index,), body), where, places)
        case ir.Softmax(index, body, at, where):
            return "softmax", _bound(Lambda((index,), body), where, places), _form(at, places)
        case ir.Call(function, arguments, at_, _):
            arrays = tuple(_bound(array, None, places) for array in arguments)
            return "call", function, arrays, _forms(at_, places)
        case ir.Concat(parts, at):
            arrays = tuple(_bound(part, None, places) for part in parts)
            return "concat", arrays, _form(at, places)
        case ir.Ref(name) | ir.Fn(name) | ir.Compare(name) | ir.Logic(name):
            return type(expr).__name__, name, _forms(ir.children(expr), places)
        case ir.Cases(_, otherwise):
            return "cases", otherwise is None, _forms(ir.children(expr), places)
        case ir.Num(value):
            return "number", type(value), value
        case _:
            return type(expr).__name__, _forms(ir.children(expr), places)


def _forms(exprs: Iterable[Expr], places: Mapping[Index, int]) -> Hashable:
    return tuple(_form(expr, places) for expr in exprs)


def _bound(array: Lambda, where: Expr | None, places: Mapping[Index, int]) -> Hashable:
    """The form of an array, and of a condition on its indices."""
    inner = dict(places)
    for index in array.indices:
        inner[index] = max(inner.values(), default=-1) + 1
    sizes = tuple(size_form(index.size) for index in array.indices)
    return sizes, _form(array.body, inner), None if where is None else _form(where, inner)
