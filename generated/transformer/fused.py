"""Fused attention: weighted sums of values without all of their weights in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .masks import as_bias, combined_mask, for_all_queries


def block_size(query: Tensor, key: Tensor, causal: bool, numbers: int = 3) -> int | None:
    """How many queries to take at a time, with so many numbers in memory for each score; None for
    all of them."""
    queries, keys = query.size(-2), key.size(-2)
    if torch.compiler.is_compiling():  # the compiler has its own way to save memory
        return None
    # As much as a processor's cache holds; a GPU wants more to do at once.
    at_once = 2**21 if query.device.type == "cpu" else 2**25
    rows = at_once // max(1, query.shape[:-2].numel() * keys * numbers)
    rows = max(rows, 72 // numbers, 6)  # fewer would not be worth a call
    return None if queries <= rows or (causal and queries > keys) else rows


class Block(NamedTuple):
    """Some of the queries, how many of the keys they can see, and their part of the masks."""

    query: Tensor
    keys: int
    keep_mask: Tensor | None
    bias: Tensor | None


def blocks(
    query: Tensor,
    key: Tensor,
    keep_mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    rows: int,
) -> Iterator[Block]:
    """The queries, ``rows`` at a time: keys that come later than all of a block are left out."""
    queries, keys = query.size(-2), key.size(-2)
    if keep_mask is not None:
        keep_mask = for_all_queries(keep_mask, query, key)
    keep_mask, bias = (_all_axes(mask, query, key) for mask in (keep_mask, bias))
    for start in range(0, queries, rows):
        stop = start + rows
        seen = min(keys, keys - queries + stop) if causal else keys
        keep, added = (
            None if mask is None else mask[..., start:stop, :seen] for mask in (keep_mask, bias)
        )
        yield Block(query[..., start:stop, :], seen, keep, added)


def _all_axes(mask: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
    """A mask or bias with an axis for each of the scores, (..., n, m), and no copy of it."""
    if mask is None:
        return None
    mask = mask.expand(*mask.shape[:-2], query.size(-2), key.size(-2))
    return mask[(None,) * (query.dim() - mask.dim())]


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    keep_mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    *,
    scale: float,
    dropout: float = 0.0,
) -> Tensor:
    """``masked_softmax(scale * query @ keyᵀ, …) @ value`` in torch's fused kernel."""
    lead, queries, keys = query.shape[:-2], query.size(-2), key.size(-2)
    width = value.size(-1)
    if query.size(-1) != key.size(-1):  # which would be filled up with zeros below
        raise ValueError(f"queries have {query.size(-1)} features, but keys {key.size(-1)}")
    if value.size(-2) != keys:  # the kernel would read what is not there
        raise ValueError(f"there are {keys} keys, but {value.size(-2)} values")
    if bias is not None and (causal or keep_mask is not None):
        # The kernel takes one mask, and both in one would be as large as all the scores.
        rows = block_size(query, key, causal)
        if rows is not None:
            outputs = [
                fused_attention(
                    block.query,
                    key[..., : block.keys, :],
                    value[..., : block.keys, :],
                    block.keep_mask,
                    block.bias,
                    causal,
                    scale=scale,
                    dropout=dropout,
                )
                for block in blocks(query, key, keep_mask, bias, causal, rows)
            ]
            return torch.cat(outputs, dim=-2)
    lower = causal and keep_mask is None and bias is None
    if lower and queries != keys:  # by a branch, which a compiler that leaves lengths open can take
        lower = False
    bias = None if bias is None else as_bias(bias, query)
    mask, empty = bias, None
    keep = combined_mask(query, key, keep_mask, causal and not lower)
    if keep is not None:
        empty = ~keep.any(dim=-1, keepdim=True)
        keep = keep | empty
        mask = keep if bias is None else bias.masked_fill(~keep, -math.inf)
    # The kernel is fast for four axes, and for one width of queries, keys and values.
    if query.size(-1) != width:
        widest = max(query.size(-1), width)
        query, key, value = (F.pad(x, (0, widest - x.size(-1))) for x in (query, key, value))
    if len(lead) != 2:
        query, key, value = (_as_heads(x, lead) for x in (query, key, value))
        mask = None if mask is None else _as_heads(mask.expand(*lead, queries, keys), lead)
    elif mask is not None:
        mask = mask[(None,) * (4 - mask.dim())]
    output = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, is_causal=lower, scale=scale
    )
    output = output[..., :width]
    if len(lead) != 2:
        output = output.reshape(*lead, queries, width)
    return output if empty is None else output.masked_fill(empty, 0.0)


def _as_heads(x: Tensor, lead: torch.Size) -> Tensor:
    """Matrices with any leading axes, as those of a batch with one head."""
    return x.expand(*lead, *x.shape[-2:]).reshape(math.prod(lead), 1, *x.shape[-2:])
