"""Tests of the generation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.cache import KeyValueCache
from transformer.generation import (
    beam_search,
    check_beams,
    check_prompts,
    check_sampling,
    check_token,
    draw_token,
    evaluating,
    greedy_search,
)


def test_evaluating_leaves_each_module_as_it_was() -> None:
    model = nn.Sequential(nn.Dropout(), nn.Dropout(), nn.Dropout())
    model[1].eval()
    with pytest.raises(KeyError), evaluating(model):
        assert not any(module.training for module in model.modules())
        raise KeyError
    assert [module.training for module in model] == [True, False, True]
    assert model.training


def test_check_token_refuses_what_is_not_in_the_vocabulary() -> None:
    for token in (None, 0, 6):
        check_token(token, 7, "end")
    for token in (-1, 7):
        with pytest.raises(ValueError, match=f"end={token} is not in"):
            check_token(token, 7, "end")


def test_check_prompts_refuses_texts_that_end_with_padding() -> None:
    tokens = torch.zeros(2, 3, dtype=torch.long)
    check_prompts(tokens, torch.tensor([[True, True, True], [False, False, True]]))
    with pytest.raises(ValueError, match="ends with padding"):
        check_prompts(tokens, torch.tensor([[True, True, True], [True, True, False]]))


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)])
def test_check_prompts_refuses_what_are_no_tokens_of_texts(shape: tuple[int, ...]) -> None:
    check_prompts(torch.zeros(1, 1, dtype=torch.long))
    with pytest.raises(ValueError, match=re.escape(f"tokens of {shape}: give some of each text")):
        check_prompts(torch.zeros(shape, dtype=torch.long))


def test_check_prompts_refuses_a_mask_of_other_texts() -> None:
    with pytest.raises(ValueError, match=r"a keep mask of \(2, 4\) for tokens of \(2, 3\)"):
        check_prompts(torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 4, dtype=torch.bool))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("temperature", -0.1),
        ("temperature", math.nan),
        ("top_k", 0),
        ("top_k", -2),
        ("top_p", 0.0),
        ("top_p", 1.1),
    ],
)
def test_check_sampling_refuses_what_cannot_be_drawn(name: str, wrong: float) -> None:
    fine: dict[str, Any] = {"temperature": 0.0, "top_k": 1, "top_p": 1.0}
    check_sampling(**fine)
    check_sampling(1.5, None, None)
    with pytest.raises(ValueError, match=name):
        check_sampling(**{**fine, name: wrong})


def shares(logits: Tensor, **options: Any) -> Tensor:
    """How often each token is drawn from logits, (V,)."""
    drawn = draw_token(logits.expand(40_000, -1), **options)
    assert drawn.shape == (40_000, 1)
    return drawn.flatten().bincount(minlength=len(logits)) / len(drawn)


def test_draws_by_probabilities_in_float32() -> None:
    logits = torch.randn(100, 2000).bfloat16()
    torch.manual_seed(0)
    expected = draw_token(logits.float(), 1.0, top_p=0.9)
    torch.manual_seed(0)
    assert torch.equal(draw_token(logits, 1.0, top_p=0.9), expected)


LIKELY = torch.tensor([0.1, 0.4, 0.05, 0.25, 0.2])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"temperature": 1.0}, LIKELY),
        ({"temperature": 0.5}, LIKELY**2),
        ({"temperature": 2.0}, LIKELY**0.5),
        ({"temperature": 0.0}, torch.tensor([0.0, 1, 0, 0, 0])),
        ({"temperature": 1e-39}, torch.tensor([0.0, 1, 0, 0, 0])),
        ({"temperature": 1.0, "top_k": 1}, torch.tensor([0.0, 1, 0, 0, 0])),
        ({"temperature": 1.0, "top_k": 3}, LIKELY * torch.tensor([0, 1, 0, 1, 1])),
        ({"temperature": 1.0, "top_k": 9}, LIKELY),
        ({"temperature": 1.0, "top_p": 1.0}, LIKELY),
        ({"temperature": 1.0, "top_p": 0.6}, LIKELY * torch.tensor([0, 1, 0, 1, 0])),
        ({"temperature": 1.0, "top_p": 0.7}, LIKELY * torch.tensor([0, 1, 0, 1, 1])),
        ({"temperature": 1.0, "top_p": 0.1}, torch.tensor([0.0, 1, 0, 0, 0])),
        # Of 0.4 and 0.25 the larger alone has 0.61: top_p is a share of what top_k leaves, and of
        # what the temperature makes of it.
        ({"temperature": 1.0, "top_k": 2, "top_p": 0.6}, torch.tensor([0.0, 1, 0, 0, 0])),
        ({"temperature": 0.5, "top_p": 0.55}, torch.tensor([0.0, 1, 0, 0, 0])),
    ],
)
def test_draw_token_draws_each_token_as_often_as_it_is_likely(
    options: dict[str, Any], expected: Tensor
) -> None:
    drawn = shares(LIKELY.log(), **options)
    np.testing.assert_allclose(drawn, expected / expected.sum(), atol=0.012)
    assert not drawn[expected == 0].any()


@pytest.mark.parametrize("temperature", [1e-30, 1.0])
def test_draw_token_draws_what_is_equally_likely_by_chance(temperature: float) -> None:
    drawn = shares(torch.zeros(2), temperature=temperature)
    np.testing.assert_allclose(drawn, 0.5, atol=0.012)


def test_draw_token_takes_no_more_tokens_than_reach_top_p() -> None:
    drawn = shares(torch.zeros(2), temperature=1.0, top_p=0.5)
    assert sorted(drawn.tolist()) == [0.0, 1.0]


def test_draw_token_draws_for_each_row_by_itself() -> None:
    logits = torch.full((4, 6), -torch.inf)
    wanted = torch.tensor([5, 0, 3, 3])
    logits[torch.arange(4), wanted] = 0.0
    for options in ({"temperature": 0.0}, {"temperature": 1.0, "top_k": 2, "top_p": 0.5}):
        assert torch.equal(draw_token(logits, **options)[:, 0], wanted)


class Chain:
    """Texts in which the next token depends on the last two, by random log-probabilities."""

    def __init__(self, vocab_size: int) -> None:
        table = torch.randn(vocab_size, vocab_size, vocab_size, dtype=torch.float64)
        self.table = torch.log_softmax(2 * table, dim=-1)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Logits, which log-probabilities are up to a constant, for the next token."""
        before = tokens[:, -2] if tokens.size(1) > 1 else tokens[:, -1]
        return self.table[before, tokens[:, -1]] + 3.0

    def score(self, text: Sequence[int], end: int, length_penalty: float) -> float:
        """The score of a text that begins with one given token, up to the first ``end``."""
        total, length = 0.0, 0
        for at in range(1, len(text)):
            total += float(self.table[text[max(at - 2, 0)], text[at - 1], text[at]])
            length += 1
            if text[at] == end:
                break
        return total / ((5 + length) / 6) ** length_penalty


