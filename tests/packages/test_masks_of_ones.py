"""Masks of zeros and ones that a note compares with a number: the argument ``keep_mask``."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
import torch

from building import Package, package_of

SCORES = r"S = \frac{QK^\top}{\sqrt{d_k}}"
FILLED = r"\mathrm{softmax}(\mathrm{masked\_fill}(S, M = %s, -\infty)) V"
CASES = r"B_{ij} = \begin{cases} 0 & %s \\ -\infty & %s \end{cases}"
ADDED = r"O = \mathrm{softmax}(QK^\top + B) V"


@pytest.mark.parametrize(
    "notes",
    [
        [FILLED % 0, SCORES],
        [FILLED % 1, SCORES],
        [ADDED, CASES % ("M_{ij} = 1", "M_{ij} = 0")],
        [ADDED, CASES % (r"M_{ij} \neq 0", r"\text{otherwise}")],
        [ADDED, CASES % ("p_j = 1", "p_j = 0")],
        [r"A = \mathrm{softmax}(\mathrm{masked\_fill}(QK^\top, M = 0, -\infty))"],
        [
            r"\alpha_{ij} = \mathrm{softmax}_j(q_i^\top W k_j + B_{ij})",
            CASES % ("M_{ij} > 0", r"M_{ij} \le 0"),
        ],
    ],
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "_keeps(self)" in package["tests/test_attention.py"]
    assert run_tests(package)


@pytest.mark.parametrize("hidden", [0, 1])
def test_value(hidden: int, imported: Callable[[Package], ModuleType]) -> None:
    package = package_of([FILLED % hidden, SCORES])
    attention = imported(package).ScaledDotProductAttention()
    assert f"the formula's M, True where that is {1 - hidden}" in attention.__doc__
    query, key, value = torch.randn(4, 5), torch.randn(6, 5), torch.randn(6, 3)
    mask = np.random.default_rng(0).integers(2, size=(4, 6))
    mask[:, 0] = 1 - hidden
    scores = query.numpy() @ key.numpy().T / np.sqrt(5)
    powers = np.where(mask == hidden, 0, np.exp(scores))
    expected = powers / powers.sum(axis=1, keepdims=True) @ value.numpy()
    output = attention(query, key, value, keep_mask=torch.tensor(mask != hidden))
    np.testing.assert_allclose(output.numpy(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "notes", [[FILLED % 2, SCORES], [ADDED, CASES % ("M_{ji} = 1", "M_{ji} = 0")]]
)
def test_other_masks_are_none(notes: list[str]) -> None:
    """One that hides nothing for a zero or a one, one of the keys' and queries' axes turned."""
    assert "_keeps(self)" not in package_of(notes).get("tests/test_attention.py", "")
