"""Arrays whose elements come in pairs, in one form however they are written.

Rotations are written with the even and the odd elements apart, as a matrix with blocks of two by
two on its diagonal, as columns of two, or with columns of repeated cosines. In the one form an
array has an even and an odd case, in which nothing asks again which of the two it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Concat,
    Expr,
    Fn,
    Idx,
    Index,
    Lambda,
    Mul,
    Num,
    Reduce,
    Size,
)

TWO = Num(2)
_FEW = 4
"""The longest sum that is written out."""


def has_pairs(array: Lambda) -> bool:
    """Whether anything in an array depends on which of two an element is."""
    return any(
        _halved(part) is not None
        or (isinstance(part, Reduce) and _is_short(part))
        or (isinstance(part, Concat) and isinstance(part.at, Num))
        for part in ir.walk(array.body)
    )


def paired(array: Lambda) -> Lambda:
    """The array with a case for even and one for odd indices."""
    return Lambda(array.indices, _split(simplified(array.body), list(array.indices)))


def _split(body: Expr, axes: list[Index]) -> Expr:
    if not axes:
        return body
    axis, rest = axes[0], axes[1:]
    if not _asks(body, axis):
        return _split(body, rest)
    pair = Index("", Size("", value=ir.mul(axis.size, ir.inverse(TWO))))
    cases = [
        ir.substitute(_split(_element(body, axis, pair, which), rest), {pair: _half(axis)})
        for which in (0, 1)
    ]
    even = Compare("=", Fn("mod", (Idx(axis), TWO)), ir.ZERO)
    return Cases(((even, cases[0]),), cases[1])


def _half(axis: Index) -> Expr:
    return Fn("floordiv", (Idx(axis), TWO))


def _element(body: Expr, axis: Index, pair: Index, which: int) -> Expr:
    """The expression at one of the two elements of a pair."""
    place = ir.add(ir.mul(TWO, Idx(pair)), Num(which))
    return simplified(ir.substitute(body, {axis: place}))


def _asks(body: Expr, axis: Index) -> bool:
    """Whether an expression depends on which of two an index is."""
    return any(_halved(part) is axis for part in ir.walk(body))


def _halved(expr: Expr) -> Index | None:
    """The index that is divided by two, with or without its rest."""
    match expr:
        case Fn("mod" | "floordiv", (Idx(index), Num(2))):
            return index
    return None


# --- simpler expressions ----------------------------------------------------------------------


def simplified(expr: Expr) -> Expr:
    """What is known of pairs worked out: rests, cases, short sums, elements of lists."""
    match ir.rebuild(expr, simplified):
        case Fn("mod" | "floordiv" as name, (Add() | Mul() | Num() as place, Num(2))) as whole:
            found = _pair_of(place)
            return whole if found is None else found[name == "mod"]
        case Compare("=", Num(a), Num(b)):
            return Compare("=", ir.ZERO, ir.ZERO if a == b else ir.ONE)
        case Cases(branches, otherwise):
            return _decided(branches, otherwise)
        case Concat(parts, Num(int(at))) as whole if all(map(_is_single, parts)):
            if not 0 <= at < len(parts):
                return whole
            return ir.substitute(parts[at].body, {parts[at].indices[0]: ir.ZERO})
        case Reduce("sum", where=None) as whole:
            return _summed(whole)
        case other:
            return other


def _pair_of(place: Expr) -> tuple[Expr, Num] | None:
    """The h and the r of ``2h + r``."""
    terms = ir.terms(place)
    rest = sum(t.value for t in terms if isinstance(t, Num) and isinstance(t.value, int))
    others = [t for t in terms if not isinstance(t, Num)]
    doubled = [t for t in others if isinstance(t, Mul) and t.factors[0] == TWO]
    if len(doubled) < len(others) or rest not in (0, 1):
        return None
    return ir.add(*(ir.mul(*t.factors[1:]) for t in doubled)), Num(rest)


def _decided(branches: tuple[tuple[Expr, Expr], ...], otherwise: Expr | None) -> Expr:
    """The cases without those that are known not to hold."""
    kept: list[tuple[Expr, Expr]] = []
    for condition, value in branches:
        known = isinstance(condition, Compare) and isinstance(condition.left, Num)
        if known and condition == Compare("=", ir.ZERO, ir.ZERO):
            otherwise = value
            break
        if not (known and condition == Compare("=", ir.ZERO, ir.ONE)):
            kept.append((condition, value))
    if kept or otherwise is None:
        return Cases(tuple(kept), otherwise)
    return otherwise


def _is_single(part: Lambda) -> bool:
    return len(part.indices) == 1 and part.indices[0].size.value == ir.ONE


def _is_short(expr: Reduce) -> bool:
    """Whether a sum is over so few, each written out, that it can be written out itself."""
    length = expr.index.size.value
    if not (expr.kind == "sum" and isinstance(length, Num) and length.value in range(1, _FEW + 1)):
        return False
    own = Idx(expr.index)
    return any(
        (isinstance(e, Compare) and own in (e.left, e.right))
        or (isinstance(e, Concat) and e.at == own)
        for e in ir.walk(expr.body)
    )


def _summed(expr: Reduce) -> Expr:
    """A sum with its few terms written out, or with the only pair that is not zero."""
    if _is_short(expr):
        assert isinstance(expr.index.size.value, Num)
        places = range(int(expr.index.size.value.value))
        return ir.add(*(simplified(ir.substitute(expr.body, {expr.index: Num(k)})) for k in places))
    if not _asks(expr.body, expr.index):
        return expr
    pair = Index("", Size("", value=ir.mul(expr.index.size, ir.inverse(TWO))))
    terms = [_chosen(_element(expr.body, expr.index, pair, which), pair) for which in (0, 1)]
    chosen = [term for term in terms if term is not None]
    return ir.add(*chosen) if len(chosen) == len(terms) else expr


def _chosen(body: Expr, pair: Index) -> Expr | None:
    """The sum over pairs of what is zero in all but one."""
    factors = ir.factors(body)
    for factor in factors:
        for place, value in _only_at(factor, pair):
            rest = [f for f in factors if f is not factor]
            return ir.substitute(ir.mul(value, *rest), {pair: place})
    return None


def _only_at(expr: Expr, pair: Index) -> Iterator[tuple[Expr, Expr]]:
    """The pair at which alone an expression is not zero, and its value there."""
    match expr:
        case Cases(((Compare("=", left, right), value),), Num(0)):
            for mine, place in ((left, right), (right, left)):
                if mine == Idx(pair) and pair not in ir.free_indices(place):
                    yield place, value
