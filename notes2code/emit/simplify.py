"""Equations in the form they are computed in: numbers folded, and sums that have a name named.

Nothing changes in value: exact numbers are added up, ``(1/n) Σ`` over n becomes a mean, and
``exp(x_j) / Σ_k exp(x_k)`` the softmax that it is, which does not overflow; x Φ(x), also with its
Φ written out, becomes a GELU; a matrix with zeros beside its diagonal scales what it multiplies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction

from notes2code.emit.arithmetic import TOO_LARGE
from notes2code.meaning import ir
from notes2code.meaning.diagonals import at_diagonal
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Expr,
    Fn,
    Idx,
    Index,
    Mul,
    Num,
    Pow,
    Reduce,
    Size,
    Softmax,
)

Indices = dict[Index, Index]

_ROOTS_OF_HALF = (
    Pow(Pow(Num(2), ir.HALF), ir.MINUS_ONE),
    Pow(Num(2), Num(Fraction(-1, 2))),
    Pow(ir.HALF, ir.HALF),
)


def simplified(expr: Expr) -> Expr:
    """The same value, in its simplest form."""
    return _simplified(ir.rebuild(expr, simplified))


def _simplified(expr: Expr) -> Expr:
    """The same value, where all inside the expression is simple."""
    match expr:
        case Add(terms):
            return _sum(terms)
        case Mul(factors):
            return _product(factors)
        case Pow(base, Num(1)):
            return base
        case Pow(Pow(Reduce("sum", _, Pow(_, Num(2))) as squared, ir.HALF), Num(2)):
            return squared
        case Pow(Num(int() | Fraction() as base), Num(int() as exponent)) if base and exponent < 0:
            return Num(_plain(Fraction(base) ** exponent))
        case Pow(Num(int() as base), Num(int() as exponent)) if abs(base) > 1 < exponent and (
            abs(power := base**exponent) >= TOO_LARGE
        ):
            return Num(power)
        case Pow(Mul(factors), ir.MINUS_ONE):
            return _product([_inverse(factor) for factor in factors])
        case Cases(((Compare("=", left, right), value),), _) if left == right:
            return value
        case Cases(((Compare("=", Num(), Num()), _),), otherwise) if otherwise is not None:
            return otherwise
        case Reduce("sum", index, Mul(factors), None) if rest := at_diagonal(index, factors):
            return simplified(Mul(rest))
        case Reduce("sum", index, Mul(factors), where) if where is not None:
            return Reduce("sum", index, *_masked_softmax(index, factors, where))
        case Reduce("sum", index, Reduce("sum", inner, Mul(factors), None), None):
            return _exchanged(index, inner, factors)
        case Compare(op, left, right):
            return _compare(op, left, right)
        case _:
            return expr


# --- numbers ------------------------------------------------------------------------------------


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def _inverse(expr: Expr) -> Expr:
    if ir.is_inverse(expr):
        return expr.base
    return _simplified(ir.inverse(expr))


def _exact(expr: Expr) -> Fraction | None:
    if isinstance(expr, Num) and not isinstance(expr.value, float):
        return Fraction(expr.value)
    return None


def _sum(terms: tuple[Expr, ...]) -> Expr:
    """A sum, flattened, with its exact numbers added up at the place of the first."""
    counted = any(_exact(term) is not None for term in terms)
    flat: list[Expr] = []
    for term in terms:
        match term:
            case Add(inner):
                flat.extend(inner)
            case Mul((ir.MINUS_ONE, Add(inner))) if counted and any(map(_exact, inner)):
                flat.extend(map(ir.negative, inner))  # i + 1 − (j + 1)
            case _:
                flat.append(term)
    numbers = [number for term in flat if (number := _exact(term)) is not None]
    if len(numbers) > 1:
        at = next(i for i, term in enumerate(flat) if _exact(term) is not None)
        flat = [term for term in flat if _exact(term) is None]
        flat.insert(at, Num(_plain(sum(numbers, Fraction(0)))))
    return ir.add(*flat)


def _product(factors: tuple[Expr, ...] | list[Expr]) -> Expr:
    """A product, flattened, with its exact numbers multiplied in front."""
    flat: list[Expr] = []
    for factor in factors:
        flat.extend(ir.factors(factor))
    number = Fraction(1)
    for factor in flat:
        exact = _exact(factor)
        number *= 1 if exact is None else exact
    rest = [factor for factor in flat if _exact(factor) is None]
    number, rest = _gelus(number, _softmaxes(_means(rest)))
    if number != 1:
        number, rest = _numbers_of_sums(number, rest)
    return ir.mul(Num(_plain(number)), *rest)


def _numbers_of_sums(number: Fraction, factors: list[Expr]) -> tuple[Fraction, list[Expr]]:
    """A number before sums, multiplied by those within them."""
    rest = list(factors)
    for at, factor in enumerate(factors):
        match factor:
            case Reduce("sum", index, Mul((first, *others)), where):
                inner = _exact(first)
                if inner is not None:
                    number *= inner
                    rest[at] = Reduce("sum", index, ir.mul(*others), where)
    return number, rest


def _compare(op: str, left: Expr, right: Expr) -> Expr:
    """A comparison without a number that stands on both sides."""
    for expr in (left, right):
        numbers = [t for t in expr.terms if isinstance(t, Num)] if isinstance(expr, Add) else []
        other = right if expr is left else left
        terms = ir.terms(other)
        if numbers and any(isinstance(t, Num) for t in terms):
            minus = ir.negative(numbers[0])
            return Compare(op, _sum((left, minus)), _sum((right, minus)))
    return Compare(op, left, right)


def _exchanged(outer: Index, inner: Index, factors: tuple[Expr, ...]) -> Expr:
    """``Σ_i Σ_j a_j b_ij`` as ``Σ_j a_j Σ_i b_ij``, which needs no product for each i and j."""
    body = Mul(factors)
    apart = [factor for factor in factors if outer not in ir.free_indices(factor)]
    if not apart:
        return Reduce("sum", outer, Reduce("sum", inner, body))
    rest = ir.mul(*(factor for factor in factors if factor not in apart))
    return Reduce("sum", inner, ir.mul(*apart, _simplified(Reduce("sum", outer, rest))))


# --- GELU ---------------------------------------------------------------------------------------


def _gelus(number: Fraction, factors: list[Expr]) -> tuple[Fraction, list[Expr]]:
    """A number and the other factors of a product, with x and Φ(x) as one GELU."""
    for place, factor in enumerate(factors):
        times, argument = _normal_cdf(factor)
        inner = math.prod(exact for part in argument if (exact := _exact(part)) is not None)
        places = _places([part for part in argument if _exact(part) is None], factors)
        if inner and places:
            gelu = Fn("gelu", (ir.mul(*argument),))
            rest = {at: f for at, f in enumerate(factors) if at not in (place, *places)}
            rest[min(places)] = gelu
            return _gelus(number * times / inner, [rest[at] for at in sorted(rest)])
    return number, factors


def _places(wanted: list[Expr], factors: list[Expr]) -> list[int]:
    """Where factors stand among others, each of them once; nowhere if one does not."""
    places: list[int] = []
    for one in wanted:
        free = (at for at, f in enumerate(factors) if at not in places and alike(one, f, {}))
        at = next(free, None)
        if at is None:
            return []
        places.append(at)
    return places


def _normal_cdf(expr: Expr) -> tuple[Fraction, list[Expr]]:
    """The c and the factors of x in c Φ(x), written out as c ½(1 + erf(x/√2)) too; no factors for
    what is none."""
    match expr:
        case Fn("normal_cdf", (argument,)):
            return Fraction(1), list(ir.factors(argument))
        case Add((one, two)):
            for number, other in ((one, two), (two, one)):
                half = _exact(number)
                match _product((Num(_plain(1 / half)), other)) if half else other:
                    case Fn("erf", (Mul(inner),)) if half:
                        rest = [factor for factor in inner if factor not in _ROOTS_OF_HALF]
                        if len(rest) == len(inner) - 1:
                            return 2 * half, rest
    return Fraction(1), []


# --- means --------------------------------------------------------------------------------------


def same_size(size: Expr, other: Expr) -> bool:
    """Whether two sizes are the same for certain."""
    return size is other or _canonical(_expanded(size)) == _canonical(_expanded(other))


def _expanded(size: Expr) -> Expr:
    """A size in terms of sizes that have no value of their own."""
    if isinstance(size, Size):
        return size if size.value is None else _expanded(size.value)
    return _simplified(ir.rebuild(size, _expanded))


def _canonical(size: Expr) -> Hashable:
    """A size without the order of its terms and factors."""
    if isinstance(size, Add | Mul):
        parts = Counter(map(_canonical, ir.children(size)))
        return type(size), frozenset(parts.items())
    if isinstance(size, Pow | Fn):
        return _label(size), tuple(map(_canonical, ir.children(size)))
    return size


def _means(factors: list[Expr]) -> list[Expr]:
    """The factors, with a sum over n values and 1/n as a mean."""
    left = list(factors)
    for factor in factors:
        if not ir.is_inverse(factor):
            continue
        for at, other in enumerate(left):
            mean = _averaged(other, factor.base)
            if mean is not None:
                left[at] = mean
                left.remove(factor)
                break
    return left


def _averaged(expr: Expr, size: Expr) -> Expr | None:
    """A sum, or a mean of sums, divided by the size of its index."""
    match expr:
        case Reduce("sum", index, body, None) if same_size(index.size, size):
            return Reduce("mean", index, body)
        case Reduce("sum" | "mean" as kind, index, body, None):
            inner = _averaged(body, size)
            return None if inner is None else Reduce(kind, index, inner)
    return None


# --- softmax ------------------------------------------------------------------------------------


def _softmaxes(factors: list[Expr]) -> list[Expr]:
    """The factors, with ``exp(x_j)`` and ``1 / Σ_k exp(x_k)`` as one softmax, also where the
    first is a factor of a sum over j."""
    for below in factors:
        match below:
            case Pow(Reduce("sum", over, Fn("exp", (body,)), where), ir.MINUS_ONE):
                pass
            case _:
                continue
        rest = [factor for factor in factors if factor is not below]
        for at, factor in enumerate(rest):
            new = _normalised(factor, over, body, where)
            if new is not None:
                rest[at] = new
                return _softmaxes(rest)
    return factors


def _normalised(factor: Expr, over: Index, body: Expr, where: Expr | None) -> Expr | None:
    match factor:
        case Fn("exp", (inner,)) if where is None:
            for index in _candidates(inner, over):
                if over in ir.free_indices(body) and alike(body, inner, {over: index}):
                    return Softmax(over, body, Idx(index))
        case Reduce("sum", index, Mul(factors), reach):
            for at, part in enumerate(factors):
                same = isinstance(part, Fn) and part.name == "exp" and alike(
                    body, part.arguments[0], {over: index}
                )  # fmt: skip
                if same and _alike_where(where, reach, {over: index}):
                    new = Softmax(over, body, Idx(index), where)
                    return Reduce("sum", index, ir.mul(*factors[:at], new, *factors[at + 1 :]))
    return None


def _masked_softmax(
    index: Index, factors: tuple[Expr, ...], where: Expr
) -> tuple[Expr, Expr | None]:
    """The body and the range of ``Σ_{j ≤ i} exp(x_j) / Σ_{k ≤ i} exp(x_k) · v_j``: the softmax is
    zero out of range, so the sum needs no range of its own."""
    for part in factors:
        match part:
            case Softmax(over, _, Idx(own), reach) if own is index:
                if _alike_where(reach, where, {over: index}):
                    return Mul(factors), None
    for below in factors:
        match below:
            case Pow(Reduce("sum", over, Fn("exp", (body,)), reach), ir.MINUS_ONE):
                pairs = {over: index}
            case _:
                continue
        for at, part in enumerate(factors):
            if not (isinstance(part, Fn) and part.name == "exp"):
                continue
            if alike(body, part.arguments[0], pairs) and _alike_where(reach, where, pairs):
                new = Softmax(over, body, Idx(index), reach)
                rest = [f for f in (*factors[:at], new, *factors[at + 1 :]) if f is not below]
                return ir.mul(*rest), None
    return Mul(factors), where


def _alike_where(left: Expr | None, right: Expr | None, pairs: Indices) -> bool:
    if left is None or right is None:
        return left is right
    return alike(left, right, pairs)


def _candidates(expr: Expr, over: Index) -> Iterator[Index]:
    """The indices that an expression depends on and that run as far as another one."""
    free = ir.free_indices(expr)
    for part in ir.walk(expr):
        match part:
            case Idx(index) if index in free and same_size(index.size, over.size):
                yield index


def alike(left: Expr, right: Expr, pairs: Indices) -> bool:
    """Whether two expressions are the same when the indices on the left are read as their
    partners on the right; bound indices may have any name."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Idx) and isinstance(right, Idx):
        return pairs.get(left.index, left.index) is right.index
    mine, theirs = ir.bound_indices(left), ir.bound_indices(right)
    if len(mine) != len(theirs):
        return False
    if not all(same_size(a.size, b.size) for a, b in zip(mine, theirs, strict=True)):
        return False
    inner = {**pairs, **dict(zip(mine, theirs, strict=True))}
    parts, others = ir.children(left), ir.children(right)
    if len(parts) != len(others) or _label(left) != _label(right):
        return False
    return all(alike(a, b, inner) for a, b in zip(parts, others, strict=True))


def _label(expr: Expr) -> object:
    """What a node says besides its children."""
    match expr:
        case Num() | Size():
            return expr
        case ir.Ref(array, _):
            return array
        case Fn(name, _) | ir.Logic(name, _) | Compare(name, _, _) | Reduce(name, _, _, _):
            return name
        case ir.Call(function, lambdas, _, site):
            return function, site, tuple(len(a.indices) for a in lambdas)
        case ir.Concat(parts, _):
            return len(parts)
        case ir.Iterate(_, state, _, step, _):
            return state, len(step.indices)
        case _:
            return type(expr)
