"""A sum over the keys that a mask leaves says again what the mask does, and is attention."""

from __future__ import annotations

import pytest

from notes2code import compile_formula

WEIGHTS = r"o_t = \sum_{%s} a_{tj} v_j, \quad a_{tj} = \mathrm{softmax}_j(q_t \cdot k_j + M_{tj})"
MASKS = (
    r"M_{tj} = \begin{cases} 0 & t \ge j \\ -\infty & t < j \end{cases}",
    r"M_{tj} = \begin{cases} -\infty & j > t \\ 0 & \text{otherwise} \end{cases}",
)


@pytest.mark.parametrize("mask", MASKS)
def test_what_repeats_the_mask_is_attention(mask: str) -> None:
    formula = compile_formula(f"{WEIGHTS % 'j ≤ t'}, {mask}")
    assert formula.component == "scaled_dot_product_attention"
    assert formula.settings["mask"] is not None
    assert not formula.diagnostics


@pytest.mark.parametrize("mask", MASKS)
def test_what_leaves_more_out_than_the_mask_is_told(mask: str) -> None:
    formula = compile_formula(f"{WEIGHTS % 'j < t'}, {mask}")
    assert [one.code for one in formula.diagnostics] == ["N2C050"]
