"""Tests of the masks."""

from __future__ import annotations

import re
from itertools import product

import pytest
import torch

from transformer.masks import batched_mask, causal_mask, combined_mask, first_kept, masked_softmax


def test_causal_mask_has_the_queries_last() -> None:
    assert causal_mask(2, 4).tolist() == [[True, True, True, False], [True] * 4]


def test_combined_mask_is_none_where_all_is_seen() -> None:
    query, key = torch.zeros(2, 1, 4), torch.zeros(2, 5, 4)
    for causal in (False, True):
        assert combined_mask(query, key, None, causal) is None


@pytest.mark.parametrize(
    ("query", "mask", "expected"),
    [
        ((4, 6), (4, 5), (4, 5)),
        ((1, 1, 6), (1, 5), (1, 5)),
        ((2, 4, 6), (4, 5), (4, 5)),
        ((2, 4, 6), (2, 5), (2, 1, 5)),
        ((2, 4, 6), (2, 4, 5), (2, 4, 5)),
        ((2, 3, 4, 6), (2, 5), (2, 1, 1, 5)),
        ((2, 3, 4, 6), (2, 1, 4, 5), (2, 1, 4, 5)),
    ],
)
def test_combined_mask_has_the_axes_of_the_scores(
    query: tuple[int, ...], mask: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    keep, key = torch.rand(mask) > 0.5, torch.zeros(*query[:-2], 5, 6)
    combined = combined_mask(torch.zeros(query), key, keep, causal=False)
    assert combined is not None
    assert torch.equal(combined, keep.reshape(expected))


@pytest.mark.parametrize(
    ("query", "mask", "message"),
    [
        ((4, 4, 6), (4, 5), "give it as (B, 1, keys) or as (1, queries, keys)"),
        ((4, 3, 4, 6), (4, 5), "give it as (B, 1, 1, keys) or as (1, 1, queries, keys)"),
        ((2, 3, 4, 6), (2, 4, 5), "give it as (B, 1, queries, keys)"),
    ],
)
def test_combined_mask_refuses_what_can_mean_two_things(
    query: tuple[int, ...], mask: tuple[int, ...], message: str
) -> None:
    key = torch.zeros(*query[:-2], 5, 6)
    with pytest.raises(ValueError, match=re.escape(message)):
        combined_mask(torch.zeros(query), key, torch.ones(mask, dtype=torch.bool), causal=False)


@pytest.mark.parametrize("mask", [(3,), (2, 6), (2, 1, 4, 2)])
def test_combined_mask_is_of_the_keys(mask: tuple[int, ...]) -> None:
    message = f"a keep mask for {mask[-1]} keys, but there are 5"
    with pytest.raises(ValueError, match=message):
        combined_mask(torch.zeros(2, 3, 4, 6), torch.zeros(2, 3, 5, 6), torch.rand(mask) > 0, False)


def test_combined_mask_may_be_the_same_for_all_keys() -> None:
    query, key, keep = torch.zeros(3, 4, 6), torch.zeros(3, 5, 6), torch.rand(4, 1) > 0.5
    assert combined_mask(query, key, keep, causal=False) is keep


def test_combined_mask_is_boolean() -> None:
    x = torch.zeros(4, 6)
    with pytest.raises(TypeError, match="of torch.float32: give a boolean one"):
        combined_mask(x, x, torch.ones(4, 4), causal=False)


@pytest.mark.parametrize(
    ("query", "mask", "expected"),
    [
        ((2, 4, 6), (2, 5), (2, 1, 5)),
        ((2, 4, 6), (1, 5), (1, 1, 5)),
        ((2, 4, 6), (2, 4, 5), (2, 4, 5)),
        ((2, 3, 4, 6), (2, 5), (2, 1, 1, 5)),
        ((2, 3, 4, 6), (2, 4, 5), (2, 1, 4, 5)),
        ((2, 3, 4, 6), (2, 3, 4, 5), (2, 3, 4, 5)),
    ],
)
def test_batched_mask_has_the_axes_of_the_scores(
    query: tuple[int, ...], mask: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    keep = torch.rand(mask) > 0.5
    batched = batched_mask(keep, torch.zeros(query))
    assert batched is not None
    assert torch.equal(batched, keep.reshape(expected))


def test_batched_mask_is_of_the_batch() -> None:
    with pytest.raises(ValueError, match="a keep mask of 3 for a batch of 2"):
        batched_mask(torch.ones(3, 5, dtype=torch.bool), torch.zeros(2, 4, 6))


@pytest.mark.parametrize(
    ("query", "mask", "heads"),
    [((4, 4, 6), (4,), False), ((4, 4, 6), (), False), ((4, 3, 4, 6), (4,), True)]
    + [((4, 5, 6), mask, True) for mask in ((4,), (4, 4), (1, 4), (4, 5, 4))],
)
def test_batched_mask_has_a_batch(
    query: tuple[int, ...], mask: tuple[int, ...], heads: bool
) -> None:
    """Where heads come first, or queries, a mask would hide all of some of them."""
    message = re.escape(f"a keep mask of {mask} is not that of a batch")
    with pytest.raises(ValueError, match=message):
        batched_mask(torch.ones(mask, dtype=torch.bool), torch.zeros(query), heads)
    alone = torch.rand(5, 4) > 0.5
    assert batched_mask(alone, torch.zeros(5, 6)) is alone


def test_batched_mask_is_boolean() -> None:
    with pytest.raises(TypeError, match="of torch.int64: give a boolean one"):
        batched_mask(torch.ones(2, 5, dtype=torch.int64), torch.zeros(2, 4, 6))


def test_first_kept_is_where_each_text_begins() -> None:
    keep_mask = torch.tensor([[False, False, True], [True, False, True], [False, False, False]])
    assert first_kept(keep_mask).tolist() == [[2], [0], [3]]
    assert first_kept(keep_mask[:, :0]).tolist() == [[0], [0], [0]]


def test_first_kept_is_of_a_boolean_mask() -> None:
    with pytest.raises(TypeError, match="of torch.int64: give a boolean one"):
        first_kept(torch.tensor([[0, 2, 1]]))


@pytest.mark.parametrize("shape", [(3,), (2, 3, 3)])
def test_first_kept_is_of_texts(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="give it as"):
        first_kept(torch.ones(shape, dtype=torch.bool))


def test_a_bias_changes_no_type() -> None:
    scores = torch.randn(2, 4, 5).bfloat16()
    weights = masked_softmax(scores, None, torch.zeros(4, 5))
    assert weights.dtype == torch.bfloat16
    assert torch.equal(weights, torch.softmax(scores, dim=-1))


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_a_bias_is_no_mask(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match=f"a bias of {dtype}: .* keep_mask"):
        masked_softmax(torch.zeros(4, 5), None, torch.ones(4, 5, dtype=dtype))


def test_masked_softmax_of_no_keys() -> None:
    keep, bias = torch.ones(2, 1, 0, dtype=torch.bool), torch.zeros(0)
    assert masked_softmax(torch.zeros(2, 4, 0), keep, bias).shape == (2, 4, 0)


def test_masked_softmax_is_the_softmax_of_what_is_kept() -> None:
    """Also where scores are large, and with zeros and finite gradients where nothing is kept."""
    scores = (300 * torch.randn(2, 4, 5, dtype=torch.float64)).requires_grad_()
    some, bias = torch.rand(4, 5) < 0.5, torch.randn(4, 5, dtype=torch.float64)
    some[1], bias[2] = False, -torch.inf
    for keep, added in product((None, some), (None, bias)):
        weights = masked_softmax(scores, keep, added)
        total = scores if added is None else scores + added
        total = total if keep is None else torch.where(keep, total, -torch.inf)
        assert torch.equal(weights, torch.softmax(total, dim=-1).nan_to_num())
        (gradient,) = torch.autograd.grad(weights.square().sum(), scores)
        assert gradient.isfinite().all() and gradient.any()
