"""Masks of a package: which shapes they may have, and which helpers it needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType

import pytest
import torch

from building import Package, package_of

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right) V"
RELATIVE = r"\mathrm{softmax}(QK^\top + D)V, \quad D_{ij} = -\lambda |i - j|"
FFN = r"\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2"
KERNEL = r"f(q) = \sum_i \mathrm{softmax}_i\left(-\frac{1}{2}\|q - k_i\|^2\right) v_i"

Imported = Callable[[Package], ModuleType]


def test_a_padding_mask_belongs_to_the_sequences_not_to_the_heads(imported: Imported) -> None:
    package = imported(package_of([ATTENTION]))
    attention = package.ScaledDotProductAttention()
    query, key, value = (torch.randn(2, 2, 3, 4), *torch.randn(2, 2, 2, 5, 4))
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    output = attention(query, key, value, keep_mask=package.keep_from_padding(padding))
    torch.testing.assert_close(output[0], attention(query[0], key[0], value[0]))
    cut = attention(query[1], key[1, :, :3], value[1, :, :3])
    torch.testing.assert_close(output[1], cut)


@pytest.mark.parametrize(
    "shape, advice",
    [
        ((2, 3, 5), r"of 3 axes for queries of 4: give it as \(B, 1, queries, keys\)"),
        ((1, 3, 5), r"of 3 axes for queries of 4: give it as \(B, 1, queries, keys\)"),
        ((3, 5), r"as \(B, 1, 1, keys\) or as \(1, 1, queries, keys\)"),
    ],
)
def test_a_mask_that_can_mean_two_things_is_refused(
    shape: tuple[int, ...], advice: str, imported: Imported
) -> None:
    attention = imported(package_of([ATTENTION])).ScaledDotProductAttention()
    batch = 3 if len(shape) == 2 else 2
    query, key = torch.randn(batch, 2, 3, 4), torch.randn(batch, 2, 5, 4)
    with pytest.raises(ValueError, match=advice):
        attention(query, key, key, keep_mask=torch.ones(shape, dtype=torch.bool))


def test_masked_keys_change_nothing_in_kernel_attention(imported: Imported) -> None:
    attention = imported(package_of([KERNEL])).KernelAttention()
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    keep_mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    expected = attention(query, key, value, keep_mask=keep_mask)
    for far in (1e6, float("nan")):
        key[1, :, 3:] = far
        torch.testing.assert_close(attention(query, key, value, keep_mask=keep_mask), expected)
        output, _ = attention(query, key, value, keep_mask=keep_mask, need_weights=True)
        torch.testing.assert_close(output, expected)


def test_a_window_is_where_the_last_queries_stand(imported: Imported) -> None:
    """As in generation, where the keys of earlier positions are remembered."""
    window = r"D_{ij} = \begin{cases} 0 & 0 \le i - j < 3 \\ -\infty & \text{otherwise} \end{cases}"
    formula = rf"\mathrm{{Attention}}(Q, K, V) = \mathrm{{softmax}}(QK^\top + D)V, \quad {window}"
    attention = imported(package_of([formula])).UnscaledDotProductAttention()
    query, key, value = torch.randn(3, 2, 6, 4)
    _, weights = attention(query[:, -2:], key, value, need_weights=True)
    assert (weights > 0).tolist() == [
        [[False, False, *[True] * 3, False], [False] * 3 + [True] * 3]
    ] * 2
    whole = attention(query, key, value)
    torch.testing.assert_close(attention(query[:, -2:], key, value), whole[:, -2:])


def test_only_what_makes_masks_is_exported(imported: Imported) -> None:
    package = imported(package_of([ATTENTION]))
    expected = {"Attention", "ScaledDotProductAttention", "causal_mask", "keep_from_padding"}
    assert set(package.__all__) == expected


@pytest.mark.parametrize(
    "latex, used", [(ATTENTION, False), (RELATIVE, True)], ids=["plain", "relative"]
)
def test_helpers_are_written_where_they_are_used(latex: str, used: bool) -> None:
    files = package_of([latex])
    assert ("def position_range(" in files.get("transformer/positions.py", "")) == used
    assert "def batched_mask(" not in files["transformer/masks.py"]


def test_a_package_without_attention_has_no_masks() -> None:
    assert "transformer/masks.py" not in package_of([FFN])


def test_all_helpers_that_are_written_are_called() -> None:
    files = package_of([ATTENTION, KERNEL])
    code = "\n".join(text for path, text in files.items() if path.startswith("transformer/"))
    helpers = files["transformer/masks.py"] + files["transformer/fused.py"]
    for name in re.findall(r"^def (\w+)", helpers, re.MULTILINE):
        assert name == "keep_from_padding" or len(re.findall(rf"\b{name}\b", code)) > 1
