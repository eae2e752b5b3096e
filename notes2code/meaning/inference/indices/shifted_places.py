"""Places of one array beside others: ``x_t`` and ``x_{t-1}``, and those that sums count."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.diagnostics import error
from notes2code.latex.tree import Big, Name, Num, Relation, Script, alike, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Size
from notes2code.meaning.notation import positions
from notes2code.meaning.notation.scripts import At, Use


def counted_place(run: Run, at: At, size: Size, use: Use) -> Expr | None:
    """The ``x_i`` of ``Σ_{i=2}^n``, or of ``Σ_{i=1}^{n-1}``, where x is known to have n elements:
    those of them that the index counts."""
    shift = positions.shift(at.node)
    if shift is None or shift[0] not in run.indices:
        return None
    index = find_index(run.indices[shift[0]])
    counted, least = _length(index.size)
    if (earlier := _first_elsewhere(run, use, index)) is not None:
        missing = ir.Num(index.start - earlier)
        run.unify(ir.as_size(ir.add(index.size.value or index.size, missing)), size, use.span)
    whole, length = _length(size)
    offsets = _offsets(run, at, use, shift[0])
    together = max(offsets) - min(offsets) if offsets else 0
    if whole is not counted or length <= least or length == least + together:
        return None
    first = index.start + shift[1] - min(index.start, 1)
    if not 0 <= first <= length - least:
        raise error(
            "N2C032",
            f"`{use.name}` has no element `{run.quote(use.span)}` for each `{index.name}`",
            use.span,
            "let the index begin later, or end earlier",
        )
    return ir.add(Idx(index), ir.Num(first))


def _first_elsewhere(run: Run, use: Use, index: Index) -> int | None:
    """From which smaller number another sum counts elements of the same array up to the same end:
    1 for the x_i of ``Σ_{i=2}^n x_i + Σ_{i=1}^n x_i^2``."""
    mine = [
        big for big, letter, first in _ranged(run) if (letter, first) == (index.name, index.start)
    ]
    firsts = [
        first
        for big, letter, first in _ranged(run)
        if first < index.start and any(alike(big.sup, own.sup) for own in mine)
        if _counts_elements(run, big, letter, use.name)
    ]
    return min(firsts, default=None)


def _ranged(run: Run) -> Iterator[tuple[Big, str, int]]:
    """The sums with a range that begins with a number, the letters they count with, and that."""
    for big in run.seen.nodes.of(Big):
        match big.sub:
            case Relation((Name(letter), Num(first)), ("=",)) if big.sup and first.isdigit():
                yield big, letter, int(first)


def _counts_elements(run: Run, big: Big, letter: str, name: str) -> bool:
    """Whether the elements of an array are added up at a letter itself."""
    scripts_in = (node for node in walk(big.body) if isinstance(node, Script))
    uses = map(run.seen.understood, scripts_in)
    return any(
        use is not None
        and use.name == name
        and any(names.label(at.node) == letter for at in use.indices)
        for use in uses
    )


def _length(size: Size) -> tuple[Size | None, int]:
    """A length as a size and a whole number that is added to it."""
    root = find(size)
    match root.value:
        case ir.Num(int(number)):
            return None, number
        case ir.Add((Size() as part, ir.Num(int(number)))):
            return find(part), number
        case ir.Add((ir.Num(int(number)), Size() as part)):
            return find(part), number
    return root, 0


def shifted_place(run: Run, at: At, size: Size, use: Use) -> Expr | None:
    """``x_t`` beside ``x_{t-1}``: two places of one array, which begins with the earlier one."""
    shift = positions.shift(at.node)
    if shift is None or shift[0] not in run.indices:
        return None
    letter, offset = shift
    offsets = _offsets(run, at, use, letter)
    if len(offsets) < 2:
        return None
    index = find_index(run.indices[letter])
    first, last = min(offsets), max(offsets)
    if offset == first < 0 and use.name in run.defined:
        place = next(n for n, other in enumerate(use.indices) if other is at)
        _refuse_before_first(run, use, index, first, run.defined[use.name].array, place)
    own = find(index.size)
    length = ir.add(own.value or own, ir.Num(last - first))
    run.unify(ir.as_size(length), size, use.span)
    return ir.add(Idx(index), ir.Num(offset - first))


def _offsets(run: Run, at: At, use: Use, letter: str) -> set[int]:
    """What is added to a letter along an axis of an array, in all places of the formula."""
    places = [n for n, other in enumerate(use.indices) if other is at]
    return {o for n in places for o in run.seen.shifts.get((use.name, n, letter), ())}


def _refuse_before_first(
    run: Run, use: Use, index: Index, offset: int, array: Lambda, place: int
) -> None:
    """The ``s_{t-1}`` of the first t, where ``s_t = Σ_{i=1}^{t} x_i`` begins with t = 1: it would
    be taken for s_1."""
    axis = find_index(array.indices[place])
    if index.start + offset < axis.start and _computes_with(array.body, axis):
        raise error(
            "N2C032",
            f"there is no `{run.quote(use.span)}` for the first `{index.name}`: the definition of "
            f"`{use.name}` counts from {axis.start}",
            use.span,
            "let its definition begin one earlier, or name what it is before",
        )


def _computes_with(expr: Expr, index: Index) -> bool:
    """Whether an expression computes with the number of an index, besides taking elements there."""
    if isinstance(expr, Idx):
        return find_index(expr.index) is index
    inside = (e for e in ir.children(expr) if not (isinstance(expr, ir.Ref) and isinstance(e, Idx)))
    return any(_computes_with(one, index) for one in inside)
