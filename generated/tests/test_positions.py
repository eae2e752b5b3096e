"""Tests of the positions of the notes, held against the formulas as written."""

from __future__ import annotations

import pytest
import torch

from checks import (
    array,
    assert_close_in_float32,
    assert_equals,
    assert_inputs_untouched,
    made_in_float64,
    randomised,
)
from formulas import (
    alibi_by_formula,
    relative_position_bias_by_formula,
    rotary_embedding_by_formula,
    sinusoidal_positional_encoding_by_formula,
)
from transformer.positions import (
    ALiBi,
    RelativePositionBias,
    RotaryEmbedding,
    SinusoidalPositionalEncoding,
)


@pytest.mark.parametrize("d_model", [1, 2, 5, 8])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 6), (2, 1, 4)])
def test_sinusoidal_positional_encoding_is_the_formula(
    d_model: int, shape: tuple[int, ...]
) -> None:
    with made_in_float64():
        layer = SinusoidalPositionalEncoding(d_model, max_len=7)
    x = torch.randn(*shape, d_model, dtype=torch.float64)
    assert_equals(layer(x), sinusoidal_positional_encoding_by_formula(layer, x))


def test_sinusoidal_positional_encoding_far_out_in_float32() -> None:
    layer = SinusoidalPositionalEncoding(d_model=6, max_len=3001)
    x = torch.zeros(3001, 6)
    assert_close_in_float32(layer(x), sinusoidal_positional_encoding_by_formula(layer, x))


def test_sinusoidal_positional_encoding_keeps_the_type_of_its_input() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert layer(torch.zeros(3, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_sinusoidal_positional_encoding_has_no_more_positions_than_it_was_made_for() -> None:
    for layer, max_len in (
        (SinusoidalPositionalEncoding(d_model=4, max_len=7), 7),
        (SinusoidalPositionalEncoding(d_model=4), 5000),
    ):
        layer(torch.zeros(max_len, 4))
        with pytest.raises(ValueError, match=f"max_len={max_len}"):
            layer(torch.zeros(max_len + 1, 4))


def test_sinusoidal_positional_encoding_goes_on_from_a_position() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4, max_len=9)
    x = torch.randn(2, 9, 4)
    assert torch.equal(layer(x[:, 4:], start=4), layer(x)[:, 4:])
    with pytest.raises(ValueError, match="a sequence of 10"):
        layer(x[:, 4:], start=5)


def test_sinusoidal_positional_encoding_has_no_positions_before_the_first() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4, max_len=7)
    with pytest.raises(ValueError, match="start=-1 is negative"):
        layer(torch.zeros(1, 4), start=-1)


@pytest.mark.parametrize(("width", "other"), [(4, 1), (1, 4)])
def test_sinusoidal_positional_encoding_has_one_width(width: int, other: int) -> None:
    layer = SinusoidalPositionalEncoding(width, max_len=7)
    with pytest.raises(ValueError, match=f"x has {other} features, not {width}"):
        layer(torch.zeros(3, other))


def test_sinusoidal_positional_encoding_learns_nothing_and_stays_out_of_checkpoints() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert not list(layer.parameters())
    assert not layer.state_dict()
    assert all(table.dtype == torch.get_default_dtype() for table in layer.buffers())


def test_sinusoidal_positional_encoding_passes_gradients_on() -> None:
    x = torch.zeros(3, 4, requires_grad=True)
    layer = SinusoidalPositionalEncoding(d_model=4)
    layer(x).sum().backward()
    assert torch.equal(x.grad, torch.ones(3, 4))


def test_sinusoidal_positional_encoding_leaves_its_input_alone() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert_inputs_untouched(layer, torch.randn(2, 3, 4))


def test_sinusoidal_positional_encoding_shows_its_sizes() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4, max_len=7)
    assert layer.extra_repr() == "d_model=4, max_len=7"


@pytest.mark.parametrize("n", [1, 3, 6])
def test_relative_position_bias_is_the_formula(n: int) -> None:
    bias = randomised(RelativePositionBias(num_heads=3, max_distance=2))
    assert_equals(bias(n), relative_position_bias_by_formula(bias, n))


@pytest.mark.parametrize("queries", [1, 3])
def test_relative_position_bias_has_the_queries_last(queries: int) -> None:
    bias = randomised(RelativePositionBias(num_heads=3, max_distance=2))
    assert torch.equal(bias(queries, 7), bias(7)[:, -queries:])


def test_relative_position_bias_begins_small() -> None:
    bias = RelativePositionBias(num_heads=10, max_distance=50)
    assert 0.015 < bias.b.std() < 0.025


def test_relative_position_bias_learns_each_number() -> None:
    bias = RelativePositionBias(num_heads=3, max_distance=4)
    bias(5).square().sum().backward()
    assert bias.b.grad is not None
    assert (bias.b.grad != 0).all()


def test_relative_position_bias_shows_its_sizes() -> None:
    layer = RelativePositionBias(num_heads=3, max_distance=4)
    assert layer.extra_repr() == "num_heads=3, max_distance=4"


