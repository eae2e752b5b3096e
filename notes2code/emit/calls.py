"""Calls of functions of arrays, and arrays joined end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.emit import branches
from notes2code.emit.graph import EmitError, Kind, Node
from notes2code.emit.inline import inlined
from notes2code.emit.layout import Axes, Value, align, common
from notes2code.emit.simplify import same_size, simplified
from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import Call, Concat, Equation, Expr, Idx, Index, Lambda, Num, Size

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering


def call(low: Lowering, expr: Call, order: Axes) -> Value:
    """The elements of what a function gives.

    Indices from outside that its arguments depend on are batch dimensions of the call.
    """
    of_matrix = expr.function in ir.OF_MATRICES
    if not of_matrix and expr.function not in low.functions:
        raise EmitError(f"the function {expr.function} is not known")
    name, equation = low.functions.get(expr.function, (f"torch.{expr.function}", None))
    outer = _outer(expr, order)
    args = tuple(_argument(low, array, outer, order) for array in expr.arguments)
    if equation is None:
        args = tuple(arg if arg.kind is Kind.OTHER else low.math.tensor(arg) for arg in args)
    elif _has_own_numbers(equation, args):
        return low.lower(simplified(inlined(expr, equation)), order)
    places = [simplified(place) for place in expr.at]
    result = tuple(Index("", _size(place)) for place in places)
    rank = len(outer) + len(result)
    deps = low.graph.union(args)
    kind = Kind.TABLE if equation is not None and not has_arrays(equation) else Kind.REAL
    node = low.graph.make("call" if of_matrix else "apply", name, args, kind, rank, deps)
    where: dict[Index, Expr] = {index: Idx(index) for index in outer}
    where.update(zip(result, places, strict=True))
    return low.at(Value(node, (*outer, *result)), where, order)


def has_arrays(equation: Equation) -> bool:
    """Whether an equation has an array or a function as input; without, it is in float64."""
    return any(given.shape or given.kind == "function" for given in equation.inputs)


def _outer(expr: Call, order: Axes) -> Axes:
    """The indices from outside that the arguments depend on, in order."""
    free = {
        index
        for array in expr.arguments
        for index in ir.free_indices(array.body) - frozenset(array.indices)
    }
    return tuple(index for index in order if index in free)


def _argument(low: Lowering, array: Lambda, outer: Axes, order: Axes) -> Node:
    """An argument with its own axes in full, and the outer ones where it has any."""
    if isinstance(array.body, ir.Ref) and array.body.array in low.functions:
        return low.graph.name(low.functions[array.body.array][0], Kind.OTHER)
    value = low.lower(simplified(array.body), (*order, *array.indices))
    if not array.indices and not value.axes:
        return value.node
    present = tuple(i for i in outer if i in value.axes)
    own = Value(low.full(value, (*present, *array.indices)), (*present, *array.indices))
    return low.math.real(align(low.graph, own, (*outer, *array.indices)))


def _has_own_numbers(equation: Equation, args: tuple[Node, ...]) -> bool:
    """Whether a parameter that is a number differs from element to element here, which cannot be
    a batch dimension."""
    numbers = [not i.shape and i.kind != "function" for i in equation.inputs]
    return any(n and (arg.rank or arg.deps) for n, arg in zip(numbers, args, strict=True))


def _size(place: Expr) -> Size:
    """The size of an axis of a result, as far as the place asked for tells."""
    return place.index.size if isinstance(place, Idx) else Size("")


# --- joined arrays ------------------------------------------------------------------------------


def joined(low: Lowering, expr: Concat, order: Axes) -> Value:
    """The elements of several arrays joined along an axis; it comes last, unless all of them have
    it at one place."""
    parts = [low.lower(simplified(part.body), (*order, *part.indices)) for part in expr.parts]
    parts = [Value(low.math.real(part.node), part.axes) for part in parts]
    own = [part.indices[0] for part in expr.parts]
    bare = [tuple(a for a in part.axes if a is not i) for part, i in zip(parts, own, strict=True)]
    axes = common([Value(p.node, b) for p, b in zip(parts, bare, strict=True)], order)
    if all(
        i.size.value == Num(1) and b == p.axes for i, p, b in zip(own, parts, bare, strict=True)
    ):
        node, behind = branches.stack(low, parts, axes, -1), 0
    else:
        behind = _axes_behind(parts, own, bare)
        node = _concatenated(low, parts, own, axes, behind)
    place = simplified(expr.at)
    index = Index("joined", _total(own, place))
    if isinstance(place, Idx) and not same_size(place.index.size, index.size):
        wanted, total = (shapes.text(i.size) for i in (place.index, index))
        raise EmitError(f"{wanted} elements are taken of joined arrays that have {total}")
    where: dict[Index, Expr] = {axis: Idx(axis) for axis in axes}
    at = len(axes) - behind
    return low.at(Value(node, (*axes[:at], index, *axes[at:])), {**where, index: place}, order)


def _axes_behind(parts: list[Value], own: list[Index], bare: list[Axes]) -> int:
    """How many axes stand behind the one along which values are joined, the same in all."""
    behind = [p.axes[p.axes.index(i) + 1 :] for p, i in zip(parts, own, strict=True) if i in p.axes]
    alike = len(behind) == len(parts) and len({*bare}) == len({*behind}) == 1
    return len(behind[0]) if alike else 0


def _concatenated(
    low: Lowering, parts: list[Value], own: list[Index], axes: Axes, behind: int
) -> Node:
    """Values joined along an axis of each, with so many of the common axes ``behind`` it; they are
    brought to one shape on its left where they differ."""
    graph = low.graph
    nodes: list[Node] = []
    for part, index in zip(parts, own, strict=True):
        at = len(axes) - behind
        bare = tuple(axis for axis in axes[:at] if axis in part.axes)
        whole = (*bare, index, *axes[at:])
        value = Value(low.full(part, whole), whole)
        nodes.append(align(graph, value, (*axes[:at], index, *axes[at:])))
    deps = graph.union(tuple(nodes))
    if len({part.node.deps for part in parts}) > 1 or _axes_differ(parts, own):
        one = (":1", *[":"] * behind)
        firsts = [graph.make("item", one, (n,), n.kind, n.rank, n.deps) for n in nodes]
        shape = branches.common_shape(graph, firsts, 1 + behind)
        star = graph.make("star", None, (shape,), Kind.OTHER)
        last = [graph.literal("-1")] * (1 + behind)
        nodes = [graph.make("method", "expand", (n, star, *last), n.kind) for n in nodes]
    items, dim = graph.listed(tuple(nodes)), graph.literal(f"dim={-1 - behind}")
    return graph.make("call", "torch.cat", (items, dim), Kind.REAL, len(axes) + 1, deps)


def _axes_differ(parts: list[Value], own: list[Index]) -> bool:
    """Whether parts differ in the axes besides that along which they are joined."""
    sets = {frozenset(part.axes) - {index} for part, index in zip(parts, own, strict=True)}
    return len(sets) > 1


def _total(own: list[Index], wanted: Expr) -> Size:
    """How many elements joined arrays have: d where d/2 and d/2 are joined, and 64, as is declared,
    where 32 and 32 are."""
    named = [index.size.name for index in own]
    said = str(sum(map(int, named))) if all(map(str.isdigit, named)) else ""
    if isinstance(wanted, Idx) and said and wanted.index.size.name == said:
        return wanted.index.size
    total = Size("", value=ir.add(*(index.size for index in own)))
    times = Size("", value=ir.mul(Num(len(own)), own[0].size))
    alike = all(same_size(index.size, own[0].size) for index in own)
    if alike and isinstance(wanted, Idx) and same_size(times, wanted.index.size):
        return times
    return total
