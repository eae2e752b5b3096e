"""Elements of an array at places that are computed: slices, joined axes, and gathers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.emit.graph import EmitError, Kind, Node
from notes2code.emit.layout import Axes, Value, align_all, permute
from notes2code.emit.simplify import same_size
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Fn, Idx, Index, Mul, Num

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering

ALL = ":"


def at(low: Lowering, value: Value, places: dict[Index, Expr], order: Axes) -> Value:
    """The elements of a value at a place for each of its axes.

    A place that is an index renames the axis. Axes that are joined (``h[c div d, c mod d]``) are
    flattened, a fixed place or a stride is a slice, and any other place is looked up.
    """
    value, places = _flattened(low, value, places)
    value, places = _halved(low, value, places)
    value = _sliced(low, value, places)
    plain = [places[axis] for axis in value.axes]
    names = [place.index for place in plain if isinstance(place, Idx)]
    if len(names) == len(plain):
        if len(set(names)) == len(names):
            return Value(value.node, tuple(names))
        if len(names) == 2:
            return _diagonal(low, value, names[0])
    return _looked_up(low, value, plain, order)


# --- joined axes --------------------------------------------------------------------------------


def _flattened(
    low: Lowering, value: Value, places: dict[Index, Expr]
) -> tuple[Value, dict[Index, Expr]]:
    """The value with axes that one index runs through together as one axis."""
    for first in value.axes:
        for second in value.axes:
            joined = _joined(places[first], places[second], first, second)
            if joined is None:
                continue
            rest = [axis for axis in value.axes if axis is not first]
            rest.insert(rest.index(second), first)
            node = permute(low.graph, value.node, tuple(value.axes.index(axis) for axis in rest))
            start = rest.index(first) - len(rest)
            args = [low.graph.literal(str(start))]
            if start != -2:
                args.append(low.graph.literal(str(start + 1)))
            node = low.graph.method("flatten", node, *args, rank=node.rank - 1)
            rest.remove(first)
            return Value(node, tuple(rest)), {**places, second: Idx(joined)}
    return value, places


def _joined(outer: Expr, inner: Expr, first: Index, second: Index) -> Index | None:
    """The index c of the places ``c div d`` and ``c mod d``, if it runs over both axes."""
    match outer, inner:
        case Fn("floordiv", (Idx(index), by)), Fn("mod", (Idx(other), modulus)):
            total = ir.mul(first.size, second.size)
            whole = same_size(by, second.size) and same_size(modulus, second.size)
            if index is other and whole and same_size(index.size, total):
                return index
    return None


# --- halves -------------------------------------------------------------------------------------


def _halved(
    low: Lowering, value: Value, places: dict[Index, Expr]
) -> tuple[Value, dict[Index, Expr]]:
    """The value with one half of each axis of which only that is asked for: a_i and a_{i+d/2}."""
    for at, axis in enumerate(value.axes):
        found = _half(places[axis], axis)
        if found is not None:
            dims = (low.graph.literal(str(at - len(value.axes))), low.graph.literal("(2, -1)"))
            # A function, since torch says no types of the method.
            given, rank = (value.node, *dims), len(value.axes) + 1
            node = low.graph.call("torch.unflatten", *given, kind=value.node.kind, rank=rank)
            behind = [ALL] * (len(value.axes) - at)
            slots: list[str | Node] = [*[ALL] * at, str(found[0]), *behind]
            value = Value(item(low, node, slots, len(value.axes)), value.axes)
            places = {**places, axis: Idx(found[1])}
    return value, places


def _half(place: Expr, axis: Index) -> tuple[int, Index] | None:
    """Which half an index with an offset of none or a half runs over, and the index."""
    for index in ir.free_indices(place):
        if same_size(ir.mul(Num(2), index.size), axis.size):
            rest = ir.substitute(place, {index: ir.ZERO})
            if place == Idx(index):
                return 0, index
            if isinstance(place, ir.Add) and same_size(ir.add(rest), index.size):
                return 1, index
    return None


# --- slices -------------------------------------------------------------------------------------


def _sliced(low: Lowering, value: Value, places: dict[Index, Expr]) -> Value:
    """The value at its fixed places and strides; those axes are gone, or run by the stride."""
    slots: list[str | Node] = []
    axes: list[Index] = []
    for axis in value.axes:
        place = places[axis]
        stride = _stride(place, axis)
        stretch = _stretch(place, axis)
        if not ir.free_indices(place):
            slots.append(_fixed(low, place))
            continue
        if stride is not None:
            slots.append(f"{stride[1] or ''}::{stride[0]}")
            places[axis] = Idx(stride[2])
        elif stretch is not None:
            slots.append(f"{stretch[0] or ''}:{-stretch[1] or ''}")
            places[axis] = Idx(stretch[2])
        else:
            slots.append(ALL)
        axes.append(axis)
    return Value(item(low, value.node, slots, len(axes)), tuple(axes))


def _fixed(low: Lowering, place: Expr) -> Node:
    node = low.whole(place)
    if node.op == "prefix":
        raise EmitError("an element before the first is asked for")
    return node


def _stride(place: Expr, axis: Index) -> tuple[int, int, Index] | None:
    """The step, the first place and the index of ``2i + 1`` where that covers the axis."""
    terms = ir.terms(place)
    first = 0
    step: int | None = None
    index: Index | None = None
    for term in terms:
        match term:
            case Num(int() as value):
                first += value
            case Mul((Num(int() as value), Idx(found))) if step is None:
                step, index = value, found
            case _:
                return None
    if step is None or index is None or not 0 <= first < step:
        return None
    covers = same_size(ir.mul(Num(step), index.size), axis.size)
    return (step, first, index) if covers else None


def _stretch(place: Expr, axis: Index) -> tuple[int, int, Index] | None:
    """How many elements ``i + 1`` leaves out in front and behind, and its index, where it runs
    over a part of the axis."""
    match place:
        case Idx(index):
            first = 0
        case ir.Add((Idx(index), Num(int() as first)) | (Num(int() as first), Idx(index))):
            pass
        case _:
            return None
    size = index.size.value or index.size
    for behind in range(MAX_SHIFT):
        if first >= 0 and same_size(ir.add(size, Num(first + behind)), axis.size):
            return (first, behind, index) if first or behind else None
    return None


MAX_SHIFT = 9
"""How far apart the elements of one array in a formula may be to be taken as slices."""


def item(low: Lowering, node: Node, slots: list[str | Node], rank: int) -> Node:
    """``x[..., slots]``; slots that take all stay unwritten on the left."""
    while slots and slots[0] == ALL:
        slots = slots[1:]
    if not slots:
        return node
    pattern = tuple(slot if isinstance(slot, str) else None for slot in slots)
    args = (node, *(slot for slot in slots if isinstance(slot, Node)))
    return low.graph.make("item", pattern, args, node.kind, rank, node.deps)


def _diagonal(low: Lowering, value: Value, index: Index) -> Value:
    dims = (low.graph.literal("dim1=-2"), low.graph.literal("dim2=-1"))
    return Value(low.graph.method("diagonal", value.node, *dims, rank=1), (index,))


# --- gathers ------------------------------------------------------------------------------------


def _looked_up(low: Lowering, value: Value, places: list[Expr], order: Axes) -> Value:
    """The elements at computed places; the axes between the first and the last of them are
    looked up too, so that they stay next to each other."""
    first, last = _run(places)
    inside = [low.lower(place, order) for place in places[first : last + 1]]
    inside = [Value(_place(low, v, axis), v.axes) for v, axis in zip(
        inside, value.axes[first : last + 1], strict=True)]  # fmt: skip
    nodes, axes = align_all(low.graph, inside, order)
    slots: list[str | Node] = [ALL] * first
    slots += nodes
    slots += [ALL] * (len(places) - last - 1)
    before = tuple(place.index for place in places[:first] if isinstance(place, Idx))
    after = tuple(place.index for place in places[last + 1 :] if isinstance(place, Idx))
    axes = (*before, *axes, *after)
    return Value(item(low, value.node, slots, len(axes)), axes)


def _run(places: list[Expr]) -> tuple[int, int]:
    """The first and the last axis to look up: those whose place is not an index, and those
    whose index occurs twice."""
    chosen = [at for at, place in enumerate(places) if not isinstance(place, Idx)]
    first, last = (chosen[0], chosen[-1]) if chosen else (len(places), -1)
    changed = True
    while changed:
        changed = False
        for at, place in enumerate(places):
            if first <= at <= last or not isinstance(place, Idx):
                continue
            others = [p for i, p in enumerate(places) if i != at]
            if any(place.index in ir.free_indices(other) for other in others):
                first, last, changed = min(first, at), max(last, at), True
    return first, last


def _place(low: Lowering, value: Value, axis: Index) -> Node:
    """A place as whole numbers; where a condition keeps out what is out of range, the nearest
    place in range stands for it."""
    node = value.node
    if node.deps or node.kind not in (Kind.INDEX, Kind.TABLE):
        raise EmitError("an index that depends on the values of arrays cannot be looked up")
    if low.guarded and node.op != "arange" and node.data not in ("%", ".clamp"):
        last = low.whole(ir.add(axis.size, ir.MINUS_ONE))
        node = low.graph.mapped(".clamp", node, low.math.number(0), last)
    return low.graph.make("long", None, (node,), Kind.INDEX)
