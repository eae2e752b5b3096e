"""Masks: which keys a query may see, and softmax over those keys."""

from __future__ import annotations

import math

import torch
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
    keep = None if keep_mask is None else for_all_queries(keep_mask, query, key)
    if not causal or query.size(-2) == 1:
        return keep
    seen = causal_mask(query.size(-2), key.size(-2), query.device)
    return seen if keep is None else seen & keep


def for_all_queries(keep_mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
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


def batched_mask(keep_mask: Tensor | None, query: Tensor, heads: bool = False) -> Tensor | None:
    """A keep mask of (B, keys) or (B, queries, keys), with the axes that the scores of ``query``,
    (B, ..., queries, d), have besides; with ``heads`` it has one for them before its queries."""
    if keep_mask is None:
        return None
    check_boolean(keep_mask)
    if keep_mask.dim() < 2 or (heads and query.dim() < 4):  # whose first axis is another one
        raise ValueError(
            f"a keep mask of {tuple(keep_mask.shape)} is not that of a batch: give it as (B, keys) "
            "or (B, queries, keys), for queries of (B, queries, d)"
        )
    if keep_mask.size(0) not in (1, query.size(0)):
        raise ValueError(f"a keep mask of {keep_mask.size(0)} for a batch of {query.size(0)}")
    while keep_mask.dim() < query.dim():
        keep_mask = keep_mask.unsqueeze(1)
    return keep_mask


def first_kept(keep_mask: Tensor) -> Tensor:
    """Where the first token of each text stands, (B, n) to (B, 1): at n if all is padding."""
    check_boolean(keep_mask)
    if keep_mask.dim() != 2:
        raise ValueError(f"a keep mask of {tuple(keep_mask.shape)}: give it as (B, n)")
    return (keep_mask.cumsum(dim=-1) == 0).sum(dim=-1, keepdim=True)


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
