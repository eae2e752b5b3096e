"""Definitions of parts of one array: even and odd columns, rows under conditions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Infix, Juxt, Name, Node, Num
from notes2code.meaning import ir
from notes2code.meaning.ir import Idx, Index, Size
from notes2code.meaning.run import Run, find, find_index
from notes2code.meaning.statements import Define
from notes2code.meaning.values import Value, link, settled

if TYPE_CHECKING:
    from notes2code.meaning.equations import Attempt, Target


def stride(node: Node) -> tuple[str, int] | None:
    """The letter and the offset of ``2i`` or ``2i+1``."""
    match node:
        case Juxt((Num("2"), Name(letter))) | Infix("·" | "×", Num("2"), Name(letter)):
            return letter, 0
        case Infix("+" | "-" as sign, inner, Num(offset)):
            found = stride(inner)
            if found is not None and found[1] == 0:
                return found[0], int(offset) if sign == "+" else -int(offset)
    return None


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
                if target.name and other.name == target.name and _complement(other, target)
            ),
            None,
        )
        if partner is None:
            out_defines.append(define)
            out_targets.append(target)
        else:
            out_targets[partner].parts.append((define, target))
    return out_defines, out_targets


def _complement(left: Target, right: Target) -> bool:
    if len(left.indices) != len(right.indices):
        return False
    mine = [stride(at.node) for at in left.indices]
    theirs = [stride(at.node) for at in right.indices]
    return any(a and b and a != b for a, b in zip(mine, theirs, strict=True))


def typed(attempt: Attempt, at: int) -> Value:
    """The value of a statement, or of all the parts of its array together."""
    define, target = attempt.defines[at], attempt.targets[at]
    strided = [i for i, index in enumerate(target.indices) if stride(index.node)]
    if not strided:
        return attempt.value(define, target)
    return _strided(attempt, define, target, strided[0])


def _strided(attempt: Attempt, define: Define, target: Target, at: int) -> Value:
    """Columns 2i and 2i+1 as one array; a single half stays an array of its own columns."""
    run = attempt.run
    halves: dict[int, Value] = {}
    for part, own in ((define, target), *target.parts):
        run.indices = {}
        found = stride(own.indices[at].node)
        assert found is not None
        if found[1] % 2 in halves:
            raise error(
                "N2C035",
                f"the columns `{run.quote(own.indices[at].node.span)}` are defined twice",
                own.span,
                "write `2i` in one and `2i+1` in the other",
            )
        halves[found[1] % 2] = value = attempt.value(part, own)
        if value.rank <= at:
            raise error("N2C031", f"nothing here depends on `{found[0]}`", part.span)
    first = next(iter(halves.values()))
    width = _width(attempt, halves, at)
    if len(halves) == 1:
        which = "even" if 0 in halves else "odd"
        _halve(run, first, at, width, 1 if 0 in halves else 0)
        run.problems.append(
            note("N2C039", f"only the {which} columns are defined here", target.span)
        )
        return first
    columns = Index("", width)
    bodies: dict[int, ir.Expr] = {}
    place = ir.Fn("floordiv", (Idx(columns), ir.Num(2)))
    axes = list(first.axes)
    for parity, value in halves.items():
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


def _halve(run: Run, value: Value, at: int, width: Size, spare: int) -> None:
    """Every other of so many columns: how far the index of a half counts."""
    half = ir.Fn("floordiv", (ir.add(width, ir.Num(spare)), ir.Num(2)))
    run.unify(find_index(value.axes[at]).size, Size("", value=half), value.span)


def _width(attempt: Attempt, halves: dict[int, Value], at: int) -> Size:
    """The number of all columns: the size that the elements themselves divide by, else twice the
    length of an input that has one element for each pair."""
    named: list[Size] = []
    pending = [value.body for value in halves.values()]
    arrays = {defined.name: defined.array.body for defined in attempt.done.values()}
    while pending:
        for expr in ir.walk(pending.pop()):
            if isinstance(expr, Size) and find(expr) not in named:
                named.append(find(expr))
            elif isinstance(expr, ir.Ref) and expr.array in arrays:
                pending.append(arrays.pop(expr.array))
    if len(named) == 1:
        return named[0]
    pairs = {find(find_index(value.axes[at]).size) for value in halves.values()}
    inputs = {find(axis) for symbol in attempt.run.symbols.values() for axis in symbol.axes}
    for pair in pairs & inputs if len(halves) == 2 else ():
        return Size("", value=ir.mul(ir.Num(2), pair))
    return Size("d", 1, "feature")
