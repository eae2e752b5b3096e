"""Caches that grow by a row: the keys ``[K_{<t}; k_t]`` of all places up to t."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, note
from notes2code.meaning import ir
from notes2code.meaning.inference.indices import reach
from notes2code.meaning.inference.run import Reach, Run, find_index
from notes2code.meaning.inference.values import Value, fresh, link, settled
from notes2code.meaning.ir import Expr, Idx, Index


def grown(run: Run, values: Sequence[Value], span: Span) -> Value | None:
    """The rows before t with that of t behind them, which are those up to t; None of anything
    else."""
    if len(values) != 2 or values[0].rank != values[1].rank + 1:
        return None
    before, new = values
    rows, *columns = before.axes
    place = _place_behind(run, rows)
    if place is None:
        return None
    for mine, theirs in zip(columns, new.axes, strict=True):
        link(run, mine, theirs, span)
    axis = fresh(find_index(rows).size)
    earlier = ir.substitute(settled(before.body), {find_index(rows): Idx(axis)})
    body = ir.Cases(((ir.Compare("<", Idx(axis), place), earlier),), new.body)
    run.reach[axis] = Reach(ir.Compare("≤", Idx(axis), place), span)
    text = f"`{run.quote(span)}` is taken to hold the rows up to the new one, in order"
    run.problems.append(note("N2C039", text, span))
    return Value(body, (axis, *columns), span)


def _place_behind(run: Run, rows: Index) -> Expr | None:
    """The t of rows that are those before t."""
    match reach.limit(run, rows, rows):
        case ir.Compare("<", Idx(index), place) if find_index(index) is find_index(rows):
            return place
    return None
