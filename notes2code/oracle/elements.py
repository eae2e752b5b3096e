"""The value of an expression for every combination of the indices around it.

Every index in force has a level: the outermost is axis 0 of all arrays, the one bound last is
the last axis. A value has one axis for each level, of extent 1 where it does not depend on that
index (or no axes at all, where it depends on none), so NumPy's broadcasting does the rest.

Where only some elements are needed (a branch of cases, the range of a sum), the others may be
anything: positions outside an array are an error only where the element is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Equation, Expr, Idx, Index, Lambda, Ref, Size
from notes2code.oracle import helpers
from notes2code.oracle.arrays import (
    COMPARISONS,
    FUNCTIONS,
    OF_COMPLEX,
    Array,
    along_last,
    check_size,
    join,
    joined,
    ordered,
    positions,
    spread,
)
from notes2code.oracle.extents import Extents, OracleError, extents, single_numbers

MAX_LEVELS = 32
"""The number of axes that every NumPy of the last years allows."""

_OF_NOTHING = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
"""What an element that a condition leaves out counts as."""


@dataclass(frozen=True, slots=True)
class Place:
    """The indices in force and their levels; ``needed`` is where a value is asked for (None:
    everywhere)."""

    levels: Mapping[Index, int]
    depth: int
    needed: Array | None = None

    def inside(self, *indices: Index) -> Place:
        """The place below some more indices."""
        depth = self.depth + len(indices)
        if depth > MAX_LEVELS:
            raise OracleError(f"more than {MAX_LEVELS} indices inside each other")
        levels = {**self.levels, **{index: self.depth + k for k, index in enumerate(indices)}}
        needed = self.needed
        if needed is not None and needed.ndim:
            needed = needed.reshape(needed.shape + (1,) * len(indices))
        return Place(levels, depth, needed)

    def only(self, condition: Array) -> Place:
        """The same place where a condition holds."""
        both = condition if self.needed is None else join(np.logical_and, self.needed, condition)
        return replace(self, needed=both)


@dataclass(frozen=True, slots=True)
class Elements:
    """One equation at its inputs. All ``arrays`` have ``base`` axes in front, those of the
    indices around the call that is evaluated."""

    base: int
    arrays: dict[str, Array]
    callables: Mapping[str, Callable[..., Any]]
    functions: Mapping[str, Equation]
    extents: Extents

    # --- arrays ------------------------------------------------------------------------------

    def equation(self, equation: Equation, place: Place) -> Array:
        """The value of the equation, with the axes of the place in front."""
        for definition in equation.definitions:
            self.arrays[definition.name] = self.array(definition.array, place)
        return self.array(equation.value, place)

    def array(self, array: Lambda, place: Place) -> Array:
        """An array, with the axes of the place in front; its own axes have their full extent."""
        inner = place.inside(*array.indices)
        full = tuple(self.extents.of(index.size) for index in array.indices)
        value = self.value(array.body, inner)
        front = value.shape[: place.depth] if value.ndim else (1,) * place.depth
        return spread(value, front + full)

    # --- expressions -------------------------------------------------------------------------

    def value(self, expr: Expr, place: Place) -> Array:
        """The value of an expression at a place."""
        match expr:
            case ir.Num(number):
                return _number(number)
            case Idx(index):
                level = place.levels[index]
                return positions(self.extents.of(index.size), level, place.depth).astype(float)
            case Ref(name, at):
                return self._element(name, at, place)
            case Size():
                return _number(self.extents.of(expr))
            case ir.Add(terms):
                return self._joined(np.add, terms, place)
            case ir.Mul(factors):
                return self._product(factors, place)
            case ir.Pow(base, exponent):
                return self._power(base, exponent, place)
            case ir.Fn(name, arguments):
                return self._function(name, [self.value(a, place) for a in arguments])
            case ir.Reduce():
                return self._reduced(expr, place)
            case ir.Softmax():
                return self._softmax(expr, place)
            case ir.Cases(branches, otherwise):
                return self._cases(branches, otherwise, place)
            case ir.Compare() | ir.Logic():
                return self.condition(expr, place).astype(float)
            case Call():
                return self._call(expr, place)
            case ir.Concat():
                return self._concat(expr, place)
            case ir.Iterate():
                return self._iterated(expr, place)

    def condition(self, expr: Expr, place: Place) -> Array:
        """Where a condition holds."""
        match expr:
            case ir.Compare(op, left, right):
                values = (self.value(left, place), self.value(right, place))
                return join(COMPARISONS[op], *map(ordered, values))
            case ir.Logic("not", (argument,)):
                return np.logical_not(self.condition(argument, place))
            case ir.Logic(op, arguments):
                holds = np.asarray(op == "and")
                for part in arguments:
                    undecided = holds if op == "and" else np.logical_not(holds)
                    met = self.condition(part, place.only(undecided))
                    joining = np.logical_and if op == "and" else np.logical_or
                    holds = join(joining, holds, met)
                return holds
            case _:
                return np.not_equal(self.value(expr, place), 0)

    def _joined(self, op: Callable[..., Array], parts: Sequence[Expr], place: Place) -> Array:
        return joined(op, [self.value(part, place) for part in parts])

    def _product(self, factors: Sequence[Expr], place: Place) -> Array:
        """A product; its quotients are one division, so that 49·(1/49) is 1."""
        below = [f.base for f in factors if ir.is_inverse(f)]
        above = [f for f in factors if not ir.is_inverse(f)]
        top = self._joined(np.multiply, above or [ir.ONE], place)
        return join(np.divide, top, self._joined(np.multiply, below, place)) if below else top

    def _power(self, base: Expr, exponent: Expr, place: Place) -> Array:
        value = self.value(base, place)
        if exponent == ir.MINUS_ONE:
            return np.divide(1.0, value)
        if exponent == ir.HALF:
            return np.sqrt(value)
        return join(np.power, value, self.value(exponent, place))

    def _function(self, name: str, arguments: Sequence[Array]) -> Array:
        if name not in FUNCTIONS:
            raise OracleError(f"the function {name} is not known")
        if name not in OF_COMPLEX:
            arguments = [ordered(argument) for argument in arguments]
        check_size(*arguments)
        return FUNCTIONS[name](*arguments)

    def _cases(
        self, branches: Sequence[tuple[Expr, Expr]], otherwise: Expr | None, place: Place
    ) -> Array:
        """The first branch that holds; NaN where none does and nothing is said of the rest."""
        chosen: list[tuple[Array, Array]] = []
        for when, what in branches:
            holds = self.condition(when, place)
            chosen.append((holds, self.value(what, place.only(holds))))
            place = place.only(np.logical_not(holds))
        value = np.asarray(np.nan) if otherwise is None else self.value(otherwise, place)
        for holds, what_holds in reversed(chosen):
            check_size(holds, what_holds, value)
            value = np.where(holds, what_holds, value)
        return value

    # --- along one index ---------------------------------------------------------------------

    def _along(
        self, index: Index, body: Expr, where: Expr | None, fill: float, place: Place
    ) -> tuple[Array, Array | int]:
        """The body along an index, as the last axis, with ``fill`` where the condition does not
        hold; and how many elements it holds for."""
        extent = self.extents.of(index.size)
        inner = place.inside(index)
        if where is None:
            return along_last(self.value(body, inner), inner.depth, extent), extent
        holds = self.condition(where, inner)
        value = self.value(body, inner.only(holds))
        check_size(holds, value)
        kept = np.where(holds, value, fill)
        count = np.sum(along_last(holds, inner.depth, extent), axis=-1)
        return along_last(kept, inner.depth, extent), count

    def _reduced(self, node: ir.Reduce, place: Place) -> Array:
        fill = _OF_NOTHING[node.kind]
        values, count = self._along(node.index, node.body, node.where, fill, place)
        match node.kind:
            case "sum":
                return np.asarray(np.sum(values, axis=-1))
            case "mean":
                return np.asarray(np.divide(np.sum(values, axis=-1), count))
            case "prod":
                return np.asarray(np.prod(values, axis=-1))
            case "max":
                return np.asarray(np.max(ordered(values), axis=-1, initial=fill))
            case _:
                return np.asarray(np.min(ordered(values), axis=-1, initial=fill))

    def _softmax(self, node: ir.Softmax, place: Place) -> Array:
        scores, _ = self._along(node.index, node.body, node.where, -np.inf, place)
        weights = helpers.softmax(ordered(scores))
        return self._gathered("a softmax", weights, place.depth, (node.at,), place)

    def _concat(self, node: ir.Concat, place: Place) -> Array:
        parts = [self.array(part, place) for part in node.parts]
        front = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        wide = [spread(part, front + part.shape[-1:]) for part in parts]
        whole = np.concatenate(wide, axis=-1)
        return self._gathered("a concatenation", whole, place.depth, (node.at,), place)

    def _iterated(self, node: ir.Iterate, place: Place) -> Array:
        """The state after all steps, one after another."""
        outside = Place({}, self.base)
        state = self.array(node.initial, outside)
        for number in range(self.extents.of(node.index.size)):
            inner = replace(self, arrays={**self.arrays, node.state: state})
            body = ir.substitute(node.step.body, {node.index: ir.Num(number)})
            state = inner.array(Lambda(node.step.indices, body), outside)
        return self._gathered(node.state, state, self.base, node.at, place)

    # --- elements of arrays ------------------------------------------------------------------

    def _element(self, name: str, at: Sequence[Expr], place: Place) -> Array:
        if name not in self.arrays:
            raise OracleError(f"{name} is neither an input nor a definition of the equation")
        return self._gathered(name, self.arrays[name], self.base, at, place)

    def _gathered(
        self, name: str, array: Array, front: int, at: Sequence[Expr], place: Place
    ) -> Array:
        """The elements of an array at positions; its first ``front`` axes are those of levels."""
        if array.ndim - front != len(at):
            raise OracleError(
                f"{name} has {array.ndim - front} axes and is used with {len(at)} indices"
            )
        places = [
            positions(extent, level, place.depth) if extent > 1 else np.asarray(0)
            for level, extent in enumerate(array.shape[:front])
        ]
        for expr, extent in zip(at, array.shape[front:], strict=True):
            found = self._position(name, expr, extent, place)
            if found is None:
                return np.asarray(np.nan)
            places.append(found)
        check_size(*places)
        return np.asarray(array[tuple(places)])

    def _position(self, name: str, expr: Expr, extent: int, place: Place) -> Array | None:
        """Whole positions along an axis; None where the axis is empty and none is needed."""
        if isinstance(expr, Idx) and 0 < self.extents.of(expr.index.size) <= extent:
            return positions(
                self.extents.of(expr.index.size), place.levels[expr.index], place.depth
            )
        exact = ordered(self.value(expr, place))
        wrong = ~((exact >= 0) & (exact < extent) & (exact == np.rint(exact)))
        missing = wrong if place.needed is None else join(np.logical_and, wrong, place.needed)
        if np.any(missing):
            bad = np.broadcast_to(exact, missing.shape)[missing][0]
            raise OracleError(f"{name} has no element at {bad:g}: its axis has {extent}")
        return np.where(wrong, 0, exact).astype(int) if extent else None

    # --- calls -------------------------------------------------------------------------------

    def _call(self, node: Call, place: Place) -> Array:
        if node.function in ir.OF_MATRICES:
            result = self._of_matrix(node, place)
        elif node.function in self.functions:
            result = self._of_equation(self.functions[node.function], node, place)
        elif node.function in self.callables:
            result = self._of_callable(self.callables[node.function], node, place)
        else:
            raise OracleError(f"{node.function} is neither a function nor an input")
        return self._gathered(node.function, result, place.depth, node.at, place)

    def _of_matrix(self, node: Call, place: Place) -> Array:
        """The inverse or the determinant of all matrices at once."""
        (matrix,) = (self.array(argument, place) for argument in node.arguments)
        try:
            inverse, determinant = np.linalg.inv, np.linalg.det
            return np.asarray((inverse if node.function == ir.INVERSE else determinant)(matrix))
        except np.linalg.LinAlgError:
            raise OracleError("a matrix that is inverted is singular") from None

    def _of_equation(self, callee: Equation, node: Call, place: Place) -> Array:
        """The callee at all combinations of the indices around the call at once."""
        arrays: dict[str, Array] = {}
        callables: dict[str, Callable[..., Any]] = {}
        for parameter, argument in zip(callee.inputs, node.arguments, strict=True):
            if parameter.kind == "function":
                callables[parameter.name] = self._function_argument(argument)
                continue
            arrays[parameter.name] = self.array(argument, place)
        numbers = single_numbers(callee.inputs, arrays)
        shapes = {name: array.shape[place.depth :] for name, array in arrays.items()}
        known = extents(callee.inputs, shapes, numbers)
        inner = Elements(place.depth, arrays, callables, callee.functions, known)
        return inner.equation(callee, Place({}, place.depth, place.needed))

    def _function_argument(self, argument: Lambda) -> Callable[..., Any]:
        name = argument.body.array if isinstance(argument.body, Ref) else ""
        if name not in self.callables:
            raise OracleError(f"{name or 'an expression'} is no function that can be passed on")
        return self.callables[name]

    def _of_callable(self, function: Callable[..., Any], node: Call, place: Place) -> Array:
        """A Python function, called once for every combination of the indices around it."""
        arguments = [self.array(argument, place) for argument in node.arguments]
        fronts = [argument.shape[: place.depth] for argument in arguments]
        front = np.broadcast_shapes((1,) * place.depth, *fronts)
        wide = [spread(a, front + a.shape[place.depth :]) for a in arguments]
        results = [np.asarray(function(*(a[at] for a in wide))) for at in np.ndindex(front)]
        shapes = {result.shape for result in results}
        if any(len(shape) != len(node.at) for shape in shapes) or len(shapes) > 1:
            raise OracleError(
                f"{node.function} gave {' and '.join(map(str, sorted(shapes)))}, "
                f"not always an array of one shape and {len(node.at)} axes"
            )
        inner = shapes.pop() if shapes else (0,) * len(node.at)
        return np.reshape(np.asarray(results), front + inner)


def _number(exact: complex | Fraction) -> Array:
    try:
        return np.asarray(exact if isinstance(exact, complex) else float(exact))
    except OverflowError:
        raise OracleError("a number is too large to compute with") from None
