"""Blocks: attention for some heads and some queries at a time, to save memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .masks import for_all_queries


class Inputs(NamedTuple):
    """Queries, and what they attend to."""

    query: Tensor
    key: Tensor
    value: Tensor
    keep_mask: Tensor | None = None
    bias: Tensor | None = None

    def broadcast(self) -> Inputs:
        """The same with all leading axes, and with masks of (..., n, m)."""
        query, key, value, keep, bias = self
        if keep is not None:
            keep = for_all_queries(keep, query, key)
        leads = (x.shape[:-2] for x in (query, key, value))
        lead: torch.Size = torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
        query, key, value = (x.expand(*lead, -1, -1) for x in (query, key, value))
        scores = (*lead, query.size(-2), key.size(-2))
        keep, bias = (None if mask is None else mask.expand(scores) for mask in (keep, bias))
        return Inputs(query, key, value, keep, bias)

    def by_heads(self, count: int) -> Iterator[Inputs]:
        """So many heads at a time, or fewer: the last axis before queries and keys."""
        return map(Inputs, *(repeat(None) if x is None else parts(x, count, -3) for x in self))

    def by_queries(self, count: int, causal: bool) -> Iterator[Inputs]:
        """So many queries at a time, or fewer: keys that come later than all of them are left
        out."""
        query, key, value, *masks = self
        end, seen = 0, key.size(-2)
        for some in parts(query, count, -2):
            start, end = end, end + some.size(-2)
            if causal:
                seen = key.size(-2) - query.size(-2) + end
            keep, bias = (None if mask is None else mask[..., start:end, :seen] for mask in masks)
            yield Inputs(some, key[..., :seen, :], value[..., :seen, :], keep, bias)


def in_blocks(
    attend: Callable[[Inputs], Tensor], inputs: Inputs, causal: bool, numbers: int, least: int = 4
) -> Tensor:
    """What ``attend`` gives, computed for some heads and some of their queries, ``least`` or more,
    at a time, where too much would be in memory at once: ``numbers`` for each query."""
    if torch.compiler.is_compiling():  # the compiler has its own way to save memory
        return attend(inputs)
    query, key = inputs.query, inputs.key
    # As much as a processor's cache holds; a GPU wants more to do at once.
    most, tallest = (2**21, 2**7) if query.device.type == "cpu" else (2**25, 2**11)
    if query.shape[:-1].numel() * numbers <= most or (causal and query.size(-2) > key.size(-2)):
        return attend(inputs)
    inputs = inputs.broadcast()
    *batch, heads, queries = (1, *inputs.query.shape[:-1])
    each = math.prod(batch) * numbers
    rows = max(most // each, least)
    if causal:  # the fewer queries, the more keys come later than all of them
        rows = min(rows, tallest)

    def of_heads(some: Inputs) -> Tensor:
        return concatenated(map(attend, some.by_queries(rows, causal)), queries, dim=-2)

    together = max(most // (each * min(rows, queries)), 1)
    if together >= heads:
        return of_heads(inputs)
    return concatenated(map(of_heads, inputs.by_heads(together)), heads, dim=-3)


def parts(x: Tensor, size: int, dim: int) -> Sequence[Tensor]:
    """A tensor in parts of about the same size, at most this one."""
    return x.chunk(max(1, math.ceil(x.size(dim) / size)), dim)


def concatenated(tensors: Iterator[Tensor], size: int, dim: int) -> Tensor:
    """``torch.cat`` of tensors that are made one after another and have this size together: up to
    the first with gradients each goes to its place at once, so that none is in memory twice."""
    whole: Tensor | None = None
    end = 0
    for part in tensors:
        if part.size(dim) == size:
            return part
        if part.requires_grad:
            before = () if whole is None else (whole.narrow(dim, 0, end),)
            return torch.cat([*before, part, *tensors], dim=dim)
        if whole is None:
            shape = list(part.shape)
            shape[dim] = size
            whole = part.new_empty(shape)
        whole.narrow(dim, end, part.size(dim)).copy_(part)
        end += part.size(dim)
        del part  # before the next one is made
    assert whole is not None
    return whole


def blocked(x: Tensor, size: int) -> Tensor:
    """Rows in blocks, (..., blocks, size, features), filled up with zeros."""
    # One block more than they need in a graph: there a count that may be 1 would be always 1.
    least = 2 if torch.compiler.is_compiling() else 1
    blocks = (x.size(-2) + least * size - 1) // size
    filled = F.pad(x, (0, 0, 0, blocks * size - x.size(-2)))
    return filled.reshape(*x.shape[:-2], blocks, size, x.size(-1))


def unblocked(blocks: Tensor, rows: int) -> Tensor:
    """So many rows of those in blocks; ``torch.export`` does not know that there are as many, and
    would not let a slice take them."""
    x = blocks.flatten(-3, -2)
    return F.pad(x, (0, 0, 0, rows - x.size(-2)))
