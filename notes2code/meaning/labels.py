"""Labels: inputs that hold places along an axis: the y of ``p_{i,y_i}`` and of ``1[y_i = j]``."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.meaning.ir import Add, Compare, Equation, Expr, Idx, Num, Ref, Size, walk


def of(equation: Equation) -> dict[str, tuple[Size, int]]:
    """The inputs that are held against an index whether they are the same: how many places there
    are, and the number of the first."""
    given = {wanted.name for wanted in equation.inputs}
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    found = (known for array in arrays for known in _compared(array.body))
    return {name: places for name, places in found if name in given}


def _compared(body: Expr) -> Iterator[tuple[str, tuple[Size, int]]]:
    for part in walk(body):
        match part:
            case Compare("=" | "≠", Ref(name), place) | Compare("=" | "≠", place, Ref(name)):
                match place:
                    case Idx(index):
                        yield name, (index.size, 0)
                    case Add((Idx(index), Num(int() as first))):
                        yield name, (index.size, first)
