"""Tests of the sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature

import pytest
from torch import nn

from transformer.attention import (
    AdditiveAttention,
    Attention,
    BilinearAttention,
    CausalSelfAttention,
    CrossAttention,
    MultiHeadAttention,
    RelativePositionAttention,
    RelativeSelfAttention,
    SelfAttention,
    Seq2SeqAttention,
    SingleHeadCausalSelfAttention,
    SynthesizerAttention,
)
from transformer.layers import FeedForward, GeluFeedForward, LayerNorm, OutputHead, TokenEmbedding
from transformer.models import Decoder, Encoder
from transformer.positions import (
    ALiBi,
    RelativePositionBias,
    RotaryEmbedding,
    SinusoidalPositionalEncoding,
)
from transformer.sizes import check_dropout, check_multiples, check_sizes


def small(made: Callable[..., nn.Module]) -> dict[str, int]:
    """A small number for each size that a class is made with; one where something is counted."""
    given = signature(made).parameters.values()
    return {p.name: 1 if p.name.startswith("num_") else 2 for p in given if p.annotation == "int"}


@pytest.mark.parametrize(
    "made",
    [
        ALiBi,
        AdditiveAttention,
        BilinearAttention,
        CausalSelfAttention,
        CrossAttention,
        Decoder,
        Encoder,
        FeedForward,
        GeluFeedForward,
        LayerNorm,
        MultiHeadAttention,
        OutputHead,
        RelativePositionAttention,
        RelativePositionBias,
        RelativeSelfAttention,
        RotaryEmbedding,
        SelfAttention,
        Seq2SeqAttention,
        SingleHeadCausalSelfAttention,
        SinusoidalPositionalEncoding,
        SynthesizerAttention,
        TokenEmbedding,
    ],
)
def test_no_size_is_too_small(made: Callable[..., nn.Module]) -> None:
    sizes = small(made)
    made(**sizes)
    for name in sizes:
        least = 0 if name == "max_distance" else 1
        if least == 0:
            made(**{**sizes, name: 0})
        with pytest.raises(ValueError, match=rf"^{name}={least - 1}\b"):
            made(**{**sizes, name: least - 1})


@pytest.mark.parametrize(
    "made",
    [
        Attention,
        RelativeSelfAttention,
        Seq2SeqAttention,
        SynthesizerAttention,
    ],
)
def test_no_dropout_is_more_than_all(made: Callable[..., nn.Module]) -> None:
    with pytest.raises(ValueError, match=r"^dropout=1\.1\b"):
        made(**small(made), dropout=1.1)


def test_the_least_size_can_be_chosen() -> None:
    check_sizes(a=1, b=2)
    with pytest.raises(ValueError, match="b=0 is less than 1"):
        check_sizes(a=1, b=0)
    check_sizes(least=0, a=0)
    with pytest.raises(ValueError, match="a=-1 is less than 0"):
        check_sizes(least=0, a=-1)


def test_each_size_is_a_multiple_of_the_next() -> None:
    check_multiples(a=12, b=4, c=2)
    with pytest.raises(ValueError, match="a=6 is not a multiple of b=4"):
        check_multiples(a=6, b=4, c=2)
    with pytest.raises(ValueError, match="b=4 is not a multiple of c=3"):
        check_multiples(a=12, b=4, c=3)
    with pytest.raises(ValueError, match="c=0 is less than 1"):
        check_multiples(a=12, b=4, c=0)


def test_dropout_is_a_share() -> None:
    check_dropout(0.0)
    check_dropout(1.0)
    for dropout in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match=f"dropout={dropout} is not between 0 and 1"):
            check_dropout(dropout)
