"""``\\Sigma`` without an index: the sign of a sum, or a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(r"L = -\Sigma u \log v", "u[n] v+[n]", lambda u, v: -(u * np.log(v)).sum()),
    Case(r"L = \frac12 \Sigma (u - v)^2", "u[n] v[n]", lambda u, v: np.square(u - v).sum() / 2),
    Case(
        r"p_i = \frac{e^{z_i}}{\Sigma e^{z_j}}",
        "z[n]",
        lambda z: np.exp(z) / np.exp(z).sum(),
    ),
    Case(r"y = \Sigma (x - \mu)", "Sigma[n,d] x[d] mu", lambda s, x, m: s @ (x - m)),
    Case(
        r"y = \Sigma x + \log z",
        "Sigma[n,d] x[d] z+[n]",
        lambda s, x, z: s @ x + np.log(z),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", [r"L = -\Sigma u_i \log v_i", r"L = \Sigma (u_i - v_i)^2"])
def test_a_sum_is_told(latex: str) -> None:
    found = compile_formula(latex).diagnostics
    assert "`\\Sigma` is taken for the sign of a sum" in [one.message for one in found]
