"""Conditions and cases; arrays that are written out element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from notes2code.emit.graph import Graph, Kind, Node, is_python
from notes2code.emit.layout import Axes, Value, align, align_all, common
from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Compare, Expr, Idx, Index, Num

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering


def cases(low: Lowering, expr: Cases, order: Axes) -> Value:
    """The tensor of cases: the first branch that holds."""
    written = _written_out(expr)
    if written is not None and written[0] in order:
        return _stacked(low, *written, order)
    otherwise = expr.otherwise if expr.otherwise is not None else Num(float("nan"))
    with low.inside():
        value = low.lower(otherwise, order)
        for holds, body in reversed(expr.branches):
            values = [low.lower(holds, order), low.lower(body, order), value]
            (keep, yes, no), axes = align_all(low.graph, values, order)
            value = Value(low.math.where(keep, yes, no), axes)
    return value


# --- vectors and matrices written out -----------------------------------------------------------


def _written_out(expr: Cases) -> tuple[Index, list[Expr]] | None:
    """The index and the elements of ``[a, b, c]``."""
    elements = [body for _, body in expr.branches]
    if expr.otherwise is None:
        return None
    elements.append(expr.otherwise)
    index: Index | None = None
    for at, (holds, _) in enumerate(expr.branches):
        match holds:
            case Compare("=", Idx(found), Num(value)) if value == at and index in (None, found):
                index = found
            case _:
                return None
    if index is None or index.size.value != Num(len(elements)):
        return None
    if any(index in ir.free_indices(element) for element in elements):
        return None
    return index, elements


def _stacked(low: Lowering, index: Index, elements: list[Expr], order: Axes) -> Value:
    values = [low.lower(element, order) for element in elements]
    constant = all(is_python(v.node) or v.node.op == "tensor" for v in values)
    if constant and len({v.axes for v in values}) == 1:
        return Value(_constant(low, [v.node for v in values]), (index, *values[0].axes))
    values = [Value(low.math.real(v.node), v.axes) for v in values]
    bare = common(values, order)
    axes = tuple(axis for axis in order if axis in bare or axis is index)
    bare = tuple(axis for axis in axes if axis is not index)
    return Value(stack(low, values, bare, axes.index(index) - len(axes)), axes)


def stack(low: Lowering, values: list[Value], axes: Axes, at: int) -> Node:
    """Values on common axes put next to each other along a new one, at place ``at``."""
    graph = low.graph
    nodes = tuple(align(graph, value, axes) for value in values)
    deps = graph.union(nodes)
    if len({(frozenset(value.axes), value.node.deps) for value in values}) > 1:
        shape = common_shape(graph, nodes, 0)
        nodes = tuple(graph.make("method", "expand", (n, shape), n.kind) for n in nodes)
    items = graph.listed(nodes)
    dim = graph.literal(f"dim={at}")
    return graph.make("call", "torch.stack", (items, dim), Kind.REAL, len(axes) + 1, deps)


def common_shape(graph: Graph, nodes: Sequence[Node], without: int) -> Node:
    """The shape that tensors have together, without some of its last axes."""
    total = nodes[0]
    for node in nodes[1:]:
        total = graph.infix("+", total, node)
    shape = graph.make("leading", without, (total,), Kind.OTHER)
    graph.suggest(shape, "shape", local=True)
    return shape


def _constant(low: Lowering, nodes: list[Node]) -> Node:
    """A tensor of numbers."""
    rows = tuple(node.args[0] if node.op == "tensor" else node for node in nodes)
    listed = low.graph.listed(rows)
    rank = nodes[0].rank + 1
    return low.graph.make("tensor", None, (listed, *low.math.place()), Kind.REAL, rank, frozenset())
