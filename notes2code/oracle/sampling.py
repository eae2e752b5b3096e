"""Random inputs for an equation, of sizes that go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import prod
from typing import Any, TypeAlias

import numpy as np

from notes2code.meaning import labels, shapes
from notes2code.meaning.ir import (
    INVERSE,
    OF_MATRICES,
    ONE,
    Add,
    Call,
    Equation,
    Expr,
    Idx,
    Lambda,
    Mul,
    Pow,
    Reduce,
    Ref,
    Size,
    add,
    negative,
    walk,
)
from notes2code.oracle.arrays import Array
from notes2code.oracle.extents import Extents, OracleError, axes, expressions, leaves

Free: TypeAlias = Size | str
"""A size to choose: a size that shapes fix, or the name of an input that is one."""

MAX_WORK = 60_000
"""A bound on the search for sizes: how many parts of axes are worked out."""
LARGEST = 16
LONGEST = 10_000
"""The elements that an axis made of several sizes may have."""
MOST = 1_000_000
"""The elements that an array may have, where a formula says how long its axes are."""


def sample(
    equation: Equation, seed: int, sizes: Mapping[str, int] | None = None, step: int = 1
) -> dict[str, Any]:
    """Random inputs, by name; the same for the same seed.

    Arrays are standard normal, numbers uniform between ½ and 2, functions smooth, labels places
    along the axis that they are of.
    Sizes are small and differ from each other where that is possible, so that a lost transpose
    shows; sizes such as h·d_v, d/2 or (d + 1)//2 come out whole. ``sizes`` fixes some of them by
    name, all others are multiples of ``step``. Raises ``OracleError`` where no sizes below 17 fit.
    """
    rng = np.random.default_rng(seed)
    known = _chosen_sizes(equation, dict(sizes or {}), step, rng)
    out: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    for expr in expressions(equation):
        if isinstance(expr, Call):  # of φ(Q) and φ(k_j), the one gives a matrix, the other its row
            ranks[expr.function] = max(ranks.get(expr.function, 0), len(expr.at))
    told, squares = labels.of(equation), {*squares_of(equation)}
    for number, wanted in enumerate(equation.inputs):
        if wanted.name in told:
            places, first = told[wanted.name]
            shape = [known.whole(axis) for axis in wanted.shape]
            each = first + np.arange(max(prod(shape), 2)) % known.of(places)
            drawn = rng.permutation(each)
            out[wanted.name] = drawn[: prod(shape)].reshape(shape) if shape else int(drawn[0])
        elif wanted.kind == "function":
            out[wanted.name] = _smooth(number + 1, ranks.get(wanted.name, 0))
        elif wanted.shape:
            shape = [known.whole(axis) for axis in wanted.shape]
            if prod(shape) > MOST:
                raise OracleError(f"{wanted.name} would have more than {MOST} elements")
            out[wanted.name] = rng.standard_normal(shape)
            if wanted.name in squares:
                out[wanted.name] = np.eye(shape[-1]) + out[wanted.name] / (2 * shape[-1])
        elif wanted.name in known.numbers:
            out[wanted.name] = known.numbers[wanted.name]
        else:
            out[wanted.name] = float(rng.uniform(0.5, 2))
    return out


def squares_of(equation: Equation) -> Iterator[str]:
    """The inputs that are inverted, or of which the determinant is taken: near to the identity
    they have an inverse, and a determinant with a logarithm."""
    for matrix in _matrices(equation, *OF_MATRICES):
        for part in walk(matrix.body):
            if isinstance(part, Ref) and part.at[-2:] == tuple(map(Idx, matrix.indices)):
                yield part.array


def _smooth(scale: int, rank: int) -> Callable[..., Array]:
    """A function whose value has as many axes as the note's has: element by element along the last
    axes of its first argument, the mean over the others; further arguments shift it."""

    def function(first: Array, *others: Array) -> Array:
        value = np.asarray(np.tanh(first) * scale)
        while value.ndim > rank:
            value = value.mean(axis=0)
        return np.asarray(value + sum(np.mean(np.sin(other)) for other in others))

    return function


def _chosen_sizes(
    equation: Equation, fixed: Mapping[str, int], step: int, rng: np.random.Generator
) -> Extents:
    """A choice of all sizes for which every axis has a whole number of elements."""
    every = list(dict.fromkeys((*axes(equation), *_parts(equation))))
    solved = {size.name for size in shapes.solve(equation.inputs)}
    scalars = {i.name for i in equation.inputs if not i.shape and i.kind != "function"} - solved
    free = list(dict.fromkeys(v for axis in every for v in _free(axis, scalars)))
    free += [i.name for i in equation.inputs if i.kind == "size" and i.name not in free]
    needs = [(axis, set(_free(axis, scalars))) for axis in every if not _is_plain(axis)]
    free.sort(key=lambda v: not any(v in variables for _, variables in needs))
    small = [step * int(n) for n in rng.permutation(np.arange(2, len(free) + 3))]
    candidates = small + [n for n in range(step, LARGEST + 1, step) if n not in small]
    weight = 1 + sum(1 for axis, _ in needs for _ in walk(axis))
    for distinct in (True, False):
        choices = _choices(free, candidates, needs, fixed, distinct)
        for choice in islice(choices, 1 + MAX_WORK // weight):
            if choice is not None:
                return choice
    wanted = ", ".join(shapes.text(axis) for axis, _ in needs)
    raise OracleError(f"no small sizes make these whole: {wanted}")


def _parts(equation: Equation) -> Iterator[Expr]:
    """The parts of sizes, such as the d/2 of x_{i+d/2}, that places are counted with."""
    for matrix in _matrices(equation, INVERSE):
        yield from _room_for_inverse(matrix)
    places = (place for e in expressions(equation) if isinstance(e, Ref) for place in e.at)
    for place in places:
        for term in place.terms if isinstance(place, Add) else ():
            if isinstance(term, Mul) and all(isinstance(f, Size | Pow) for f in term.factors):
                yield term


def _matrices(equation: Equation, *functions: str) -> Iterator[Lambda]:
    """The matrices that are given to some functions of matrices."""
    for expr in expressions(equation):
        if isinstance(expr, Call) and expr.function in functions:
            yield from expr.arguments


def _room_for_inverse(matrix: Lambda) -> Iterator[Expr]:
    """One more than the rows that X has more than columns in the inverse of ``X^⊤ X``, which with
    fewer has none."""
    for part in walk(matrix.body):
        if isinstance(part, Reduce) and part.kind == "sum":
            yield add(part.index.size, negative(matrix.indices[0].size), ONE)


def _choices(
    free: Sequence[Free],
    candidates: Sequence[int],
    needs: Sequence[tuple[Expr, set[Free]]],
    fixed: Mapping[str, int],
    distinct: bool,
) -> Iterator[Extents | None]:
    """All choices that fit, by backtracking; None for each number that is tried."""

    def extend(chosen: dict[Free, int]) -> Iterator[Extents | None]:
        if len(chosen) == len(free):
            yield _extents(chosen)
            return
        variable = free[len(chosen)]
        name = variable if isinstance(variable, str) else variable.name
        for number in [fixed[name]] if name in fixed else candidates:
            yield None
            taken = distinct and name not in fixed and number in chosen.values()
            longer = {**chosen, variable: number}
            if not taken and _fits(longer, variable, needs):
                yield from extend(longer)

    yield from extend({})


def _fits(chosen: dict[Free, int], last: Free, needs: Sequence[tuple[Expr, set[Free]]]) -> bool:
    """Whether the sizes that have just become known are whole, not empty and not too long."""
    known = _extents(chosen)
    ready = [axis for axis, variables in needs if last in variables and variables <= chosen.keys()]
    try:
        return all(0 < known.whole(axis) <= LONGEST for axis in ready)
    except OracleError:
        return False


def _extents(chosen: Mapping[Free, int]) -> Extents:
    numbers = {v: n for v, n in chosen.items() if isinstance(v, str)}
    return Extents({}, numbers, {v: n for v, n in chosen.items() if isinstance(v, Size)})


def _free(axis: Expr, scalars: set[str]) -> Iterator[Free]:
    """The sizes that an axis is computed from."""
    for leaf in leaves(axis):
        if isinstance(leaf, Ref):
            yield leaf.array
        else:
            yield leaf.name if leaf.name in scalars else leaf


def _is_plain(axis: Expr) -> bool:
    return isinstance(axis, Size) and axis.value is None
