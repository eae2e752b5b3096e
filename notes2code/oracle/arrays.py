"""Arrays with one axis for each index in force, and the functions of their elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import prod
from typing import Any, TypeAlias

import numpy as np

from notes2code.oracle import helpers
from notes2code.oracle.extents import OracleError

MAX_ELEMENTS = 10**8
EFFORT = 20_000_000
"""The elements that a trial, on inputs of the tool's own, may work out in all: about half a second,
and 200 MB at most."""

LEAST = 200
"""What the smallest array counts as: making one takes that long."""

FEW = 512
"""The length up to which positions are kept to be used again."""

Array: TypeAlias = np.ndarray[Any, Any]

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sigmoid": helpers.sigmoid,
    "relu": helpers.relu,
    "gelu": helpers.gelu,
    "gelu_tanh": helpers.gelu_tanh,
    "erf": helpers.erf,
    "elu": helpers.elu,
    "silu": helpers.silu,
    "softplus": helpers.softplus,
    "sign": np.sign,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "min": lambda *values: reduce(np.minimum, values),
    "max": lambda *values: reduce(np.maximum, values),
    "clip": np.clip,
    "mod": np.mod,
    "floordiv": np.floor_divide,
    "normal_cdf": helpers.normal_cdf,
}
OF_COMPLEX = frozenset(["exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "abs"])
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "<": np.less,
    "≤": np.less_equal,
    ">": np.greater,
    "≥": np.greater_equal,
    "=": np.equal,
    "≠": np.not_equal,
}


@dataclass(slots=True)
class _Left:
    """How many elements may still be worked out."""

    elements: int


_left: ContextVar[_Left | None] = ContextVar("_left", default=None)


@contextmanager
def limited(elements: int) -> Iterator[None]:
    """Within this no more elements are worked out in all: one more is an ``OracleError``."""
    token = _left.set(_Left(elements))
    try:
        yield
    finally:
        _left.reset(token)


def _spend(size: int) -> None:
    """Count an array that is about to be made; refuse one that would not fit into memory."""
    if size > MAX_ELEMENTS:
        raise OracleError(
            f"an array of {size} elements would be needed, and {MAX_ELEMENTS} are the limit: "
            "take smaller sizes"
        )
    if (left := _left.get()) is not None:
        left.elements -= max(size, LEAST)
        if left.elements < 0:
            raise OracleError("its arrays, all together, take too long to evaluate")


def positions(extent: int, level: int, depth: int) -> Array:
    """0, 1, … along the axis of a level."""
    _spend(extent)
    return _few(extent, level, depth) if extent <= FEW else _counted(extent, level, depth)


def _counted(extent: int, level: int, depth: int) -> Array:
    shape = [1] * depth
    shape[level] = extent
    counted = np.arange(extent).reshape(shape)
    counted.flags.writeable = False
    return counted


_few = lru_cache(maxsize=4096)(_counted)


def spread(value: Array, shape: tuple[int, ...]) -> Array:
    """The value with its axes of extent 1 (or none at all) spread to a shape."""
    if value.shape == shape:
        return value
    _spend(prod(shape))
    return np.broadcast_to(value if value.ndim else value.reshape((1,) * len(shape)), shape)


def along_last(value: Array, depth: int, extent: int) -> Array:
    """The value with its last axis spread to its full extent."""
    front = value.shape[:-1] if value.ndim else (1,) * (depth - 1)
    return spread(value, (*front, extent))


def join(op: Callable[[Array, Array], Array], left: Array, right: Array) -> Array:
    check_size(left, right)
    return op(left, right)


def joined(op: Callable[..., Array], values: Sequence[Array]) -> Array:
    return reduce(lambda left, right: join(op, left, right), values)


def check_size(*values: Array) -> None:
    """Refuse to make an array that would not fit into memory, or would take too long."""
    if values:
        _spend(np.broadcast(*values).size)


def ordered(value: Array) -> Array:
    """The value, if it is real."""
    if np.iscomplexobj(value):
        raise OracleError("a complex number stands where only a real one has a meaning")
    return value
