"""Lists of distances, ``[-(i-1), …, -2, -1, 0]``: how far each key up to the query's place stands
from it, as ALiBi writes its bias (Press et al., Train Short, Test Long, 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Span
from notes2code.latex.tree import Dots, Neg, Node, Num, ungrouped
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Reach, Run, find_index
from notes2code.meaning.inference.values import Value, fresh
from notes2code.meaning.ir import Idx, Size
from notes2code.meaning.notation import positions


def listed(run: Run, items: Sequence[Node], span: Span) -> Value | None:
    """The ``j - i`` of each j up to i of a list that ends at 0 and begins with ``-(i-1)``, or with
    ``-i`` where one counts from 0; ``i - j`` of one without minus signs. None of any other."""
    if not (isinstance(items[-1], Num) and items[-1].text == "0"):
        return None
    dots = next(at for at, item in enumerate(items) if isinstance(item, Dots))
    signs = {isinstance(item, Neg) for item in items[:-1] if not isinstance(item, Dots)}
    if len(signs) != 1 or not dots:
        return None
    plain = [ungrouped(item.body if isinstance(item, Neg) else item) for item in items]
    letters, taken_off = zip(*_from_place(plain[:dots]), strict=True)
    index = run.indices.get(letters[0])
    begins = {*letters} == {letters[0]} and taken_off[0] in (0, 1)
    counts = [*taken_off] == [*range(taken_off[0], taken_off[0] + dots)]
    rest = [item.text if isinstance(item, Num) else "" for item in plain[dots + 1 :]]
    if index is None or not (begins and counts and rest == [*map(str, range(len(rest)))][::-1]):
        return None
    axis, query = Idx(fresh(Size(""))), Idx(find_index(index))
    run.reach[axis.index] = Reach(ir.Compare("≤", axis, query), span)
    ahead, behind = (axis, query) if signs == {True} else (query, axis)
    return Value(ir.add(ahead, ir.negative(behind)), (axis.index,), span)


def _from_place(items: Sequence[Node]) -> Iterator[tuple[str, int]]:
    """The letter of each ``i - k``, and its k."""
    for item in items:
        shift = positions.shift(item)
        yield ("", 0) if shift is None else (shift[0], -shift[1])
