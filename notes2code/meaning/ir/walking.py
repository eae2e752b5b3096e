"""Going through expressions: what stands inside one, what binds which indices, and the same with
some of it replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, TypeAlias

from notes2code.meaning.ir.expressions import (
    Add,
    Call,
    Cases,
    Compare,
    Concat,
    Expr,
    Fn,
    Idx,
    Index,
    Iterate,
    Lambda,
    Logic,
    Mul,
    Num,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside one; bodies of arrays included."""
    inside = _INSIDE.get(type(expr))
    return () if inside is None else inside(expr)


def _present(*parts: Expr | None) -> tuple[Expr, ...]:
    return tuple(filter(None, parts))


def _bodies(arrays: tuple[Lambda, ...]) -> tuple[Expr, ...]:
    return tuple([array.body for array in arrays])


# By type, since every pass over a formula asks this of every expression. The others hold nothing.
_INSIDE: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Ref: attrgetter("at"),
    Add: attrgetter("terms"),
    Mul: attrgetter("factors"),
    Pow: attrgetter("base", "exponent"),
    Fn: attrgetter("arguments"),
    Logic: attrgetter("arguments"),
    Compare: attrgetter("left", "right"),
    Reduce: lambda e: _present(e.body, e.where),
    Softmax: lambda e: _present(e.body, e.at, e.where),
    Cases: lambda e: _present(*(part for branch in e.branches for part in branch), e.otherwise),
    Call: lambda e: (*_bodies(e.arguments), *e.at),
    Concat: lambda e: (*_bodies(e.parts), e.at),
    Iterate: lambda e: (e.initial.body, e.step.body, *e.at),
}


Change: TypeAlias = Callable[[Expr], Expr]


Rename: TypeAlias = Callable[[Index], Index]


def _same(index: Index) -> Index:
    return index


def rebuild(expr: Expr, change: Change, rename: Rename = _same) -> Expr:
    """The same expression with ``change`` applied to each direct child, and ``rename`` to the
    indices that it names or binds itself."""
    return _REBUILT[type(expr)](expr, change, rename)


def _unchanged(expr: Expr, _: Change, __: Rename) -> Expr:
    return expr


def _all(exprs: tuple[Expr, ...], change: Change) -> tuple[Expr, ...]:
    return tuple(map(change, exprs))


def _maybe(expr: Expr | None, change: Change) -> Expr | None:
    return None if expr is None else change(expr)


def _array(array: Lambda, change: Change, rename: Rename) -> Lambda:
    return Lambda(tuple(map(rename, array.indices)), change(array.body))


def _arrays(arrays: tuple[Lambda, ...], change: Change, rename: Rename) -> tuple[Lambda, ...]:
    return tuple([_array(array, change, rename) for array in arrays])


_REBUILT: dict[type[Expr], Callable[[Any, Change, Rename], Expr]] = {
    Num: _unchanged,
    Size: _unchanged,
    Idx: lambda e, _, rename: e if (own := rename(e.index)) is e.index else Idx(own),
    Ref: lambda e, change, _: Ref(e.array, _all(e.at, change)) if e.at else e,
    Add: lambda e, change, _: Add(_all(e.terms, change)),
    Mul: lambda e, change, _: Mul(_all(e.factors, change)),
    Pow: lambda e, change, _: Pow(change(e.base), change(e.exponent)),
    Fn: lambda e, change, _: Fn(e.name, _all(e.arguments, change)),
    Logic: lambda e, change, _: Logic(e.op, _all(e.arguments, change)),
    Compare: lambda e, change, _: Compare(e.op, change(e.left), change(e.right)),
    Reduce: lambda e, change, rename: Reduce(
        e.kind, rename(e.index), change(e.body), _maybe(e.where, change)
    ),
    Softmax: lambda e, change, rename: Softmax(
        rename(e.index), change(e.body), change(e.at), _maybe(e.where, change)
    ),
    Cases: lambda e, change, _: Cases(
        tuple([(change(condition), change(value)) for condition, value in e.branches]),
        _maybe(e.otherwise, change),
    ),
    Call: lambda e, change, rename: Call(
        e.function, _arrays(e.arguments, change, rename), _all(e.at, change), e.site
    ),
    Concat: lambda e, change, rename: Concat(_arrays(e.parts, change, rename), change(e.at)),
    Iterate: lambda e, change, rename: Iterate(
        rename(e.index),
        e.state,
        _array(e.initial, change, rename),
        _array(e.step, change, rename),
        _all(e.at, change),
    ),
}


def walk(expr: Expr) -> list[Expr]:
    """The expression and all inside it, outermost first."""
    found = [expr]
    for behind, current in enumerate(found, 1):  # and over all that is put in on the way
        if inside := _INSIDE.get(type(current)):
            found[behind:behind] = inside(current)
    return found


def bound_indices(expr: Expr) -> tuple[Index, ...]:
    """The indices that a node itself binds."""
    binds = _BINDS.get(type(expr))
    return () if binds is None else binds(expr)


def _indices(arrays: tuple[Lambda, ...]) -> tuple[Index, ...]:
    return tuple([index for array in arrays for index in array.indices])


_BINDS: dict[type[Expr], Callable[[Any], tuple[Index, ...]]] = {
    Reduce: lambda e: (e.index,),
    Softmax: lambda e: (e.index,),
    Call: lambda e: _indices(e.arguments),
    Concat: lambda e: _indices(e.parts),
    Iterate: lambda e: (e.index, *e.initial.indices, *e.step.indices),
}


BINDERS = frozenset(_BINDS)
"""The kinds of expressions that bind indices."""


_SCOPES: dict[type[Expr], Callable[[Any], list[tuple[tuple[Index, ...], tuple[Expr, ...]]]]] = {
    Reduce: lambda e: [((e.index,), _present(e.body, e.where))],
    Softmax: lambda e: [((e.index,), _present(e.body, e.where)), ((), (e.at,))],
    Call: lambda e: [*((a.indices, (a.body,)) for a in e.arguments), ((), e.at)],
    Concat: lambda e: [*((p.indices, (p.body,)) for p in e.parts), ((), (e.at,))],
    Iterate: lambda e: [
        (e.initial.indices, (e.initial.body,)),
        ((e.index, *e.step.indices), (e.step.body,)),
        ((), e.at),
    ],
}
"""Which indices hold where in what binds them."""


def free_indices(expr: Expr, rename: Rename = _same) -> frozenset[Index]:
    """The indices that an expression uses, renamed, and does not bind."""
    found: set[Index] = set()
    pending = [expr]
    while pending:
        current = pending.pop()
        if isinstance(current, Idx):
            found.add(rename(current.index))
        elif scopes := _SCOPES.get(type(current)):
            for bound, parts in scopes(current):
                for part in parts:
                    found |= free_indices(part, rename).difference(bound)
        elif inside := _INSIDE.get(type(current)):
            pending.extend(inside(current))
    return frozenset(found)


def substitute(expr: Expr, values: Mapping[Index, Expr]) -> Expr:
    """The expression with some of its free indices replaced, and those that are linked to them."""
    if isinstance(expr, Idx):
        index = expr.index
        while index.link is not None and index not in values:
            index = index.link
        return values.get(index, expr)
    if not values:
        return expr
    return rebuild(expr, lambda child: substitute(child, values))


def replaced(expr: Expr, parts: Mapping[Expr, Expr]) -> Expr:
    """The expression with others for some of its parts."""
    if expr in parts:
        return parts[expr]
    return rebuild(expr, lambda child: replaced(child, parts))
