"""How tests call the NumPy function of a formula: arrays in the note's own layout."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.components.pattern import Match
from notes2code.components.recognise import Recognised
from notes2code.meaning import ir
from notes2code.meaning.ir import Idx, Index, Ref


def arranged(text: str, axes: Sequence[int]) -> str:
    """An array with its axes in another order; −1 stands for a new axis of length one."""
    own = [axis for axis in axes if axis >= 0]
    if own == [1, 0]:
        text = f"{text}.T"
    elif own != sorted(own):
        text = f"{text}.transpose({own})"
    if len(own) == len(axes):
        return text
    places = ["None" if axis < 0 else ":" for axis in axes]
    while places[-1] == ":":
        places.pop()
    return f"{text}[{', '.join(places)}]"


def axes_of(found: Match, role: str) -> tuple[int, ...]:
    """Which axis of a role, or of a setting that is an input, each axis of its array is; −1 for
    one that the component does not have."""
    if role in found.roles:
        return found.roles[role].axes
    value = found.settings[role]
    at = value.body.at if isinstance(value.body, Ref) else ()
    places = [place.index if isinstance(place, Idx) else None for place in at]
    return tuple(value.indices.index(p) if p in value.indices else -1 for p in places)


def over_rows(recognised: Recognised, function: str, role: str, rows: str, rest: str) -> str:
    """A call of the formula's function for all rows of a matrix: at once where the note has a
    matrix there, by rows or by columns, and one by one where it has a vector."""
    bound = recognised.found.roles[role]
    row = _row(recognised, role)
    rest = rest and f", {rest}"
    if row is None:
        one = arranged("row", bound.axes)
        return f"np.stack([{function}({bound.array}={one}{rest}) for row in {rows}])"
    outer = iter(bound.outer)
    axes = [a + 1 if a >= 0 else -1 + (next(outer) == Idx(row)) for a in bound.axes]
    own = set(recognised.found.indices.values())
    order = [i for i in recognised.equation.value.indices if i is row or i in own]
    call = f"{function}({bound.array}={arranged(rows, axes)}{rest})"
    return f"{call}.T" if order and order[-1] is row and len(order) > 1 else call


def _row(recognised: Recognised, role: str) -> Index | None:
    """The index that counts the rows of what stands in a role: one of its further indices that
    nothing else has."""
    found = recognised.found
    others = [place for name, r in found.roles.items() if name != role for place in r.outer]
    others += [value.body for value in found.settings.values()]
    taken = {index for expr in others for index in ir.free_indices(expr)}
    mine = [p.index for p in found.roles[role].outer if isinstance(p, Idx)]
    return next((index for index in reversed(mine) if index not in taken), None)
