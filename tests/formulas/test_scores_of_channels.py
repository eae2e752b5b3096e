"""Scores that compare the channels of tokens which stand as columns."""

from __future__ import annotations

import pytest

from notes2code import compile_formula


@pytest.mark.parametrize(
    "latex",
    [
        r"A = \mathrm{softmax}_{row}(W^Q X (W^K X)^\top)",
        r"A = \mathrm{softmax}\left(\frac{W_q X (W_k X)^\top}{\sqrt{d}}\right) W_v X",
    ],
)
def test_it_is_told(latex: str) -> None:
    told = [one for one in compile_formula(latex).diagnostics if one.code == "N2C042"]
    assert "this compares their features" in told[0].message


@pytest.mark.parametrize(
    "latex",
    [
        r"A = \mathrm{softmax}(X W^Q (X W^K)^\top)",
        r"A = \mathrm{softmax}((W^K X)^\top W^Q X)",
        r"S = W X (W X)^\top",
    ],
)
def test_nothing_is_told_of_tokens_or_of_one_weight(latex: str) -> None:
    assert "N2C042" not in {one.code for one in compile_formula(latex).diagnostics}
