"""Formulas that go the wrong way: a bias for far keys, the logarithm of the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

from notes2code.components.library import plain
from notes2code.components.normal import normal_form
from notes2code.components.renewed import TooLong
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Mul,
    Num,
    Pow,
    Ref,
    Size,
    Softmax,
)

_QUERY = 5
"""A position whose keys before it, from 0, tell which way a bias goes."""
_SIZE = 8.0
_LARGE = 100
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "min": min,
    "max": max,
    "log": math.log,
    "exp": math.exp,
}


def wrong_way(equation: Equation) -> str:
    """What goes the wrong way in an equation, in words; "" if nothing does."""
    if not _may_go_wrong(equation):
        return ""
    try:
        array = normal_form(equation)
    except (TooLong, RecursionError):
        return ""
    parts = ir.walk(array.body)
    biases = [(t, p.index) for p in parts if isinstance(p, Softmax) for t in ir.terms(p.body)]
    if plain(equation.name) == "alibi" and len(array.indices) > 1:
        biases.append((array.body, array.indices[-1]))
    if plain(equation.name) in ("theta", "omega") and array.indices and _rises(array):
        return "the frequencies rise from the first to the last: usually they fall"
    if any(_falls(term, key) for term, key in biases):
        return "the bias grows with the distance: it favours the keys that are far from the query"
    for part in parts:
        for truth, guess in _labels(part):
            return f"the logarithm is taken of `{truth}` and not of what is predicted, `{guess}`"
    return ""


def _may_go_wrong(equation: Equation) -> bool:
    """Whether an equation counts with positions, or takes logarithms: the others need no look."""
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    parts = [part for array in arrays for part in ir.walk(array.body)]
    return any(
        (isinstance(part, Fn) and part.name == "log")
        or (isinstance(part, Add | Mul | Fn) and any(isinstance(x, Idx) for x in ir.children(part)))
        for part in parts
    )


# --- distances -----------------------------------------------------------------------------------


def _falls(term: Expr, key: Index) -> bool:
    """Whether a term made of positions falls from the first key to the query's own, where all
    numbers in it are positive."""
    if key not in ir.free_indices(term):
        return False
    values = [_number(term, key, at) for at in range(_QUERY + 1)]
    known = [value for value in values if value is not None]
    return len(known) == len(values) and all(after < before for before, after in pairwise(known))


def _rises(array: ir.Lambda) -> bool:
    """Whether an array is a large number to powers that rise with its index."""
    match array.body:
        case Pow(Num(base), exponent) if base >= _LARGE:
            first, second = (_number(exponent, array.indices[-1], at) for at in (0, 1))
            return first is not None and second is not None and second > first
    return False


def _number(expr: Expr, key: Index, at: int) -> float | None:
    """The value of an expression of positions and numbers; None of others."""
    match expr:
        case Num(value):
            return float(value)
        case Size():
            return _SIZE
        case Idx(index):
            return float(at if index is key else _QUERY)
        case Ref(_, places):
            return None if any(key in ir.free_indices(place) for place in places) else 1.0
    inside = [_number(child, key, at) for child in ir.children(expr)]
    numbers = [number for number in inside if number is not None]
    if len(numbers) < len(inside):
        return None
    match expr:
        case Add():
            return sum(numbers)
        case Mul():
            return math.prod(numbers)
        case Pow() if numbers[0] > 0:
            return float(numbers[0] ** numbers[1])
        case Fn(name) if name in _FUNCTIONS and (name != "log" or numbers[0] > 0):
            return _FUNCTIONS[name](*numbers)
    return None


# --- labels --------------------------------------------------------------------------------------


def _labels(part: Expr) -> Iterator[tuple[str, str]]:
    """``ŷ log y``: the names of the truth and of the prediction, where they change places."""
    factors = part.factors if isinstance(part, Mul) else ()
    if isinstance(part, ir.Reduce):
        factors = part.body.factors if isinstance(part.body, Mul) else ()
    names = {factor.array for factor in factors if isinstance(factor, Ref)}
    for factor in factors:
        match factor:
            case Fn("log", (Ref(truth, _),)) if f"{truth}_hat" in names:
                yield truth, f"{truth}_hat"
