"""A sum of products over one index: ``@`` where it is a matrix product, else an einsum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from notes2code.emit.graph import EmitError, Kind, Node, is_tensor
from notes2code.emit.layout import Axes, Value, align, position, transpose
from notes2code.meaning.ir import Index, Size

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering

ACTIVATIONS = frozenset(
    ["torch.tanh", "torch.sigmoid", "F.relu", "F.gelu", "F.elu", "F.silu", "F.softplus"]
)


def contract(low: Lowering, values: list[Value], index: Index, order: Axes) -> Value:
    """The sum over an index of the product of values.

    Values with the same axes are multiplied element by element first, and of more than two those
    too whose axes another value has, so that most sums are between two.
    """
    outside = [value for value in values if index not in value.axes]
    inside = [value for value in values if index in value.axes]
    if not inside:
        outside.append(Value(low.whole(index.size)))
    total = _contracted(low, inside, index, order) if inside else outside.pop(0)
    for value in outside:
        total = low.infix("*", total, value, order)
    return total


def _contracted(low: Lowering, values: list[Value], index: Index, order: Axes) -> Value:
    values = merged(low, values, order)
    if len(values) > 2:
        values = merged(low, values, order, lambda a, b: set(a.axes) <= set(b.axes))
    if len(values) == 1 or not all(is_tensor(value.node) for value in values):
        return _summed(low, values, index, order)
    if len(values) == 2:
        product = _matrix_product(low, values[0], values[1], index, order)
        if product is not None:
            return product
    return _einsum(low, values, order)


def _same_axes(one: Value, other: Value) -> bool:
    return set(one.axes) == set(other.axes)


def merged(
    low: Lowering,
    values: list[Value],
    order: Axes,
    fits: Callable[[Value, Value], bool] = _same_axes,
) -> list[Value]:
    """The values, each that fits another one multiplied into it."""
    left = list(values)
    at = 0
    while at < len(left):
        value = left[at]
        partner = next((i for i, other in enumerate(left) if i != at and fits(value, other)), None)
        if partner is None or len(left) == 1:
            at += 1
            continue
        first, second = sorted((at, partner))
        product = low.infix("*", left[first], left[second], order)
        left = [v for i, v in enumerate(left) if i not in (at, partner)]
        left.insert(first, product)
        at = 0
    return left


def _summed(low: Lowering, values: list[Value], index: Index, order: Axes) -> Value:
    total = values[0]
    for value in values[1:]:
        total = low.infix("*", total, value, (*order, index))
    node = low.math.real(total.node) if total.node.kind is Kind.BOOL else total.node
    rest = tuple(axis for axis in total.axes if axis is not index)
    return Value(low.graph.reduce("sum", (position(total.axes, index),), node), rest)


def _operands(low: Lowering, values: list[Value]) -> list[Value]:
    """The values in one dtype, as products of matrices need them."""
    kinds = {value.node.kind for value in values}
    convert = low.math.real if kinds & {Kind.REAL, Kind.BOOL} else low.math.table
    for value in values:
        if value.node.op == "map" and value.node.data in ACTIVATIONS:
            low.graph.suggest(value.node, "hidden", local=True)
    return [Value(convert(value.node), value.axes) for value in values]


# --- matrix products ----------------------------------------------------------------------------


def _matrix_product(
    low: Lowering, left: Value, right: Value, index: Index, order: Axes
) -> Value | None:
    """``left @ right`` where each has one axis of its own behind those that they share.

    A vector may stand on the left of a matrix without batch dimensions; on the left of one with
    batch dimensions, ``@`` would take the vector's own for rows.
    """
    rows = [axis for axis in left.axes if axis not in right.axes]
    columns = [axis for axis in right.axes if axis not in left.axes]
    shared = [axis for axis in left.axes if axis in right.axes and axis is not index]
    if len(columns) == 0 and len(rows) == 1 and not left.node.deps and not shared:
        return _matrix_product(low, right, left, index, order)
    if len(rows) == 0 and len(columns) == 1 and not shared and not right.node.deps:
        left, right = _operands(low, [left, right])
        matrix = align(low.graph, right, (index, columns[0]))
        return Value(low.graph.matmul(left.node, matrix), (columns[0],))
    if len(rows) != 1 or len(columns) != 1:
        return None
    shared.sort(key=order.index)
    left, right = _operands(low, [left, right])
    ways = [
        _multiplied(low, left, right, (*shared, rows[0], index), columns[0]),
        _multiplied(low, right, left, (*shared, columns[0], index), rows[0]),
    ]
    turned = order.index(rows[0]) > order.index(columns[0])
    costs = [0 if way is None else way[0] + (at != turned) for at, way in enumerate(ways)]
    best = ways[costs.index(min(costs))]
    return None if best is None else best[1]


def _multiplied(
    low: Lowering, left: Value, right: Value, axes: Axes, column: Index
) -> tuple[int, Value] | None:
    """``left @ right`` with the left operand's axes as given, and how many operands are turned
    for it; None where more than the last two axes would have to change places."""
    *shared, row, index = axes
    one = _arranged(low, left, axes)
    other = _arranged(low, right, (*shared, index, column))
    if one is None or other is None:
        return None
    turned = (one is not left.node) + (other is not right.node)
    return turned, Value(low.graph.matmul(one, other), (*shared, row, column))


def _arranged(low: Lowering, value: Value, axes: Axes) -> Node | None:
    """The value with these axes, if that takes no more than exchanging the last two."""
    if value.axes == axes:
        return value.node
    if (*value.axes[:-2], value.axes[-1], value.axes[-2]) == axes:
        return transpose(low.graph, value.node, -2, -1)
    return None


# --- einsum -------------------------------------------------------------------------------------


def _einsum(low: Lowering, values: list[Value], order: Axes) -> Value:
    values = _operands(low, values)
    used = {axis for value in values for axis in value.axes}
    axes = tuple(axis for axis in order if axis in used)
    letters = _letters([axis for value in values for axis in value.axes])
    inputs = tuple("".join(letters[axis] for axis in value.axes) for value in values)
    output = "".join(letters[axis] for axis in axes)
    nodes = tuple(value.node for value in values)
    return Value(low.graph.einsum(inputs, output, nodes), axes)


def _letters(axes: list[Index]) -> dict[Index, str]:
    """A letter for each axis: that of its size, of the index, or the next free one."""
    found: dict[Index, str] = {}
    for axis in axes:
        if axis in found:
            continue
        taken = set(found.values())
        size = axis.size.name if isinstance(axis.size, Size) else ""
        wanted = [size, size.rpartition("_")[2], axis.name, *"abcdefghijklmnopqrstuvwxyz"]
        free = [w for w in wanted if len(w) == 1 and w.isascii() and w.islower() and w not in taken]
        if not free:
            raise EmitError("a product has more axes than there are letters")
        found[axis] = free[0]
    return found
