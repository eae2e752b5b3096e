"""Tests of the models of the notes, held against the formulas as written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from checks import (
    array,
    assert_close_in_float32,
    assert_dropout_only_in_training,
    assert_equals,
    assert_inputs_untouched,
    made_in_float64,
    outspoken,
    randomised,
    shuffled,
)
from formulas import (
    decoder_by_formula,
    encoder_by_formula,
    encoder_decoder_by_formula,
    gpt_by_formula,
    text_encoder_by_formula,
)
from transformer.cache import KeyValueCache
from transformer.checkpoints import write_checkpoint
from transformer.models import (
    GPT,
    Decoder,
    Encoder,
    EncoderDecoder,
    EncoderDecoderConfig,
    GPTConfig,
    TextEncoder,
    TextEncoderConfig,
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


def test_encoder_minds_no_order() -> None:
    """It has no positions: each takes its output along."""
    encoder = randomised(Encoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x = torch.randn(2, 5, 4, dtype=torch.float64)
    assert_equals(encoder(shuffled(x)), array(shuffled(encoder(x))))


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


def test_decoder_goes_on_where_its_caches_end() -> None:
    decoder = randomised(Decoder(d_model=4, num_heads=2, d_ff=5, num_layers=3))
    x = torch.randn(2, 5, 4, dtype=torch.float64)
    memory = torch.randn(2, 3, 4, dtype=torch.float64)
    expected, read = decoder(x, memory), []
    caches, memory_caches = ([KeyValueCache(5) for _ in range(3)] for _ in range(2))
    for piece in x.split([1, 2, 2], dim=1):
        read.append(decoder(piece, memory, caches=caches, memory_caches=memory_caches))
        memory = torch.zeros_like(memory)  # its keys and values are known by now
    assert_equals(torch.cat(read, dim=1), array(expected))


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
    keep_mask = torch.tensor([[True] * 5, [True, False, True, True, False]])
    memory_keep_mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    masks = {"keep_mask": keep_mask, "memory_keep_mask": memory_keep_mask}
    output = decoder(x, memory, **masks)
    assert_equals(output[:1], array(decoder(x[:1], memory[:1])))
    few = decoder(x[1:, :4], memory[1:, :3], keep_mask=keep_mask[1:, :4])
    assert_equals(output[1:, :4], array(few))
    x[1, ~keep_mask[1]] += 1
    other = decoder(x, memory, **masks)
    assert_equals(other[1, keep_mask[1]], array(output[1, keep_mask[1]]))


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
    target_keep_mask = torch.tensor([[True] * 5, [True, False, True, True, False]])
    masks = {"source_keep_mask": source_keep_mask, "target_keep_mask": target_keep_mask}
    logits = model(source, target, **masks)
    assert_equals(logits[:1], array(model(source[:1], target[:1])))
    few = model(source[1:, :3], target[1:, :4], target_keep_mask=target_keep_mask[1:, :4])
    assert_equals(logits[1:, :4], array(few))
    target[1, ~target_keep_mask[1]] = (target[1, ~target_keep_mask[1]] + 1) % 7
    other = model(source, target, **masks)
    assert_equals(other[1, target_keep_mask[1]], array(logits[1, target_keep_mask[1]]))


def test_encoder_decoder_encodes_once_for_many_steps_of_decoding() -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 2, 5))
    assert_equals(model.decode(target, model.encode(source)), array(model(source, target)))


def test_encoder_decoder_has_no_more_positions_than_it_was_made_for() -> None:
    few, many = torch.zeros(1, 6, dtype=torch.long), torch.zeros(1, 7, dtype=torch.long)
    for source, target in ((many, few), (few, many)):
        with pytest.raises(ValueError, match="max_len=6"):
            small_encoder_decoder()(source, target)


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


@pytest.mark.parametrize("pieces", [[1] * 5, [3, 2], [1, 4]])
def test_encoder_decoder_decodes_in_pieces_as_it_does_at_once(pieces: list[int]) -> None:
    model = randomised(small_encoder_decoder())
    source, target = torch.randint(7, (2, 3, 5))
    keep_mask = torch.tensor([[True] * 5, [True] * 4 + [False], [True, True, False, False, False]])
    memory = model.encode(source, keep_mask=keep_mask)
    caches, memory_caches = ([KeyValueCache(6) for _ in range(2)] for _ in range(2))
    read = [
        model.decode(
            piece,
            memory,
            memory_keep_mask=keep_mask,
            caches=caches,
            memory_caches=memory_caches,
        )
        for piece in target.split(pieces, dim=1)
    ]
    assert_equals(torch.cat(read, dim=1), array(model(source, target, source_keep_mask=keep_mask)))
    assert [cache.length for cache in (*caches, *memory_caches)] == [5] * 4


def test_encoder_decoder_writes_the_likeliest_token_each_time() -> None:
    for _ in range(8):
        model = outspoken(small_encoder_decoder(dropout=0.5)).train()
        source = torch.randint(7, (8, 5))
        keep_mask = torch.arange(5) < torch.tensor([5, 4, 3, 2, 1, 5, 4, 3])[:, None]
        written = model.greedy(source, start=1, end=0, source_keep_mask=keep_mask)
        assert model.training
        model.eval()
        target = torch.cat([torch.ones(8, 1, dtype=torch.long), written], dim=1)
        ended = torch.zeros(8, dtype=torch.bool)
        for at in range(written.size(1)):
            logits = model(source, target[:, : at + 1], source_keep_mask=keep_mask)[:, -1]
            assert torch.equal(written[:, at], logits.argmax(dim=-1).masked_fill(ended, 0))
            ended |= written[:, at] == 0
        assert ended.all() or written.size(1) == 6
        for most in (1, 2, 6):
            few = model.greedy(source, start=1, end=0, max_len=most, source_keep_mask=keep_mask)
            assert torch.equal(few, written[:, :most])


@torch.no_grad()
def scores_of_encoder_decoder(model: EncoderDecoder, source: Tensor, written: Tensor) -> Tensor:
    """The log-probability of each text, up to the end, by its length as beams are compared."""
    start = torch.ones(len(written), 1, dtype=torch.long)
    target = torch.cat([start, written[:, :-1]], dim=1)
    source = source.expand(len(written), -1)
    ends = range(1, target.size(1) + 1)  # each token is written without what comes behind it
    logits = torch.stack([model(source, target[:, :end])[:, -1] for end in ends], dim=1)
    steps = torch.log_softmax(logits, dim=-1).gather(-1, written[..., None])[..., 0]
    ended = (written == 0).long()
    own = ended.cumsum(dim=1) - ended == 0
    return (steps * own).sum(dim=1) / ((5 + own.sum(dim=1)) / 6) ** 0.6


def test_encoder_decoder_finds_the_best_of_all_texts_when_it_keeps_all_in_sight() -> None:
    everything = torch.cartesian_prod(*[torch.arange(7)] * 3)
    for _ in range(4):
        model = outspoken(small_encoder_decoder())
        source = torch.randint(7, (5, 4))
        keep_mask = torch.arange(4) < torch.tensor([4, 3, 2, 4, 1])[:, None]
        options = {"start": 1, "end": 0, "max_len": 3, "source_keep_mask": keep_mask}
        found = model.beam_search(source, beams=49, **options)
        for text, words, keep in zip(found, source, keep_mask, strict=True):
            best = scores_of_encoder_decoder(model, words[keep], everything).max()
            score = scores_of_encoder_decoder(model, words[keep], text[None])[0]
            assert_equals(score, array(best))


def test_encoder_decoder_finds_better_texts_in_a_beam_than_alone() -> None:
    gains = []
    for _ in range(8):
        model = outspoken(small_encoder_decoder(dropout=0.5)).train()
        source = torch.randint(7, (10, 4))
        greedy = model.greedy(source, start=1, end=0)
        assert torch.equal(model.beam_search(source, start=1, end=0, beams=1), greedy)
        beams = model.beam_search(source, start=1, end=0)
        assert model.training
        model.eval()
        gain = scores_of_encoder_decoder(model, source, beams)
        gains.append(gain - scores_of_encoder_decoder(model, source, greedy))
    assert torch.cat(gains).min() > -1e-9 and torch.cat(gains).max() > 0.01


def test_encoder_decoder_writes_without_gradients() -> None:
    model, source, outputs = small_encoder_decoder(), torch.randint(7, (2, 5)), []
    for module in (model.encoder, model.decoder):
        module.register_forward_hook(lambda *call: outputs.append(call[-1]))
    for write in (model.greedy, model.beam_search):
        outputs.clear()
        write(source, start=1, end=0)
        assert len(outputs) > 1 and not any(output.requires_grad for output in outputs)


def test_encoder_decoder_reads_nothing_twice_while_it_writes() -> None:
    model, source, calls = small_encoder_decoder(), torch.randint(7, (2, 5)), []

    def remember(
        _: nn.Module, given: tuple[Tensor, ...], named: dict[str, Any], __: Tensor
    ) -> None:
        calls.append((given[0].size(1), [cache.length for cache in named["memory_caches"]]))

    model.decoder.register_forward_hook(remember, with_kwargs=True)
    for write in (model.greedy, model.beam_search):
        write(source, start=1, end=0)
    assert calls and all(call == (1, [5, 5]) for call in calls)


def test_encoder_decoder_has_its_defaults() -> None:
    parameters = signature(EncoderDecoder.beam_search).parameters
    assert parameters["beams"].default == 4
    assert parameters["length_penalty"].default == 0.6


def test_encoder_decoder_refuses_what_it_cannot_write_with() -> None:
    model, source = small_encoder_decoder(), torch.zeros(1, 3, dtype=torch.long)
    for wrong in ({"start": 7}, {"end": -1}, {"max_len": 0}, {"max_len": 7}):
        for write in (model.greedy, model.beam_search):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                write(source, **{"start": 1, "end": 0, **wrong})
    for write in (model.greedy, model.beam_search):
        with pytest.raises(ValueError, match="give some of each text"):
            write(source[:, :0], start=1, end=0)
    for wrong in ({"beams": -1}, {"length_penalty": -0.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            model.beam_search(source, **{"start": 1, "end": 0, **wrong})


def test_encoder_decoder_has_its_sizes_by_default() -> None:
    config = EncoderDecoderConfig()
    assert asdict(config) == {
        "vocab_size": 1000,
        "max_len": 128,
        "d_model": 64,
        "num_heads": 4,
        "d_ff": 128,
        "num_layers": 2,
        "dropout": 0.1,
    }


def test_encoder_decoder_compiles_without_a_break() -> None:
    model = small_encoder_decoder().eval()
    expected = model(torch.arange(6)[None], torch.arange(5)[None])
    model = torch.compile(model, fullgraph=True, backend="eager")
    assert_equals(model(torch.arange(6)[None], torch.arange(5)[None]), array(expected))


def test_encoder_decoder_is_the_same_when_it_is_loaded(tmp_path: Path) -> None:
    model = small_encoder_decoder(dropout=0.5).float().eval()
    model.save(tmp_path / "model.pt")
    expected = model(torch.arange(6)[None], torch.arange(5)[None])
    model = EncoderDecoder.load(tmp_path / "model.pt")
    assert model.config == small_encoder_decoder(dropout=0.5).config
    assert torch.equal(model(torch.arange(6)[None], torch.arange(5)[None]), expected)


def test_encoder_decoder_loads_the_weights_of_what_was_compiled(tmp_path: Path) -> None:
    model = small_encoder_decoder().float()
    weights = {f"module._orig_mod.{name}": w for name, w in model.state_dict().items()}
    write_checkpoint(tmp_path / "model.pt", "EncoderDecoder", model.config, weights)
    loaded = EncoderDecoder.load(tmp_path / "model.pt")
    for name, weight in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weight), name


@pytest.mark.parametrize("part", ["config", "weights"])
def test_encoder_decoder_is_not_loaded_from_that_of_other_notes(part: str, tmp_path: Path) -> None:
    """Whose class has the same name, but parts that this one lacks."""
    model = small_encoder_decoder()
    write_checkpoint(tmp_path / "model.pt", "EncoderDecoder", model.config, model.state_dict())
    held = torch.load(tmp_path / "model.pt")
    held[part]["other"] = torch.ones(1)
    torch.save(held, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"holds another EncoderDecoder: (?s:.*)other"):
        EncoderDecoder.load(tmp_path / "model.pt")


def test_encoder_decoder_has_no_sizes_that_make_no_model() -> None:
    config = small_encoder_decoder().config
    counts = [size.name for size in fields(config) if size.type == "int"]
    for name, wrong in [*((name, 0) for name in counts), ("dropout", -0.1), ("dropout", 1.1)]:
        with pytest.raises(ValueError, match=name):
            replace(config, **{name: wrong})


def small_text_encoder(dropout: float = 0.0) -> TextEncoder:
    """A model of few numbers, in float64."""
    config = TextEncoderConfig(
        vocab_size=7, max_len=6, d_model=4, num_heads=2, d_ff=5, num_layers=3, dropout=dropout
    )
    with made_in_float64():
        return TextEncoder(config)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("length", [1, 4, 6])
def test_text_encoder_is_the_formula(length: int, training: bool) -> None:
    model = randomised(small_text_encoder(dropout=0.0 if training else 0.5)).train(training)
    tokens = torch.randint(7, (2, length))
    assert_equals(model(tokens), text_encoder_by_formula(model, tokens))


def test_text_encoder_has_as_many_layers_as_asked_for() -> None:
    assert len(small_text_encoder().encoder.layers) == 3


def test_text_encoder_ignores_padding() -> None:
    model = randomised(small_text_encoder())
    tokens = torch.randint(7, (2, 6))
    keep_mask = torch.tensor([[True] * 6, [True, False, True, True, False, False]])
    states = model(tokens, keep_mask=keep_mask)
    assert_equals(states[:1], array(model(tokens[:1])))
    tokens[1, ~keep_mask[1]] = (tokens[1, ~keep_mask[1]] + 1) % 7
    other = model(tokens, keep_mask=keep_mask)
    assert_equals(other[1, keep_mask[1]], array(states[1, keep_mask[1]]))


def test_text_encoder_has_no_more_positions_than_it_was_made_for() -> None:
    with pytest.raises(ValueError, match="max_len=6"):
        small_text_encoder()(torch.zeros(1, 7, dtype=torch.long))


def test_text_encoder_begins_with_small_weights() -> None:
    model = small_text_encoder()
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            assert 0 < weight.abs().max() < 0.1, name
        elif name.endswith("bias"):
            assert not weight.any(), name


def test_text_encoder_drops_out_only_in_training() -> None:
    model, tokens = small_text_encoder(dropout=0.5), torch.randint(7, (2, 5))
    assert_dropout_only_in_training(model, tokens)
    model.eval()
    model.encoder.train()
    assert not torch.equal(model(tokens), model(tokens))


def test_text_encoder_drops_out_of_embeddings_and_positions() -> None:
    """Where all is dropped, all tokens at all places are the same."""
    model = randomised(small_text_encoder(dropout=1.0))
    states = model(torch.randint(7, (2, 5)))
    np.testing.assert_array_equal(array(states), array(states[:1, :1].expand_as(states)))


def test_text_encoder_sends_gradients_to_all_weights() -> None:
    model = randomised(small_text_encoder())
    model(torch.arange(7)[:6].expand(1, 6)).square().sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_text_encoder_has_its_sizes_by_default() -> None:
    config = TextEncoderConfig()
    assert asdict(config) == {
        "vocab_size": 1000,
        "max_len": 128,
        "d_model": 64,
        "num_heads": 4,
        "d_ff": 128,
        "num_layers": 2,
        "dropout": 0.1,
    }


def test_text_encoder_compiles_without_a_break() -> None:
    model = small_text_encoder().eval()
    expected = model(torch.arange(6)[None])
    model = torch.compile(model, fullgraph=True, backend="eager")
    assert_equals(model(torch.arange(6)[None]), array(expected))


def test_text_encoder_is_the_same_when_it_is_loaded(tmp_path: Path) -> None:
    model = small_text_encoder(dropout=0.5).float().eval()
    model.save(tmp_path / "model.pt")
    expected = model(torch.arange(6)[None])
    model = TextEncoder.load(tmp_path / "model.pt")
    assert model.config == small_text_encoder(dropout=0.5).config
    assert torch.equal(model(torch.arange(6)[None]), expected)


def test_text_encoder_loads_the_weights_of_what_was_compiled(tmp_path: Path) -> None:
    model = small_text_encoder().float()
    weights = {f"module._orig_mod.{name}": w for name, w in model.state_dict().items()}
    write_checkpoint(tmp_path / "model.pt", "TextEncoder", model.config, weights)
    loaded = TextEncoder.load(tmp_path / "model.pt")
    for name, weight in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weight), name


@pytest.mark.parametrize("part", ["config", "weights"])
def test_text_encoder_is_not_loaded_from_that_of_other_notes(part: str, tmp_path: Path) -> None:
    """Whose class has the same name, but parts that this one lacks."""
    model = small_text_encoder()
    write_checkpoint(tmp_path / "model.pt", "TextEncoder", model.config, model.state_dict())
    held = torch.load(tmp_path / "model.pt")
    held[part]["other"] = torch.ones(1)
    torch.save(held, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"holds another TextEncoder: (?s:.*)other"):
        TextEncoder.load(tmp_path / "model.pt")


def test_text_encoder_has_no_sizes_that_make_no_model() -> None:
    config = small_text_encoder().config
    counts = [size.name for size in fields(config) if size.type == "int"]
    for name, wrong in [*((name, 0) for name in counts), ("dropout", -0.1), ("dropout", 1.1)]:
        with pytest.raises(ValueError, match=name):
            replace(config, **{name: wrong})


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


def test_gpt_gives_the_logits_of_the_last_token_alone() -> None:
    """When asked to, as it is where it writes."""
    model, tokens = randomised(small_gpt()), torch.randint(7, (2, 4))
    assert_equals(model(tokens, last_only=True), array(model(tokens)[:, -1:]))
    lengths: list[int] = []
    model.register_forward_hook(lambda *called: lengths.append(called[-1].size(1)))
    model.generate(tokens, 2)
    assert lengths == [1, 1]


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


@pytest.mark.parametrize(("before", "behind"), [(1, 0), (3, 0), (5, 0), (0, 2), (2, 1)])
def test_gpt_reads_a_text_in_padding_as_it_does_alone(before: int, behind: int) -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    keep_mask = torch.ones(2, 6, dtype=torch.bool)
    keep_mask[1] = F.pad(keep_mask[1, before : 6 - behind], (before, behind))
    logits = model(tokens, keep_mask=keep_mask)
    assert_equals(logits[:1], array(model(tokens[:1])))
    assert_equals(logits[1:, keep_mask[1]], array(model(tokens[1:, keep_mask[1]])))


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
    start = torch.arange(4)[:, None]
    rest = torch.stack([torch.randperm(10)[:7] for _ in start])
    tokens = torch.cat([start, rest + (rest >= start)], dim=1)  # no token twice
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(150):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert torch.equal(model.generate(tokens[:, :1], 7, temperature=0.0), tokens)


@pytest.mark.parametrize("pieces", [[1] * 6, [3, 3], [1, 4, 1], [5, 1]])
def test_gpt_reads_a_text_in_pieces_as_it_does_at_once(pieces: list[int]) -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    caches = model.empty_caches()
    read = [model(piece, caches=caches) for piece in tokens.split(pieces, dim=1)]
    assert_equals(torch.cat(read, dim=1), array(model(tokens)))
    assert [cache.length for cache in caches] == [6, 6]


def test_gpt_ignores_padding_that_it_has_read_before() -> None:
    model = randomised(small_gpt())
    tokens = torch.randint(7, (2, 6))
    keep_mask = torch.tensor([[True] * 6, [False, False, True, True, True, False]])
    caches = model.empty_caches()
    model(tokens[:, :3], keep_mask=keep_mask[:, :3], caches=caches)
    read = model(tokens[:, 3:], keep_mask=keep_mask, caches=caches)
    assert_equals(read, array(model(tokens, keep_mask=keep_mask)[:, 3:]))


def test_gpt_has_no_more_positions_with_caches() -> None:
    model = small_gpt()
    caches = model.empty_caches()
    model(torch.zeros(1, 4, dtype=torch.long), caches=caches)
    with pytest.raises(ValueError, match="a sequence of 7"):
        model(torch.zeros(1, 3, dtype=torch.long), caches=caches)


def test_gpt_writes_what_is_likeliest_behind_all_that_it_sees() -> None:
    for _ in range(5):
        model = outspoken(small_gpt(dropout=0.5)).train()
        tokens = torch.randint(7, (8, 4))
        written = model.generate(tokens, 6, temperature=0.0)
        assert model.training and written.shape == (8, 10)
        assert torch.equal(written[:, :4], tokens)
        model.eval()
        for at in range(4, 10):
            seen = written[:, max(0, at - 6) : at]
            assert torch.equal(written[:, at], model(seen)[:, -1].argmax(dim=-1))


def test_gpt_goes_on_with_texts_of_different_lengths_as_with_each_alone() -> None:
    """They are filled up with tokens before them, which change nothing."""
    for _ in range(5):
        model = outspoken(small_gpt())
        tokens = torch.randint(7, (8, 4))
        keep_mask = torch.arange(4) >= torch.arange(8)[:, None] % 4
        before = tokens.clone(), keep_mask.clone()
        written = model.generate(tokens, 6, keep_mask=keep_mask, temperature=0.0)
        assert torch.equal(written[:, :4], tokens)
        for text, row, kept in zip(written, tokens, keep_mask, strict=True):
            alone = model.generate(row[kept][None], 6, temperature=0.0)
            assert torch.equal(text[4:], alone[0, -6:])
        assert torch.equal(tokens, before[0]) and torch.equal(keep_mask, before[1])


def test_gpt_writes_without_gradients() -> None:
    model, outputs = small_gpt(), []
    model.register_forward_hook(lambda *call: outputs.append(call[-1]))
    model.generate(torch.randint(7, (2, 3)), 2)
    assert len(outputs) == 2 and not any(output.requires_grad for output in outputs)


def test_gpt_reads_nothing_twice_while_all_is_in_sight() -> None:
    model, lengths = small_gpt(), []
    model.register_forward_hook(lambda _, given, __: lengths.append(given[0].size(1)))
    model.generate(torch.randint(7, (2, 3)), 6)
    assert lengths == [3, 1, 1, 1, 6, 6]


def test_gpt_has_its_defaults() -> None:
    assert signature(GPT.generate).parameters["temperature"].default == 1.0


def test_gpt_draws_only_the_likeliest_when_asked_to() -> None:
    model = randomised(small_gpt())
    start = torch.randint(7, (1, 3)).expand(200, 3)
    ranked = model(start[:1])[0, -1].argsort(descending=True).tolist()
    for options in ({"top_k": 2}, {"top_k": 4, "top_p": 0.3}):
        drawn = model.generate(start, 1, temperature=50.0, **options)[:, -1]
        assert sorted(drawn.unique().tolist()) == sorted(ranked[:2])
    assert len(model.generate(start, 1, temperature=50.0)[:, -1].unique()) > 2
    assert (model.generate(start, 1, temperature=1e-4)[:, -1] == ranked[0]).all()


def test_gpt_stops_at_the_end() -> None:
    """From there on a text is filled up with it, and the others go on; none is read any more when
    all have ended."""
    model, reads = outspoken(small_gpt()), []
    model.register_forward_hook(lambda *call: reads.append(call))
    tokens = torch.randint(7, (30, 3))
    free = model.generate(tokens, 3, temperature=0.0)
    for end in range(7):
        written = model.generate(tokens, 3, temperature=0.0, end=end)
        for text, other in zip(written.tolist(), free.tolist(), strict=True):
            stop = other.index(end, 3) if end in other[3:] else len(other)
            assert text == other[:stop] + [end] * (len(other) - stop)
        if len(ended := written[written[:, 3] == end]):
            reads.clear()
            assert torch.equal(model.generate(ended[:, :3], 3, temperature=0.0, end=end), ended)
            assert len(reads) == 1


def test_gpt_refuses_what_it_cannot_generate_with() -> None:
    model, tokens = small_gpt(), torch.zeros(1, 2, dtype=torch.long)
    for wrong in ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}, {"end": 7}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            model.generate(tokens, 1, **wrong)
    with pytest.raises(ValueError, match="count=-1 is negative"):
        model.generate(tokens, -1)
    assert torch.equal(model.generate(tokens, 0), tokens)
    with pytest.raises(ValueError, match="give some of each text"):
        model.generate(tokens[:, :0], 1)
    with pytest.raises(ValueError, match="ends with padding"):
        model.generate(tokens, 1, keep_mask=torch.tensor([[True, False]]))


def test_gpt_has_its_sizes_by_default() -> None:
    config = GPTConfig()
    assert asdict(config) == {
        "vocab_size": 1000,
        "max_len": 128,
        "d_model": 64,
        "num_heads": 4,
        "d_ff": 128,
        "num_layers": 2,
        "dropout": 0.1,
    }


def test_gpt_compiles_without_a_break() -> None:
    model = small_gpt().eval()
    expected = model(torch.arange(6)[None])
    model = torch.compile(model, fullgraph=True, backend="eager")
    assert_equals(model(torch.arange(6)[None]), array(expected))


def test_gpt_is_the_same_when_it_is_loaded(tmp_path: Path) -> None:
    model = small_gpt(dropout=0.5).float().eval()
    model.save(tmp_path / "model.pt")
    expected = model(torch.arange(6)[None])
    model = GPT.load(tmp_path / "model.pt")
    assert model.config == small_gpt(dropout=0.5).config
    assert torch.equal(model(torch.arange(6)[None]), expected)


def test_gpt_loads_the_weights_of_what_was_compiled(tmp_path: Path) -> None:
    model = small_gpt().float()
    weights = {f"module._orig_mod.{name}": w for name, w in model.state_dict().items()}
    write_checkpoint(tmp_path / "model.pt", "GPT", model.config, weights)
    loaded = GPT.load(tmp_path / "model.pt")
    for name, weight in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weight), name


@pytest.mark.parametrize("part", ["config", "weights"])
def test_gpt_is_not_loaded_from_that_of_other_notes(part: str, tmp_path: Path) -> None:
    """Whose class has the same name, but parts that this one lacks."""
    model = small_gpt()
    write_checkpoint(tmp_path / "model.pt", "GPT", model.config, model.state_dict())
    held = torch.load(tmp_path / "model.pt")
    held[part]["other"] = torch.ones(1)
    torch.save(held, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"holds another GPT: (?s:.*)other"):
        GPT.load(tmp_path / "model.pt")


def test_gpt_has_no_sizes_that_make_no_model() -> None:
    config = small_gpt().config
    counts = [size.name for size in fields(config) if size.type == "int"]
    for name, wrong in [*((name, 0) for name in counts), ("dropout", -0.1), ("dropout", 1.1)]:
        with pytest.raises(ValueError, match=name):
            replace(config, **{name: wrong})


def hugging_face_weights() -> dict[str, Tensor]:
    """Random weights by the names and in the shapes of Hugging Face's GPT-2."""
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (7, 4), "wpe.weight": (6, 4)}
    shapes |= {"ln_f.weight": (4,), "ln_f.bias": (4,)}
    for block in ("h.0.", "h.1.", "h.2."):
        linear = {"attn.c_attn": (4, 12), "attn.c_proj": (4, 4)}
        linear |= {"mlp.c_fc": (4, 5), "mlp.c_proj": (5, 4)}
        for name, (into, out) in linear.items():
            shapes |= {f"{block}{name}.weight": (into, out), f"{block}{name}.bias": (out,)}
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"{block}{norm}.weight": (4,), f"{block}{norm}.bias": (4,)}
    weights = {f"transformer.{name}": torch.randn(shape) for name, shape in shapes.items()}
    weights["transformer.h.0.attn.bias"] = torch.ones(1, 1, 6, 6).tril()  # the causal mask
    weights["transformer.h.0.attn.masked_bias"] = torch.tensor(-1e4)  # and what it puts there
    return {**weights, "lm_head.weight": weights["transformer.wte.weight"]}


