"""Recursions: a state that a step is applied to again and again, as a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.emit.graph import Kind
from notes2code.emit.layout import Axes, Value
from notes2code.emit.simplify import simplified
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Index, Iterate, Ref

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering


def repeated(low: Lowering, expr: Iterate, order: Axes) -> Value:
    """The elements of the last state.

    Inside the step, the state is a tensor whose batch dimensions are not known, and the number of
    the step is a Python int, so that what has values for each step is a slice there.
    """
    graph, axes = low.graph, expr.step.indices
    state = graph.name(expr.state, Kind.REAL, len(axes), frozenset((expr.state,)))
    counter = graph.name(expr.index.name, Kind.WHOLE)
    before = tuple(Index(axis.name, axis.size) for axis in axes)
    low.arrays[expr.state] = (before, Value(state, before))
    low.arrays[f"step {expr.index.name}"] = ((), Value(counter))
    places: dict[Index, Expr] = {expr.index: Ref(f"step {expr.index.name}")}
    step = low.lower(simplified(ir.substitute(expr.step.body, places)), axes)
    initial = low.lower(simplified(expr.initial.body), expr.initial.indices)
    begin = low.math.real(low.full(initial, expr.initial.indices))
    again = low.math.real(low.full(step, axes))
    size = low.whole(expr.index.size)
    deps = (begin.deps | again.deps) - state.deps
    args = (begin, size, state, counter, again)
    node = graph.make("loop", None, args, Kind.REAL, len(axes), deps)
    graph.suggest(node, expr.state.removesuffix("_before"), local=True)
    return low.at(Value(node, axes), dict(zip(axes, expr.at, strict=True)), order)
