"""Every formula of the shared real notes that types to an equation has its value emitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notes2code import oracle
from notes2code.emit.graph import EmitError
from notes2code.emit.torch_function import torch_source
from notes2code.meaning.ir import Equation
from notes2code.meaning.typed import type_formula

NOTES = Path(__file__).parents[3] / "shared" / "formulas" / "real_notes.jsonl"


def _rows() -> list[Any]:
    if not NOTES.exists():
        return []
    return [json.loads(line) for line in NOTES.read_text().splitlines()]


@pytest.mark.skipif(not NOTES.exists(), reason="../shared is not there")
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_real_formula(checks: Any, row: Any) -> None:
    equation = type_formula(row["latex"]).equation
    if equation is None:
        pytest.skip("it computes nothing")
    try:
        inputs = checks.inputs(equation)
        expected = oracle.evaluate(equation, inputs)
    except oracle.OracleError as problem:
        pytest.skip(f"it has no value: {problem}")
    try:
        function = checks.function(equation)
    except EmitError as problem:
        pytest.skip(f"it is refused: {problem}")
    value = function(**checks.tensors(inputs))
    checks.same(value, expected, 1e-10, 1e-12)
    if np.isfinite(expected).all():
        checks.agrees_in_batches(equation)


@pytest.mark.skipif(not NOTES.exists(), reason="../shared is not there")
def test_hardly_any_is_refused() -> None:
    equations = [
        typed.equation for row in _rows() if (typed := type_formula(row["latex"])).equation
    ]
    refused = sum(not _emits(equation) for equation in equations)
    assert refused <= 0.02 * len(equations)


def _emits(equation: Equation) -> bool:
    try:
        torch_source(equation, "compute")
    except EmitError:
        return False
    return True
