"""Writing out calls."""

from __future__ import annotations

import notes2code
from notes2code.components.inline import inlined
from notes2code.components.library import library
from notes2code.components.renewed import MAX_PARTS
from notes2code.meaning import type_formula
from notes2code.meaning.ir import Call, Equation, walk


def typed(latex: str) -> Equation:
    equation = type_formula(latex, library().scope).equation
    assert equation is not None
    return equation


def test_calls_are_written_out() -> None:
    whole = inlined(typed(r"y = x + \mathrm{FFN}(\mathrm{LayerNorm}(x))"))
    assert whole is not None
    parts = list(walk(whole.value.body))
    assert not any(isinstance(part, Call) for part in parts)
    assert len(parts) <= MAX_PARTS


def test_calls_in_calls_do_not_grow_without_end() -> None:
    nested = "x"
    for _ in range(4):
        nested = rf"\mathrm{{TransformerBlock}}({nested})"
    assert inlined(typed(f"y = {nested}")) is None
    assert notes2code.compile_formula(f"y = {nested}").status == "formula"


def test_an_equation_without_calls_stays() -> None:
    assert inlined(typed("y = x W + b")) is None
