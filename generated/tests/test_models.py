"""Tests of the models of the notes, held against the formulas as written."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from checks import (
    array,
    assert_close_in_float32,
    assert_dropout_only_in_training,
    assert_equals,
    assert_inputs_untouched,
    made_in_float64,
    randomised,
)
from formulas import (
    decoder_by_formula,
    encoder_by_formula,
    encoder_decoder_by_formula,
    gpt_by_formula,
)
from transformer.models import (
    GPT,
    Decoder,
    Encoder,
    EncoderDecoder,
    EncoderDecoderConfig,
    GPTConfig,
)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("length", [1, 3])
def test_encoder_is_the_formula(length: int, training: bool) -> None:
    encoder = randomised(
        Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3, dropout=0.0 if training else 0.5)
    )
    encoder.train(training)
    x = torch.randn(2, length, 4, dtype=torch.float64)
    assert_equals(encoder(x), encoder_by_formula(encoder, x))


def test_encoder_in_float32() -> None:
    encoder = Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3)
    x = torch.randn(2, 3, 4)
    assert_close_in_float32(encoder(x), encoder_by_formula(encoder, x), scale=10.0)


def test_encoder_has_as_many_layers_as_asked_for_with_weights_of_their_own() -> None:
    one = Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=1)
    three = Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3)
    assert len(list(three.parameters())) == 3 * len(list(one.parameters()))


def test_encoder_ignores_padding() -> None:
    encoder = randomised(Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x = torch.randn(2, 5, 4, dtype=torch.float64)
    keep_mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    output = encoder(x, keep_mask=keep_mask)
    assert_equals(output[:1], array(encoder(x[:1])))
    assert_equals(output[1:, :3], array(encoder(x[1:, :3])))


def test_encoder_drops_out_only_in_training() -> None:
    encoder = Encoder(d_model=4, num_heads=2, d_ff=50, num_layers=1, dropout=0.5)
    assert_dropout_only_in_training(encoder, torch.randn(2, 5, 4))


def test_encoder_sends_gradients_to_all_weights() -> None:
    encoder = randomised(Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    encoder(torch.randn(2, 5, 4, dtype=torch.float64)).square().sum().backward()
    for name, weight in encoder.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_encoder_leaves_its_input_alone() -> None:
    assert_inputs_untouched(
        Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3), torch.randn(2, 3, 4)
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("length", "seen"), [(1, 3), (4, 2), (3, 3)])
def test_decoder_is_the_formula(length: int, seen: int, training: bool) -> None:
    decoder = randomised(
        Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3, dropout=0.0 if training else 0.5)
    )
    decoder.train(training)
    x = torch.randn(2, length, 4, dtype=torch.float64)
    memory = torch.randn(2, seen, 4, dtype=torch.float64)
    assert_equals(decoder(x, memory), decoder_by_formula(decoder, x, memory))


def test_decoder_in_float32() -> None:
    decoder = Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3)
    x, memory = torch.randn(2, 2, 3, 4)
    expected = decoder_by_formula(decoder, x, memory)
    assert_close_in_float32(decoder(x, memory), expected, scale=10.0)


def test_decoder_has_as_many_layers_as_asked_for_with_weights_of_their_own() -> None:
    one = Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=1)
    three = Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3)
    assert len(list(three.parameters())) == 3 * len(list(one.parameters()))


def test_decoder_does_not_see_what_is_still_to_come() -> None:
    decoder = randomised(Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x, memory = torch.randn(2, 2, 5, 4, dtype=torch.float64)
    output = decoder(x, memory)
    for end in range(1, 5):
        assert_equals(output[:, :end], array(decoder(x[:, :end], memory)))


def test_decoder_sees_all_of_its_memory_everywhere() -> None:
    decoder = randomised(Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x, memory = torch.randn(2, 2, 5, 4, dtype=torch.float64)
    for place in range(5):
        other = memory.clone()
        other[:, place] += 1
        changed = (decoder(x, other) - decoder(x, memory)).abs().amax(dim=-1)
        assert (changed > 0).all()


def test_decoder_ignores_padding() -> None:
    decoder = randomised(Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x, memory = torch.randn(2, 2, 5, 4, dtype=torch.float64)
    keep_mask = torch.tensor([[True] * 5, [True, True, True, True, False]])
    memory_keep_mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    output = decoder(x, memory, keep_mask=keep_mask, memory_keep_mask=memory_keep_mask)
    assert_equals(output[:1], array(decoder(x[:1], memory[:1])))
    assert_equals(output[1:, :4], array(decoder(x[1:, :4], memory[1:, :3])))


def test_decoder_drops_out_only_in_training() -> None:
    decoder = Decoder(d_model=4, num_heads=2, d_ff=50, num_layers=1, dropout=0.5)
    assert_dropout_only_in_training(decoder, *torch.randn(2, 2, 5, 4))


def test_decoder_sends_gradients_to_all_weights() -> None:
    decoder = randomised(Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    decoder(*torch.randn(2, 2, 5, 4, dtype=torch.float64)).square().sum().backward()
    for name, weight in decoder.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_decoder_leaves_its_inputs_alone() -> None:
    assert_inputs_untouched(
        Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3), *torch.randn(2, 2, 3, 4)
    )


def small_encoder_decoder(dropout: float = 0.0) -> EncoderDecoder:
    """A model of few numbers, in float64."""
    config = EncoderDecoderConfig(
        vocab_size=7, max_len=6, d_model=4, num_heads=2, d_ff=5, num_layers=2, dropout=dropout
    )
    with made_in_float64():
        return EncoderDecoder(config)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("length", "written"), [(1, 1), (3, 5), (6, 2)])
def test_encoder_decoder_is_the_formula(length: int, written: int, training: bool) -> None:
    model = randomised(small_encoder_decoder(dropout=0.0 if training else 0.5)).train(training)
    source, target = torch.randint(7, (2, length)), torch.randint(7, (2, written))
    probabilities = torch.softmax(model(source, target), dim=-1)
    assert_equals(probabilities, encoder_decoder_by_formula(model, source, target))


def test_encoder_decoder_does_not_see_what_is_still_to_come() -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 2, 5))
    logits = model(source, target)
    for end in range(1, 5):
        assert_equals(logits[:, :end], array(model(source, target[:, :end])))


def test_encoder_decoder_sees_all_of_the_source_everywhere() -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 2, 5))
    for place in range(5):
        other = source.clone()
        other[:, place] = (other[:, place] + 1) % 7
        changed = (model(other, target) - model(source, target)).abs().amax(dim=-1)
        assert (changed > 0).all()


def test_encoder_decoder_ignores_padding() -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 2, 5))
    source_keep_mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    target_keep_mask = torch.tensor([[True] * 5, [True, True, True, True, False]])
    logits = model(
        source, target, source_keep_mask=source_keep_mask, target_keep_mask=target_keep_mask
    )
    assert_equals(logits[:1], array(model(source[:1], target[:1])))
    assert_equals(logits[1:, :4], array(model(source[1:, :3], target[1:, :4])))


def test_encoder_decoder_encodes_once_for_many_steps_of_decoding() -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 2, 5))
    assert_equals(model.decode(target, model.encode(source)), array(model(source, target)))


def test_encoder_decoder_begins_with_the_loss_of_a_guess() -> None:
    model = small_encoder_decoder()
    source, target = torch.randint(7, (2, 8, 5))
    loss = F.cross_entropy(model(source, target).flatten(0, 1), torch.randint(7, (40,)))
    assert abs(loss.item() - math.log(7)) < 0.2
    biases = [weight for name, weight in model.named_parameters() if name.endswith("bias")]
    assert not any(bias.any() for bias in biases)


def test_encoder_decoder_drops_out_only_in_training() -> None:
    source, target = torch.randint(7, (2, 2, 5))
    model = small_encoder_decoder(dropout=0.5)
    assert_dropout_only_in_training(model, source, target)
    for stack in (model.encoder, model.decoder):
        model.eval()
        stack.train()
        assert not torch.equal(model(source, target), model(source, target))


def test_encoder_decoder_drops_out_of_embeddings_and_positions() -> None:
    """Where all is dropped, all tokens at all places are the same."""
    model = randomised(small_encoder_decoder(dropout=1.0))
    source, target = torch.randint(7, (2, 2, 5))
    for output in (model.encode(source), model(source, target)):
        np.testing.assert_array_equal(array(output), array(output[:1, :1].expand_as(output)))


def test_encoder_decoder_sends_gradients_to_all_weights() -> None:
    model = randomised(small_encoder_decoder())
    source = target = torch.arange(7)[:6].expand(1, 6)
    model(source, target).square().sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_encoder_decoder_learns_a_few_sentences_by_heart() -> None:
    config = EncoderDecoderConfig(
        vocab_size=11, max_len=6, d_model=16, num_heads=2, d_ff=32, num_layers=2, dropout=0.0
    )
    model = EncoderDecoder(config)
    source = torch.randint(11, (4, 6))
    target, wanted = source.flip(1)[:, :-1], source.flip(1)[:, 1:]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(100):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(source, target).flatten(0, 1), wanted.flatten())
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1


def small_gpt(dropout: float = 0.0) -> GPT:
    """A model of few numbers, in float64."""
    config = GPTConfig(
        vocab_size=7, max_len=6, d_model=4, num_heads=2, d_ff=5, num_layers=2, dropout=dropout
    )
    with made_in_float64():
        return GPT(config)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("length", [1, 4, 6])
def test_gpt_is_the_formula(length: int, training: bool) -> None:
    model = randomised(small_gpt(dropout=0.0 if training else 0.5)).train(training)
    tokens = torch.randint(7, (2, length))
    probabilities = torch.softmax(model(tokens), dim=-1)
    assert_equals(probabilities, gpt_by_formula(model, tokens))


def test_gpt_has_one_table_for_the_way_in_and_the_way_out() -> None:
    model = small_gpt()
    shapes = [tuple(weight.shape) for weight in model.state_dict().values()]
    assert shapes.count((7, 4)) == 1


def test_gpt_has_layers_with_weights_of_their_own() -> None:
    layers = small_gpt().layers
    assert len(layers) == 2
    assert len(list(layers.parameters())) == 2 * len(list(layers[0].parameters()))


def test_gpt_does_not_see_what_is_still_to_come() -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    logits = model(tokens)
    for end in range(1, 6):
        assert_equals(logits[:, :end], array(model(tokens[:, :end])))


def test_gpt_sees_all_that_was_before() -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    for place in range(6):
        other = tokens.clone()
        other[:, place] = (other[:, place] + 1) % 7
        changed = (model(other) - model(tokens)).abs().amax(dim=-1)
        assert (changed[:, place:] > 0).all()


def test_gpt_ignores_padding() -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    keep_mask = torch.tensor([[True] * 6, [True, False, True, True, False, False]])
    logits = model(tokens, keep_mask=keep_mask)
    assert_equals(logits[:1], array(model(tokens[:1])))
    tokens[1, ~keep_mask[1]] = (tokens[1, ~keep_mask[1]] + 1) % 7
    other = model(tokens, keep_mask=keep_mask)
    assert_equals(other[1, keep_mask[1]], array(logits[1, keep_mask[1]]))


def test_gpt_has_no_more_positions_than_it_was_made_for() -> None:
    with pytest.raises(ValueError, match="max_len=6"):
        small_gpt()(torch.zeros(1, 7, dtype=torch.long))


def test_gpt_begins_with_the_loss_of_a_guess() -> None:
    model = small_gpt()
    loss = F.cross_entropy(model(torch.randint(7, (8, 6))).flatten(0, 1), torch.randint(7, (48,)))
    assert abs(loss.item() - math.log(7)) < 0.2
    biases = [weight for name, weight in model.named_parameters() if name.endswith("bias")]
    assert not any(bias.any() for bias in biases)


def test_gpt_drops_out_only_in_training() -> None:
    model, tokens = small_gpt(dropout=0.5), torch.randint(7, (2, 5))
    assert_dropout_only_in_training(model, tokens)
    model.eval()
    model.layers.train()
    assert not torch.equal(model(tokens), model(tokens))


def test_gpt_drops_out_of_embeddings_and_positions() -> None:
    """Where all is dropped, all tokens at all places are the same."""
    model = randomised(small_gpt(dropout=1.0))
    logits = model(torch.randint(7, (2, 5)))
    np.testing.assert_array_equal(array(logits), array(logits[:1, :1].expand_as(logits)))


def test_gpt_sends_gradients_to_all_weights() -> None:
    model = randomised(small_gpt())
    model(torch.arange(6)[None]).square().sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_gpt_learns_a_few_sentences_by_heart_and_writes_them() -> None:
    config = GPTConfig(
        vocab_size=11, max_len=8, d_model=16, num_heads=2, d_ff=32, num_layers=2, dropout=0.0
    )
    model = GPT(config)
    tokens = torch.stack([torch.randperm(11)[:8] for _ in range(4)])
    tokens[:, 0] = torch.arange(4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(150):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert torch.equal(model.generate(tokens[:, :1], 7, temperature=0.0), tokens)


def test_gpt_draws_only_the_likeliest_when_asked_to() -> None:
    model = randomised(small_gpt())
    start = torch.randint(7, (1, 3)).expand(200, 3)
    likeliest = model(start[:1])[0, -1].topk(2).indices.tolist()
    drawn = model.generate(start, 1, temperature=5.0, top_k=2)[:, -1]
    assert sorted(drawn.unique().tolist()) == sorted(likeliest)
    assert len(model.generate(start, 1, temperature=50.0, top_k=100)[:, -1].unique()) > 2


def test_gpt_writes_on_from_a_long_text() -> None:
    model = randomised(small_gpt(dropout=0.5)).train()
    tokens = torch.randint(7, (8, 9))
    written = model.generate(tokens, 3, temperature=0.0)
    assert torch.equal(written[:, :9], tokens)
    assert torch.equal(written, model.generate(tokens, 3, temperature=0.0))
    assert torch.equal(written[:, 9:10], model.generate(tokens[:, 3:], 1, temperature=0.0)[:, -1:])
    assert model.training
