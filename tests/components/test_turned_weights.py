"""Weights that are declared for rows and stand before a column."""

from __future__ import annotations

import pytest

from notes2code import compile_formula

DECLARED = [r"W_1 \in \mathbb{R}^{d_{model} \times d_{ff}}"]


@pytest.mark.parametrize(
    ("latex", "warned"),
    [
        (r"\mathrm{FFN}(x) = W_2 \, \mathrm{ReLU}(W_1 x + b_1) + b_2", True),
        (r"\mathrm{FFN}(x) = \mathrm{ReLU}(x W_1 + b_1) W_2 + b_2", False),
    ],
)
def test_inner_size(latex: str, warned: bool) -> None:
    formula = compile_formula(latex, context=DECLARED)
    assert formula.component == "feed_forward"
    told = [d.message for d in formula.diagnostics if d.code == "N2C050"]
    assert any("the inner size `d_ff`" in message for message in told) == warned
