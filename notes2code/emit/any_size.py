"""Formulas for arrays of any size, where the note counts something in figures: eight heads."""

from __future__ import annotations

from dataclasses import replace

from notes2code.components.inline import Resized
from notes2code.meaning import ir
from notes2code.meaning.ir import Definition, Equation, Expr, Num, Size


def of_any_size(equation: Equation) -> Equation:
    """The equation with a name for each number that is only the extent of an input's axis, such
    as the 8 of ``head_1, …, head_8``; one that it computes with, too, stays."""
    counts = {size for given in equation.inputs for size in given.shape if isinstance(size, Num)}
    arrays = (*(d.array for d in equation.definitions), equation.value)
    counts -= {part for array in arrays for part in ir.walk(array.body) if isinstance(part, Num)}
    if not counts:
        return equation
    freed = _Freed({count: Size("") for count in counts})
    return replace(
        equation,
        inputs=tuple(replace(i, shape=tuple(map(freed.extent, i.shape))) for i in equation.inputs),
        definitions=tuple(
            Definition(d.name, freed.array(d.array), d.written) for d in equation.definitions
        ),
        value=freed.array(equation.value),
    )


class _Freed(Resized):
    """Copies arrays with names for numbers in their extents."""

    def __init__(self, names: dict[Num, Size]) -> None:
        super().__init__({})
        self.names = names

    def extent(self, size: Expr) -> Expr:
        if isinstance(size, Num):
            return self.names.get(size, size)
        return self._size(size) if isinstance(size, Size) else ir.rebuild(size, self.extent)

    def _size(self, size: Size) -> Size:
        if size not in self.sizes and size.value is not None:
            value = self.extent(size.value)
            new = Size(size.name, size.rank, size.kind, value)
            self.sizes[size] = value if isinstance(value, Size) else new
        return self.sizes.get(size, size)
