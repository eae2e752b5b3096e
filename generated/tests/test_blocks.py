"""Tests of the blocks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from checks import array, assert_equals
from transformer.blocks import Inputs, concatenated, in_blocks
from transformer.masks import combined_mask, masked_softmax


def remembered(blocks: list[Inputs]) -> Callable[[Inputs], Tensor]:
    """An attention by the formula that is causal, and keeps what it was given."""

    def attend(block: Inputs) -> Tensor:
        blocks.append(block)
        keep = combined_mask(block.query, block.key, block.keep_mask, causal=True)
        weights = masked_softmax(block.query @ block.key.mT, keep, block.bias)
        return weights @ block.value

    return attend


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize(
    ("lead", "numbers", "shapes"),
    [
        ((), 2**11, [(300,)]),
        ((), 2**14, [(100,), (100,), (100,)]),
        ((), 2**20, [(4,)] * 75),
        ((3,), 2**12, [(3, 100)] * 3),
        ((3,), 2**13, [(2, 100)] * 3 + [(1, 100)] * 3),
        ((2, 2), 2**14, [(2, 1, 60)] * 10),
    ],
)
def test_a_block_has_the_heads_and_queries_that_fit(
    lead: tuple[int, ...], numbers: int, shapes: list[tuple[int, ...]], gradients: bool
) -> None:
    """2²¹ numbers on a CPU, of no more than 128 queries, and of as many keys as they see."""
    query, key, value = (torch.randn(*lead, n, 5).double() for n in (300, 310, 310))
    query.requires_grad_(gradients)
    bias, keep = torch.randn(300, 310).double(), torch.rand(*lead[:1], 300, 310) < 0.9
    keep = keep if len(lead) < 2 else keep[:, None]
    inputs, given = Inputs(query, key, value, keep, bias), []
    output = in_blocks(remembered(given), inputs, True, numbers)
    assert_equals(output, array(remembered([])(inputs)))
    assert [block.query.shape[:-1] for block in given] == shapes
    rows = [block.query.size(-2) for block in given]
    ends = [(sum(rows[: at + 1]) - 1) % 300 + 1 for at in range(len(rows))]
    assert [block.key.size(-2) for block in given] == [10 + end for end in ends]


def test_blocks_of_a_gpu_have_more() -> None:
    given: list[Inputs] = []
    x = torch.empty(2, 2**12, 1, device="meta")
    in_blocks(remembered(given), Inputs(x, x, x), True, 2**12)
    in_blocks(remembered(given), Inputs(x, x, x), True, 2**13)
    assert [block.query.shape[:-1] for block in given] == [(2, 2**12), (2, 2**11), (2, 2**11)]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("keys", [0, 3])
def test_queries_before_all_keys_are_one_block(keys: int, causal: bool) -> None:
    query, key = torch.randn(8, 2).double(), torch.randn(keys, 2).double()
    given: list[Inputs] = []
    in_blocks(remembered(given), Inputs(query, key, key), causal, 2**21)
    assert [len(block.query) for block in given] == ([8] if causal else [4, 4])


@pytest.mark.parametrize(
    "leads",
    [
        ((2, 1, 1), (3, 1), (4,)),  # each has an axis that the others lack
        ((2, 4), (2, 1), (2, 1)),
    ],
)
def test_blocks_have_what_broadcasts(leads: tuple[tuple[int, ...], ...]) -> None:
    query, key, value = (torch.randn(*lead, 9, 3).double() for lead in leads)
    inputs = Inputs(query, key, value, torch.rand(2, 9) < 0.9, torch.randn(4, 1, 9).double())
    output = in_blocks(remembered([]), inputs, True, 2**18)
    assert_equals(output, array(remembered([])(inputs)))


def test_blocks_take_no_mask_of_another_size() -> None:
    x = torch.randn(4, 9, 3)
    for shape in ((3, 9, 9), (5, 9, 9), (10, 9), (9, 10)):
        with pytest.raises(RuntimeError):
            in_blocks(remembered([]), Inputs(x, x, x, bias=torch.zeros(shape)), True, 2**18)


def test_at_least_so_many_queries_stay_together() -> None:
    x, given = torch.randn(3, 50, 2).double(), []
    in_blocks(remembered(given), Inputs(x, x, x), False, 2**21, least=50)
    assert [block.query.shape[:-1] for block in given] == [(1, 50)] * 3


@pytest.mark.parametrize("sizes", [[5], [2, 2, 1]])
@pytest.mark.parametrize("learned", ["", "0", "2", "01", "12", "012"])
def test_parts_are_joined_whichever_have_gradients(sizes: list[int], learned: str) -> None:
    pieces = [
        torch.randn(2, size, 3, requires_grad=str(at) in learned) for at, size in enumerate(sizes)
    ]
    joined, expected = concatenated(iter(pieces), 5, dim=-2), torch.cat(pieces, dim=-2)
    assert torch.equal(joined, expected)
    assert (joined is pieces[0]) == (len(pieces) == 1)
    assert joined.requires_grad == expected.requires_grad
    for piece in pieces:
        if piece.requires_grad:
            (gradient,) = torch.autograd.grad(joined.square().sum(), piece, retain_graph=True)
            assert torch.equal(gradient, 2 * piece)
