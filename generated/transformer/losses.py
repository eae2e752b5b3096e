"""Losses: what training makes small."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    r"""The negative log-likelihood of the target under predicted probabilities.

        L = -\sum_{i=1}^{V} y_i \log(p_i)

    logits: (..., vocab_size); their softmax gives the probabilities of the formula
    target: (...), token ids; -100 where a position does not count
    returns: the mean over all positions; 0 where none counts

    From vault/Training and evaluation.md:17.
    """
    if target.shape != logits.shape[:-1]:
        shapes = f"{tuple(target.shape)} for logits of {tuple(logits.shape)}"
        raise ValueError(f"a target of {shapes}: there is one token for each position")
    rows = logits.reshape(-1, logits.size(-1))
    # In float16 the sum of many losses would be infinite.
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    total = F.cross_entropy(rows, target.flatten(), reduction="sum")
    return total / (target != -100).sum().clamp(min=1)


def label_smoothing(truth: Tensor, epsilon: float = 0.1) -> Tensor:
    r"""A small part of the truth spread evenly over all classes.

        y'_i = (1 - \varepsilon)\, y_i + \frac{\varepsilon}{V}

    truth: (..., classes), one-hot or any probabilities
    epsilon: the part that is spread
    returns: (..., classes), probabilities to take the cross-entropy with

    From vault/Training and evaluation.md:38.
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon={epsilon} is not between 0 and 1")
    return (1 - epsilon) * truth + epsilon / truth.size(-1)
