"""Scores with the keys along their first axis: the ``A = K^\\top Q`` of ``softmax(A)``, whatever K
and Q are made of."""

from __future__ import annotations

from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, settled
from notes2code.meaning.ir import Expr, Idx, Index, Ref


def are_keys_first(run: Run, value: Value) -> bool:
    """Whether the first axis of a matrix of scores is that of keys, and the last that of queries,
    by the letters of what is multiplied."""
    first, last = map(find_index, value.axes)
    body = settled(value.body)
    match body:
        case Ref(array, (Idx(row), Idx(column))):
            made = next((one.array for one in run.defined.values() if one.name == array), None)
            if made is None or len(made.indices) != 2:
                return False
            turned = find_index(row) is last and find_index(column) is first
            first, last = map(find_index, made.indices[::-1] if turned else made.indices)
            body = settled(made.body)
    rows, columns = _letters(body, first), _letters(body, last)
    return "K" in rows - columns and "Q" in columns - rows


def _letters(body: Expr, axis: Index) -> set[str]:
    """The letters of the arrays that have an axis."""
    refs = [part for part in ir.walk(body) if isinstance(part, Ref)]
    return {
        names.base_letter(ref.array)
        for ref in refs
        if any(isinstance(at, Idx) and find_index(at.index) is axis for at in ref.at)
    }
