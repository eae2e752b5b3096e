"""Tests of the fused attention."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor, nn

from checks import array, assert_equals, calls_of_kernel
from transformer.fused import fused_attention
from transformer.masks import combined_mask, masked_softmax


@pytest.mark.parametrize("lead", [(), (2,), (4, 3), (2, 1, 3)])
@pytest.mark.parametrize("queries", [3, 5])
@pytest.mark.parametrize(("size", "width"), [(6, 6), (6, 4), (4, 6)])
def test_fused_attention_gives_the_kernel_what_it_is_fast_for(
    lead: tuple[int, ...], queries: int, size: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four axes and one width; a mask only where ``is_causal`` does not say it all; and no row of
    nothing, for which a kernel may divide by zero."""
    calls = calls_of_kernel(monkeypatch)
    query = torch.randn(*lead, queries, size)
    key, value = torch.randn(*lead, 5, size), torch.randn(*lead, 5, width)
    some, everything = torch.rand(queries, 5) < 0.5, torch.ones(queries, 5, dtype=torch.bool)
    some[1] = False
    numbers = torch.randn(queries, 5, dtype=torch.float64)
    for keep_mask, bias, causal in product((None, some), (None, numbers), (False, True)):
        output = fused_attention(query, key, value, keep_mask, bias, causal, scale=0.7)
        keep = everything if keep_mask is None else keep_mask
        keep = keep.tril(5 - queries) if causal else keep
        scores = 0.7 * query @ key.mT + (0 if bias is None else bias)
        weights = torch.softmax(scores.masked_fill(~keep, -torch.inf), dim=-1).nan_to_num()
        torch.testing.assert_close(output, weights.float() @ value)
        *tensors, options = calls.pop()
        assert {(x.dim(), x.size(-1)) for x in tensors} == {(4, max(size, width))}
        assert len(lead) != 2 or {x.shape[:2] for x in tensors} == {lead}
        assert size != width or tensors[0].data_ptr() == query.data_ptr()  # without a copy
        mask, without = options["attn_mask"], keep_mask is None and bias is None
        assert options["is_causal"] == (without and causal and queries == 5)
        assert (mask is None) == (without and (not causal or queries == 5))
        if mask is not None:
            assert mask.shape[:-2] == (1, 1)
            kept = mask if mask.dtype == torch.bool else mask.isfinite()
            assert kept.any(dim=-1).all()


def test_fused_attention_takes_the_same_keys_for_many_queries() -> None:
    query = torch.randn(2, 2, 3, 4, 6)
    key, value = torch.randn(2, 3, 5, 6)
    output = fused_attention(query, key, value, None, None, False, scale=1.0)
    torch.testing.assert_close(output, torch.softmax(query @ key.mT, dim=-1) @ value)


