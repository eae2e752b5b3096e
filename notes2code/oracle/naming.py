"""Names in emitted source: the note's own where they are free, and telling ones for the rest."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable
from dataclasses import dataclass, field

from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import Equation, Expr, Index, Ref, Size
from notes2code.names import snake
from notes2code.oracle import helpers
from notes2code.oracle.extents import axes, leaves

HELPERS = tuple(
    name
    for name, value in vars(helpers).items()
    if getattr(value, "__module__", "") == helpers.__name__
)
"""The names of the helper functions, each before those that use it."""

RESERVED = frozenset(["np", "math", "l", *keyword.kwlist, *dir(builtins), *HELPERS])
"""Names that mean something else, or that are mistaken for a number, as ``l`` is."""

_LETTERS = "ijkmnrstuvwxyzabcdefghpq"
_LONGEST = 24


@dataclass(slots=True)
class Names:
    """The names of one function. ``sizes`` and ``indices`` are filled as they are asked for."""

    taken: set[str]
    arrays: dict[str, str] = field(default_factory=dict)
    sizes: dict[Size, str] = field(default_factory=dict)
    indices: dict[Index, str] = field(default_factory=dict)

    def fresh(self, wanted: str) -> str:
        """A name that nothing else has, the one that is wanted if possible."""
        name, number = wanted, 1
        if name in RESERVED:
            name = wanted = f"{wanted}_"
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name

    def index(self, index: Index) -> str:
        """The name of an index."""
        if index not in self.indices:
            wanted = (index.name, *_LETTERS)
            free = (n for n in wanted if n.isidentifier() and n not in self.taken | RESERVED)
            self.indices[index] = self.fresh(next(free, "i"))
        return self.indices[index]


def names_for(equation: Equation, functions: Iterable[str]) -> Names:
    """The names of an equation's inputs, sizes and definitions, all of them as they are where no
    other thing has that name."""
    names = Names(set(functions))
    for wanted in equation.inputs:
        names.arrays[wanted.name] = names.fresh(wanted.name)
    scalars = {i.name for i in equation.inputs if not i.shape}
    solved = shapes.solve(equation.inputs)
    for size in (leaf for axis in axes(equation) for leaf in leaves(axis)):
        if isinstance(size, Ref):
            continue
        if size.name in scalars and size not in solved:
            names.sizes[size] = names.arrays[size.name]
        elif size not in names.sizes:
            names.sizes[size] = names.fresh(size.name if size.name.isidentifier() else "n")
    for definition in equation.definitions:
        names.arrays[definition.name] = names.fresh(definition.name)
    return names


def described(expr: Expr) -> str:
    """A name for the array of an expression: what a product multiplies, what a sum adds."""
    match expr:
        case ir.Call(ir.INVERSE):
            return "inverse"
        case ir.Call(ir.DETERMINANT):
            return "determinant"
        case ir.Call(function):
            return f"{snake(function)}_out"
        case ir.Concat():
            return "joined"
        case ir.Cases(branches):
            return "matrix" if isinstance(branches[0][1], ir.Cases) else "vector"
        case ir.Reduce("mean", _, ir.Pow(ir.Add(), ir.Num(2))):
            return "variance"
        case ir.Reduce("sum", _, ir.Pow(Ref(array), ir.Num(2))):
            return f"{array}_squared"
        case ir.Reduce("sum", _, ir.Mul() as product):
            return _together(product, "_") or "total"
        case ir.Reduce(kind):
            return {"sum": "total", "prod": "product", "max": "largest", "min": "smallest"}.get(
                kind, kind
            )
        case ir.Add(terms) if all(isinstance(term, Ref) for term in terms):
            return _together(expr, "_plus_") or "value"
        case _:
            return "value"


def _together(expr: Expr, joint: str) -> str:
    """The arrays in an expression by name, where there are few and they say enough."""
    arrays = [part.array for part in ir.walk(expr) if isinstance(part, Ref) and part.at]
    name = joint.join(arrays)
    return name if len(arrays) <= 3 and len(name) <= _LONGEST else ""
