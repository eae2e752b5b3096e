"""Arrays with one axis for each index in force, and the functions of their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from math import prod
from typing import Any, TypeAlias

import numpy as np

from notes2code.oracle import helpers
from notes2code.oracle.extents import OracleError

MAX_ELEMENTS = 10**8
FEW = 512
"""The length up to which positions are kept to be used again."""

Array: TypeAlias = np.ndarray[Any, Any]

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sigmoid": helpers.sigmoid,
    "relu": helpers.relu,
    "gelu": helpers.gelu,
    "erf": helpers.erf,
    "elu": helpers.elu,
    "silu": helpers.silu,
    "softplus": helpers.softplus,
    "sign": np.sign,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
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


def positions(extent: int, level: int, depth: int) -> Array:
    """0, 1, … along the axis of a level."""
    if extent > MAX_ELEMENTS:
        raise _too_large(extent)
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
    if prod(shape) > MAX_ELEMENTS:
        raise _too_large(prod(shape))
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
    """Refuse to make an array that would not fit into memory."""
    if values and np.broadcast(*values).size > MAX_ELEMENTS:
        raise _too_large(np.broadcast(*values).size)


def _too_large(size: int) -> OracleError:
    return OracleError(
        f"an array of {size} elements would be needed, and {MAX_ELEMENTS} are the limit: "
        "take smaller sizes"
    )


def ordered(value: Array) -> Array:
    """The value, if it is real."""
    if np.iscomplexobj(value):
        raise OracleError("a complex number stands where only a real one has a meaning")
    return value
