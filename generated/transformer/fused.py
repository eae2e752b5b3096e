"""Fused attention: weighted sums of values without all of their weights in memory."""

from __future__ import annotations

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from .blocks import Inputs, in_blocks
from .masks import as_bias, combined_mask


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
    if query.size(-1) != key.size(-1):  # which would be filled up with zeros by the kernel's call
        raise ValueError(f"queries have {query.size(-1)} features, but keys {key.size(-1)}")
    keys = key.size(-2)
    if value.size(-2) != keys:  # the kernel would read what is not there
        raise ValueError(f"there are {keys} keys, but {value.size(-2)} values")
    inputs = Inputs(query, key, value, keep_mask, bias)
    attend = partial(_in_kernel, causal=causal, scale=scale, dropout=dropout)
    masks = (keep_mask is not None, bias is not None, causal)
    # The kernel takes one mask, and several in one would be as large as all the scores.
    return in_blocks(attend, inputs, causal, 3 * keys) if sum(masks) > 1 else attend(inputs)


def _in_kernel(inputs: Inputs, causal: bool, scale: float, dropout: float) -> Tensor:
    """``fused_attention`` in one call of the kernel."""
    query, key, value, keep_mask, bias = inputs
    leads = (x.shape[:-2] for x in (query, key, value))
    lead: torch.Size = torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
    queries, keys, width = query.size(-2), key.size(-2), value.size(-1)
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
    widest = max(query.size(-1), width)
    filled = (_filled_up(x, widest).expand(*lead, -1, -1) for x in (query, key, value))
    query, key, value = (_as_heads(x, lead) for x in filled)
    mask = None if mask is None else _as_heads(mask, lead)
    output = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, is_causal=lower, scale=scale
    )
    output = output[..., :width].reshape(*lead, queries, width)
    return output if empty is None else output.masked_fill(empty, 0.0)


def _as_heads(x: Tensor, lead: torch.Size) -> Tensor:
    """Matrices that broadcast with any leading axes, as those of a batch with heads, the last of
    these axes. Those that several heads share, or all of a batch, are not copied."""
    x = x[(None,) * (max(len(lead), 2) + 2 - x.dim())]
    if any(size != 1 for size in x.shape[:-3]):
        x = x.expand(*lead[:-1], -1, -1, -1)
    return x.flatten(0, -4)


def _filled_up(x: Tensor, width: int) -> Tensor:
    """Vectors with zeros behind them."""
    return x if x.size(-1) == width else F.pad(x, (0, width - x.size(-1)))
