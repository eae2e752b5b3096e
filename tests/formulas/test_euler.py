"""The letter e: Euler's number where it is raised, beside π and among numbers; else a name."""

from __future__ import annotations

import math

import numpy as np

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(r"u = \|x - e\|^2", "x[d] e[d]", lambda x, e: np.sum((x - e) ** 2)),
    Case(r"y = x + e", "x[d] e[d]", lambda x, e: x + e),
    Case(r"q = W e", "W[m,d] e[d]", lambda w, e: w @ e),
    Case(r"s = e^\top W h", "e[m] W[m,d] h[d]", lambda e, w, h: e @ w @ h),
    Case(r"y = e x", "e x[d]", lambda e, x: e * x),
    # Near misses.
    Case(
        r"H = \frac{1}{2} \log(2 \pi e \sigma^2)",
        "sigma",
        lambda s: 0.5 * math.log(2 * math.pi * s * s) + 0.5,
    ),
    Case(r"y = e^{-x} + e", "x[d]", lambda x: np.exp(-x) + math.e),
    Case(r"y = e^x", "x[d]", np.exp),
)
def test_values(case: Case) -> None:
    check(case)


def test_a_number_e_is_told() -> None:
    alone, raised = compile_formula(r"y = e^{-x} + e"), compile_formula(r"y = e^{-x}")
    assert any("Euler" in one.message for one in alone.diagnostics)
    assert not raised.diagnostics
