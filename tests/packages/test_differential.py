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


SHARE = r"\lambda = \exp(%s) - \exp(%s) + \lambda_{\mathrm{init}}"
DOTS = (r"\lambda_{q_1} \cdot \lambda_{k_1}", r"\lambda_{q_2} \cdot \lambda_{k_2}")
NUMBERS = (r"\lambda_{q_1} \lambda_{k_1}", r"\lambda_{q_2} \lambda_{k_2}")
TRANSPOSED = (r"\lambda_{q1}^\top \lambda_{k1}", r"\lambda_{q2}^\top \lambda_{k2}")


@pytest.mark.parametrize(
    "stated",
    [
        [SHARE % DOTS],
        [SHARE % TRANSPOSED],
        [SHARE.replace(r"\lambda_{\mathrm{init}}", "0.8") % DOTS],
        [
            SHARE % DOTS,
            r"Q_1, Q_2 \in \mathbb{R}^{n \times d}",
            r"\lambda_{q_1}, \lambda_{k_1}, \lambda_{q_2}, \lambda_{k_2} \in \mathbb{R}^d",
        ],
    ],
)
def test_share_of_vectors(stated: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of([rf"({PLAIN} - \lambda {OTHER}) V", *stated])
    assert "nn.Parameter(0.1 * torch.randn(d_k))" in package["transformer/attention.py"]
    assert run_tests(package)


@pytest.mark.parametrize("inside", [DOTS, TRANSPOSED, NUMBERS])
def test_value_of_share(inside: tuple[str, str], imported: Callable[[Package], ModuleType]) -> None:
    """Vectors where a dot or a transpose joins them, numbers where nothing does."""
    package = imported(package_of([rf"({PLAIN} - \lambda {OTHER}) V", SHARE % inside]))
    torch.manual_seed(0)
    numbers = inside is NUMBERS
    attention = package.DifferentialAttention(*([] if numbers else [5]), lambda_init=0.3)
    learned = dict(attention.named_parameters())
    learned.pop("lambda_init", None)
    assert [tuple(weight.shape) for weight in learned.values()] == 4 * [() if numbers else (5,)]
    q_1, k_1, q_2, k_2 = (weight.detach().numpy() for weight in learned.values())
    share = np.exp((q_1 * k_1).sum()) - np.exp((q_2 * k_2).sum()) + 0.3
    query, key, value = torch.randn(4, 10), torch.randn(6, 10), torch.randn(6, 3)
    maps = []
    for half in (slice(0, 5), slice(5, 10)):
        powers = np.exp(query[:, half].numpy() @ key[:, half].numpy().T / np.sqrt(5))
        maps.append(powers / powers.sum(axis=1, keepdims=True))
    expected = (maps[0] - share * maps[1]) @ value.numpy()
    output = attention(query, key, value).detach().numpy()
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)


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