def test_greedy_search_takes_the_likeliest_token_and_stops_at_the_end() -> None:
    chain, end = Chain(4), 2
    texts = greedy_search(chain, torch.tensor([[0], [1], [3]]), 8, end)
    for text in texts:
        ended = False
        for at in range(1, len(text)):
            likeliest = int(chain(text[None, :at]).argmax())
            assert text[at] == (end if ended else likeliest)
            ended = ended or text[at] == end
    assert texts.size(1) <= 9


def test_greedy_search_stops_when_all_texts_have_ended() -> None:
    def step(tokens: Tensor) -> Tensor:
        """Each text counts down to 0 from its first token."""
        return F.one_hot((tokens[:, -1] - 1).clamp(min=0), 5).double()

    texts = greedy_search(step, torch.tensor([[3, 1, 2], [3, 1, 4]]), 20, end=0)
    assert texts.tolist() == [[3, 1, 2, 1, 0, 0, 0], [3, 1, 4, 3, 2, 1, 0]]
    assert greedy_search(step, torch.tensor([[4]]), 2, end=0).tolist() == [[4, 3, 2]]


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_beam_search_of_one_beam_is_greedy(length_penalty: float) -> None:
    for _ in range(10):
        chain, starts = Chain(5), torch.tensor([[0], [1], [3], [4]])
        greedy = greedy_search(chain, starts, 7, 2)
        texts = beam_search(chain, starts, 7, 2, 1, length_penalty)
        assert torch.equal(texts, greedy)


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_beam_search_that_keeps_all_in_sight_finds_the_best_of_all(length_penalty: float) -> None:
    count, end = 4, 2
    for _ in range(10):
        chain, starts = Chain(3), torch.tensor([[0], [1]])
        texts = beam_search(chain, starts, count, end, 3**count, length_penalty)
        for text, start in zip(texts.tolist(), starts.flatten().tolist(), strict=True):
            everything = [(start, *rest) for rest in product(range(3), repeat=count)]
            best = max(chain.score(other, end, length_penalty) for other in everything)
            assert chain.score(text, end, length_penalty) == pytest.approx(best)
            written = text[1:]
            if end in written:
                assert set(written[written.index(end) :]) == {end}


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_beam_search_finds_better_texts_than_greedy(length_penalty: float) -> None:
    gains = []
    for _ in range(20):
        chain, starts = Chain(6), torch.tensor([[0], [1], [3], [4], [5]])
        greedy = greedy_search(chain, starts, 6, 2).tolist()
        texts = beam_search(chain, starts, 6, 2, 5, length_penalty).tolist()
        scores = [[chain.score(t, 2, length_penalty) for t in found] for found in (texts, greedy)]
        gains += [mine - theirs for mine, theirs in zip(*scores, strict=True)]
    assert min(gains) > -1e-6
    assert max(gains) > 0.1


