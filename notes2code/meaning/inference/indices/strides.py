"""Definitions of parts of one array: even and odd columns, its two halves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.diagnostics import error, note, warning
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.index_arithmetic import half_of
from notes2code.meaning.inference.run import Run, find, find_index, same_size
from notes2code.meaning.inference.values import Value, link, settled
from notes2code.meaning.ir import Idx, Index, Size
from notes2code.meaning.notation.positions import beyond_half, halves, shift, stride
from notes2code.meaning.notation.scripts import complement
from notes2code.meaning.stated import Define

if TYPE_CHECKING:
    from notes2code.meaning.inference.equations import Attempt
    from notes2code.meaning.inference.targets import Target


def joined(defines: list[Define], targets: list[Target]) -> tuple[list[Define], list[Target]]:
    """Put statements that define parts of one array next to each other as one statement.

    The parts become the values of one ``Define``, told apart by ``condition`` or by the indices
    of their targets, which :func:`typed` looks at again.
    """
    out_defines: list[Define] = []
    out_targets: list[Target] = []
    for define, target in zip(defines, targets, strict=True):
        partner = next(
            (
                at
                for at, other in enumerate(out_targets)
                if target.name
                and other.name == target.name
                and complement(other.indices, target.indices)
            ),
            None,
        )
        if partner is None:
            out_defines.append(define)
            out_targets.append(target)
        else:
            out_targets[partner].parts.append((define, target))
    return out_defines, out_targets


def overlap(left: Target, right: Target) -> bool:
    """Whether two targets are one array at places next to each other, ``y_i`` and ``y_{i+1}`` or
    ``B_{ii}`` and ``B_{i,i+1}``: elements of it have two values, or none."""
    if left.name != right.name or not 0 < len(left.indices) == len(right.indices):
        return False
    mine, theirs = ([shift(at.node) for at in one.indices] for one in (left, right))
    same = all(a and b and a[0] == b[0] for a, b in zip(mine, theirs, strict=True))
    return same and mine != theirs


def of_every_other(target: Target) -> bool:
    """Whether a target is every other element, ``y_{2i}``: what defines it twice meant the odd
    ones, too."""
    return any(stride(index.node) is not None for index in target.indices)


def _cut(left: Target, right: Target) -> int | None:
    """The axis that two targets have one half of each: ``y_i`` and ``y_{i+d/2}``."""
    for at, (one, other) in enumerate(zip(left.indices, right.indices, strict=True)):
        if halves(one.node, other.node) or halves(other.node, one.node):
            return at
    return None


def typed(attempt: Attempt, at: int) -> Value:
    """The value of a statement, or of all the parts of its array together."""
    define, target = attempt.defines[at], attempt.targets[at]
    strided = [i for i, index in enumerate(target.indices) if stride(index.node)]
    if strided:
        return _strided(attempt, define, target, strided[0])
    if target.parts:
        return _halved(attempt, define, target)
    return attempt.value(define, target)


def _halved(attempt: Attempt, define: Define, target: Target) -> Value:
    """The elements y_i and y_{i+d/2} as one array."""
    run = attempt.run
    (other, theirs), *more = target.parts
    at = _cut(target, theirs)
    if at is None or more:
        raise error("N2C035", f"`{target.name}` is defined in parts that overlap", target.span)
    pair = [(define, target), (other, theirs)]
    if beyond_half(target.indices[at].node) is not None:
        pair.reverse()
    values: list[Value] = []
    for part, own in pair:
        run.indices = {}
        values.append(attempt.value(part, own))
    low, high = values
    beyond = beyond_half(pair[1][1].indices[at].node)
    if beyond is None or low.rank <= at or high.rank != low.rank:
        raise error("N2C031", "the two halves of this array are not alike", target.span)
    for mine, its in zip(low.axes, high.axes, strict=True):
        if mine is not low.axes[at]:
            link(run, mine, its, target.span)
    half, whole = half_of(run, beyond[1])
    for value in values:
        run.unify(find_index(value.axes[at]).size, half, value.span)
    columns = Index("", whole)
    parts = tuple(ir.Lambda((find_index(v.axes[at]),), settled(v.body)) for v in values)
    axes = [*low.axes]
    axes[at] = columns
    return replace(low, body=ir.Concat(parts, Idx(columns)), axes=tuple(axes))


def _refuse_place(run: Run, target: Target, at: int, is_taken: bool) -> None:
    """A column that is defined already, or lies elsewhere than 2i and 2i+1, 2i−1 or 2i+2."""
    place = target.indices[at].node
    letter, offset = stride(place) or ("", 0)
    quoted, way = run.quote(place.span), "write `2i` in one and `2i+1` in the other"
    if offset not in (-1, 0, 1, 2):
        raise error("N2C032", f"`{quoted}` is no place beside `2{letter}`", place.span, way)
    if is_taken:
        raise error("N2C035", f"the columns `{quoted}` are defined twice", target.span, way)


def _depends(value: Value, at: int) -> bool:
    """Whether the elements along an axis are told apart."""
    index = find_index(value.axes[at])
    parts = ir.walk(settled(value.body))
    return any(isinstance(part, Idx) and find_index(part.index) is index for part in parts)


def _strided(attempt: Attempt, define: Define, target: Target, at: int) -> Value:
    """Columns 2i and 2i+1 as one array; a single half stays an array of its own columns."""
    run = attempt.run
    found: dict[int, Value] = {}
    parts = ((define, target), *target.parts)
    strides = [stride(own.indices[at].node) or ("", 0) for _, own in parts]
    # Of x_{2i−1} and x_{2i} the first is x_1: the note counts from 1.
    shifted = any(offset == -1 for _, offset in strides)
    for (part, own), (letter, offset) in zip(parts, strides, strict=True):
        run.indices = {}
        parity = (offset + shifted) % 2
        _refuse_place(run, own, at, parity in found)
        found[parity] = value = attempt.value(part, own)
        if value.rank <= at:
            raise error("N2C031", f"nothing here depends on `{letter}`", part.span)
    first = next(iter(found.values()))
    if any(value.rank != first.rank for value in found.values()):
        raise error("N2C031", "the two halves of this array are not alike", target.span)
    if not any(_depends(value, at) for value in found.values()):
        letter, where = strides[0][0], target.indices[at].node.span
        text = f"nothing on the right depends on `{letter}`: these columns are all alike"
        way = f"write `{letter}` on the right, or the letter of the right here"
        run.problems.append(warning("N2C080", text, where, way))
    width = _width(attempt, found, at)
    if len(found) == 1:
        which = "even" if 0 in found else "odd"
        _halve(run, first, at, width, 1 if 0 in found else 0)
        run.problems.append(
            note("N2C039", f"only the {which} columns are defined here", target.span)
        )
        return first
    for value in found.values():
        if width.value is None:
            _pair(run, find_index(value.axes[at]).size, width)
    columns = Index("", width)
    bodies: dict[int, ir.Expr] = {}
    place = ir.Fn("floordiv", (Idx(columns), ir.Num(2)))
    axes = list(first.axes)
    for parity, value in found.items():
        for mine, theirs in zip(first.axes, value.axes, strict=True):
            if mine is not first.axes[at]:
                link(run, mine, theirs, target.span)
        if width.value is None:
            _halve(run, value, at, width, 1)
        bodies[parity] = ir.substitute(settled(value.body), {find_index(value.axes[at]): place})
    axes[at] = columns
    even = ir.Compare("=", ir.Fn("mod", (Idx(columns), ir.Num(2))), ir.ZERO)
    body = ir.Cases(((even, bodies[0]),), bodies[1])
    return replace(first, body=body, axes=tuple(axes))


def _pair(run: Run, counted: Size, width: Size) -> None:
    """An input that is read at 2i and at 2i+1 is as wide as what comes of it: an odd width, which
    would leave a column without its pair, is none that it can have."""
    pairs = ir.mul(ir.Num(2), find(counted))
    for symbol in run.symbols.values():
        for axis in map(find, symbol.axes):
            if axis.value is not None and same_size(axis.value, pairs):
                axis.link = width


def _halve(run: Run, value: Value, at: int, width: Size, spare: int) -> None:
    """Every other of so many columns: how far the index of a half counts."""
    counted = find(find_index(value.axes[at]).size)
    if same_size(ir.mul(ir.Num(2), counted), width):
        return
    half = ir.Fn("floordiv", (ir.add(width, ir.Num(spare)), ir.Num(2)))
    run.unify(counted, Size("", value=half), value.span)


def _width(attempt: Attempt, halves: dict[int, Value], at: int) -> Size:
    """The number of all columns: the size that the elements themselves divide by, and no base that
    is raised to a power, the n of ``k / n^{2i/d}``; else twice the length of an input that has one
    element for each pair."""
    named: list[Size] = []
    pending = [value.body for value in halves.values()]
    arrays = {defined.name: defined.array.body for defined in attempt.done.values()}
    while pending:
        for expr in ir.walk(pending.pop()):
            if ir.is_inverse(expr):
                raised = {id(p.base) for p in ir.walk(expr.base) if isinstance(p, ir.Pow)}
                divided = (s for s in ir.walk(expr.base) if isinstance(s, Size))
                counted = (find(size) for size in divided if id(size) not in raised)
                named.extend(size for size in counted if size not in named)
            elif isinstance(expr, ir.Ref) and expr.array in arrays:
                pending.append(arrays.pop(expr.array))
    if len(named) == 1:
        return named[0]
    pairs = {find(find_index(value.axes[at]).size) for value in halves.values()}
    inputs = {find(axis) for symbol in attempt.run.symbols.values() for axis in symbol.axes}
    for pair in pairs & inputs if len(halves) == 2 else ():
        return ir.as_size(ir.mul(ir.Num(2), pair))
    return Size("d", 1, "feature")
