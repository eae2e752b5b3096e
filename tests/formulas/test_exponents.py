"""Letters with a number above names: exponents where each name has its own, else labels."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(
        r"s = \mathrm{CTR}^{w_1} \times \mathrm{CVR}^{w_2}",
        "CTR+ w_1 CVR+ w_2",
        lambda a, v, b, w: a**v * b**w,
    ),
    Case(r"r = p_1^{a_1} p_2^{a_2}", "p_1+ a_1 p_2+ a_2", lambda p, a, q, b: p**a * q**b),
    # What has one name is told apart, and a capital says whose weight it is.
    Case(
        r"y = W^{Q_1} x + W^{Q_2} z",
        "W_Q_1[p,d] x[d] W_Q_2[p,r] z[r]",
        lambda w, x, v, z: w @ x + v @ z,
    ),
    Case(r"y = x^{t_1} + x^{t_2}", "x_t_1[d] x_t_2[d]", np.add),
    # Names that only a number tells apart are of one kind.
    Case(
        r"y = g_1 u + g_2 A x",
        "g_1 u[p] g_2 A[p,d] x[d]",
        lambda g, u, h, a, x: g * u + h * (a @ x),
    ),
)
def test_numbered_letters_above_names(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("name", ["MaskedAttention", "CausalAttention", "MaskedMHA"])
def test_an_attention_that_is_masked_is_no_mask(name: str) -> None:
    found = compile_formula(rf"y = x + \mathrm{{{name}}}(\mathrm{{LN}}(x))")
    assert found.component == "add_norm"
    assert {"W_Q", "W_K", "W_V", "W_O"} <= {one.name for one in found.inputs}
