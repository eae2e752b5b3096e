"""Differential attention as notes write it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of

FIRST = r"\mathrm{softmax}\left(\frac{Q_1 K_1^\top}{\sqrt{d}}%s\right)"
SECOND = FIRST.replace("_1", "_2")
PLAIN = FIRST % ""
OTHER = SECOND % ""


@pytest.mark.parametrize(
    "notes",
    [
        [rf"\mathrm{{DiffAttn}}(X) = ({PLAIN} - \lambda {OTHER}) V"],
        [rf"{PLAIN} V - \lambda\, {OTHER} V"],
        [rf"(A_1 - \lambda_0 A_2) V, \quad A_1 = {PLAIN}, \quad A_2 = {OTHER}"],
        [rf"A_1 = {PLAIN}", rf"A_2 = {OTHER}", r"O = (A_1 - \lambda A_2) V"],
        [rf"({FIRST} - \lambda\, {SECOND}) V" % ("+ M", "+ M")],
        [
            rf"({FIRST} - \lambda\, {SECOND}) V" % ("+ M", "+ M"),
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        ],
        [
            r"o_i = \sum_j \left(\mathrm{softmax}_j(q_i^\top k_j) - \lambda\, "
            r"\mathrm{softmax}_j(p_i^\top r_j)\right) v_j"
        ],
    ],
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "DifferentialAttention" in package["transformer/attention.py"]
    assert run_tests(package)


def test_value(imported: Callable[[Package], ModuleType]) -> None:
    note = rf"({PLAIN} - \lambda {OTHER}) V"
    attention = imported(package_of([note])).DifferentialAttention(lambda_=0.3)
    query, key, value = torch.randn(4, 10), torch.randn(6, 10), torch.randn(6, 3)
    maps = []
    for half in (slice(0, 5), slice(5, 10)):
        powers = np.exp(query[:, half].numpy() @ key[:, half].numpy().T / np.sqrt(5))
        maps.append(powers / powers.sum(axis=1, keepdims=True))
    expected = (maps[0] - 0.3 * maps[1]) @ value.numpy()
    output = attention(query, key, value).detach().numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
    assert [name for name, _ in attention.named_parameters()] == ["lambda_"]


@pytest.mark.parametrize(
    "other",
    [
        rf"({PLAIN} + \lambda {OTHER}) V",
        rf"({PLAIN} - {OTHER}) V",
        rf"(\lambda {OTHER} - {PLAIN}) V + V",
        rf"({PLAIN} - \lambda {PLAIN}) V",
        rf"({PLAIN} - \lambda {OTHER}) V + U",
        rf"({PLAIN} V - \lambda {OTHER} U)",
        rf"({FIRST} - \lambda\, {SECOND}) V" % ("+ M", "+ N"),
        r"(\mathrm{softmax}(Q_1 K_1^\top) - \lambda\, \sigma(Q_2 K_2^\top)) V",
    ],
)
def test_others_are_not_it(other: str) -> None:
    assert "DifferentialAttention" not in package_of([other]).get("transformer/attention.py", "")
