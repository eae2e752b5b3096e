"""Tests of the metrics of the notes, held against the formulas as written."""

from __future__ import annotations

import pytest
import torch

from checks import assert_close_in_float32, assert_equals, assert_inputs_untouched
from formulas import bleu_by_formula, perplexity_by_formula
from transformer.metrics import bleu, perplexity


@pytest.mark.parametrize(
    "candidate",
    [
        "the boat",
        "the boat lies",
        "a boat lies by the bank",
        "by the bank lies the boat",
        "the the the boat lies",
        "the boat lies by the bank",
        "the boat lies by the bank of the river",
        "the boat is by the bank of the river",
    ],
)
def test_bleu_is_the_formula(candidate: str) -> None:
    """For texts that are shorter than the reference, as long, and longer."""
    words, reference = candidate.split(), ["the", "boat", "lies", "by", "the", "bank"]
    score = bleu(words, reference, 2)
    assert score == pytest.approx(bleu_by_formula(words, reference), rel=1e-12)


def test_bleu_finds_all_n_grams_of_the_reference_in_itself() -> None:
    words = ["the", "boat", "lies", "by", "the", "bank"]
    assert bleu(words, words) == pytest.approx(bleu_by_formula(words, words))


def test_bleu_counts_n_grams_of_up_to_four_words() -> None:
    assert bleu(["the", "boat", "lies", "by", "me"], ["the", "boat", "lies", "by", "us"]) > 0
    assert bleu(["the", "boat", "lies", "at", "a"], ["the", "boat", "lies", "by", "a"]) == 0.0


def test_bleu_counts_a_word_as_often_as_the_reference_has_it() -> None:
    often, once = ["the"] * 4, ["the", "boat", "lies", "here"]
    share = bleu(often, once, 1) / bleu(once, once, 1)
    assert share == pytest.approx(0.25)


@pytest.mark.parametrize("candidate", ["", "the boat", "boat the by lies the bank", "a b c d e"])
def test_bleu_is_0_where_nothing_is_common(candidate: str) -> None:
    assert bleu(candidate.split(), ["the", "boat", "lies", "by", "the", "bank"]) == 0.0


def test_bleu_is_of_words_not_of_letters() -> None:
    words = ["the", "boat"]
    for texts in ((words, "the boat"), ("the boat", words)):
        with pytest.raises(TypeError, match="list of its words"):
            bleu(*texts)


def test_bleu_counts_some_n_grams() -> None:
    with pytest.raises(ValueError, match="max_n=0 is less than 1"):
        bleu(["the", "boat"], ["the", "boat"], max_n=0)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3)])
def test_perplexity_is_the_formula(shape: tuple[int, ...]) -> None:
    scores = 3 * torch.randn(*shape, 7, dtype=torch.float64)
    target = torch.randint(7, shape)
    assert_equals(perplexity(scores, target), perplexity_by_formula(scores, target))


def test_perplexity_in_float32() -> None:
    scores, target = torch.randn(4, 7), torch.randint(7, (4,))
    expected = perplexity_by_formula(scores.double(), target)
    assert_close_in_float32(perplexity(scores, target), expected)


def test_perplexity_of_equal_scores_is_the_size_of_the_vocabulary() -> None:
    value = perplexity(torch.zeros(3, 7), torch.randint(7, (3,)))
    torch.testing.assert_close(value, torch.tensor(7.0))


def test_perplexity_of_a_sure_and_right_model_is_1() -> None:
    scores = torch.tensor([[0.0, 1000.0], [1000.0, 0.0]])
    assert perplexity(scores, torch.tensor([1, 0])).item() == 1.0


def test_perplexity_leaves_out_what_does_not_count() -> None:
    scores, target = torch.randn(2, 3, 7), torch.randint(7, (2, 3))
    target[1, 1:] = -100
    counted = torch.cat([scores[0], scores[1, :1]]), torch.cat([target[0], target[1, :1]])
    torch.testing.assert_close(perplexity(scores, target), perplexity(*counted))


def test_perplexity_has_a_target_for_each_position() -> None:
    """Those of a transposed text would be as many."""
    with pytest.raises(ValueError, match="one token for each position"):
        perplexity(torch.randn(2, 3, 7), torch.zeros(3, 2, dtype=torch.long))


def test_perplexity_is_1_where_nothing_counts() -> None:
    assert perplexity(torch.randn(2, 7), torch.tensor([-100, -100])).item() == 1.0


def test_perplexity_of_a_long_text_is_finite() -> None:
    scores, target = torch.randn(2**15, 50).half(), torch.randint(50, (2**15,))
    assert perplexity(scores, target).isfinite()


def test_perplexity_leaves_its_inputs_alone() -> None:
    assert_inputs_untouched(perplexity, torch.randn(2, 3, 7), torch.randint(7, (2, 3)))
