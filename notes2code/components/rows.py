"""Calls and softmaxes by the rows that they act on."""

from __future__ import annotations

from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Expr, Index, Lambda


def by_row(call: Call, like: Call) -> Call:
    """A call on matrices as one on their rows, where another call has vectors: of queries, perhaps,
    and not of keys. So a function of rows is the same function, whether a note writes it for a
    vector x or for a matrix X."""
    row = call.at[0]
    arguments = tuple(
        Lambda(mine.indices[1:], ir.substitute(mine.body, {mine.indices[0]: row}))
        if len(mine.indices) == len(other.indices) + 1
        else mine
        for mine, other in zip(call.arguments, like.arguments, strict=False)
    )
    return Call(call.function, arguments, call.at[1:], call.site)


def with_place(mine: Call, theirs: Call) -> Call:
    """A function of a matrix as one of a row and its position, where theirs is a function of a row
    that gives it at all positions."""
    if not theirs.arguments:
        return mine
    matrix = len(mine.arguments) == 1 and len(mine.arguments[0].indices) == 2 == len(theirs.at)
    if not matrix or len(mine.at) != 2 or len(theirs.arguments[0].indices) != 1:
        return mine
    row = by_row(mine, theirs)
    return Call(row.function, (*row.arguments, Lambda((), mine.at[0])), row.at, row.site)


def is_placed(mine: Call, theirs: Call) -> bool:
    """Whether a function of a row and its position, ``f(x, m)``, is meant by one of a row that
    gives it at all positions, taken at one of them: ``f(x)_m``."""
    return (
        len(mine.arguments) == 2
        and bool(theirs.arguments)
        and not mine.arguments[1].indices
        and len(theirs.at) == len(mine.at) + 1
        and len(theirs.arguments[0].indices) == len(mine.arguments[0].indices)
    )


def ordered(expr: Expr) -> list[Index]:
    """The free indices of an expression, in the order of their names."""
    return sorted(ir.free_indices(expr), key=lambda i: i.name)


def rows_of(body: Expr, index: Index) -> list[Index]:
    """The indices besides its own that what a softmax is taken of depends on, in order."""
    return [i for i in ordered(body) if i is not index]
