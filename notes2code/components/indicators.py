"""Factors that are 1 where a condition holds, else 0."""

from __future__ import annotations

from notes2code.components.factors import factors_of
from notes2code.components.keys import key
from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Cases, Compare, Expr, Idx, Index, Ref, Softmax


def as_indicator(condition: Expr) -> Expr:
    """1 where a condition holds, else 0."""
    return Cases(((condition, ir.ONE),), ir.ZERO)


def is_indicator(expr: Expr) -> bool:
    """Whether a factor is 1 where a condition holds, else 0."""
    return (
        isinstance(expr, Cases)
        and expr.otherwise == ir.ZERO
        and len(expr.branches) == 1
        and expr.branches[0][1] == ir.ONE
    )


def label_in(expr: Expr) -> Expr | None:
    """The factor ``[j = y]`` of a sum over j, which leaves what stands at the place y."""
    indices, factors = factors_of(expr)
    return next((f for f in factors if is_indicator(f) and label_index(f) in indices), None)


def label_index(indicator: Expr) -> Index | None:
    """The index that is held against a label: the j of ``[j = y]``."""
    match indicator:
        case Cases(((Compare("=", Idx(index), other), _),)) | Cases(
            ((Compare("=", other, Idx(index)), _),)
        ) if isinstance(other, Ref):
            return index
    return None


def reach(softmax: Softmax) -> Expr | None:
    """The condition under which a softmax gives something: its own, or that of a mask which is −∞
    where it does not hold."""
    if softmax.where is not None:
        return softmax.where
    terms = softmax.body.terms if isinstance(softmax.body, Add) else (softmax.body,)
    for term in terms:
        match term:
            case Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY):
                return condition
            case Cases(((condition, ir.MINUS_INFINITY),), ir.ZERO):
                return ir.opposite(condition)
    return None


def same_condition(part: Expr, where: Expr | None, index: Index, at: Index) -> bool:
    """Whether a factor repeats the condition under which the softmax was taken."""
    if where is None or not is_indicator(part):
        return False
    assert isinstance(part, Cases)
    mine, theirs = part.branches[0][0], ir.substitute(where, {index: Idx(at)})
    return _ordered(mine) == _ordered(theirs)


def _ordered(condition: Expr) -> object:
    """A condition by which those with their sides the other way round are the same."""
    match condition:
        case Compare(">" | "≥" as op, left, right):
            return key(Compare("<" if op == ">" else "≤", right, left))
    return key(condition)
