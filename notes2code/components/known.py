"""Functions that everybody knows by name, and definitions that make something else of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from notes2code.components.library import Library, plain
from notes2code.meaning import ir, type_formula
from notes2code.meaning.ir import Equation, Fn
from notes2code.meaning.names import base_letter
from notes2code.oracle import OracleError, sample, tried

_OF_NUMBERS = frozenset("softmax sigmoid relu gelu silu swish softplus".split())
_OF_ROWS = {
    r"f(p, q) = \sum_i p_i \log(p_i / q_i)": ["KL", "D_KL", "L_KL", "KLDivergence", "KLD"],
    r"f(p, q) = -\sum_i p_i \log q_i": ["H"],
    r"f(p) = -\sum_i p_i \log p_i": ["H", "Entropy"],
    r"f(x) = \sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2}": ["RMS"],
}
"""What is computed of rows of numbers, and how it is called. A letter alone is a name of these
only where logarithms are taken."""

_APPROXIMATE = 0.025
"""GELU is often computed by a formula that only comes close; that with the sigmoid by 0.02."""
_SEEDS = 12
"""Samples for a function of a number: two may come close somewhere."""


def is_other_function(equation: Equation, library: Library) -> bool:
    """Whether ``ReLU(x) = …`` has another value than the function of that name."""
    if equation.name.lower() in _OF_NUMBERS and len(equation.inputs) == 1:
        axes = r" \times ".join("abc"[: len(equation.inputs[0].shape)])
        declared = r"x \in \mathbb{R}" + (f"^{{{axes}}}" if axes else "")
        return _differs(equation, rf"y = \{equation.name.lower()}(x), \quad {declared}", library)
    logs = any(isinstance(part, Fn) and part.name == "log" for part in _parts(equation))
    same = [
        _differs(equation, formula, library)
        for formula, names in _OF_ROWS.items()
        if plain(equation.name) in map(plain, names)
        and len(equation.inputs) == formula[: formula.index("=")].count(",") + 1
        and (logs or len(equation.name) > 1)
    ]
    return bool(same) and all(same) and not _is_of_moments(equation)


def _is_of_moments(equation: Equation) -> bool:
    """Whether an equation is of the μ and σ of distributions, and not of their probabilities:
    ``KL = \\frac{1}{2} Σ_j (μ_j^2 + σ_j^2 - \\log σ_j^2 - 1)`` is that of normal ones."""
    return bool({"mu", "sigma"} & {base_letter(given.name) for given in equation.inputs})


def _parts(equation: Equation) -> Iterator[ir.Expr]:
    for array in (equation.value, *(definition.array for definition in equation.definitions)):
        yield from ir.walk(array.body)


def _differs(equation: Equation, formula: str, library: Library) -> bool:
    """Whether an equation surely has another value than a formula of as many inputs, which the
    base of a logarithm may multiply."""
    usual = type_formula(formula, library.scope).equation
    assert usual is not None, formula
    order = equation.parameters or tuple(given.name for given in equation.inputs)
    wanted = usual.parameters or tuple(given.name for given in usual.inputs)
    ranks = [{i.name: len(i.shape) for i in one.inputs} for one in (equation, usual)]
    if len(order) != len(wanted) or any(
        ranks[0].get(mine) != ranks[1][theirs] for mine, theirs in zip(order, wanted, strict=True)
    ):
        return False
    with suppress(OracleError, TypeError):
        for seed in range(_SEEDS):
            inputs = sample(equation, seed)
            if r"\log" in formula:
                inputs = {name: np.abs(value) for name, value in inputs.items()}
            given = {theirs: inputs[mine] for mine, theirs in zip(order, wanted, strict=True)}
            mine, theirs = tried(equation, inputs), tried(usual, given)
            if r"\log" in formula and mine.shape == theirs.shape:
                theirs = theirs / np.log(_base(mine, theirs))
            if mine.shape == theirs.shape and not close(mine, theirs, _APPROXIMATE):
                return True
    return False


def _base(mine: NDArray[Any], theirs: NDArray[Any]) -> float:
    """2 or 10 where logarithms have that base, else e."""
    return next((b for b in (2, 10) if close(mine * np.log(b), theirs, _APPROXIMATE)), np.e)


def close(left: NDArray[Any], right: NDArray[Any], tolerance: float) -> bool:
    """Whether two arrays agree wherever both hold numbers."""
    known = np.isfinite(left) & np.isfinite(right)
    return bool(np.allclose(left[known], right[known], rtol=tolerance, atol=tolerance))
