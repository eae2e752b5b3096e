"""Tests of the layers of the notes, held against the formulas as written."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from checks import (
    array,
    assert_close_in_float32,
    assert_dropout_only_in_training,
    assert_equals,
    assert_inputs_untouched,
    randomised,
)
from formulas import (
    add_norm_by_formula,
    decoder_layer_by_formula,
    encoder_layer_by_formula,
    feed_forward_by_formula,
    gelu_feed_forward_by_formula,
    layer_norm_by_formula,
    output_head_by_formula,
    pre_norm_by_formula,
    token_embedding_by_formula,
    transformer_block_by_formula,
)
from transformer.cache import KeyValueCache
from transformer.layers import (
    AddNorm,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    GeluFeedForward,
    LayerNorm,
    OutputHead,
    PreNorm,
    TokenEmbedding,
    TransformerBlock,
)
from transformer.masks import causal_mask


@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 3, 5)])
def test_layer_norm_is_the_formula(shape: tuple[int, ...]) -> None:
    layer = randomised(LayerNorm(d_model=5, eps=0.3))
    x = torch.randn(shape, dtype=torch.float64)
    assert_equals(layer(x), layer_norm_by_formula(layer, x))


def test_layer_norm_in_float32() -> None:
    layer = LayerNorm(d_model=5)
    x = torch.randn(3, 5)
    assert_close_in_float32(layer(x), layer_norm_by_formula(layer, x))


def test_layer_norm_of_large_numbers_that_differ_little() -> None:
    layer = LayerNorm(d_model=5)
    x = 1000 + torch.randn(3, 5)
    assert_close_in_float32(layer(x), layer_norm_by_formula(layer, x), scale=1000)


def test_layer_norm_begins_with_mean_0_and_variance_1() -> None:
    layer = LayerNorm(d_model=50).double()
    output = layer(3 + torch.randn(4, 50, dtype=torch.float64))
    torch.testing.assert_close(output.mean(dim=-1), torch.zeros(4).double())
    variance = output.var(dim=-1, correction=0)
    torch.testing.assert_close(variance, torch.ones(4).double(), rtol=1e-3, atol=0.0)


def test_layer_norm_of_equal_numbers_is_finite() -> None:
    layer = randomised(LayerNorm(d_model=5))
    output = layer(torch.full((2, 5), 7.0, dtype=torch.float64))
    torch.testing.assert_close(output, layer.beta.expand(2, 5))


def test_layer_norm_is_that_of_torch() -> None:
    layer = LayerNorm(d_model=5)
    theirs = nn.LayerNorm(5, eps=layer.eps)
    with torch.no_grad():
        theirs.weight.copy_(layer.gamma.normal_())
        theirs.bias.copy_(layer.beta.normal_())
    x = torch.randn(2, 3, 5)
    torch.testing.assert_close(layer(x), theirs(x))


def test_layer_norm_takes_what_is_not_contiguous() -> None:
    layer = randomised(LayerNorm(d_model=5, eps=0.3))
    x = torch.randn(5, 4, dtype=torch.float64).T
    assert_equals(layer(x), layer_norm_by_formula(layer, x))


def test_layer_norm_has_gradients() -> None:
    layer = randomised(LayerNorm(d_model=4))
    x = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_layer_norm_leaves_its_input_alone() -> None:
    assert_inputs_untouched(LayerNorm(d_model=5), torch.randn(2, 5))


def test_layer_norm_shows_its_size() -> None:
    layer = LayerNorm(d_model=5, eps=0.5)
    assert layer.extra_repr() == "5, eps=0.5"


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 3, 5)])
def test_feed_forward_is_the_formula(shape: tuple[int, ...], training: bool) -> None:
    dropout = 0.0 if training else 0.5
    layer = randomised(FeedForward(d_model=5, d_ff=7, dropout=dropout)).train(training)
    x = torch.randn(shape, dtype=torch.float64)
    assert_equals(layer(x), feed_forward_by_formula(layer, x))


def test_feed_forward_in_float32() -> None:
    layer = FeedForward(d_model=5, d_ff=7)
    x = torch.randn(3, 5)
    assert_close_in_float32(layer(x), feed_forward_by_formula(layer, x))


def test_feed_forward_takes_what_is_not_contiguous() -> None:
    layer = randomised(FeedForward(d_model=5, d_ff=7))
    x = torch.randn(5, 4, dtype=torch.float64).T
    assert_equals(layer(x), feed_forward_by_formula(layer, x))


def test_feed_forward_drops_out_only_in_training() -> None:
    layer = FeedForward(d_model=5, d_ff=50, dropout=0.5)
    assert_dropout_only_in_training(layer, torch.randn(4, 5))


def test_feed_forward_has_gradients() -> None:
    layer = randomised(FeedForward(d_model=3, d_ff=4))
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_feed_forward_leaves_its_input_alone() -> None:
    assert_inputs_untouched(FeedForward(d_model=5, d_ff=7), torch.randn(2, 5))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 3, 5)])
def test_gelu_feed_forward_is_the_formula(shape: tuple[int, ...], training: bool) -> None:
    dropout = 0.0 if training else 0.5
    layer = randomised(GeluFeedForward(d_model=5, d_ff=7, dropout=dropout)).train(training)
    x = torch.randn(shape, dtype=torch.float64)
    assert_equals(layer(x), gelu_feed_forward_by_formula(layer, x))


def test_gelu_feed_forward_in_float32() -> None:
    layer = GeluFeedForward(d_model=5, d_ff=7)
    x = torch.randn(3, 5)
    assert_close_in_float32(layer(x), gelu_feed_forward_by_formula(layer, x))


def test_gelu_feed_forward_takes_what_is_not_contiguous() -> None:
    layer = randomised(GeluFeedForward(d_model=5, d_ff=7))
    x = torch.randn(5, 4, dtype=torch.float64).T
    assert_equals(layer(x), gelu_feed_forward_by_formula(layer, x))


def test_gelu_feed_forward_drops_out_only_in_training() -> None:
    layer = GeluFeedForward(d_model=5, d_ff=50, dropout=0.5)
    assert_dropout_only_in_training(layer, torch.randn(4, 5))


def test_gelu_feed_forward_has_gradients() -> None:
    layer = randomised(GeluFeedForward(d_model=3, d_ff=4))
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_gelu_feed_forward_leaves_its_input_alone() -> None:
    assert_inputs_untouched(GeluFeedForward(d_model=5, d_ff=7), torch.randn(2, 5))


@pytest.mark.parametrize("shape", [(1,), (4,), (2, 3)])
def test_token_embedding_is_the_formula(shape: tuple[int, ...]) -> None:
    layer = randomised(TokenEmbedding(vocab_size=7, d_model=5))
    tokens = torch.randint(7, shape)
    expected = token_embedding_by_formula(layer, tokens)
    assert_equals(layer(tokens), expected)


def test_token_embedding_in_float32() -> None:
    layer = TokenEmbedding(vocab_size=7, d_model=5)
    tokens = torch.arange(7)
    assert_close_in_float32(layer(tokens), token_embedding_by_formula(layer, tokens))


def test_token_embedding_begins_small() -> None:
    layer = TokenEmbedding(vocab_size=1000, d_model=64)
    assert 0.015 < layer.E.weight.std() < 0.025


def test_token_embedding_learns_only_the_tokens_that_it_saw() -> None:
    layer = TokenEmbedding(vocab_size=7, d_model=5)
    layer(torch.tensor([2, 4])).sum().backward()
    seen = layer.E.weight.grad.abs().sum(dim=1) > 0
    assert seen.tolist() == [False, False, True, False, True, False, False]


def test_token_embedding_refuses_tokens_outside_the_vocabulary() -> None:
    layer = TokenEmbedding(vocab_size=7, d_model=5)
    with pytest.raises(IndexError):
        layer(torch.tensor([7]))


def test_token_embedding_leaves_its_input_alone() -> None:
    layer = TokenEmbedding(vocab_size=7, d_model=5)
    assert_inputs_untouched(layer, torch.randint(7, (2, 3)))


@pytest.mark.parametrize("shape", [(5,), (4, 5), (2, 3, 5)])
def test_output_head_has_the_probabilities_of_the_formula(shape: tuple[int, ...]) -> None:
    layer = randomised(OutputHead(d_model=5, vocab_size=7))
    x = torch.randn(shape, dtype=torch.float64)
    probabilities = torch.softmax(layer(x), dim=-1)
    assert_equals(probabilities, output_head_by_formula(layer, x))


def test_output_head_in_float32() -> None:
    layer = OutputHead(d_model=5, vocab_size=7)
    x = torch.randn(3, 5)
    probabilities = torch.softmax(layer(x), dim=-1)
    assert_close_in_float32(probabilities, output_head_by_formula(layer, x))


def test_output_head_gives_scores_and_not_probabilities() -> None:
    layer = randomised(OutputHead(d_model=5, vocab_size=7))
    x = torch.randn(3, 5, dtype=torch.float64)
    linear = layer.W
    expected = array(x) @ array(linear.weight).T + array(linear.bias)
    assert_equals(layer(x), expected)


def test_output_head_takes_what_is_not_contiguous() -> None:
    layer = randomised(OutputHead(d_model=5, vocab_size=7))
    x = torch.randn(5, 4, dtype=torch.float64).T
    probabilities = torch.softmax(layer(x), dim=-1)
    assert_equals(probabilities, output_head_by_formula(layer, x))


def test_output_head_has_gradients() -> None:
    layer = randomised(OutputHead(d_model=3, vocab_size=4))
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_output_head_leaves_its_input_alone() -> None:
    layer = OutputHead(d_model=5, vocab_size=7)
    assert_inputs_untouched(layer, torch.randn(2, 5))


def test_add_norm_is_the_formula() -> None:
    layer = randomised(AddNorm(d_model=5))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    assert_equals(layer(x, torch.sin), add_norm_by_formula(layer, x, np.sin))


def test_add_norm_in_float32() -> None:
    layer = AddNorm(d_model=5)
    x = torch.randn(3, 5)
    output = layer(x, torch.sin)
    assert_close_in_float32(output, add_norm_by_formula(layer, x, np.sin))


def test_add_norm_around_nothing() -> None:
    layer = randomised(AddNorm(d_model=5))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    output = layer(x, torch.zeros_like)
    assert_equals(output, layer_norm_by_formula(layer.norm, x))


def test_add_norm_drops_out_only_in_training() -> None:
    layer = AddNorm(d_model=50, dropout=0.5)
    x = torch.randn(4, 50)
    assert not torch.equal(layer(x, torch.sin), layer(x, torch.sin))
    layer.eval()
    assert torch.equal(layer(x, torch.sin), layer(x, torch.sin))


def test_add_norm_drops_out_of_the_sublayer_alone() -> None:
    layer = AddNorm(d_model=50, dropout=0.5)
    x = torch.randn(4, 50)
    assert torch.equal(layer(x, torch.zeros_like), layer(x, torch.zeros_like))


def test_add_norm_has_gradients() -> None:
    layer = randomised(AddNorm(d_model=4))
    x = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer(x, torch.sin), x)


def test_add_norm_leaves_its_input_alone() -> None:
    layer = AddNorm(d_model=5)
    assert_inputs_untouched(lambda x: layer(x, torch.sin), torch.randn(2, 5))


def test_pre_norm_is_the_formula() -> None:
    layer = randomised(PreNorm(d_model=5))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    assert_equals(layer(x, torch.sin), pre_norm_by_formula(layer, x, np.sin))


def test_pre_norm_in_float32() -> None:
    layer = PreNorm(d_model=5)
    x = torch.randn(3, 5)
    output = layer(x, torch.sin)
    assert_close_in_float32(output, pre_norm_by_formula(layer, x, np.sin))


def test_pre_norm_around_nothing() -> None:
    layer = randomised(PreNorm(d_model=5))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    output = layer(x, torch.zeros_like)
    assert_equals(output, array(x))


def test_pre_norm_drops_out_only_in_training() -> None:
    layer = PreNorm(d_model=50, dropout=0.5)
    x = torch.randn(4, 50)
    assert not torch.equal(layer(x, torch.sin), layer(x, torch.sin))
    layer.eval()
    assert torch.equal(layer(x, torch.sin), layer(x, torch.sin))


def test_pre_norm_drops_out_of_the_sublayer_alone() -> None:
    layer = PreNorm(d_model=50, dropout=0.5)
    x = torch.randn(4, 50)
    assert torch.equal(layer(x, torch.zeros_like), layer(x, torch.zeros_like))


def test_pre_norm_has_gradients() -> None:
    layer = randomised(PreNorm(d_model=4))
    x = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer(x, torch.sin), x)


def test_pre_norm_leaves_its_input_alone() -> None:
    layer = PreNorm(d_model=5)
    assert_inputs_untouched(lambda x: layer(x, torch.sin), torch.randn(2, 5))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("batch", [1, 3])
def test_encoder_layer_is_the_formula(batch: int, training: bool) -> None:
    layer = randomised(EncoderLayer(6, 2, 8, dropout=0.0 if training else 0.5)).train(training)
    x = torch.randn(batch, 4, 6, dtype=torch.float64)
    assert_equals(layer(x), encoder_layer_by_formula(layer, x))


def test_encoder_layer_in_float32() -> None:
    layer = EncoderLayer(6, 2, 8)
    x = torch.randn(2, 4, 6)
    expected = encoder_layer_by_formula(layer, x)
    assert_close_in_float32(layer(x), expected, scale=10)


def test_encoder_layer_does_not_see_padding() -> None:
    layer = randomised(EncoderLayer(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    keep_mask = torch.tensor([[True] * 5, [False, False, True, True, True]])
    masks = {"keep_mask": keep_mask}
    output = layer(x, **masks)
    assert_equals(output[:1], array(layer(x[:1])))
    seen = layer(x[1:, 2:])
    assert_equals(output[1:, 2:], array(seen))
    x[1, :2] = torch.randn(2, 6)
    assert_equals(layer(x, **masks)[1, 2:], array(output[1, 2:]))


def test_encoder_layer_adds_nothing_where_all_is_dropped() -> None:
    layer = EncoderLayer(6, 2, 8, dropout=1.0).eval()
    layer.dropout.train()
    x = torch.randn(2, 4, 6)
    expected = layer.attention_norm(x)
    expected = layer.feed_forward_norm(expected)
    assert torch.equal(layer(x), expected)


def test_encoder_layer_drops_out_only_in_training() -> None:
    layer = EncoderLayer(6, 2, 8, dropout=0.5)
    assert_dropout_only_in_training(layer, torch.randn(2, 4, 6))


def test_encoder_layer_drops_out_inside_each_sublayer() -> None:
    layer = EncoderLayer(6, 2, 8, dropout=0.5).eval()
    x = torch.randn(2, 4, 6)
    for sublayer in (layer.attention, layer.feed_forward):
        sublayer.train()
        assert not torch.equal(layer(x), layer(x))
        sublayer.eval()


def test_encoder_layer_has_gradients() -> None:
    layer = randomised(EncoderLayer(6, 2, 8))
    x = torch.randn(1, 3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_encoder_layer_leaves_its_inputs_alone() -> None:
    layer = EncoderLayer(6, 2, 8)
    x, keep_mask = torch.randn(2, 4, 6), torch.rand(2, 4) > 0.5
    assert_inputs_untouched(lambda x, mask: layer(x, keep_mask=mask), x, keep_mask)


def test_encoder_layer_is_that_of_torch() -> None:
    layer = randomised(EncoderLayer(6, 2, 8))
    theirs = nn.TransformerEncoderLayer(
        6,
        2,
        8,
        dropout=0.0,
        activation="relu",
        layer_norm_eps=layer.feed_forward_norm.eps,
        batch_first=True,
        norm_first=False,
        dtype=torch.float64,
    )
    theirs.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(
                [layer.attention.W_Q.weight, layer.attention.W_K.weight, layer.attention.W_V.weight]
            ),
            "self_attn.in_proj_bias": torch.zeros(18),
            "self_attn.out_proj.bias": torch.zeros(6),
            "self_attn.out_proj.weight": layer.attention.W_O.weight,
            "linear1.weight": layer.feed_forward.W_1.weight,
            "linear1.bias": layer.feed_forward.W_1.bias,
            "linear2.weight": layer.feed_forward.W_2.weight,
            "linear2.bias": layer.feed_forward.W_2.bias,
            "norm1.weight": layer.attention_norm.gamma,
            "norm1.bias": layer.attention_norm.beta,
            "norm2.weight": layer.feed_forward_norm.gamma,
            "norm2.bias": layer.feed_forward_norm.beta,
        }
    )
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    padding = torch.tensor([[False] * 4, [False, False, True, True]])
    expected = theirs(x, src_key_padding_mask=padding)
    assert_equals(layer(x, keep_mask=~padding), array(expected))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("batch", [1, 3])
def test_decoder_layer_is_the_formula(batch: int, training: bool) -> None:
    layer = randomised(DecoderLayer(6, 2, 8, dropout=0.0 if training else 0.5)).train(training)
    x = torch.randn(batch, 4, 6, dtype=torch.float64)
    memory = torch.randn(batch, 5, 6, dtype=torch.float64)
    assert_equals(layer(x, memory), decoder_layer_by_formula(layer, x, memory))


def test_decoder_layer_in_float32() -> None:
    layer = DecoderLayer(6, 2, 8)
    x = torch.randn(2, 4, 6)
    memory = torch.randn(2, 5, 6)
    expected = decoder_layer_by_formula(layer, x, memory)
    assert_close_in_float32(layer(x, memory), expected, scale=10)


def test_decoder_layer_does_not_see_padding() -> None:
    layer = randomised(DecoderLayer(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    memory = torch.randn(2, 4, 6, dtype=torch.float64)
    memory_keep_mask = torch.tensor([[True, True, True, True], [True, True, False, False]])
    keep_mask = torch.tensor([[True] * 5, [False, False, True, True, True]])
    masks = {"keep_mask": keep_mask, "memory_keep_mask": memory_keep_mask}
    output = layer(x, memory, **masks)
    assert_equals(output[:1], array(layer(x[:1], memory[:1])))
    seen = layer(x[1:, 2:], memory[1:, :2])
    assert_equals(output[1:, 2:], array(seen))
    x[1, :2] = torch.randn(2, 6)
    memory[1, 2:] = torch.randn(2, 6)
    assert_equals(layer(x, memory, **masks)[1, 2:], array(output[1, 2:]))


def test_decoder_layer_sees_nothing_that_comes_later() -> None:
    layer = randomised(DecoderLayer(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    memory = torch.randn(2, 3, 6, dtype=torch.float64)
    output = layer(x, memory)
    for at in range(1, 5):
        assert_equals(output[:, :at], array(layer(x[:, :at], memory)))


def test_decoder_layer_goes_on_where_its_cache_ends() -> None:
    layer = randomised(DecoderLayer(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    memory = torch.randn(2, 3, 6, dtype=torch.float64)
    caches = {"cache": KeyValueCache(5), "memory_cache": KeyValueCache(3)}
    expected, read = layer(x, memory), []
    for piece in x.split([1, 2, 2], dim=1):
        read.append(layer(piece, memory, **caches))
        memory = torch.zeros_like(memory)  # its keys and values are known by now
    assert_equals(torch.cat(read, dim=1), array(expected))


def test_decoder_layer_adds_nothing_where_all_is_dropped() -> None:
    layer = DecoderLayer(6, 2, 8, dropout=1.0).eval()
    layer.dropout.train()
    x = torch.randn(2, 4, 6)
    memory = torch.randn(2, 5, 6)
    expected = layer.attention_norm(x)
    expected = layer.cross_attention_norm(expected)
    expected = layer.feed_forward_norm(expected)
    assert torch.equal(layer(x, memory), expected)


def test_decoder_layer_drops_out_only_in_training() -> None:
    layer = DecoderLayer(6, 2, 8, dropout=0.5)
    assert_dropout_only_in_training(layer, torch.randn(2, 4, 6), torch.randn(2, 5, 6))


def test_decoder_layer_drops_out_inside_each_sublayer() -> None:
    layer = DecoderLayer(6, 2, 8, dropout=0.5).eval()
    x, memory = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    for sublayer in (layer.attention, layer.cross_attention, layer.feed_forward):
        sublayer.train()
        assert not torch.equal(layer(x, memory), layer(x, memory))
        sublayer.eval()


def test_decoder_layer_has_gradients() -> None:
    layer = randomised(DecoderLayer(6, 2, 8))
    x = torch.randn(1, 3, 6, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(1, 2, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x, memory))


def test_decoder_layer_leaves_its_inputs_alone() -> None:
    layer = DecoderLayer(6, 2, 8)
    x, keep_mask = torch.randn(2, 4, 6), torch.rand(2, 4) > 0.5
    memory = torch.randn(2, 4, 6)

    def call(x: Tensor, memory: Tensor, keep_mask: Tensor) -> None:
        layer(x, memory, keep_mask=keep_mask, memory_keep_mask=keep_mask)

    assert_inputs_untouched(call, x, memory, keep_mask)


def test_decoder_layer_is_that_of_torch() -> None:
    layer = randomised(DecoderLayer(6, 2, 8))
    theirs = nn.TransformerDecoderLayer(
        6,
        2,
        8,
        dropout=0.0,
        activation="relu",
        layer_norm_eps=layer.feed_forward_norm.eps,
        batch_first=True,
        norm_first=False,
        dtype=torch.float64,
    )
    theirs.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(
                [layer.attention.W_Q.weight, layer.attention.W_K.weight, layer.attention.W_V.weight]
            ),
            "self_attn.in_proj_bias": torch.zeros(18),
            "self_attn.out_proj.bias": torch.zeros(6),
            "self_attn.out_proj.weight": layer.attention.W_O.weight,
            "multihead_attn.in_proj_weight": torch.cat(
                [
                    layer.cross_attention.W_Q.weight,
                    layer.cross_attention.W_K.weight,
                    layer.cross_attention.W_V.weight,
                ]
            ),
            "multihead_attn.in_proj_bias": torch.zeros(18),
            "multihead_attn.out_proj.bias": torch.zeros(6),
            "multihead_attn.out_proj.weight": layer.cross_attention.W_O.weight,
            "linear1.weight": layer.feed_forward.W_1.weight,
            "linear1.bias": layer.feed_forward.W_1.bias,
            "linear2.weight": layer.feed_forward.W_2.weight,
            "linear2.bias": layer.feed_forward.W_2.bias,
            "norm1.weight": layer.attention_norm.gamma,
            "norm1.bias": layer.attention_norm.beta,
            "norm2.weight": layer.cross_attention_norm.gamma,
            "norm2.bias": layer.cross_attention_norm.beta,
            "norm3.weight": layer.feed_forward_norm.gamma,
            "norm3.bias": layer.feed_forward_norm.beta,
        }
    )
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    memory = torch.randn(2, 5, 6, dtype=torch.float64)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    later = ~causal_mask(4, 4)
    expected = theirs(x, memory, tgt_mask=later, memory_key_padding_mask=padding)
    assert_equals(layer(x, memory, memory_keep_mask=~padding), array(expected))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("batch", [1, 3])
def test_transformer_block_is_the_formula(batch: int, training: bool) -> None:
    layer = randomised(TransformerBlock(6, 2, 8, dropout=0.0 if training else 0.5)).train(training)
    x = torch.randn(batch, 4, 6, dtype=torch.float64)
    assert_equals(layer(x), transformer_block_by_formula(layer, x))


def test_transformer_block_in_float32() -> None:
    layer = TransformerBlock(6, 2, 8)
    x = torch.randn(2, 4, 6)
    expected = transformer_block_by_formula(layer, x)
    assert_close_in_float32(layer(x), expected, scale=10)


def test_transformer_block_does_not_see_padding() -> None:
    layer = randomised(TransformerBlock(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    keep_mask = torch.tensor([[True] * 5, [False, False, True, True, True]])
    masks = {"keep_mask": keep_mask}
    output = layer(x, **masks)
    assert_equals(output[:1], array(layer(x[:1])))
    seen = layer(x[1:, 2:])
    assert_equals(output[1:, 2:], array(seen))
    x[1, :2] = torch.randn(2, 6)
    assert_equals(layer(x, **masks)[1, 2:], array(output[1, 2:]))


def test_transformer_block_sees_nothing_that_comes_later() -> None:
    layer = randomised(TransformerBlock(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    output = layer(x)
    for at in range(1, 5):
        assert_equals(output[:, :at], array(layer(x[:, :at])))


def test_transformer_block_goes_on_where_its_cache_ends() -> None:
    layer = randomised(TransformerBlock(6, 2, 8))
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    cache = KeyValueCache(5)
    read = [layer(piece, cache=cache) for piece in x.split([1, 2, 2], dim=1)]
    assert_equals(torch.cat(read, dim=1), array(layer(x)))


def test_transformer_block_adds_nothing_where_all_is_dropped() -> None:
    layer = TransformerBlock(6, 2, 8, dropout=1.0).eval()
    layer.dropout.train()
    x = torch.randn(2, 4, 6)
    assert torch.equal(layer(x), x)


def test_transformer_block_drops_out_only_in_training() -> None:
    layer = TransformerBlock(6, 2, 8, dropout=0.5)
    assert_dropout_only_in_training(layer, torch.randn(2, 4, 6))


def test_transformer_block_drops_out_inside_each_sublayer() -> None:
    layer = TransformerBlock(6, 2, 8, dropout=0.5).eval()
    x = torch.randn(2, 4, 6)
    for sublayer in (layer.attention, layer.feed_forward):
        sublayer.train()
        assert not torch.equal(layer(x), layer(x))
        sublayer.eval()


def test_transformer_block_has_gradients() -> None:
    layer = randomised(TransformerBlock(6, 2, 8))
    x = torch.randn(1, 3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)


def test_transformer_block_leaves_its_inputs_alone() -> None:
    layer = TransformerBlock(6, 2, 8)
    x, keep_mask = torch.randn(2, 4, 6), torch.rand(2, 4) > 0.5
    assert_inputs_untouched(lambda x, mask: layer(x, keep_mask=mask), x, keep_mask)


def test_transformer_block_is_that_of_torch() -> None:
    layer = randomised(TransformerBlock(6, 2, 8))
    theirs = nn.TransformerEncoderLayer(
        6,
        2,
        8,
        dropout=0.0,
        activation="gelu",
        layer_norm_eps=layer.feed_forward_norm.eps,
        batch_first=True,
        norm_first=True,
        dtype=torch.float64,
    )
    theirs.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(
                [layer.attention.W_Q.weight, layer.attention.W_K.weight, layer.attention.W_V.weight]
            ),
            "self_attn.in_proj_bias": torch.cat(
                [layer.attention.W_Q.bias, layer.attention.W_K.bias, layer.attention.W_V.bias]
            ),
            "self_attn.out_proj.bias": layer.attention.W_O.bias,
            "self_attn.out_proj.weight": layer.attention.W_O.weight,
            "linear1.weight": layer.feed_forward.W_1.weight,
            "linear1.bias": layer.feed_forward.W_1.bias,
            "linear2.weight": layer.feed_forward.W_2.weight,
            "linear2.bias": layer.feed_forward.W_2.bias,
            "norm1.weight": layer.attention_norm.gamma,
            "norm1.bias": layer.attention_norm.beta,
            "norm2.weight": layer.feed_forward_norm.gamma,
            "norm2.bias": layer.feed_forward_norm.beta,
        }
    )
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    expected = theirs(x, src_mask=~causal_mask(4, 4))
    assert_equals(layer(x), array(expected))
