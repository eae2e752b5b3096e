"""Attention by the cosines of queries and keys, as notes write it, and cosines that are none."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of

LENGTHS = r"\hat Q_i = \frac{Q_i}{\|Q_i\|}, \quad \hat K_j = \frac{K_j}{\|K_j\|}"
MULTIPLIED = (
    r"\mathrm{Angles}(Q, K, V) = \mathrm{softmax}(g \hat Q \hat K^\top) V, \quad " + LENGTHS
)
HEADS = (
    r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
    r"\mathrm{head}_i = \mathrm{Angles}(XW_i^Q, XW_i^K, XW_i^V)"
)
BY_DISTANCE = r"o_i = \sum_j \mathrm{softmax}_j(\cos(q_i, k_j) / \tau + b_{j-i}) v_j"
CAUSAL = r"o_i = \sum_{j \le i} \mathrm{softmax}_{j \le i}(\gamma \cos(q_i, k_j)) v_j"
CAPPED = r"o_i = \sum_j \mathrm{softmax}_j(c \tanh(\cos(q_i, k_j) / (\tau c))) v_j"


@pytest.mark.parametrize(
    "notes", [[MULTIPLIED, HEADS], [BY_DISTANCE], [CAUSAL], [CAPPED], [r"e = \cos(q, k) / \tau"]]
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "CosineAttention" in package["transformer/attention.py"]
    assert run_tests(package)


def test_value(imported: Callable[[Package], ModuleType]) -> None:
    module = imported(package_of([MULTIPLIED, HEADS]))
    query, key, value = torch.randn(4, 9), 5 * torch.randn(6, 9), torch.randn(6, 3)
    cosines = torch.cosine_similarity(query[:, None], key[None], dim=-1)
    expected = torch.softmax(7 * cosines, dim=-1) @ value
    output = module.CosineAttention(g=7.0)(query, key, value)
    np.testing.assert_allclose(output.numpy(), expected.numpy(), rtol=1e-4, atol=1e-6)
    heads = module.MultiHeadAttention(8, 2, g=3.0)
    assert isinstance(heads.attention, module.CosineAttention)
    assert heads.attention.g == 3.0


def test_queries_and_keys_of_zeros(imported: Callable[[Package], ModuleType]) -> None:
    """They are as far from one key as from another."""
    attention = imported(package_of([r"e = \cos(q, k) / \tau"])).CosineAttention(tau=0.1)
    value = torch.randn(6, 3)
    query, key = torch.zeros(4, 9, requires_grad=True), torch.randn(6, 9)
    output = attention(query, key, value)
    torch.testing.assert_close(output, value.mean(dim=0).expand(4, 3))
    output.sum().backward()
    assert query.grad is not None
    assert query.grad.isfinite().all()


@pytest.mark.parametrize(
    "other",
    [
        r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\|q_i\|}\right) v_j",
        r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\|q_i\|^2 \|k_j\|^2}\right) v_j",
        r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\|q_i - k_j\|}\right) v_j",
        r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\|k_j\|_1 \|q_i\|_1}\right) v_j",
    ],
)
def test_other_lengths_are_none(other: str) -> None:
    assert "CosineAttention" not in package_of([other]).get("transformer/attention.py", "")
