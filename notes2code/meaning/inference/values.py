"""Values while a formula is typed, and how their axes meet: broadcasting, sums, transposes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices.reach import limit, refuse_fixed
from notes2code.meaning.inference.run import NO_FIT, Run, find, find_index
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Num, Ref, Size
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """An array under way: the element ``body`` and the axes that are still open, in order.

    ``row`` says that a vector was transposed, ``column`` that it stands, since a matrix before it
    made it: the ``W x``. ``along`` gives the same array with its softmax
    along another of its axes, where that is not settled yet. ``implied`` marks a softmax of a
    number whose index was not said; ``shifted`` a matrix to which a number was added.
    """

    body: Expr
    axes: tuple[Index, ...]
    span: Span
    row: bool = False
    along: Callable[[int], Expr] | None = None
    implied: bool = False
    shifted: bool = False
    column: bool = False

    @property
    def rank(self) -> int:
        """The number of open axes."""
        return len(self.axes)

    @property
    def array(self) -> str:
        """The name of an input or a definition, "" of what is computed."""
        return self.body.array if isinstance(self.body, Ref) else ""

    @property
    def is_capital(self) -> bool:
        """Whether it is an array with a capital, as the rows X_i of a matrix are."""
        return self.array[:1].isupper()


def scalar(body: Expr, span: Span) -> Value:
    """A number."""
    return Value(body, (), span)


def fresh(size: Size) -> Index:
    """A new index over an axis."""
    return Index("", size)


def link(run: Run, keep: Index, drop: Index, where: Span) -> None:
    """Make two indices one; their sizes become one size."""
    keep, drop = find_index(keep), find_index(drop)
    if keep is drop:
        return
    run.unify(keep.size, drop.size, where)
    if not keep.name:
        keep.name = drop.name
    drop.link = keep


def join(run: Run, left: Value, right: Value, axes: tuple[Index, Index], where: Span) -> None:
    """Make an axis of each of two operands one; an error names both with their shapes."""
    try:
        link(run, *axes, where)
    except ProblemError as problem:
        (mine, theirs) = (f"`{run.quote(v.span)}` is {shape_text(v)}" for v in (left, right))
        told = problem.problem.message.removeprefix(NO_FIT)
        raise error("N2C040", f"{NO_FIT}{mine} and {theirs}; {told}", where) from None


def shape_text(value: Value) -> str:
    """The shape for a message, such as ``n×d_k``; sizes without a name are ``·``."""
    if not value.axes:
        return "a number"
    return "×".join(size_text(find_index(axis).size) for axis in value.axes)


def size_text(size: Size) -> str:
    """The name or value of a size for a message."""
    size = find(size)
    if isinstance(size.value, Num):
        return str(size.value.value)
    return size.name or "·"


def align(run: Run, left: Value, right: Value, where: Span) -> tuple[Index, ...]:
    """Unify the axes of two operands of an element-wise sign; returns the axes of the result.

    A number meets every element. A vector meets the last axis of a matrix, or the first where
    only that fits.
    """
    if left.rank < right.rank:
        left, right = right, left
    if right.rank == 0:
        return left.axes
    spare = left.rank - right.rank
    if spare == 1 and right.rank == 2:
        left = _matrices_first(run, left, right, where)
    if spare and _numbered(left.body) & _numbered(right.body):
        run.pay(3.0)  # h_1 and h_2 are of one kind
    if spare == 0:
        pairs = list(zip(left.axes, right.axes, strict=True))
    elif _same_sizes(left.axes[: right.rank], right.axes) and not _same_sizes(
        left.axes[spare:], right.axes
    ):
        pairs = list(zip(left.axes, right.axes, strict=False))
    else:
        at = run.choose(f"align {where.start}-{where.end}", ((spare, 0.0), (0, 0.5)))
        pairs = list(zip(left.axes[at : at + right.rank], right.axes, strict=True))
        sizes = [[find(find_index(axis).size) for axis in pair] for pair in pairs]
        if any(mine.rank == 2 and theirs.value is not None for mine, theirs in sizes):
            run.pay(1.0)  # what is joined end to end is no row of a declared matrix
    for mine, theirs in pairs:
        join(run, left, right, (mine, theirs), where)
    return left.axes


def _matrices_first(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The matrices of an array of three axes that meets a matrix, behind what counts them: those of
    ``B ∈ ℝ^{N×N×H}`` are one for each head."""
    sizes = [find(find_index(axis).size) for axis in left.axes]
    if [names.counts_heads(size.name) for size in sizes] == [False, False, True]:
        text = f"`{run.quote(left.span)}` is taken to hold a matrix for each of {sizes[2].name}"
        run.problems.append(note("N2C039", text, left.span))
        return replace(left, axes=(left.axes[2], *left.axes[:2]))
    if sizes[0].rank == sizes[2].rank == 2 and sizes[0] is sizes[1] is not sizes[2]:
        raise error(
            "N2C041",
            f"`{run.quote(left.span)}` is {shape_text(left)} and `{run.quote(right.span)}` "
            f"{shape_text(right)}: which of its axes are meant is not said",
            where,
            "write it with indices",
        )
    return left


def _numbered(body: Expr) -> set[str]:
    """The h of h_1, for all arrays that numbers tell apart in an expression without products."""
    parts = [*ir.walk(body)]
    if any(isinstance(part, ir.Reduce | ir.Call) for part in parts):
        return set()
    found = (part.array.rpartition("_") for part in parts if isinstance(part, Ref))
    return {base for base, _, number in found if number.isdigit()}


