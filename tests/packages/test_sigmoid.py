"""Attention with sigmoids as notes write it, and sigmoids that are none."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of

NAMED = r"\mathrm{SigmoidAttn}(Q, K, V) = \sigma\left(%s\right) V"


@pytest.mark.parametrize(
    "notes",
    [
        [NAMED % r"\frac{QK^\top}{\sqrt{d}}"],
        [NAMED % r"\frac{QK^\top}{\sqrt{d}} + M"],
        [r"\mathrm{sigmoid}\left(QK^\top + b\right) V"],
        [r"o_i = \sum_j \frac{1}{1 + e^{-(q_i^\top k_j / \tau + t)}} v_j"],
        [r"o_i = \sum_j \sigma(q_i^\top k_j - \lambda |i - j| + b) v_j"],
        [
            r"O = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + b + M\right) V",
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        ],
    ],
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "SigmoidAttention" in package["transformer/attention.py"]
    assert run_tests(package)


def test_value(imported: Callable[[Package], ModuleType]) -> None:
    attention = imported(package_of([NAMED % r"\frac{QK^\top}{\sqrt{d}} + b"])).SigmoidAttention(
        b=-2
    )
    query, key, value = torch.randn(4, 9), torch.randn(6, 9), torch.randn(6, 3)
    scores = query.numpy() @ key.numpy().T / 3 - 2
    expected = 1 / (1 + np.exp(-scores)) @ value.numpy()
    np.testing.assert_allclose(attention(query, key, value).numpy(), expected, rtol=1e-4, atol=1e-6)
    keep = torch.tensor([True, False, True, True, False, True])
    expected = 1 / (1 + np.exp(-scores[:, keep])) @ value.numpy()[keep]
    output = attention(query, key, value, keep_mask=keep).numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "other",
    [
        r"\sigma\left(\frac{QK^\top}{\sqrt{d_k}}\right) V",  # the σ may be softmax
        r"\mathrm{Attention}(Q, K, V) = \sigma\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V",
        r"\sigma(xW_1 + b) W_2",
        r"o_i = \sum_j \frac{\sigma(q_i^\top k_j + b)}{\sum_l \sigma(q_i^\top k_l + b)} v_j",
        r"o_i = \sum_j \tanh(q_i^\top k_j + b) v_j",
        NAMED % r"\frac{QK^\top}{\sqrt{d}} - \log n",
    ],
)
def test_others_are_not_it(other: str) -> None:
    assert "SigmoidAttention" not in package_of([other]).get("transformer/attention.py", "")
