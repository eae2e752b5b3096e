"""Random formulas whose arrays are all declared are computed as they were meant, or it is told."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula
from writer import LENGTHS, Writer, value

FORMULAS = 200


def outcome(latex: str, writer: Writer, expected: np.ndarray) -> str:
    """What becomes of a formula: it is ``refused``, ``told`` of with a remark on how it is read, or
    ``right``; anything else fails."""
    try:
        formula = compile_formula(latex, context=writer.context())
    except FormulaError as refusal:
        return refusal.status
    if any(problem.code == "N2C039" for problem in formula.diagnostics):
        return "told"
    arrays = {writer.names[letter]: array for letter, array in writer.arrays.items()}
    given = {one.name: {**LENGTHS, **arrays}[one.name] for one in formula.inputs}
    np.testing.assert_allclose(formula.reference(**given), expected, err_msg=latex)
    tensors = {name: torch.tensor(number) for name, number in given.items()}
    np.testing.assert_allclose(formula.function()(**tensors), expected, err_msg=latex)
    return "right"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nothing_is_wrong_in_silence(depth: int) -> None:
    found = Counter[str]()
    for seed in range(FORMULAS):
        writer = Writer(Random(seed))
        latex, right, free, shape = writer.formula(depth)
        found[outcome(latex, writer, value(right, free, shape))] += 1
    assert found.keys() <= {"right", "told", "rejected"}
    assert found["right"] > 0.95 * FORMULAS