def test_beam_search_prefers_longer_texts_with_a_penalty_for_short_ones() -> None:
    chains, start = [Chain(5) for _ in range(20)], torch.tensor([[0]])
    lengths = []
    for length_penalty in (0.0, 1.0, 3.0):
        texts = [beam_search(chain, start, 8, 2, 6, length_penalty) for chain in chains]
        lengths.append(sum((text != 2).sum().item() for text in texts))
    assert lengths[0] < lengths[1] < lengths[2]


def test_beam_search_stops_when_nothing_better_can_come() -> None:
    calls = []

    def step(tokens: Tensor) -> Tensor:
        """The end is all but certain at once."""
        calls.append(tokens.size(1))
        return torch.tensor([0.0, 0.0, 20.0, 0.0]).expand(tokens.size(0), -1)

    assert beam_search(step, torch.tensor([[0], [1]]), 9, 2, 3, 0.6).tolist() == [[0, 2], [1, 2]]
    assert calls == [1]


@pytest.mark.parametrize(
    ("chances", "count"),
    [
        # Each text by itself: one goes on with 0.4 at best, the other with 0.1.
        ([[0.4, 0.0, 0.6] + 7 * [0.0], [0.1, 0.1, 0.2] + 6 * [0.1] + [0.0]], 1),
        # What is as likely as what has ended goes on.
        ([[0.5, 0.0, 0.5]], 2),
    ],
)
def test_beam_search_stops_when_what_goes_on_is_less_likely(
    chances: list[list[float]], count: int
) -> None:
    calls = []

    def step(tokens: Tensor) -> Tensor:
        """Each text goes on in its own way, whatever has been written."""
        calls.append(tokens.size(1))
        return torch.tensor(chances)[tokens[:, 0]].log()

    starts = torch.arange(len(chances))[:, None]
    texts = beam_search(step, starts, 9, 2, 3, 0.0)
    assert calls == list(range(1, count + 1))
    assert texts.tolist() == [[int(start), *[2] * count] for start in starts]


def test_beam_search_compares_texts_in_float32() -> None:
    tables = torch.randn(20, 100, 100).bfloat16()
    start = torch.zeros(1, 1, dtype=torch.long)
    for table in tables:
        texts = beam_search(lambda tokens, t=table: t[tokens[:, -1]], start, 5, 2, 4, 0.6)
        wide = table.float()
        expected = beam_search(lambda tokens, t=wide: t[tokens[:, -1]], start, 5, 2, 4, 0.6)
        assert torch.equal(texts, expected)


def test_search_in_no_texts_finds_none() -> None:
    none = torch.zeros(0, 1, dtype=torch.long)
    assert greedy_search(Chain(4), none, 5, 2).shape == (0, 2)
    assert beam_search(Chain(4), none, 5, 2, 3, 0.6).shape == (0, 2)


def test_beam_search_takes_its_caches_along() -> None:
    """Each row of a cache is still the text that the row of tokens is."""
    chain, cache = Chain(5), KeyValueCache(max_len=8)

    def step(tokens: Tensor) -> Tensor:
        new = tokens[:, cache.length :, None].double()
        seen, _ = cache.extend(new, new)
        assert torch.equal(seen[..., 0], tokens.double())
        return chain(tokens)

    beam_search(step, torch.tensor([[0], [1], [4]]), 7, 2, 3, 0.6, [cache])
    assert cache.length > 3


def test_check_beams_refuses_what_is_no_beam() -> None:
    check_beams(1, 0.0)
    with pytest.raises(ValueError, match="beams=0"):
        check_beams(0, 0.6)
    for length_penalty in (-0.5, math.nan):
        with pytest.raises(ValueError, match=f"length_penalty={length_penalty}"):
            check_beams(2, length_penalty)