@pytest.mark.parametrize("d_k", [2, 6, 8])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 6), (2, 3, 4)])
def test_rotary_embedding_is_the_formula(d_k: int, shape: tuple[int, ...]) -> None:
    with made_in_float64():
        layer = RotaryEmbedding(d_k, max_len=7)
    x = torch.randn(*shape, d_k, dtype=torch.float64)
    assert_equals(layer(x), rotary_embedding_by_formula(x))


def test_rotary_embedding_far_out_in_float32() -> None:
    layer = RotaryEmbedding(d_k=6, max_len=1001)
    x = torch.ones(1001, 6)
    assert_close_in_float32(layer(x), rotary_embedding_by_formula(x))


def test_rotary_embedding_makes_scores_depend_on_distances_only() -> None:
    with made_in_float64():
        layer = RotaryEmbedding(d_k=6, max_len=9)
    query, key = torch.randn(2, 6, dtype=torch.float64)
    scores = layer(query.expand(9, 6)) @ layer(key.expand(9, 6)).T
    assert_equals(scores[1:, 1:], array(scores[:-1, :-1]))
    assert not torch.allclose(scores[0, 0], scores[0, 1])


def test_rotary_embedding_goes_on_from_a_position() -> None:
    with made_in_float64():
        layer = RotaryEmbedding(d_k=6, max_len=9)
    x = torch.randn(2, 9, 6, dtype=torch.float64)
    assert_equals(layer(x[:, 4:], start=4), array(layer(x)[:, 4:]))
    with pytest.raises(ValueError, match="a sequence of 10"):
        layer(x[:, 4:], start=5)


def test_rotary_embedding_takes_what_is_not_contiguous() -> None:
    layer = RotaryEmbedding(d_k=6)
    x = torch.randn(2, 4, 3, 6).transpose(1, 2)
    assert torch.equal(layer(x), layer(x.contiguous()))


def test_rotary_embedding_keeps_the_dtype() -> None:
    layer = RotaryEmbedding(d_k=4)
    assert layer(torch.randn(3, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_rotary_embedding_has_no_more_positions_than_it_was_made_for() -> None:
    for layer, max_len in (
        (RotaryEmbedding(d_k=4, max_len=7), 7),
        (RotaryEmbedding(d_k=4), 5000),
    ):
        layer(torch.zeros(max_len, 4))
        with pytest.raises(ValueError, match=f"max_len={max_len}"):
            layer(torch.zeros(max_len + 1, 4))


def test_rotary_embedding_turns_pairs() -> None:
    with pytest.raises(ValueError, match="odd"):
        RotaryEmbedding(d_k=5)


def test_rotary_embedding_has_no_positions_before_the_first() -> None:
    layer = RotaryEmbedding(d_k=4, max_len=7)
    with pytest.raises(ValueError, match="start=-1 is negative"):
        layer(torch.zeros(1, 4), start=-1)


@pytest.mark.parametrize(("width", "other"), [(4, 2), (2, 4)])
def test_rotary_embedding_has_one_width(width: int, other: int) -> None:
    layer = RotaryEmbedding(width, max_len=7)
    with pytest.raises(ValueError, match=f"x has {other} features, not {width}"):
        layer(torch.zeros(3, other))


def test_rotary_embedding_learns_nothing_and_stays_out_of_checkpoints() -> None:
    layer = RotaryEmbedding(d_k=4)
    assert not list(layer.parameters())
    assert not layer.state_dict()
    assert all(table.dtype == torch.get_default_dtype() for table in layer.buffers())


def test_rotary_embedding_has_gradients() -> None:
    with made_in_float64():
        layer = RotaryEmbedding(d_k=4)
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_rotary_embedding_leaves_its_input_alone() -> None:
    layer = RotaryEmbedding(d_k=4)
    assert_inputs_untouched(layer, torch.randn(2, 3, 4))


def test_rotary_embedding_shows_its_sizes() -> None:
    layer = RotaryEmbedding(d_k=4, max_len=7)
    assert layer.extra_repr() == "d_k=4, max_len=7"


@pytest.mark.parametrize("num_heads", [1, 3, 8])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_alibi_is_the_formula(num_heads: int, n: int) -> None:
    with made_in_float64():
        alibi = ALiBi(num_heads)
    assert_equals(alibi(n), alibi_by_formula(num_heads, n))


def test_alibi_in_float32() -> None:
    assert_close_in_float32(ALiBi(12)(40), alibi_by_formula(12, 40))


@pytest.mark.parametrize("queries", [1, 3])
def test_alibi_has_the_queries_last(queries: int) -> None:
    alibi = ALiBi(4)
    assert torch.equal(alibi(queries, 7), alibi(7)[:, -queries:])


def test_alibi_leaves_a_query_its_own_position() -> None:
    bias = ALiBi(4)(5)
    assert torch.equal(bias.diagonal(dim1=1, dim2=2), torch.zeros(4, 5))
    assert (bias[:, 4, :4] < 0).all()


def test_alibi_learns_nothing_and_stays_out_of_checkpoints() -> None:
    alibi = ALiBi(4)
    assert not list(alibi.parameters())
    assert not alibi.state_dict()


def test_alibi_shows_its_sizes() -> None:
    layer = ALiBi(num_heads=4)
    assert layer.extra_repr() == "num_heads=4"
