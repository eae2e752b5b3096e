"""Functions of all rows that are given one of them, as in ``RoPE(q_t)``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.meaning import ir
from notes2code.meaning.inference.run import find_index
from notes2code.meaning.inference.values import Value, free_roots, fresh, settled
from notes2code.meaning.ir import Equation, Expr, Idx, Index, Ref


def all_rows(
    equation: Equation, arguments: Sequence[Value], own: Sequence[Expr], numbered: int
) -> tuple[Sequence[Value], Index | None]:
    """For vectors given to a function of rows, as the q_t of ``\\mathrm{RoPE}(q_t)``, the k_i of
    ``\\alpha(q, k_i)``, both of ``R(x_t, y_t, t)`` and the x_t of ``p_i(x_t)``, whose first indices
    are ``numbered``: all rows, and the index of the one that is meant. The l of ``F_l(X_l)``, one
    of the ``own`` places of the function, tells no row."""
    shapes = {one.name: one.shape for one in equation.inputs}
    given = [shapes[name] for name in equation.parameters]
    pairs = zip(given, arguments, strict=True)
    short = [at for at, (shape, value) in enumerate(pairs) if len(shape) > value.rank]
    if not short or any(arguments[at].rank != 1 or len(given[at]) != 2 for at in short):
        return arguments, None
    opened = open_indices(arguments[short[0]])
    alike = all(
        open_indices(arguments[at]) == opened and given[at][0] == given[short[0]][0] for at in short
    )
    if not alike or len(opened) != 1:
        return arguments, None
    of_own = _is_of_own_rows(equation, [equation.parameters[at] for at in short])
    first = of_own and numbered > 0 and equation.value.indices[0].size == given[short[0]][0]
    if not first and not _keeps(equation, given[short[0]][0], len(given), numbered):
        return arguments, None
    others = [value.body for at, value in enumerate(arguments) if at not in short]
    apart = (*own, *(() if of_own else others))
    if any(opened[0] in free_roots(body) for body in apart):
        return arguments, None
    rows = {at: _rows_of(arguments[at], opened[0]) for at in short}
    return [rows.get(at, value) for at, value in enumerate(arguments)], opened[0]


def _is_of_own_rows(equation: Equation, names: Sequence[str]) -> bool:
    """Whether a function makes each row of one row of its parameters, as the ``m_t(x_t, x_0) =
    α_t x_0 + β_t x_t`` does: what else it is given may differ from row to row."""
    first = tuple(map(Idx, equation.value.indices[:1]))
    arrays = [part for one in equation.definitions for part in ir.walk(one.array.body)]
    refs = [part for part in ir.walk(equation.value.body) if isinstance(part, Ref)]
    within = any(isinstance(part, Ref) and part.array in names for part in arrays)
    return not within and all(ref.at[:1] == first for ref in refs if ref.array in names)


def _rows_of(vector: Value, row: Index) -> Value:
    """All vectors of which one has an index."""
    every = fresh(row.size)
    body = ir.substitute(settled(vector.body), {row: Idx(every)})
    return Value(body, (every, *vector.axes), vector.span)


def open_indices(value: Value) -> list[Index]:
    """The indices of a value that are none of its axes."""
    return list(free_roots(value.body) - {find_index(axis) for axis in value.axes})


def _keeps(equation: Equation, rows: Expr, parameters: int, numbered: int) -> bool:
    """Whether a function gives a row for each that it gets, or a number for each beside others or
    as one of several functions."""
    indices = equation.value.indices[numbered:]
    numbers = parameters > 1 or numbered > 0
    return bool(indices) and indices[0].size == rows and (len(indices) == 2 or numbers)
