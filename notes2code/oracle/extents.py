"""Sizes as whole numbers: found from the shapes of the inputs, and checked against all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from notes2code.meaning import ir, shapes
from notes2code.meaning.ir import Equation, Expr, Input, Num, Ref, Size

MAX_POWER = 64
"""The largest exponent in a size: more would be a number to fill memory with, not an extent."""


class OracleError(ValueError):
    """An equation has no value at these inputs; the message says why."""


@dataclass(frozen=True, slots=True)
class Extents:
    """What is known of sizes: the shapes of the array inputs, the inputs that are single numbers,
    and the sizes found so far."""

    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, int | float]
    known: dict[Size, int]

    def of(self, size: Size) -> int:
        """A size as a number; raises ``OracleError`` where nothing fixes it."""
        if size not in self.known:
            self.known[size] = self.whole(size)
        return self.known[size]

    def whole(self, expr: Expr) -> int:
        """An expression of sizes as a whole number, 0 or more; raises ``OracleError``."""
        try:
            value = self._exact(expr)
        except ZeroDivisionError:
            raise OracleError(f"the size {shapes.text(expr)} divides by 0") from None
        if value.denominator != 1 or value < 0:
            raise OracleError(f"the size {shapes.text(expr)} is {value}, not a whole number")
        return int(value)

    def _exact(self, expr: Expr) -> Fraction:
        match expr:
            case Num(int() | float() | Fraction() as value):
                return Fraction(value)
            case Size(value=inner) if inner is not None:
                return self._exact(inner)
            case Size() if expr in self.known:
                return Fraction(self.known[expr])
            case Size(name) | Ref(name, ()) if name in self.numbers:
                return Fraction(self.numbers[name])
            case Size(name) | Ref(name, ()):
                raise OracleError(f"the size {name} does not follow from the inputs")
            case ir.Add(terms):
                return sum((self._exact(term) for term in terms), Fraction(0))
            case ir.Mul(factors):
                product = Fraction(1)
                for factor in factors:
                    product *= self._exact(factor)
                return product
            case ir.Pow(base, exponent):
                power = self._exact(exponent)
                if abs(power) > MAX_POWER or power.denominator != 1:
                    raise OracleError(f"the size {shapes.text(expr)} cannot be computed")
                return self._exact(base) ** int(power)
            case ir.Fn("extent", (Ref(array), Num(int() as axis))):
                return Fraction(self.shapes[array][axis])
            case ir.Fn(name, arguments) if name in _FUNCTIONS:
                return Fraction(_FUNCTIONS[name](*map(self._exact, arguments)))
        raise OracleError(f"a size cannot be computed from {shapes.text(expr)}")


_FUNCTIONS: dict[str, Callable[..., int | Fraction]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "floor": floor,
    "ceil": ceil,
    "min": min,
    "max": max,
    "clip": lambda x, low, high: min(max(x, low), high),
    "abs": abs,
}


def extents(
    inputs: Sequence[Input],
    given: Mapping[str, tuple[int, ...]],
    numbers: Mapping[str, int | float],
) -> Extents:
    """The sizes of an equation, from the shapes ``given`` for its array inputs and the ``numbers``
    given for the others. Raises ``OracleError`` where shapes disagree."""
    found = Extents(given, numbers, {})
    solved = shapes.solve(inputs)
    for size, expr in solved.items():
        found.known[size] = found.whole(expr)
    for array in inputs:
        for axis, extent in enumerate(array.shape):
            if found.whole(extent) != given[array.name][axis]:
                raise _disagreement(array, axis, found, solved)
    return found


def single_numbers(
    inputs: Sequence[Input], values: Mapping[str, np.ndarray[Any, Any]]
) -> dict[str, int | float]:
    """The inputs that are one finite real number: those that a size can be computed from."""
    numbers: dict[str, int | float] = {}
    for wanted in inputs:
        value = values.get(wanted.name)
        if value is None or wanted.shape or not value.size or np.iscomplexobj(value):
            continue
        if np.all(value == value.flat[0]) and np.isfinite(value.flat[0]):
            numbers[wanted.name] = float(value.flat[0])
    return numbers


def _disagreement(
    array: Input, axis: int, found: Extents, solved: Mapping[Size, Expr]
) -> OracleError:
    size = array.shape[axis]
    message = (
        f"{array.name} has shape {found.shapes[array.name]}, but its axis {axis} must be "
        f"{shapes.text(size)} = {found.whole(size)}"
    )
    reasons: list[str] = []
    for name in sorted(_sources(size, solved)):
        if name in found.numbers:
            reasons.append(f"{name} is {found.numbers[name]:g}")
        elif name != array.name:
            reasons.append(f"{name} has shape {found.shapes[name]}")
    return OracleError(message + (f", as {' and '.join(reasons)}" if reasons else ""))


def _sources(size: Expr, solved: Mapping[Size, Expr]) -> set[str]:
    """The inputs that fix a size."""
    names: set[str] = set()
    for leaf in leaves(size):
        expr = solved.get(leaf, Ref(leaf.name)) if isinstance(leaf, Size) else leaf
        names |= {inner.array for inner in ir.walk(expr) if isinstance(inner, Ref)}
    return names


# --- the sizes of an equation ------------------------------------------------------------------


def expressions(equation: Equation) -> Iterator[Expr]:
    """All expressions in the definitions and in the value of an equation."""
    for array in (*(d.array for d in equation.definitions), equation.value):
        yield from ir.walk(array.body)


def axes(equation: Equation) -> Iterator[Expr]:
    """The sizes of all inputs' axes and of all indices, and those that values name."""
    for wanted in equation.inputs:
        yield from wanted.shape
    for array in (*(d.array for d in equation.definitions), equation.value):
        yield from (index.size for index in array.indices)
    for expr in expressions(equation):
        yield from (index.size for index in ir.bound_indices(expr))
        if isinstance(expr, Size):
            yield expr


def leaves(size: Expr) -> Iterator[Size | Ref]:
    """The sizes and the numbers that a size is computed from."""
    for part in ir.walk(size):
        if isinstance(part, Size) and part.value is not None:
            yield from leaves(part.value)
        elif isinstance(part, Size | Ref):
            yield part
