"""Masks of −∞ that are written as products, with an indicator or with what is 0 or 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import compile_formula
from tables import softmax


def _later(n: int, m: int) -> np.ndarray:
    return np.arange(m)[None, :] > np.arange(n)[:, None]


@pytest.mark.parametrize(
    "latex",
    [
        r"C_{ij} = -\infty \cdot 1_{i<j}",
        r"C_{ij} = -\infty \cdot \mathbb{1}[j > i]",
        r"C_{ij} = \mathbb{1}[j > i] \cdot (-\infty)",
    ],
)
def test_nothing_is_hidden_where_the_indicator_is_zero(latex: str) -> None:
    formula = compile_formula(latex)
    n, m = (given.name for given in formula.inputs)
    expected = np.where(_later(3, 4), -np.inf, 0.0)
    np.testing.assert_array_equal(formula.reference(**{n: 3, m: 4}), expected)


@pytest.mark.parametrize(
    "mask",
    [r"- \infty \cdot (1 - M)", r"+ (1 - M) \cdot (-\infty)", r"- \infty (1 - M)"],
)
def test_a_mask_of_zeros_and_ones_hides_where_it_is_zero(mask: str) -> None:
    formula = compile_formula(
        rf"O = \mathrm{{softmax}}(Q K^\top {mask}) V", shapes={"M": ("n", "m")}
    )
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape) for shape in ((3, 5), (4, 5), (4, 2)))
    keep = np.array([[1.0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]])
    expected = softmax(np.where(keep == 1, q @ k.T, -np.inf)) @ v
    inputs: dict[str, Any] = {"Q": q, "K": k, "V": v, "M": keep}
    np.testing.assert_allclose(formula.reference(**inputs), expected, atol=1e-12)


@pytest.mark.parametrize("sign", [r"\cdot", "*"])
@pytest.mark.parametrize("mask", [r"\mathrm{mask}", "M_w"])
def test_a_mask_beside_scores_multiplies_each_of_them_and_that_is_told(
    sign: str, mask: str
) -> None:
    formula = compile_formula(rf"O = \mathrm{{softmax}}(Q K^\top {sign} {mask}) V")
    assert any("one side is a mask" in told.message for told in formula.diagnostics)
    rng = np.random.default_rng(2)
    q, k, v, m = (rng.standard_normal(shape) for shape in ((3, 5), (4, 5), (4, 2), (3, 4)))
    name = next(given.name for given in formula.inputs if given.name not in "QKV")
    expected = softmax(q @ k.T * m) @ v
    np.testing.assert_allclose(formula.reference(Q=q, K=k, V=v, **{name: m}), expected)


def test_another_matrix_beside_scores_maps_them() -> None:
    formula = compile_formula(r"O = \mathrm{softmax}(Q K^\top \cdot P) V")
    shapes = {given.name: given.shape for given in formula.inputs}
    assert shapes["K"][0] == shapes["P"][0] and shapes["P"][1] == shapes["V"][0]


def test_an_infimum_of_nothing_is_infinity() -> None:
    formula = compile_formula(
        r"M_{ij} = \begin{cases} 0 & j \le i \\ -\inf & \text{otherwise} \end{cases}"
    )
    assert [one.code for one in formula.diagnostics] == ["N2C026"]
    np.testing.assert_array_equal(formula.reference(n=3, m=4), np.where(_later(3, 4), -np.inf, 0))
