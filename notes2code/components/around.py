"""What stands around a part of an expression, with a hole where the part stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.components.keys import key, left_of
from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Cases, Compare, Expr, Fn, Lambda, Mul, Pow, Ref

HOLE = "·"
"""The name of the place in a function setting where its argument goes."""


def applied(array: Lambda, at: Sequence[Expr]) -> Expr:
    """The element of an array at a place."""
    return ir.substitute(array.body, dict(zip(array.indices, at, strict=True)))


def parts(expr: Expr) -> Iterator[Expr]:
    """The expression and the parts of it that a function of numbers could have been given:
    what stands in its sums, products, powers, functions and cases; part-products included."""
    yield expr
    if isinstance(expr, Mul) and len(expr.factors) > 2:
        for factor in expr.factors:
            rest = tuple(f for f in expr.factors if f is not factor)
            yield Mul(rest)
    if isinstance(expr, Add) and len(expr.terms) > 2:
        for term in expr.terms:
            yield Add(tuple(t for t in expr.terms if t is not term))
    if isinstance(expr, Add | Mul | Pow | Fn | Cases | Compare):
        for child in ir.children(expr):
            yield from parts(child)


def without(expr: Expr, part: Expr) -> Expr:
    """The expression with a hole wherever the part stands."""
    wanted = key(part)

    def dig(current: Expr) -> Expr:
        if key(current) == wanted:
            return Ref(HOLE)
        for kind, pieces in ((Mul, _pieces(part, Mul)), (Add, _pieces(part, Add))):
            if isinstance(current, kind) and len(pieces) > 1:
                rest = left_of(_pieces(current, kind), pieces)
                if rest is not None:
                    parts = (Ref(HOLE), *(dig(r) for r in rest))
                    return ir.mul(*parts) if kind is Mul else ir.add(*parts)
        return ir.rebuild(current, dig)

    return dig(expr)


def _pieces(expr: Expr, kind: type) -> tuple[Expr, ...]:
    if isinstance(expr, kind) and isinstance(expr, Mul | Add):
        return expr.factors if isinstance(expr, Mul) else expr.terms
    return (expr,)
