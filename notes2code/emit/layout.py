"""Which axis of a tensor an index is, and how operands are brought to one order of axes.

Tensors may carry batch dimensions on their left, each of its own, so two operands meet only when
their own axes agree from the right: missing axes are put in as axes of length one. A tensor
without batch dimensions needs no such axes on its left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from notes2code.emit.graph import Graph, Node
from notes2code.meaning.ir import Index

Axes = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A node and the index that each of its axes is."""

    node: Node
    axes: Axes = ()


def common(values: Iterable[Value], order: Axes) -> Axes:
    """The axes of an operation on several values, in the order that moves the fewest of them:
    that of the value which has them all, else ``order``."""
    values = list(values)
    union = {axis for value in values for axis in value.axes}
    for value in values:
        if len(value.axes) == len(union):
            return value.axes
    ordered = tuple(axis for axis in order if axis in union)
    assert len(ordered) == len(union)
    return ordered


def align(graph: Graph, value: Value, axes: Axes) -> Node:
    """The value with exactly these axes; those that it lacks have length one, and are left out
    on the left where no batch dimension stands."""
    present = tuple(axis for axis in axes if axis in value.axes)
    node = permute(graph, value.node, tuple(value.axes.index(axis) for axis in present))
    return unsqueeze(graph, node, tuple(axis in value.axes for axis in axes))


def align_all(graph: Graph, values: Sequence[Value], order: Axes) -> tuple[list[Node], Axes]:
    """All values on their common axes, and those."""
    axes = common(values, order)
    return [align(graph, value, axes) for value in values], axes


def unsqueeze(graph: Graph, node: Node, pattern: tuple[bool, ...]) -> Node:
    """The node with a new axis of length one wherever the pattern is False; none on the left of
    a node without batch dimensions."""
    while pattern and not pattern[0] and not node.deps:
        pattern = pattern[1:]
    if all(pattern) or (node.rank == 0 and not node.deps):
        return node
    if (node, pattern) not in graph.views:
        graph.views[node, pattern] = _unsqueezed(graph, node, pattern)
    return graph.views[node, pattern]


def _unsqueezed(graph: Graph, node: Node, pattern: tuple[bool, ...]) -> Node:
    if node.op == "arange":
        shape = (node.data[0], len(pattern) - 1 - pattern.index(True))
        made = graph.make("arange", shape, node.args, node.kind, len(pattern))
        return graph.rename(made, node)
    if _keeps_axes(node):
        return _unsqueeze_inside(graph, node, pattern)
    if node.op == "reduce" and not node.data[2]:
        kind, dims, _ = node.data
        body = node.args[0]
        new = {at - len(pattern) for at, axis in enumerate(pattern) if not axis}
        if len(pattern) == body.rank and new == set(dims):
            data = (kind, dims, True)
            kept = graph.make("reduce", data, node.args, node.kind, body.rank, node.deps)
            return graph.rename(kept, node)
    return graph.make("view", pattern, (node,), rank=len(pattern))


def _keeps_axes(node: Node) -> bool:
    """Whether a node is element by element, made of reductions, indices and numbers: then the
    axes that a reduction took can be kept, and an index has its new axes from the start."""
    if not _element_by_element(node):
        return False
    pending, seen = [node], {node}
    while pending:
        for arg in pending.pop().args:
            if arg in seen or not (arg.rank or arg.deps) or arg.op in ("reduce", "arange"):
                continue
            if not _element_by_element(arg):
                return False
            seen.add(arg)
            pending.append(arg)
    return True


def _unsqueeze_inside(graph: Graph, node: Node, pattern: tuple[bool, ...]) -> Node:
    args = tuple(unsqueeze(graph, arg, _rightmost(pattern, arg.rank)) for arg in node.args)
    return graph.rename(graph.make(node.op, node.data, args, node.kind), node)


def _rightmost(pattern: tuple[bool, ...], rank: int) -> tuple[bool, ...]:
    """The part of a pattern that concerns a tensor's axes, which are the last ones."""
    while sum(pattern) > rank:
        pattern = pattern[1:]
    return pattern


def _element_by_element(node: Node) -> bool:
    if node.op == "infix":
        return bool(node.data != "@")
    if node.op == "method":
        return bool(node.data == "to")
    return node.op in ("map", "prefix", "cast", "meet")


def permute(graph: Graph, node: Node, order: tuple[int, ...]) -> Node:
    """The node with its axes in another order; ``order[k]`` is where axis k comes from."""
    rank = len(order)
    moved = [at for at in range(rank) if order[at] != at]
    if not moved:
        return node
    first, last = moved[0], moved[-1]
    if len(moved) == 2:
        return transpose(graph, node, first - rank, last - rank)
    run = order[first : last + 1]
    if run[0] == last or run[-1] == first:
        source, target = (last, first) if run[0] == last else (first, last)
        if tuple(_moved(range(rank), source, target)) == order:
            args = (graph.literal(str(source - rank)), graph.literal(str(target - rank)))
            return graph.method("movedim", node, *args)
    letters = ascii_lowercase[:rank]
    return graph.einsum((letters,), "".join(letters[at] for at in order), (node,))


def _moved(axes: Iterable[int], source: int, target: int) -> list[int]:
    left = list(axes)
    axis = left.pop(source)
    left.insert(target, axis)
    return left


def transpose(graph: Graph, node: Node, first: int, second: int) -> Node:
    """The node with two axes exchanged."""
    args = (graph.literal(str(first)), graph.literal(str(second)))
    if node.op == "method" and node.data == "transpose" and node.args[1:] == args:
        return node.args[0]
    return graph.method("transpose", node, *args)


def position(axes: Axes, axis: Index) -> int:
    """Where an axis stands, counted from the right: −1 is the last."""
    return axes.index(axis) - len(axes)
