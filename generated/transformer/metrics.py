"""Metrics: how good an output is."""

from __future__ import annotations

import math
from collections import Counter

import torch
from torch import Tensor

from .losses import cross_entropy
from .sizes import check_sizes


def bleu(candidate: list[str], reference: list[str], max_n: int = 4) -> float:
    r"""How close a translation is to a reference, by the n-grams they share.

        \mathrm{BLEU} = BP \cdot \exp\left(\sum_{n=1}^{N} w_n \log p_n\right)

        w_n = 1/N

        BP = \begin{cases} 1 & \text{if } c > r \\ e^{1 - r/c} & \text{if } c \le r \end{cases}

    candidate, reference: the words of a translation and of one to compare it with
    max_n: the longest n-grams that count
    returns: from 0, where n-grams of some length have nothing in common, to 1

    From vault/Training and evaluation.md:57, 63.
    """
    if isinstance(candidate, str) or isinstance(reference, str):  # whose letters would be words
        raise TypeError("a text is to be given as a list of its words, such as text.split()")
    check_sizes(max_n=max_n)
    precisions = []
    for n in range(1, max_n + 1):
        grams, known = (
            Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
            for words in (candidate, reference)
        )
        # What both have: each n-gram counts as often as it stands in the reference, at most.
        precisions.append((grams & known).total() / max(1, grams.total()))
    if not all(precisions):
        return 0.0
    c, r = len(candidate), len(reference)
    penalty: float = 1 if c > r else math.exp(1 - r / c)
    mean = sum(math.log(p) for p in precisions) / max_n
    return penalty * math.exp(mean)


def perplexity(logits: Tensor, target: Tensor) -> Tensor:
    r"""How many equally likely tokens a model is in effect choosing from.

        \mathrm{perplexity} = \exp(L)

        L = -\sum_{i=1}^{V} y_i \log(p_i)

    logits: (..., vocab_size); their softmax gives the probabilities of the formula
    target: (...), token ids; -100 where a position does not count
    returns: a number from 1 on, for all positions together; 1 where none counts

    From vault/Training and evaluation.md:30.
    """
    return torch.exp(cross_entropy(logits, target))
