"""Sums, means, extrema and softmax over an index; sums of products as matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notes2code.emit.arithmetic import inverted
from notes2code.emit.contraction import contract, merged
from notes2code.emit.graph import Kind, Node, is_tensor
from notes2code.emit.layout import Axes, Value, align, common, position
from notes2code.emit.simplify import alike
from notes2code.meaning import ir
from notes2code.meaning.ir import Compare, Expr, Fn, Idx, Index, Mul, Num, Pow, Reduce, Softmax

if TYPE_CHECKING:
    from notes2code.emit.lower import Lowering

METHODS = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin", "prod": "prod"}
EMPTY = {"sum": 0, "mean": 0, "max": -float("inf"), "min": float("inf"), "prod": 1}
"""What an element out of range counts as."""


def reduced(low: Lowering, expr: Reduce, order: Axes) -> Value:
    """The tensor of a reduction."""
    if expr.kind == "sum":
        return _sum(low, expr, order)
    if expr.kind == "mean" and isinstance(expr.body, Mul):
        outside, inside = _parted(expr.body.factors, expr.index)
        if outside and inside:
            return _scaled(low, expr, outside, inside, order)
        if expr.where is None and len(inside) > 1:
            values = merged(low, _factors(low, expr.body, expr.index, order), order)
            if len(values) > 1:
                total = contract(low, values, expr.index, order)
                return low.infix("/", total, Value(low.whole(expr.index.size)), order)
    inner = (*order, expr.index)
    if expr.where is not None:
        return _reduced_in_range(low, expr, expr.where, order)
    body = low.lower(expr.body, inner)
    if expr.index not in body.axes and expr.kind != "prod":
        return body
    return over(low, METHODS[expr.kind], _with_axis(low, body, expr.index, inner), expr.index)


def _reduced_in_range(low: Lowering, expr: Reduce, where: Expr, order: Axes) -> Value:
    """The reduction of the elements for which a condition holds."""
    inner = (*order, expr.index)
    keep = _with_axis(low, low.lower(where, inner), expr.index, inner)
    with low.inside():
        body = low.lower(expr.body, inner)
    body = _masked(low, body, keep, low.math.number(EMPTY[expr.kind]), inner)
    if expr.kind != "mean":
        return over(low, METHODS[expr.kind], body, expr.index)
    total = over(low, "sum", body, expr.index)
    at = position(keep.axes, expr.index)
    count = low.graph.counted(keep.node, at)
    rest = tuple(axis for axis in keep.axes if axis is not expr.index)
    return low.infix("/", Value(low.math.real(total.node), total.axes), Value(count, rest), order)


def over(low: Lowering, method: str, value: Value, index: Index) -> Value:
    """A reduction along the axis of an index."""
    node = low.math.real(value.node) if value.node.kind is Kind.BOOL else value.node
    node = node if method in ("sum", "amax", "amin", "prod") else low.math.table(node)
    at = position(value.axes, index)
    rest = tuple(axis for axis in value.axes if axis is not index)
    return Value(low.graph.reduce(method, (at,), node), rest)


def _with_axis(low: Lowering, value: Value, index: Index, order: Axes) -> Value:
    """The value with the axis of an index, even if it is the same all along."""
    if index in value.axes:
        return value
    axes = common([value, Value(value.node, (index,))], order)
    return Value(low.full(value, axes), axes)


def _masked(low: Lowering, body: Value, keep: Value, fill: Node, order: Axes) -> Value:
    """The body with ``fill`` where a condition does not hold."""
    axes = common([body, keep], order)
    drop = inverted(low.graph, align(low.graph, keep, axes))
    return Value(low.math.masked(align(low.graph, body, axes), drop, fill), axes)


# --- sums of products ---------------------------------------------------------------------------


def _parted(factors: tuple[Expr, ...], index: Index) -> tuple[list[int], list[int]]:
    """The places of the factors that do not depend on an index, and of those that do."""
    inside = [at for at, factor in enumerate(factors) if index in ir.free_indices(factor)]
    return [at for at in range(len(factors)) if at not in inside], inside


def _sum(low: Lowering, expr: Reduce, order: Axes) -> Value:
    factors = ir.factors(expr.body)
    outside, inside = _parted(factors, expr.index)
    if outside and inside:
        return _scaled(low, expr, outside, inside, order)
    inner = (*order, expr.index)
    if expr.where is None:
        return contract(low, _factors(low, expr.body, expr.index, order), expr.index, order)
    with low.inside():
        values = _factors(low, expr.body, expr.index, order)
    keep = low.lower(expr.where, inner)
    return contract(low, _in_range(low, values, keep, inner), expr.index, order)


def _scaled(
    low: Lowering, expr: Reduce, outside: list[int], inside: list[int], order: Axes
) -> Value:
    """A sum with the factors that do not depend on its index taken out of it."""
    assert isinstance(expr.body, Mul)
    factors = expr.body.factors
    inner = ir.mul(*(factors[at] for at in inside))
    rest: list[Expr] = [factors[at] for at in outside]
    before = sum(at < inside[0] for at in outside)
    rest.insert(before, Reduce(expr.kind, expr.index, inner, expr.where))
    return low.lower(ir.mul(*rest), order)


def _factors(low: Lowering, body: Expr, index: Index, order: Axes) -> list[Value]:
    """The factors of a sum's body as tensors; what stands below the line divides the first
    factor above it that has all its axes, or is a factor of its own."""
    inner = (*order, index)
    if not isinstance(body, Mul):
        return [low.lower(body, inner)]
    minus, above, below = low.split(body.factors)
    values: list[Value] = []
    for _, factor in above:
        rows = any(set(value.axes) - {index} for value in values)
        columns = len(ir.free_indices(factor) - {index}) == 1
        values.append(low.lower(factor, (index, *order) if rows and columns else inner))
    if minus:
        one = values.pop(0) if values else low.lower(ir.ONE, ())
        values.insert(0, Value(low.math.negative(one.node), one.axes))
    for _, factor in below:
        divisor = low.lower(factor, inner)
        for at, value in enumerate(values):
            if set(divisor.axes) <= set(value.axes):
                values[at] = low.infix("/", value, divisor, inner)
                break
        else:
            values.append(low.infix("/", low.lower(ir.ONE, ()), divisor, inner))
    return values


def _in_range(low: Lowering, values: list[Value], keep: Value, order: Axes) -> list[Value]:
    """The factors with zeros where a condition does not hold: put into the first factor that has
    all its axes, else a factor of its own."""
    zero = low.math.number(0)
    values = merged(low, values, order)
    for at, value in enumerate(values):
        if set(keep.axes) <= set(value.axes) and is_tensor(value.node):
            masked = _masked(low, value, keep, zero, order)
            return [*values[:at], masked, *values[at + 1 :]]
    return [Value(low.math.real(keep.node), keep.axes), *values]


# --- softmax ------------------------------------------------------------------------------------


def softmax(low: Lowering, expr: Softmax, order: Axes) -> Value:
    """The tensor of a softmax; a row in which nothing is in range is all zeros."""
    return _softmax(low, "torch.softmax", expr, order)


def _softmax(low: Lowering, function: str, expr: Softmax, order: Axes) -> Value:
    body, where = expr.body, expr.where
    index, inner = expr.index, (*order, expr.index)
    free = ir.free_indices(body) | (frozenset() if where is None else ir.free_indices(where))
    if isinstance(expr.at, Idx) and expr.at.index not in free:
        index, inner = expr.at.index, order
        body = ir.substitute(body, {expr.index: expr.at})
        where = None if where is None else ir.substitute(where, {expr.index: expr.at})
    scores = _with_axis(low, low.lower(body, inner), index, inner)
    low.graph.suggest(scores.node, "scores", local=True)
    drop: Node | None = None
    if where is not None:
        keep = low.lower(where, inner)
        scores = _masked(low, scores, keep, low.math.number(-float("inf")), inner)
        drop = inverted(low.graph, align(low.graph, keep, scores.axes))
    node = low.math.table(low.math.tensor(scores.node))
    dim = low.graph.literal(f"dim={position(scores.axes, index)}")
    weights = low.graph.call(function, node, dim, kind=node.kind, rank=node.rank)
    if drop is None and _may_vanish(node, position(scores.axes, index)):
        drop = low.graph.infix("==", node, low.math.number(-float("inf")), Kind.BOOL)
    elif always_one(where, index):
        drop = None
    if drop is not None:
        weights = low.math.masked(weights, drop, low.math.number(0))
    name = "weights" if function == "torch.softmax" else "log_weights"
    low.graph.suggest(weights, name, local=True)
    return low.at(Value(weights, scores.axes), {index: expr.at}, order)


def logarithm(low: Lowering, argument: Expr, order: Axes) -> Value:
    """A logarithm; of a softmax and of a sum of exponentials in one step, which is exact where
    they underflow or overflow."""
    match argument:
        case Softmax(where=None):
            return _softmax(low, "torch.log_softmax", argument, order)
        case Reduce("sum", index, Fn("exp", (inner,)), None) if index in ir.free_indices(inner):
            return over(low, "logsumexp", low.lower(inner, (*order, index)), index)
    value = low.lower(argument, order)
    return Value(low.math.function("log", (value.node,)), value.axes)


def _may_vanish(scores: Node, at: int) -> bool:
    """Whether a row of scores may be −∞ throughout, as far as the formula itself says −∞; the
    row of a mask that lets through ``j ≤ i`` cannot be."""
    pending, seen = [scores], {scores}
    while pending:
        node = pending.pop()
        if node.op == "prefix" and node.args[0].data == "math.inf":
            return True
        if node.op not in ("call", "apply") and not _lets_one_through(node, at):
            pending.extend(arg for arg in node.args if arg not in seen)
            seen.update(node.args)
    return False


def _lets_one_through(node: Node, at: int) -> bool:
    """Whether a node is a mask that holds something finite in every row."""
    if node.op != "map" or node.data != "torch.where" or node.args[0].data != "<=":
        return False
    first, bound = node.args[0].args
    if not first.op == bound.op == "arange":
        return False
    return bool(first.data[1] == -at - 1 != bound.data[1])


def always_one(where: Expr | None, index: Index) -> bool:
    """Whether some value of the index is in range for certain: 0 is, under ``j ≤ i``."""
    if not isinstance(where, Compare) or where.op not in ("≤", "≥"):
        return False
    low, high = (where.left, where.right) if where.op == "≤" else (where.right, where.left)
    return low == Idx(index) and isinstance(high, Idx) and high.index is not index


def norm(low: Lowering, squared: Expr, order: Axes) -> Value | None:
    """√(Σ x²) as the length of a vector, whose gradient at zero is finite."""
    match squared:
        case Reduce("sum", index, Pow(body, Num(2)), None):
            pass
        case Reduce("sum", index, Mul((body, other)), None) if alike(body, other, {}):
            pass
        case _:
            return None
    value = low.lower(body, (*order, index))
    if index not in value.axes:
        return None
    return over(low, "norm", value, index)
