"""Arrays joined end to end or below each other, and numbers that repeat in groups."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices.reach import refuse_limited
from notes2code.meaning.inference.ranks.declared import is_of_said_kind
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import Value, fresh, link, settled, transpose
from notes2code.meaning.ir import Concat, Expr, Idx, Index, Lambda, Ref, Size


def stacked(run: Run, values: list[Value], span: Span) -> Value:
    """Matrices of equally many columns below each other, and rows below rows."""
    parts = [_as_part(value) if value.rank == 1 else value for value in values]
    lying = [transpose(part, part.span) for part in parts]
    kinds = {find(find_index(part.axes[0]).size).kind for part in parts}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return transpose(joined_values(run, lying, span, kind), span)


def doubt_vectors(run: Run, value: Value) -> None:
    """Capitals and heads that are joined are matrices."""
    if value.rank == 1 and isinstance(value.body, Ref):
        array = value.body.array
        run.pay(1.2 * (array[0].isupper() or names.base_letter(array) == "head"))


def joined_values(run: Run, values: list[Value], span: Span, kind: str = "feature") -> Value:
    """Arrays joined along their last axis; a vector beside a matrix is a row of it."""
    if not values:
        raise error("N2C024", "nothing stands in this matrix", span)
    refuse_limited(run, (axis for value in values for axis in value.axes))
    rank = max(value.rank for value in values)
    if rank == 0:
        parts = tuple(Lambda((Index("", Size("", value=ir.ONE)),), v.body) for v in values)
        axis = fresh(Size("", value=ir.Num(len(values))))
        return Value(Concat(parts, Idx(axis)), (axis,), span)
    if {value.rank for value in values} == {rank, rank - 1} and (rank > 1 or values[0].rank):
        if values[0].rank < rank:
            text = f"`{run.quote(values[0].span)}` is taken to be one row before those of a matrix"
            run.problems.append(note("N2C039", text, values[0].span))
        elif _is_small_beside_made(values, rank):
            text = (
                f"`{run.quote(values[0].span)}` is taken to be a matrix, and what follows its row"
            )
            hint = "declare the shape of one of them"
            run.problems.append(note("N2C039", text, values[0].span, hint))
        alike = [_as_part(value) if value.rank == rank - 1 else value for value in values]
        if rank < 2:
            _tell_numbers(run, values)
            return joined_values(run, alike, span)
        lying = [transpose(value, value.span) for value in alike]
        return transpose(joined_values(run, lying, span), span)
    if any(value.rank != rank for value in values):
        raise error("N2C041", "only arrays of one rank can be joined", span)
    first = values[0]
    for value in values[1:]:
        for mine, theirs in zip(first.axes[:-1], value.axes[:-1], strict=True):
            link(run, mine, theirs, span)
    total = Size("", 0, kind, value=_total([find_index(v.axes[-1]).size for v in values]))
    axis = fresh(total)
    parts = tuple(Lambda((value.axes[-1],), value.body) for value in values)
    return Value(Concat(parts, Idx(axis)), (*first.axes[:-1], axis), span)


def _is_small_beside_made(values: Sequence[Value], rank: int) -> bool:
    """Whether of ``[c; x E]`` the c is the matrix, though a small letter is a vector by custom, and
    what is made with E may as well be one."""
    first, *others = (value.body for value in values)
    small = isinstance(first, Ref) and first.array[0].islower() and values[0].rank == rank == 2
    return small and not any(isinstance(body, Ref) for body in others)


def _tell_numbers(run: Run, values: Sequence[Value]) -> None:
    """Tell of the f_{ij} that is joined to the vectors h_i and h_j as a number, which nothing says
    that it is."""
    for value in values:
        match value.body:
            case Ref(array, (_, *_)) if not (value.rank or is_of_said_kind(run, array)):
                text = f"`{run.quote(value.span)}` is taken to be one number beside a vector"
                hint = "declare its shape where it is a vector, too"
                run.problems.append(note("N2C039", text, value.span, hint))


def _total(sizes: Sequence[Size]) -> Expr:
    """How long parts are together: a number where each is as long as a number says."""
    said = [size.value for size in map(find, sizes)]
    numbers = [value.value for value in said if isinstance(value, ir.Num)]
    return ir.Num(sum(numbers)) if len(numbers) == len(said) else ir.add(*sizes)


def _as_part(value: Value) -> Value:
    """What joins an array of one more axis is one more of its parts: ``[K; k]`` and ``[k; K]`` have
    one more row than K, and ``[x; 1]`` has one more number than x."""
    return Value(value.body, (fresh(Size("", value=ir.ONE)), *value.axes), value.span)


def together(run: Run, index: Index, values: list[Value], span: Span) -> Value:
    """A family of arrays joined, or of numbers that repeat in groups."""
    return (
        _interleaved(index, values, span)
        if len(values) > 1
        else end_to_end(run, index, values[0], span)
    )


def end_to_end(run: Run, index: Index, value: Value, span: Span) -> Value:
    """Concat(h_1, …, h_n): element c is element c mod d of the item c div d."""
    if value.rank == 0:
        return Value(value.body, (index,), span)
    doubt_vectors(run, value)
    last = value.axes[-1]
    axis = fresh(Size("", 0, "feature", value=ir.mul(index.size, last.size)))
    places: dict[Index, Expr] = {
        find_index(index): ir.Fn("floordiv", (Idx(axis), last.size)),
        find_index(last): ir.Fn("mod", (Idx(axis), last.size)),
    }
    body = ir.substitute(settled(value.body), places)
    return Value(body, (*value.axes[:-1], axis), span)


def _interleaved(index: Index, values: list[Value], span: Span) -> Value:
    """Numbers that repeat in groups: −x_2, x_1, −x_4, x_3, …"""
    if any(value.rank for value in values):
        raise error("N2C041", "the items of this list must be numbers", span)
    period = ir.Num(len(values))
    axis = fresh(Size("", 0, "feature", value=ir.mul(period, index.size)))
    group = {find_index(index): ir.Fn("floordiv", (Idx(axis), period))}
    bodies = [ir.substitute(settled(value.body), group) for value in values]
    return Value(chosen(ir.Fn("mod", (Idx(axis), period)), bodies), (axis,), span)


def chosen(which: Expr, values: Sequence[Expr]) -> Expr:
    """The value with a number, counted from 0; the same for all where they are the same."""
    if all(value == values[0] for value in values):
        return values[0]
    branches = tuple(
        (ir.Compare("=", which, ir.Num(at)), value) for at, value in enumerate(values[:-1])
    )
    return ir.Cases(branches, values[-1]) if branches else values[-1]