def elementwise(
    run: Run, left: Value, right: Value, join: Callable[[Expr, Expr], Expr], where: Span
) -> Value:
    """Join two values element by element."""
    axes = align(run, left, right, where)
    row, column = left.row or right.row, left.column or right.column
    return Value(join(left.body, right.body), axes, left.span.to(right.span), row, column=column)


def _same_sizes(left: tuple[Index, ...], right: tuple[Index, ...]) -> bool:
    """Whether axes are known to have the same sizes already."""
    pairs = zip(left, right, strict=True)
    return all(find(find_index(a).size) is find(find_index(b).size) for a, b in pairs)


def mapped(value: Value, change: Callable[[Expr], Expr], span: Span | None = None) -> Value:
    """A function applied to every element."""
    where = span or value.span
    return Value(change(value.body), value.axes, where, value.row, column=value.column)


def contract(run: Run, left: Value, right: Value, at: int, where: Span) -> Value:
    """The matrix product: the left's last axis (of a vector, its only one) meets the right's
    axis ``at``, and both are summed over."""
    left = _settle_softmax(run, left, left.rank - 1)
    right = _settle_softmax(run, right, at)
    inner = left.axes[-1]
    reach = limit(run, inner, inner) or limit(run, right.axes[at], inner)
    if reach is not None:
        for side, axis in ((left, inner), (right, right.axes[at])):
            others = (other.body for other in (left, right) if other is not side)
            refuse_fixed(run, Lambda(side.axes, side.body), axis, next(others), side.span)
    join(run, left, right, (inner, right.axes[at]), where)
    axes = left.axes[:-1] + right.axes[:at] + right.axes[at + 1 :]
    body = _sum_of_product(left.body, right.body, inner, reach)
    return Value(
        body,
        axes,
        left.span.to(right.span),
        row=left.row if left.rank == 1 else right.row and right.rank == 1,
        column=left.rank == 2 and right.rank == 1 and not right.row,
    )


def _settle_softmax(run: Run, value: Value, axis: int) -> Value:
    """The weights of a softmax are summed over the axis along which they were normalised."""
    if value.along is None:
        return value
    told = any(
        one.message.startswith(FIRST_AXIS) and value.span.start <= one.span.start < value.span.end
        for one in run.problems
    )
    if value.rank == 2 and axis == 0 and not told:
        run.problems.append(note("N2C039", f"{FIRST_AXIS}, which is summed over", value.span))
    return replace(value, body=value.along(axis), along=None)


FIRST_AXIS = "softmax is taken along the first axis"
"""What the author is told of a softmax that does not go along the last one."""


def _sum_of_product(left: Expr, right: Expr, index: Index, where: Expr | None) -> Expr:
    """Σ left·right over an index; factors without the index stay outside, so that a scale
    stands in front of the sum wherever it was written."""
    inside: list[Expr] = []
    outside: list[Expr] = []
    for factor in (*ir.factors(left), *ir.factors(right)):
        (inside if uses(factor, index) else outside).append(factor)
    return ir.mul(*outside, ir.Reduce("sum", index, ir.mul(*inside), where))


def uses(expr: Expr, index: Index) -> bool:
    """Whether an index occurs in an expression; indices linked to it count."""
    index = find_index(index)
    pending = [expr]
    while pending:
        inner = pending.pop()
        if isinstance(inner, Idx):
            if find_index(inner.index) is index:
                return True
        else:
            pending += ir.children(inner)
    return False


def dot(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The dot product of two vectors."""
    return replace(contract(run, left, right, 0, where), row=False)


def outer(left: Value, right: Value) -> Value:
    """The matrix of all products of two vectors' elements."""
    body = ir.mul(left.body, right.body)
    return Value(body, left.axes + right.axes, left.span.to(right.span))


def transpose(value: Value, span: Span) -> Value:
    """The last two axes exchanged; a vector lies down, or stands up again. A softmax that is
    transposed goes along the axis that it has as it is written."""
    if value.rank == 0:
        return replace(value, span=span)
    if value.rank == 1:
        return replace(value, row=not value.row, span=span, column=False)
    axes = (*value.axes[:-2], value.axes[-1], value.axes[-2])
    return Value(value.body, axes, span)


def reduce_all(kind: str, value: Value) -> Expr:
    """A sum, maximum, … over all open axes."""
    body = value.body
    for axis in reversed(value.axes):
        body = ir.Reduce(kind, axis, body)
    return body


def free_roots(body: Expr) -> set[Index]:
    """The indices that an expression uses and does not bind; linked ones count as one."""
    return {*ir.free_indices(body, find_index)}


def settled(body: Expr) -> Expr:
    """The expression with each linked index replaced by the one it stands for."""
    used = {expr.index for expr in ir.walk(body) if isinstance(expr, Idx)}
    linked = {index: Idx(find_index(index)) for index in used if index.link is not None}
    return ir.substitute(body, linked)


def is_logistic(value: Value) -> bool:
    """Whether an array is a number and a power of e for each element, ``1 + e^{-x}``, of which
    there is no other inverse than that of each."""
    match value.body:
        case ir.Add((ir.Num(), ir.Fn("exp"))) | ir.Add((ir.Fn("exp"), ir.Num())):
            return True
    return False
