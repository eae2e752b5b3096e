"""The value of a typed equation at given inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any

import numpy as np

from notes2code.meaning import shapes
from notes2code.meaning.ir import Call, Equation, Expr, Input, Iterate, children
from notes2code.oracle.arrays import EFFORT, Array, limited
from notes2code.oracle.elements import Elements, Place
from notes2code.oracle.extents import OracleError, extents, single_numbers

MAX_WORK = 20_000
"""The parts that may be evaluated, those of a function once for each call of it."""

STEPS = 16
"""The steps of a recursion that are reckoned with."""


def tried(equation: Equation, inputs: Mapping[str, Any], strictly: bool = False) -> Array:
    """As ``evaluate``, on inputs of the tool's own: what a note says must not take long. Raises
    ``OracleError`` where it would."""
    with limited(EFFORT):
        return evaluate(equation, inputs, strictly)


def evaluate(equation: Equation, inputs: Mapping[str, Any], strictly: bool = False) -> Array:
    """The value of an equation in float64, or complex128 where a number or an input is complex.

    ``inputs`` holds, by name, an array of exactly the input's rank, a whole number for a size and
    a Python function of arrays for a function. A number (an input without axes) may be an array
    too; numbers then broadcast against each other, and their common shape stands in front of the
    shape of the value: an activation function of a number gives an array of its argument's shape.

    What IEEE arithmetic gives is the value: NaN for 0/0, infinities for overflow. A sum, maximum
    or softmax where nothing satisfies its condition is 0, −inf or zeros; a mean, and cases of
    which none applies, are NaN.

    Raises ``TypeError`` for missing, surplus or unusable inputs, and ``OracleError`` where shapes
    disagree, an element outside an array is needed, an array would be too large, or calls inside
    calls would take too long; ``strictly``, a ``FloatingPointError`` where a number is divided by
    zero, also where that is a number again: the exponential of −1/0.
    """
    if _work(equation, {}) > MAX_WORK:
        raise OracleError("its calls inside calls take too long to evaluate")
    _check_names(equation, inputs)
    callables: dict[str, Callable[..., Any]] = {}
    values: dict[str, Array] = {}
    for wanted in equation.inputs:
        if wanted.kind == "function":
            callables[wanted.name] = _function(wanted, inputs[wanted.name])
        else:
            values[wanted.name] = _array(wanted, inputs[wanted.name])
    front = _front({i.name: values[i.name] for i in equation.inputs if _is_number(i)})
    numbers = single_numbers(equation.inputs, values)
    known = extents(equation.inputs, {name: a.shape for name, a in values.items()}, numbers)
    for wanted in equation.inputs:
        if wanted.name in values:
            values[wanted.name] = _behind(values[wanted.name], front, len(wanted.shape))
    with np.errstate(all="ignore", divide="raise" if strictly else "ignore"):
        elements = Elements(len(front), values, callables, equation.functions, known)
        try:
            value = elements.equation(equation, Place({}, len(front)))
        except RecursionError:
            raise OracleError("the equation is nested too deeply") from None
    return np.array(np.broadcast_to(value, front + value.shape[len(front) :]))


def _work(equation: Equation, known: dict[int, int]) -> int:
    """The number of parts that are evaluated; ``known`` are those of functions."""

    def work(expr: Expr) -> int:
        parts = 1 + sum(map(work, children(expr)))
        if isinstance(expr, Call) and expr.function in equation.functions:
            parts += _work(equation.functions[expr.function], known)
        return parts * STEPS if isinstance(expr, Iterate) else parts

    if id(equation) not in known:
        bodies = [equation.value.body, *(one.array.body for one in equation.definitions)]
        known[id(equation)] = sum(map(work, bodies))
    return known[id(equation)]


def _check_names(equation: Equation, inputs: Mapping[str, Any]) -> None:
    names = [wanted.name for wanted in equation.inputs]
    missing = [name for name in names if name not in inputs]
    if missing:
        raise TypeError(f"missing inputs: {', '.join(missing)}")
    surplus = [name for name in inputs if name not in names]
    if surplus:
        raise TypeError(f"no inputs of this equation: {', '.join(surplus)}")


def _function(wanted: Input, given: Any) -> Callable[..., Any]:
    if not callable(given):
        raise TypeError(f"{wanted.name} must be a function, not {type(given).__name__}")
    return given  # type: ignore[no-any-return]


def _array(wanted: Input, given: Any) -> Array:
    """An input as an array of float64 or complex128; a size as a whole number."""
    if wanted.kind == "size":
        try:
            return np.asarray(index(given), dtype=float)
        except TypeError:
            raise TypeError(f"{wanted.name} must be a whole number, not {given!r}") from None
    array = np.asarray(given)
    if array.dtype.kind not in "buifc":
        raise TypeError(f"{wanted.name} must hold numbers, not {array.dtype}")
    if wanted.shape and array.ndim != len(wanted.shape):
        expected = ", ".join(map(shapes.text, wanted.shape))
        raise OracleError(f"{wanted.name} has shape {array.shape}, but must be ({expected})")
    return array.astype(complex if array.dtype.kind == "c" else float, copy=False)


def _is_number(wanted: Input) -> bool:
    return not wanted.shape and wanted.kind == "array"


def _front(numbers: Mapping[str, Array]) -> tuple[int, ...]:
    """The common shape of the inputs that are numbers."""
    try:
        return np.broadcast_shapes(*(array.shape for array in numbers.values()))
    except ValueError:
        given = ", ".join(f"{name} {array.shape}" for name, array in numbers.items())
        raise OracleError(f"the shapes of numbers do not go together: {given}") from None


def _behind(array: Array, front: tuple[int, ...], rank: int) -> Array:
    """An input with the axes of ``front`` before its own ``rank`` axes."""
    return array.reshape((1,) * (len(front) + rank - array.ndim) + array.shape)
