"""What a note says takes neither long nor much memory to try on numbers."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from effort import ends_soon

from notes2code import FormulaError, compile_formula
from notes2code.oracle import OracleError, evaluate, sample, tried

LONG = [
    r"s = a \sum_{i=1}^{9000} \sum_{j=1}^{9000} \frac{1}{i + j} = a \sum_{i=1}^{9000} "
    r"\sum_{j=1}^{9000} \frac{1}{j + i}",
    r"s = a \sum_{i=1}^{90000000} i = a \sum_{j=1}^{90000000} j",
    r"\mathrm{softmax}(x)_i = \frac{\exp(x_i)}{\sum_{j=1}^{90000000} \exp(x_j)}",
    r"\mathrm{PE}_{pos,2i} = \sin(pos / 10000^{2i/d}), pos = 0, \dots, 99999999",
]


@pytest.mark.parametrize("latex", LONG)
def test_compiling_is_bounded(latex: str) -> None:
    compile_formula("y = x + 1")  # what is loaded once
    assert ends_soon(lambda: compile_formula(latex))
    tracemalloc.start()
    compile_formula(latex)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6


def test_a_trial_ends() -> None:
    equation = compile_formula(
        r"s = a \sum_{i=1}^{5000} \sum_{j=1}^{5000} \frac{1}{i + j}"
    ).equation
    inputs = sample(equation, 0)
    with pytest.raises(OracleError, match="too long"):
        tried(equation, inputs)
    counted = np.arange(1, 5001)
    wanted = inputs["a"] * (1 / (counted[:, None] + counted)).sum()
    np.testing.assert_allclose(evaluate(equation, inputs), wanted)


def test_long_chains_are_refused() -> None:
    assert ends_soon(_refuse_long_chain, within=50)


def _refuse_long_chain() -> None:
    with pytest.raises(FormulaError, match="N2C020"):
        compile_formula("=".join(["a"] * 1000))


def test_long_sums_are_quick() -> None:
    latex = "y = " + "+".join(f"a_{{{n}}}" for n in range(300))
    assert compile_formula(latex).status == "formula"
    assert ends_soon(lambda: compile_formula(latex))
