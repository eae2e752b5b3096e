"""What a call gives all places, in the formula of one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


def _attended(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


@table(
    Case(
        r"y_t = h_t + \mathrm{CrossAttention}(Q, K, V)",
        "h[n,p] Q[n,d] K[m,d] V[m,p]",
        lambda h, q, k, v: h + _attended(q, k, v),
    ),
    Case(
        r"\hat H_t = H_t + \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
        "H[n,p] Q[n,d] K[m,d] V[m,p]",
        lambda h, q, k, v: h + _attended(q, k, v),
    ),
    Case(
        r"z_i = \mathrm{Attention}(Q, K, V) + x_i",
        "Q[n,d] K[m,d] V[m,p] x[n,p]",
        lambda q, k, v, x: _attended(q, k, v) + x,
    ),
    # What is given one place only is there already.
    Case(
        r"y_t = h_t + \mathrm{Attention}(q_t, K, V)",
        "h[n,p] q[n,d] K[m,d] V[m,p]",
        lambda h, q, k, v: h + _attended(q, k, v),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_it_is_told() -> None:
    formula = compile_formula(r"y_t = h_t + \mathrm{Attention}(Q, K, V)")
    told = [(one.code, one.message) for one in formula.diagnostics]
    assert told == [("N2C039", r"`\mathrm{Attention}(Q, K, V)` is taken to be its row at `t`")]


def test_a_layer_is_no_place() -> None:
    formula = compile_formula(r"h_l = h_{l-1} + \mathrm{Attention}(Q, K, V)")
    assert "row at" not in str(formula.diagnostics)
