"""A formula in which nothing is rewritten keeps its tree: what is known of its nodes is kept there,
and a pass that makes all of them anew takes longer than one that looks whether it has to."""

from __future__ import annotations

import pytest

from notes2code.latex import parse
from notes2code.meaning.rewriting.rewrites import rewritten

FORMULAS = [
    "y = W x + f(x, t)",
    r"\mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
    r"h_t = \tanh(W_h h_{t-1} + W_x x_t + b)",
    r"L = -\sum_{i=1}^{n} y_i \log p_i",
]


@pytest.mark.parametrize("latex", FORMULAS)
def test_nothing_is_made_anew(latex: str) -> None:
    formula = parse(latex).formula
    assert rewritten(formula) is formula.clauses
