"""Building expressions, and asking what one is: sums, products, inverses and conditions."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeGuard

from notes2code.meaning.ir.expressions import (
    MINUS_ONE,
    ONE,
    ZERO,
    Add,
    Compare,
    Expr,
    Fn,
    Logic,
    Mul,
    Num,
    Pow,
    Ref,
    Size,
)


def terms(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum; of anything else the one that it is."""
    return expr.terms if isinstance(expr, Add) else (expr,)


def factors(expr: Expr) -> tuple[Expr, ...]:
    """The factors of a product; of anything else the one that it is."""
    return expr.factors if isinstance(expr, Mul) else (expr,)


def is_inverse(expr: Expr) -> TypeGuard[Pow]:
    """Whether an expression is one over another."""
    return isinstance(expr, Pow) and expr.exponent == MINUS_ONE


def is_exponential(expr: Expr) -> bool:
    """Whether an expression is e raised to another."""
    return isinstance(expr, Fn) and expr.name == "exp"


def is_scalar(expr: Expr) -> bool:
    """Whether an expression is a number, written or by its letter."""
    return isinstance(expr, Num) or (isinstance(expr, Ref) and not expr.at)


def as_size(expr: Expr) -> Size:
    """A size as long as an expression says."""
    return expr if isinstance(expr, Size) else Size("", value=expr)


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The conditions that one is made of, which all hold where it does."""
    match condition:
        case Logic("and", parts):
            return tuple(inner for part in parts for inner in conjuncts(part))
    return (condition,)


_OPPOSITE = {"<": "≥", "≥": "<", ">": "≤", "≤": ">", "=": "≠", "≠": "="}


def opposite(condition: Expr) -> Expr:
    """What holds where a condition does not."""
    match condition:
        case Compare(sign, left, right):
            return Compare(_OPPOSITE[sign], left, right)
    return Logic("not", (condition,))


def add(*parts: Expr) -> Expr:
    """A sum, flattened; numbers added up."""
    flat: list[Expr] = []
    total: int | Fraction = 0
    place: int | None = None
    for sum_or_term in parts:
        for part in terms(sum_or_term):
            if isinstance(part, Num) and isinstance(part.value, int | Fraction):
                total += part.value
                place = len(flat) if place is None else place
            else:
                flat.append(part)
    if total and place is not None:
        flat.insert(place, Num(total))
    if not flat:
        return ZERO
    return flat[0] if len(flat) == 1 else Add(tuple(flat))


def mul(*parts: Expr) -> Expr:
    """A product, flattened; ones dropped."""
    flat: list[Expr] = []
    for factor in parts:
        # The 64 of a declared shape is an example, which has a name and stays a size.
        if isinstance(factor, Size) and not (factor.name or factor.link):
            factor = factor.value if isinstance(factor.value, Mul | Num) else factor
        flat.extend(factors(factor))
    flat = [f for f in flat if not (isinstance(f, Num) and f.value == 1)]
    for inverse_of in filter(is_inverse, tuple(flat)):
        if isinstance(inverse_of.base, Num) and inverse_of.base in flat:
            flat.remove(inverse_of.base)
            flat.remove(inverse_of)
    if not flat:
        return ONE
    return flat[0] if len(flat) == 1 else Mul(tuple(flat))


def negative(expr: Expr) -> Expr:
    """Minus an expression."""
    if isinstance(expr, Num):
        return Num(-expr.value)
    if isinstance(expr, Mul) and expr.factors[0] == MINUS_ONE:
        return mul(*expr.factors[1:])
    return mul(MINUS_ONE, expr)


def inverse(expr: Expr) -> Expr:
    """One over an expression."""
    return Pow(expr, MINUS_ONE)