@pytest.mark.parametrize(("of_mask", "masks"), [((2, 1), 6), ((1, 3), 6), ((1, 1), 1)])
def test_fused_attention_copies_nothing_that_heads_share(
    of_mask: tuple[int, ...], masks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = calls_of_kernel(monkeypatch)
    query, key = torch.randn(2, 3, 4, 1, 6), torch.randn(2, 3, 1, 5, 6)
    keep = torch.rand(*of_mask, 1, 1, 5) < 0.8
    output = fused_attention(query, key, key, keep, None, False, scale=1.0)
    ((*tensors, options),) = calls
    assert [x.shape[:2] for x in tensors] == [(6, 4)] * 3
    assert options["attn_mask"].shape[:2] == (masks, 1)
    assert {x.untyped_storage().data_ptr() for x in tensors[1:]} == {key.data_ptr()}
    torch.testing.assert_close(output, masked_softmax(query @ key.mT, keep) @ key)


@pytest.mark.parametrize(
    "leads", [((1, 3), (2, 3), (2, 3)), ((2, 3), (1, 3), (2, 1)), ((2, 1), (2, 3), (1, 3))]
)
@pytest.mark.parametrize("of_mask", [(), (2, 1), (2, 3)])
def test_fused_attention_takes_what_broadcasts(
    leads: tuple[tuple[int, ...], ...], of_mask: tuple[int, ...]
) -> None:
    query, key, value = (
        torch.randn(*lead, count, 6) for lead, count in zip(leads, (4, 5, 5), strict=True)
    )
    keep, bias = torch.rand(*of_mask, 4, 5) < 0.8, torch.randn(*of_mask, 4, 5)
    output = fused_attention(query, key, value, keep, bias, False, scale=1.0)
    torch.testing.assert_close(output, masked_softmax(query @ key.mT, keep, bias) @ value)


@pytest.mark.parametrize("width", [3, 6])
def test_fused_attention_compares_no_vectors_of_different_sizes(width: int) -> None:
    """Not even where one of them has the size of the values."""
    query, key, value = torch.zeros(4, 6), torch.zeros(5, 3), torch.zeros(5, width)
    with pytest.raises(ValueError, match="queries have 6 features, but keys 3"):
        fused_attention(query, key, value, None, None, False, scale=1.0)


def test_fused_attention_adds_no_mask() -> None:
    x = torch.zeros(4, 6)
    with pytest.raises(TypeError, match="a bias of torch.bool"):
        fused_attention(x, x, x, None, torch.ones(4, 4, dtype=torch.bool), False, scale=1.0)


@pytest.mark.parametrize("bias", [None, torch.ones(())])
def test_fused_attention_is_exported_with_its_lengths_open(bias: Tensor | None) -> None:
    class Causal(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return fused_attention(x, x, x, None, bias, True, scale=1.0)

    lengths = {2: torch.export.Dim("n")}
    program = torch.export.export(Causal(), (torch.randn(2, 3, 5, 4),), dynamic_shapes=(lengths,))
    x = torch.randn(2, 3, 7, 4)
    torch.testing.assert_close(program.module()(x), Causal()(x))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("axes", [None, (3, 620), (500, 620), (3, 500, 620)])
def test_what_hides_keys_in_several_ways_takes_the_queries_a_block_at_a_time(
    axes: tuple[int, ...] | None, biased: bool, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one mask would be as large as all the scores; there are three numbers for each of
    them. One alone is taken as it is."""
    calls = calls_of_kernel(monkeypatch)
    query, key, value = (torch.randn(3, n, 4, dtype=torch.float64) for n in (500, 620, 620))
    keep = None if axes is None else torch.rand(axes) > 0.3
    bias = torch.randn(620, dtype=torch.float64) if biased else None
    output = fused_attention(query, key, value, keep, bias, causal, scale=0.5)
    combined = combined_mask(query, key, keep, causal)
    expected = masked_softmax(0.5 * query @ key.mT, combined, bias) @ value
    assert_equals(output, array(expected))
    several = sum((keep is not None, biased, causal)) > 1
    rows = [call.query.size(-2) for call in calls]
    assert rows == (([125] * 4 if causal else [500, 500]) if several else [500])


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_blocks_drop_out_of_their_weights(dropout: float) -> None:
    x, bias = torch.zeros(2, 600, 4), torch.zeros(600)
    output = fused_attention(x, x, x + 1, None, bias, True, scale=1.0, dropout=dropout)
    assert ((output - 1).abs() > 1e-3).any() == (dropout > 0)


@pytest.mark.parametrize("axes", [(), (2,), (2, 3)])
@pytest.mark.parametrize(("queries", "keys"), [(0, 5), (4, 0)])
def test_fused_attention_of_nothing(axes: tuple[int, ...], queries: int, keys: int) -> None:
    query, key = torch.randn(*axes, queries, 6), torch.randn(*axes, keys, 6)
    output = fused_attention(query, key, key, None, None, causal=False, scale=1.0)
    assert torch.equal(output, torch.zeros(*axes, queries, 6))
