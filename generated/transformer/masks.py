"""Masks: which keys a query may see, and softmax over those keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


def keep_from_padding(key_padding_mask: Tensor) -> Tensor:
    """Turn torch.nn's padding mask, True to *ignore*, into a keep mask, both (B, keys)."""
    return ~key_padding_mask


def causal_mask(queries: int, keys: int, device: torch.device | None = None) -> Tensor:
    """True where a query may see a key: itself and those before it, (queries, keys).

    With fewer queries than keys, as with a cache, the queries are the last ones.
    """
    everything = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return everything.tril(diagonal=keys - queries)


def combined_mask(
    query: Tensor, key: Tensor, keep_mask: Tensor | None, causal: bool
) -> Tensor | None:
    """All that says which keys a query may see, True to keep; None if it may see all.

    ``keep_mask`` has the axes of the scores, (..., queries, keys), or is one of (queries, keys)
    for all sequences, or one of (B, keys) for all queries of each sequence.
    """
    keep = None if keep_mask is None else _for_all_queries(keep_mask, query, key)
    if not causal or query.size(-2) == 1:
        return keep
    seen = causal_mask(query.size(-2), key.size(-2), query.device)
    return seen if keep is None else seen & keep


def _for_all_queries(keep_mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """A mask that broadcasts with the scores: (B, keys) gets an axis for the queries."""
    check_boolean(keep_mask)
    if keep_mask.size(-1) not in (1, key.size(-2)):
        raise ValueError(f"a keep mask for {keep_mask.size(-1)} keys, but there are {key.size(-2)}")
    batch, leading = query.size(0), query.dim() - 2
    each, same = "1, " * (leading - 1), "1, " * leading
    if 2 < keep_mask.dim() < query.dim():
        raise ValueError(
            f"a keep mask of {keep_mask.dim()} axes for queries of {query.dim()}: "
            f"give it as (B, {each}queries, keys)"
        )
    if keep_mask.dim() != 2 or leading == 0 or batch == 1 or keep_mask.size(0) != batch:
        return keep_mask
    if query.size(-2) == batch:
        raise ValueError(
            "a keep mask of (B, keys) where B is also the number of queries can mean two things: "
            f"give it as (B, {each}1, keys) or as ({same}queries, keys)"
        )
    return keep_mask.reshape(batch, *[1] * leading, keep_mask.size(-1))


def batched_mask(keep_mask: Tensor | None, query: Tensor) -> Tensor | None:
    """A keep mask of (B, keys) or (B, queries, keys), with the axes that the scores of ``query``,
    (B, ..., queries, d), have besides."""
    if keep_mask is None:
        return None
    check_boolean(keep_mask)
    if keep_mask.size(0) not in (1, query.size(0)):
        raise ValueError(f"a keep mask of {keep_mask.size(0)} for a batch of {query.size(0)}")
    while keep_mask.dim() < query.dim():
        keep_mask = keep_mask.unsqueeze(1)
    return keep_mask


def first_kept(keep_mask: Tensor) -> Tensor:
    """Where the first token of each text stands, (B, n) to (B, 1): at 0 if all is padding."""
    check_boolean(keep_mask)
    if keep_mask.dim() != 2:
        raise ValueError(f"a keep mask of {tuple(keep_mask.shape)}: give it as (B, n)")
    return keep_mask.int().argmax(dim=-1, keepdim=True)


def check_boolean(keep_mask: Tensor) -> None:
    """Raise a ``TypeError`` unless a mask is boolean: of zeros and ones, which are to be kept?"""
    if keep_mask.dtype != torch.bool:
        raise TypeError(
            f"a keep mask of {keep_mask.dtype}: give a boolean one, True to keep, "
            "or add to the scores with a bias"
        )


def as_bias(bias: Tensor, like: Tensor) -> Tensor:
    """What is added to scores, in the type of ``like``; a ``TypeError`` for a mask of booleans or
    whole numbers, which would be added as zeros and ones."""
    if not bias.is_floating_point():
        raise TypeError(
            f"a bias of {bias.dtype}: give floating point numbers to add to the scores, "
            "or what is to be kept as keep_mask"
        )
    return bias.to(like.dtype)


def masked_softmax(scores: Tensor, keep: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """Softmax of ``scores + bias`` over the last axis, where ``keep`` is True; zeros in a row
    where nothing is kept."""
    if bias is not None:
        scores = scores + as_bias(bias, scores)
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    if (keep is None and bias is None) or scores.size(-1) == 0:
        return torch.softmax(scores, dim=-1)
    # A row of nothing but -inf would be 0/0: its scores are made finite, its weights zero.
    empty = scores.amax(dim=-1, keepdim=True).isneginf()
    return torch.softmax(scores.masked_fill(empty, 0.0), dim=-1).masked_fill(empty, 0.0)


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
        keep_mask = _for_all_queries(keep_mask, query, key)
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
