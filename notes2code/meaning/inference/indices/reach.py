"""Axes of which only a part may be reached: the keys of ``K_{≤i}``."""

from __future__ import annotations

from collections.abc import Iterable

from notes2code.diagnostics import ProblemError, Span, error
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Reach, Run, find_index
from notes2code.meaning.ir import Expr, Idx, Index


def limit(run: Run, axis: Index, over: Index) -> Expr | None:
    """Where an index that runs over an axis may go; None where it goes everywhere."""
    found = _reach(run, axis)
    return None if found is None else _at(found.condition, axis, over)


def refuse_limited(run: Run, axes: Iterable[Index]) -> None:
    """Refuse axes of which a part may be reached, for what takes whole arrays."""
    for axis in axes:
        if (found := _reach(run, axis)) is not None:
            raise _lost(run, found)


def refuse_lost(run: Run, arrays: Iterable[ir.Lambda]) -> None:
    """Refuse sums over all of an axis of which a part may be reached, and values that keep it, but
    for a softmax along it: beyond the part its weights are 0."""
    if not run.reach:
        return
    for array in arrays:
        refuse_limited(run, (axis for axis in array.indices if not _are_weights(array, axis)))
        for part in ir.walk(array.body):
            if isinstance(part, ir.Reduce) and part.where is None:
                refuse_limited(run, [part.index])


def refuse_fixed(run: Run, array: ir.Lambda, axis: Index, beside: Expr, span: Span) -> None:
    """The W of ``W x_{i:i+h-1}`` is the same for all i: its columns are no places, of which x has
    others for each. What a softmax weighs are places."""
    free = ir.free_indices(array.body, find_index) - {*map(find_index, array.indices)}
    fixed = isinstance(array.body, ir.Ref) and not free and limit(run, axis, axis) is None
    if fixed and not isinstance(beside, ir.Softmax):
        text = f"`{run.quote(span)}` would weigh a part of an axis by its place in all"
        raise error("N2C037", text, span, "write a sum over the part")


def _are_weights(array: ir.Lambda, axis: Index) -> bool:
    match array.body:
        case ir.Softmax(_, _, Idx(index), where):
            return where is not None and find_index(index) is find_index(axis)
    return False


def pass_on(run: Run, axis: Index, to: Index) -> None:
    """Let another axis, which has the same elements, be reached as far."""
    if (found := _reach(run, axis)) is not None:
        run.reach[to] = Reach(_at(found.condition, axis, to), found.span)


def _reach(run: Run, axis: Index) -> Reach | None:
    if not run.reach:
        return None
    root = find_index(axis)
    return next((run.reach[one] for one in run.reach if find_index(one) is root), None)


def _at(condition: Expr, axis: Index, other: Index) -> Expr:
    """A condition on one index as one on another."""
    root = find_index(axis)
    if isinstance(condition, Idx):
        return Idx(other) if find_index(condition.index) is root else condition
    return ir.rebuild(condition, lambda child: _at(child, axis, other))


def _lost(run: Run, found: Reach) -> ProblemError:
    return error(
        "N2C037",
        f"how far `{run.quote(found.span)}` goes is lost here",
        found.span,
        "write a sum or a softmax with its range, such as `\\sum_{j \\le i}`",
    )
