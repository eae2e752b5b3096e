"""The factors of a product, the indices it sums over, and which factors these tie together."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Index, Mul, Reduce


def factors_of(expr: Expr) -> tuple[tuple[Index, ...], tuple[Expr, ...]]:
    """The indices that a product sums over, and its factors."""
    indices: list[Index] = []
    while isinstance(expr, Reduce) and expr.kind == "sum" and expr.where is None:
        indices.append(expr.index)
        expr = expr.body
    return tuple(indices), ir.factors(expr)


def tied_groups(indices: list[Index], factors: list[Expr]) -> list[tuple[list[Index], list[Expr]]]:
    """Factors grouped by the summed indices that they share."""
    free = [(factor, ir.free_indices(factor) & set(indices)) for factor in factors]
    groups: list[tuple[list[Index], list[Expr]]] = []
    waiting = [(factor, own) for factor, own in free if own]
    while waiting:
        factor, own = waiting.pop(0)
        members, reach = [factor], set(own)
        grown = True
        while grown:
            grown = False
            for other in list(waiting):
                if other[1] & reach:
                    waiting.remove(other)
                    members.append(other[0])
                    reach |= other[1]
                    grown = True
        groups.append(([i for i in indices if i in reach], members))
    return groups


def product_of(factors: Sequence[Expr]) -> Expr:
    """The product of factors, flat."""
    flat = [p for f in factors for p in ir.factors(f)]
    if not flat:
        return ir.ONE
    return flat[0] if len(flat) == 1 else Mul(tuple(flat))
