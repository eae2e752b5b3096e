"""Proofs on numbers: what equations compute is compared on sampled inputs, once for ever."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from notes2code import oracle
from notes2code.cache import Remembered
from notes2code.components.keys import key
from notes2code.components.normal import normal_form
from notes2code.components.renewed import TooLong
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Index
from notes2code.oracle import Array, OracleError, sample, tried

TOLERANCE = 1e-9
"""Relative difference of two values up to which they count as the same."""

_KNOWN = Remembered("proofs", 20_000)


def agree(left: Equation, right: Equation) -> bool:
    """Whether two equations of the same inputs give the same numbers, on inputs of several
    shapes."""
    return _proved("agree", (left, right), lambda: _agree(left, right))


def _agree(left: Equation, right: Equation) -> bool:
    for seed in range(2):
        try:
            inputs, theirs = valued(right, seed)
            mine = tried(left, inputs)
        except OracleError:
            return False
        if not np.allclose(mine, theirs, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            return False
    return True


def valued(equation: Equation, seed: int) -> tuple[dict[str, Any], Array]:
    """Random inputs for an equation, and its value; of even sizes where it is of pairs. Raises
    ``OracleError`` where it has none."""
    try:
        inputs = sample(equation, seed)
        return inputs, tried(equation, inputs)
    except OracleError:
        inputs = sample(equation, seed, step=2)
        return inputs, tried(equation, inputs)


def same_value(left: Equation, right: Equation) -> bool:
    """Whether two equations have the same value; parameters go by their places, other inputs by
    their names."""
    return _proved("same value", (left, right), lambda: _same_value(left, right))


def _same_value(left: Equation, right: Equation) -> bool:
    own = dict(zip(right.parameters, left.parameters, strict=False))
    if {i.name for i in left.inputs} != {own.get(i.name, i.name) for i in right.inputs}:
        try:
            return key(normal_form(left).body) == key(normal_form(right).body)
        except TooLong:
            return False
    try:
        inputs, mine = valued(left, 0)
        renamed = {given.name: inputs[own.get(given.name, given.name)] for given in right.inputs}
        theirs = tried(right, renamed)
    except (OracleError, TypeError):
        return False
    return mine.shape == theirs.shape and bool(np.allclose(mine, theirs, rtol=TOLERANCE))


def sees_later(equation: Equation, rows: Index, array: str, axis: int) -> bool:
    """Whether a position along an axis of an array changes the rows before it."""
    question = (equation, rows, array, axis)
    return _proved("sees later", question, lambda: _sees_later(*question))


def _sees_later(equation: Equation, rows: Index, array: str, axis: int) -> bool:
    try:
        inputs, before = valued(equation, 0)
        np.moveaxis(inputs[array], axis, 0)[-1] *= -1
        after = tried(equation, inputs)
    except OracleError:
        return False
    place = equation.value.indices.index(rows)
    one, other = (np.moveaxis(value, place, 0)[:-1] for value in (before, after))
    return not np.array_equal(one, other, equal_nan=True)  # however little


def _proved(question: str, about: object, answer: Callable[[], bool]) -> bool:
    """The answer to a question about equations. It depends on their content and on the code that
    computes, so it is remembered by these."""
    content = hashlib.sha256(_code() + question.encode() + pickle.dumps(about)).hexdigest()
    known = _KNOWN.recall(content)
    if known is None:
        known = int(answer())
        _KNOWN.remember(content, known)
    return bool(known)


@cache
def _code() -> bytes:
    """A digest of the code that answers depend on."""
    packages = [Path(initial).parent for initial in (ir.__file__, oracle.__file__)]
    places = [Path(__file__), *(place for own in packages for place in sorted(own.glob("*.py")))]
    return hashlib.sha256(b"".join(place.read_bytes() for place in places)).digest()
