"""Generation: which token comes next, from what a model makes of a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from .cache import KeyValueCache


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout inside; afterwards each module is in training or not, as before."""
    before = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in before:
            module.training = training


def check_token(token: int | None, vocab_size: int, name: str) -> None:
    """Raise a ``ValueError`` unless the token is one of the vocabulary, or none at all."""
    if token is not None and not 0 <= token < vocab_size:
        raise ValueError(f"{name}={token} is not in a vocabulary of {vocab_size}")


def check_prompts(tokens: Tensor, keep_mask: Tensor | None = None) -> None:
    """Raise a ``ValueError`` unless each text ends with a token to go on from."""
    if tokens.dim() != 2 or tokens.size(1) == 0:
        raise ValueError(f"tokens of {tuple(tokens.shape)}: give some of each text, as (B, n)")
    if keep_mask is None:
        return
    if keep_mask.shape != tokens.shape:
        shapes = f"{tuple(keep_mask.shape)} for tokens of {tuple(tokens.shape)}"
        raise ValueError(f"a keep mask of {shapes}")
    if not keep_mask[:, -1].all():
        raise ValueError("a text ends with padding: fill texts up before their first tokens")


def check_sampling(temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raise a ``ValueError`` where ``draw_token`` could not draw like this."""
    if not temperature >= 0:  # or no number at all
        raise ValueError(f"temperature={temperature} is not from 0 on")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k} leaves nothing to draw from")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p} is no share of probability, above 0 and at most 1")


def draw_token(
    logits: Tensor, temperature: float, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """Draw a token for each row of logits: (B, vocab_size) to (B, 1).

    The logits are divided by the temperature; at 0 the likeliest token is taken. Of the tokens
    only the ``top_k`` likeliest can be drawn, and of these only the likeliest ones, as many as it
    takes to reach a probability of ``top_p`` (Holtzman et al., 2020).
    """
    if temperature < 1e-30:  # below which float32 has no room for the quotients
        return logits.argmax(dim=-1, keepdim=True)
    logits, tokens = (logits.float() / temperature).sort(descending=True)
    probabilities = torch.softmax(logits[:, :top_k], dim=-1)
    if top_p is not None:
        likelier = probabilities.cumsum(dim=-1) - probabilities
        probabilities = probabilities.masked_fill(likelier >= top_p, 0.0)
    return tokens.gather(-1, torch.multinomial(probabilities, 1))


def check_beams(beams: int, length_penalty: float) -> None:
    """Raise a ``ValueError`` where ``beam_search`` could not search like this."""
    if beams < 1:
        raise ValueError(f"beams={beams} leaves nothing in sight")
    if not length_penalty >= 0:  # or no number at all
        raise ValueError(f"length_penalty={length_penalty} is not from 0 on")


def greedy_search(step: Callable[[Tensor], Tensor], tokens: Tensor, count: int, end: int) -> Tensor:
    """Append the likeliest token to each text until all have come to ``end``, at most ``count``
    times: (B, n) to (B, n + count) or less. A text that has ended is filled up with ``end``.

    step: the logits for the next token, (B, vocab_size), from the texts so far
    """
    ended = torch.zeros(tokens.size(0), 1, dtype=torch.bool, device=tokens.device)
    for _ in range(count):
        chosen = step(tokens).argmax(dim=-1, keepdim=True).masked_fill(ended, end)
        tokens = torch.cat([tokens, chosen], dim=-1)
        ended = ended | (chosen == end)
        if ended.all():
            break
    return tokens


def beam_search(
    step: Callable[[Tensor], Tensor],
    tokens: Tensor,
    count: int,
    end: int,
    beams: int,
    length_penalty: float,
    caches: Sequence[KeyValueCache] = (),
) -> Tensor:
    """Append the tokens that make each text likeliest, of all texts that a beam keeps in sight:
    (B, n) to (B, n + count) or less. A text that has ended is filled up with ``end``.

    A text's score is its log-probability, divided by ((5 + length) / 6) ** length_penalty, where
    its length is the number of tokens appended, with ``end`` (Wu et al., 2016). In each step the
    ``beams`` best are kept, those that have ended among them.

    step: the logits for the next token, (B * beams, vocab_size), from the texts so far
    caches: what ``step`` keeps of the texts, reordered as the beams are
    """
    batch, device = tokens.size(0), tokens.device
    first_row = torch.arange(batch, device=device)[:, None] * beams
    tokens = tokens.repeat_interleave(beams, dim=0)
    ended = torch.zeros(batch, beams, dtype=torch.bool, device=device)
    lengths = torch.zeros(batch, beams, device=device)
    # All beams of a text begin the same: only the first one counts.
    totals = torch.full((batch, beams), -math.inf, device=device)
    totals[:, 0] = 0.0
    for length in range(1, count + 1):
        logits = step(tokens)
        steps = torch.log_softmax(logits.float(), dim=-1).reshape(batch, beams, logits.size(-1))
        # A text that has ended goes on with nothing but ``end``, at no cost.
        filled = torch.full_like(steps, -math.inf)
        filled[..., end] = 0.0
        steps = torch.where(ended[..., None], filled, steps)
        lengths = lengths.masked_fill(~ended, length)
        candidates = totals[..., None] + steps
        scores = candidates / _penalty(lengths, length_penalty)[..., None]
        scores, best = scores.flatten(1).topk(beams)
        beam, chosen = best // logits.size(-1), best % logits.size(-1)
        rows = (first_row + beam).flatten()
        tokens = torch.cat([tokens[rows], chosen.flatten()[:, None]], dim=-1)
        for cache in caches:
            cache.select(rows)
        totals = candidates.flatten(1).gather(1, best)
        lengths, ended = lengths.gather(1, beam), ended.gather(1, beam) | (chosen == end)
        # What goes on gets no likelier: at best it ends at the full length at no further cost.
        hope = totals / _penalty(torch.full_like(lengths, count), length_penalty)
        hope = hope.masked_fill(ended, -math.inf).amax(dim=1)
        if (scores[:, 0] > hope).all():
            break
    return tokens[first_row[:, 0]]


def _penalty(lengths: Tensor, length_penalty: float) -> Tensor:
    """What the log-probabilities of texts of these lengths are divided by."""
    return ((5 + lengths) / 6) ** length_penalty