def hugging_face_logits(weights: Mapping[str, Tensor], tokens: Tensor) -> Tensor:
    """What Hugging Face's GPT-2 with two heads computes from such weights."""
    w = {name.removeprefix("transformer."): weight for name, weight in weights.items()}

    def norm(x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, (4,), w[f"{name}.weight"], w[f"{name}.bias"])

    def projected(x: Tensor, name: str) -> Tensor:
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.size(1)]
    for block in ("h.0", "h.1", "h.2"):
        made = projected(norm(x, f"{block}.ln_1"), f"{block}.attn.c_attn")
        heads = made.unflatten(-1, (3, 2, 2)).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + projected(attended.transpose(1, 2).flatten(2), f"{block}.attn.c_proj")
        hidden = F.gelu(projected(norm(x, f"{block}.ln_2"), f"{block}.mlp.c_fc"))
        x = x + projected(hidden, f"{block}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def test_gpt_is_gpt2_with_the_weights_of_hugging_face() -> None:
    """With those of ``GPT2LMHeadModel``, also compiled, and of ``GPT2Model``, which has no head."""
    weights = hugging_face_weights()
    weights["transformer.h.0.attn.unused"] = torch.zeros(4)
    tokens = torch.randint(7, (3, 6))
    expected = hugging_face_logits(weights, tokens)
    compiled = {f"_orig_mod.{name}": weight for name, weight in weights.items()}
    headless = {name.removeprefix("transformer."): weight for name, weight in weights.items()}
    headless.pop("lm_head.weight")
    for saved in (weights, compiled, headless):
        model = GPT.from_gpt2(saved, num_heads=2)
        assert not model.training
        assert model.config == GPTConfig(
            vocab_size=7, max_len=6, d_model=4, num_heads=2, d_ff=5, num_layers=3, dropout=0.0
        )
        torch.testing.assert_close(model(tokens), expected, rtol=1e-4, atol=1e-5)


def test_gpt_refuses_weights_that_it_has_no_place_for() -> None:
    weights = hugging_face_weights()
    weights["transformer.h.1.attn.q_norm.weight"] = torch.eye(4)[0]
    with pytest.raises(ValueError, match="no place for h.1.attn.q_norm.weight"):
        GPT.from_gpt2(weights, num_heads=2)
    weights["lm_head.weight"] = torch.randn(7, 4)
    with pytest.raises(ValueError, match="lm_head"):
        GPT.from_gpt2(weights, num_heads=2)


@pytest.mark.parametrize("lacking", ["wte.weight", "wpe.weight", "h.1.ln_1.bias"])
def test_gpt_is_made_of_all_weights_of_gpt2(lacking: str) -> None:
    weights = {k: w for k, w in hugging_face_weights().items() if f"transformer.{lacking}" not in k}
    weights.pop("lm_head.weight")
    with pytest.raises(ValueError, match=f"they lack .*{lacking}"):
        GPT.from_gpt2(weights, num_heads=2)


def test_gpt_has_a_layer_at_least() -> None:
    weights = {k: w for k, w in hugging_face_weights().items() if "h." not in k}
    with pytest.raises(ValueError, match=r"they lack .*h\.0\.") as refusal:
        GPT.from_gpt2(weights, num_heads=2)
    assert "h.1." not in str(refusal.value)
