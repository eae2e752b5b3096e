"""Formulas of public notes: the source computes what ``evaluate`` computes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notes2code.meaning import type_formula
from notes2code.meaning.ir import Equation
from notes2code.oracle import OracleError, evaluate, helpers_source, numpy_source, sample

NOTES = Path(__file__).parents[2].parent / "shared" / "formulas" / "real_notes.jsonl"


def difference(equation: Equation, seed: int) -> str:
    """What differs between the source and ``evaluate``, if anything."""
    scope: dict[str, Any] = {}
    source = numpy_source(equation, "reference")
    exec(f"import math\nimport numpy as np\n{helpers_source([equation])}\n{source}", scope)
    given = sample(equation, seed)
    value = evaluate(equation, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = np.asarray(scope["reference"](*(given[i.name] for i in equation.inputs)))
    if found.shape != value.shape:
        return f"{found.shape} is not {value.shape}"
    close = np.allclose(found, value, rtol=1e-9, atol=1e-11, equal_nan=True)
    return "" if close else f"{found} is not {value}"


@pytest.mark.skipif(not NOTES.exists(), reason="the formulas of public notes are not here")
def test_source_agrees_on_real_notes() -> None:
    rows = [json.loads(line) for line in NOTES.read_text(encoding="utf-8").splitlines()]
    typed = {row["id"]: type_formula(row["latex"]).equation for row in rows}
    equations = {name: equation for name, equation in typed.items() if equation is not None}
    agreed: list[str] = []
    for name, equation in equations.items():
        try:
            found = [difference(equation, seed) for seed in range(2)]
        except OracleError:  # its shapes do not meet: of no concern here
            continue
        assert found == ["", ""], name
        agreed.append(name)
    assert len(agreed) > 200
