"""Tests of the losses of the notes, held against the formulas as written."""

from __future__ import annotations

import math
import re

import pytest
import torch
import torch.nn.functional as F

from checks import assert_close_in_float32, assert_equals, assert_inputs_untouched
from formulas import cross_entropy_by_formula, label_smoothing_by_formula
from transformer.losses import cross_entropy, label_smoothing


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3)])
def test_cross_entropy_is_the_formula(shape: tuple[int, ...]) -> None:
    scores = 3 * torch.randn(*shape, 7, dtype=torch.float64)
    target = torch.randint(7, shape)
    loss = cross_entropy(scores, target)
    assert_equals(loss, cross_entropy_by_formula(scores, target))


def test_cross_entropy_in_float32() -> None:
    scores, target = torch.randn(4, 7), torch.randint(7, (4,))
    loss = cross_entropy(scores, target)
    assert_close_in_float32(loss, cross_entropy_by_formula(scores.double(), target))


def test_cross_entropy_of_many_positions_in_float16() -> None:
    scores, target = torch.randn(2**16, 7).half(), torch.randint(7, (2**16,))
    loss = cross_entropy(scores, target)
    torch.testing.assert_close(loss, cross_entropy(scores.float(), target))


def test_cross_entropy_where_the_truth_is_all_but_impossible() -> None:
    scores = torch.tensor([[0.0, 1000.0]], requires_grad=True)
    loss = cross_entropy(scores, torch.tensor([0]))
    loss.backward()
    assert loss.item() == 1000.0
    assert scores.grad.tolist() == [[-1.0, 1.0]]


def test_cross_entropy_leaves_out_what_does_not_count() -> None:
    scores, target = torch.randn(2, 3, 7), torch.randint(7, (2, 3))
    target[1, 1:] = -100
    counted = torch.cat([scores[0], scores[1, :1]]), torch.cat([target[0], target[1, :1]])
    torch.testing.assert_close(cross_entropy(scores, target), cross_entropy(*counted))


def test_cross_entropy_is_0_where_nothing_counts() -> None:
    scores = torch.randn(2, 3, 7, requires_grad=True)
    loss = cross_entropy(scores, torch.full((2, 3), -100))
    loss.backward()
    assert loss.item() == 0.0
    assert torch.equal(scores.grad, torch.zeros(2, 3, 7))


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 7), (2,)])
def test_cross_entropy_has_a_target_for_each_position(shape: tuple[int, ...]) -> None:
    """Those of a transposed text would be as many."""
    message = re.escape(f"a target of {shape} for logits of (2, 3, 7)")
    with pytest.raises(ValueError, match=message):
        cross_entropy(torch.randn(2, 3, 7), torch.zeros(shape, dtype=torch.long))


def test_cross_entropy_has_gradients() -> None:
    scores = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0, 4, 2])
    assert torch.autograd.gradcheck(lambda scores: cross_entropy(scores, target), scores)


def test_cross_entropy_leaves_its_inputs_alone() -> None:
    assert_inputs_untouched(cross_entropy, torch.randn(2, 3, 7), torch.randint(7, (2, 3)))


@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 3, 5)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_label_smoothing_is_the_formula(shape: tuple[int, ...], epsilon: float) -> None:
    truth = torch.softmax(torch.randn(shape, dtype=torch.float64), dim=-1)
    smoothed = label_smoothing(truth, epsilon)
    assert_equals(smoothed, label_smoothing_by_formula(truth, epsilon))


def test_label_smoothing_of_one_hot_integers() -> None:
    truth = F.one_hot(torch.tensor([3, 0]), 5)
    smoothed = label_smoothing(truth)
    assert_close_in_float32(smoothed, label_smoothing_by_formula(truth, 0.1))


def test_label_smoothing_gives_probabilities_that_leave_the_truth_in_front() -> None:
    target = torch.randint(7, (4,))
    smoothed = label_smoothing(F.one_hot(target, 7), 0.3)
    torch.testing.assert_close(smoothed.sum(dim=-1), torch.ones(4))
    assert torch.equal(smoothed.argmax(dim=-1), target)


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, math.nan])
def test_label_smoothing_spreads_no_more_than_all(epsilon: float) -> None:
    with pytest.raises(ValueError, match=f"epsilon={epsilon} is not between 0 and 1"):
        label_smoothing(torch.eye(3), epsilon)


def test_label_smoothing_is_that_of_torch() -> None:
    scores, target = torch.randn(4, 7), torch.randint(7, (4,))
    smoothed = label_smoothing(F.one_hot(target, 7), 0.2)
    theirs = F.cross_entropy(scores, target, label_smoothing=0.2)
    torch.testing.assert_close(F.cross_entropy(scores, smoothed), theirs)


def test_label_smoothing_leaves_its_input_alone() -> None:
    assert_inputs_untouched(label_smoothing, torch.rand(2, 3, 5))
