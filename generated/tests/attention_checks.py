"""What holds of every attention: a test of one says how to make it and what its formula gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import signature

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from checks import (
    array,
    assert_close_in_float32,
    assert_equals,
    assert_inputs_untouched,
    first,
    shuffled,
)

need_weights_or_not = pytest.mark.parametrize("need_weights", [False, True])


class AttentionChecks:
    """Tests of an attention that is called with query, key and value.

    ``query``, ``key`` and ``value`` are shapes of inputs for tests, ``biases`` those of what the
    formula adds to the scores, ``bias_scale`` what it multiplies them with, ``heads`` the axes of
    the formula before its queries.
    """

    query, key, value = (4, 6), (5, 6), (5, 7)
    biases: tuple[tuple[int, ...], ...] = ()
    bias_scale = 1.0
    takes_bias = True
    unseen: tuple[str, ...] = ()  # what moves all scores of a query alike, which softmax hides
    heads: tuple[int, ...] = ()
    defaults: tuple[tuple[str, float], ...] = (("dropout", 0.0),)

    def attention(self, dropout: float = 0.0) -> nn.Module:
        """One with random parameters, in float64."""
        raise NotImplementedError

    def by_formula(
        self, attention: nn.Module, query: Tensor, key: Tensor, value: Tensor, *biases: Tensor
    ) -> np.ndarray:
        """The formula at the attention's own weights."""
        raise NotImplementedError

    def largest_score(self, attention: nn.Module, query: Tensor, key: Tensor) -> float:
        """How large the scores get, on which rounding depends."""
        return float(attention.scores(query, key).detach().abs().max())

    def inputs(self, *batch: int) -> tuple[Tensor, ...]:
        """Random queries, keys and values of a batch."""
        shapes = (self.query, self.key, self.value)
        return tuple(torch.randn(*batch, *self.heads, *shape).double() for shape in shapes)

    def added(self) -> tuple[Tensor, ...]:
        """Random numbers for what the formula adds to the scores."""
        return tuple(torch.randn(*shape, dtype=torch.float64) for shape in self.biases)

    # --- the formula ---------------------------------------------------------------------

    @need_weights_or_not
    @pytest.mark.parametrize("batch", [(), (1,), (2,), (2, 3)])
    def test_is_the_formula(self, batch: tuple[int, ...], need_weights: bool) -> None:
        attention, biases = self.attention(), self.added()
        query, key, value = self.inputs(*batch)
        output = attention(query, key, value, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, query, key, value, *biases))

    @need_weights_or_not
    def test_is_the_formula_in_evaluation(self, need_weights: bool) -> None:
        attention, biases = self.attention(dropout=0.5).eval(), self.added()
        query, key, value = self.inputs(2)
        output = attention(query, key, value, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, query, key, value, *biases))

    @need_weights_or_not
    def test_is_the_formula_in_float32(self, need_weights: bool) -> None:
        attention = self.attention().float()
        query, key, value, *biases = (x.float() for x in (*self.inputs(2), *self.added()))
        expected = self.by_formula(attention, query, key, value, *biases)
        largest = self.largest_score(attention, query, key)
        output = attention(query, key, value, bias=total_bias(biases), need_weights=need_weights)
        assert_close_in_float32(first(output), expected, scale=largest)

    @need_weights_or_not
    def test_takes_one_query_and_one_key(self, need_weights: bool) -> None:
        attention = self.attention()
        query, key, value = (x[..., :1, :] for x in self.inputs(2))
        biases = [cut_bias(bias, 1, 1) for bias in self.added()]
        output = attention(query, key, value, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, query, key, value, *biases))

    @need_weights_or_not
    @pytest.mark.parametrize("causal", [False, True])
    def test_refuses_keys_without_values(self, causal: bool, need_weights: bool) -> None:
        attention, (query, key, value) = self.attention(), self.inputs(2)
        asked = {"causal": causal, "need_weights": need_weights}
        for count in (1, value.size(-2) - 1):
            with pytest.raises((ValueError, RuntimeError)):
                attention(query, key, value[..., :count, :], **asked)

    @need_weights_or_not
    def test_refuses_queries_or_keys_of_one_feature(self, need_weights: bool) -> None:
        """It would stand for all those of the others."""
        attention, (query, key, value) = self.attention(), self.inputs(2)
        query, key = (F.pad(x, (0, 1)) if x.size(-1) == 1 else x for x in (query, key))
        for few in ((query[..., :1], key), (query, key[..., :1])):
            with pytest.raises((ValueError, RuntimeError)):
                attention(*few, value, need_weights=need_weights)

    def test_takes_what_is_not_contiguous(self) -> None:
        attention, biases = self.attention(), self.added()
        query, key, value = (x.mT.contiguous().mT for x in self.inputs(2))
        output = attention(query, key, value, bias=total_bias(biases))
        assert_equals(output, self.by_formula(attention, query, key, value, *biases))

    # --- masks ---------------------------------------------------------------------------

    @need_weights_or_not
    def test_keeps_what_the_mask_keeps(self, need_weights: bool) -> None:
        """As if the other keys were not there, however far off they are."""
        attention, biases = self.attention(), self.added()
        attention.causal = False  # without some keys, queries would stand elsewhere
        query, key, value = self.inputs(2)
        key[1, ..., 3:, :] = 1e6
        keep_mask = torch.ones(2, key.size(-2), dtype=torch.bool)
        keep_mask[1, 3:] = False
        masked = {"bias": total_bias(biases)}
        output = first(
            attention(query, key, value, keep_mask=keep_mask, need_weights=need_weights, **masked)
        )
        assert_equals(output[0], array(attention(query[0], key[0], value[0], **masked)))
        masked["bias"] = total_bias([cut_bias(bias, query.size(-2), 3) for bias in biases])
        kept = (query[1], key[1, ..., :3, :], value[1, ..., :3, :])
        assert_equals(output[1], array(attention(*kept, **masked)))

    def test_gives_zeros_where_nothing_is_kept(self) -> None:
        attention, bias = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        query.requires_grad_()
        keep_mask = torch.ones(2, key.size(-2), dtype=torch.bool)
        keep_mask[1] = False
        for need_weights in (False, True):
            masked = {"keep_mask": keep_mask, "bias": bias, "need_weights": need_weights}
            output = first(attention(query, key, value, **masked))
            assert torch.equal(output[1], torch.zeros_like(output[1]))
            (gradient,) = torch.autograd.grad(output.sum(), query)
            assert gradient.isfinite().all()

    @need_weights_or_not
    def test_gives_zeros_without_keys(self, need_weights: bool) -> None:
        attention, (query, key, value) = self.attention(), self.inputs(2)
        bias = total_bias([cut_bias(bias, query.size(-2), 0) for bias in self.added()])
        masked = {"bias": bias, "need_weights": need_weights}
        for keep_mask in (None, torch.ones(2, 0, dtype=torch.bool)):
            none = (key[..., :0, :], value[..., :0, :])
            output = first(attention(query, *none, keep_mask=keep_mask, **masked))
            assert torch.equal(output, query.new_zeros(*query.shape[:-1], value.size(-1)))

    @need_weights_or_not
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize(("sequences", "queries"), [(0, 3), (2, 0)])
    def test_gives_nothing_to_no_queries(
        self, sequences: int, queries: int, causal: bool, need_weights: bool
    ) -> None:
        attention, (query, key, value) = self.attention(), self.inputs(sequences)
        query, keys = query[..., :queries, :], key.size(-2)
        asked = {"causal": causal, "need_weights": need_weights}
        for rows in (sequences, queries):
            keep_mask = torch.ones(rows, keys, dtype=torch.bool)
            output = first(attention(query, key, value, keep_mask=keep_mask, **asked))
            assert output.shape == (*query.shape[:-1], value.size(-1))

    @need_weights_or_not
    @pytest.mark.parametrize("always", [False, True])
    def test_is_causal_when_asked_to_be(self, always: bool, need_weights: bool) -> None:
        """Each query gives what it would give if it and its key were the last ones."""
        attention, biases = self.attention(), self.added()
        attention.causal = always
        masked = {"causal": None if always else True, "need_weights": need_weights}
        query, key, value = self.inputs(2)
        count = query.size(-2)
        key, value = key[..., :count, :], value[..., :count, :]
        bias = total_bias([cut_bias(bias, count, count) for bias in biases])
        output = first(attention(query, key, value, bias=bias, **masked))
        for end in range(1, count + 1):
            seen = (x[..., :end, :] for x in (query, key, value))
            few = (cut_bias(bias, end, end) for bias in biases)
            expected = self.by_formula(attention, *seen, *few)
            assert_equals(output[..., end - 1, :], expected[..., end - 1, :])

    @need_weights_or_not
    def test_joins_its_masks(self, need_weights: bool) -> None:
        """With fewer queries than keys, the queries are the last ones."""
        attention, bias = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        shape = (query.size(-2), key.size(-2))
        keep_mask = torch.rand(shape) > 0.3
        masked = {"keep_mask": keep_mask, "bias": bias, "need_weights": need_weights}
        both = first(attention(query, key, value, **masked, causal=True))
        lower = torch.ones(shape, dtype=torch.bool).tril(shape[1] - shape[0])
        one = attention(query, key, value, keep_mask=keep_mask & lower, bias=bias)
        assert_equals(both, array(one))

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize(
        ("count", "queries", "keys"), [(2, 2, 7), (70, 1, 75), (70, 70, 75), (75, 75, 30)]
    )
    def test_takes_the_mask_of_each_query(
        self, count: int, queries: int, keys: int, causal: bool
    ) -> None:
        """Also of many queries, which may be computed a block at a time."""
        attention = self.attention(dropout=0.5).eval()
        attention.numbers = 2**21
        query, key, value = (
            torch.rand(2, *self.heads, length, size, dtype=torch.float64)
            for length, (_, size) in ((count, self.query), (keys, self.key), (keys, self.value))
        )
        masked = {
            "keep_mask": torch.rand(2, *[1] * len(self.heads), queries, keys) < 0.7,
            "bias": torch.randn(queries, keys).double() if self.takes_bias else None,
        }
        attention.causal = not causal
        expected, _ = attention(query, key, value, **masked, causal=causal, need_weights=True)
        assert_equals(attention(query, key, value, **masked, causal=causal), array(expected))
        attention.causal = causal
        assert_equals(attention(query, key, value, **masked), array(expected))

    @need_weights_or_not
    def test_takes_a_mask_of_any_shape_that_broadcasts(self, need_weights: bool) -> None:
        attention = self.attention()
        query, key, value = self.inputs(2)
        queries, keys = query.size(-2), key.size(-2)
        for axes in ((keys,), (1, keys), (queries, 1), (1, 1)):
            for batch in ((), (1,), (2,)) if len(axes) > 1 else ((),):
                lead = (*batch, *[1] * len(self.heads)) if batch else ()
                keep_mask = torch.rand(*lead, *axes) > 0.4
                each = keep_mask.expand(*query.shape[:-1], keys)
                output, expected = (
                    first(attention(query, key, value, keep_mask=mask, need_weights=need_weights))
                    for mask in (keep_mask, each)
                )
                assert_equals(output, array(expected))

    def test_takes_a_mask_of_keys_for_as_many_sequences(self) -> None:
        attention, count = self.attention(), self.key[0]
        query, key, value = self.inputs(count)
        query = torch.cat([query] * 3, dim=-2)  # other lengths than there are sequences
        keep_mask = torch.rand(count, count) < 0.7
        each = keep_mask.reshape(count, *[1] * len(self.heads), 1, count)
        each = each.expand(*query.shape[:-1], count)
        output = attention(query, key, value, keep_mask=keep_mask)
        assert_equals(output, array(attention(query, key, value, keep_mask=each)))

    @need_weights_or_not
    def test_refuses_a_mask_that_can_mean_two_things(self, need_weights: bool) -> None:
        query, key, value = self.inputs(self.query[0])
        keep_mask = torch.ones(self.query[0], key.size(-2), dtype=torch.bool)
        with pytest.raises(ValueError, match="two things"):
            self.attention()(query, key, value, keep_mask=keep_mask, need_weights=need_weights)

    def test_adds_a_bias_to_the_scores(self) -> None:
        """One that makes a score −∞ hides a key, or all of them."""
        attention, own = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        bias = 5 * torch.randn(query.size(-2), key.size(-2), dtype=torch.float64)
        hiding = -math.copysign(math.inf, self.bias_scale)
        bias[0] = bias[:, -1] = hiding
        _, weights = attention(query, key, value, bias=own, need_weights=True)
        expected = torch.softmax(weights.log() + self.bias_scale * bias, dim=-1).nan_to_num()
        bias = bias if own is None else own + bias
        output, weights = attention(query, key, value, bias=bias, need_weights=True)
        assert_equals(weights, array(expected))
        assert_equals(attention(query, key, value, bias=bias), array(output))
        keep = torch.rand(query.size(-2), key.size(-2)) > 0.5
        hidden = bias.masked_fill(~keep, hiding)
        for need_weights in (False, True):
            masked = {"keep_mask": keep, "bias": bias, "need_weights": need_weights}
            output = first(attention(query, key, value, **masked))
            assert_equals(output, array(attention(query, key, value, bias=hidden)))
            query.requires_grad_()
            output = first(attention(query, key, value, bias=hidden, need_weights=need_weights))
            (gradient,) = torch.autograd.grad(output.sum(), query)
            assert gradient.isfinite().all()

    @need_weights_or_not
    def test_adds_no_mask(self, need_weights: bool) -> None:
        query, key, value = self.inputs(2)
        mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)
        with pytest.raises(TypeError if self.takes_bias else ValueError, match="bias"):
            self.attention()(query, key, value, bias=mask, need_weights=need_weights)

    @need_weights_or_not
    def test_keeps_its_precision_with_a_bias_of_another(self, need_weights: bool) -> None:
        attention = self.attention().bfloat16()
        query, key, value = (x.bfloat16() for x in self.inputs(2))
        bias = torch.zeros(query.size(-2), key.size(-2)) if self.takes_bias else None
        output = first(attention(query, key, value, bias=bias, need_weights=need_weights))
        assert output.dtype == torch.bfloat16

    # --- the rest ------------------------------------------------------------------------

    def test_gives_its_weights(self) -> None:
        attention, bias = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        output, weights = attention(query, key, value, bias=bias, need_weights=True)
        sees_a_key = (weights > 0).any(dim=-1)
        assert sees_a_key.any()
        assert_equals(weights.sum(dim=-1), array(sees_a_key))
        assert_equals(weights @ value, array(output))

    def test_shows_its_dropout(self) -> None:
        assert "dropout=0.5" in self.attention(dropout=0.5).extra_repr()

    def test_gives_its_weights_before_dropout(self) -> None:
        attention, inputs = self.attention(dropout=0.5), self.inputs(2)
        _, weights = attention(*inputs, need_weights=True)
        _, expected = attention.eval()(*inputs, need_weights=True)
        assert_equals(weights, array(expected))

    @need_weights_or_not
    def test_drops_out_of_its_weights(self, need_weights: bool) -> None:
        """One that is dropped counts for no feature of its value, the others count for more."""
        attention, keys = self.attention(dropout=0.75), 30
        attention.numbers = 2**21
        query, key = (
            torch.randn(20, *self.heads, keys, size, dtype=torch.float64)
            for _, size in (self.query, self.key)
        )
        twice = torch.eye(keys, dtype=torch.float64).repeat(1, 2).expand(*key.shape[:-1], -1)
        output = first(attention(query, key, twice, need_weights=need_weights))
        _, weights = attention.eval()(query, key, twice, need_weights=True)
        kept = output[..., :keys] != 0
        assert 0.1 < kept[weights != 0].double().mean() < 0.4
        share = 4 * weights * kept
        assert_equals(output, array(torch.cat((share, share), dim=-1)))

    def test_has_a_base_that_says_what_a_class_lacks(self) -> None:
        said = (c for c in type(self.attention()).__mro__ if {"scores", "forward"} & vars(c).keys())
        (base,) = next(said).__bases__
        with pytest.raises(NotImplementedError):
            base()(*self.inputs(2))

    def test_has_its_defaults(self) -> None:
        parameters = signature(type(self.attention())).parameters
        for name, number in self.defaults:
            assert parameters[name].default == number

    @need_weights_or_not
    def test_drops_out_only_in_training(self, need_weights: bool) -> None:
        attention = self.attention(dropout=0.5)
        inputs = self.inputs(2)

        def output() -> Tensor:
            return first(attention(*inputs, need_weights=need_weights))

        attention.eval()
        assert torch.equal(output(), output())
        attention.train()
        assert not torch.equal(output(), output())

    @need_weights_or_not
    def test_has_gradients(self, need_weights: bool) -> None:
        attention = self.attention()
        inputs = [x.requires_grad_() for x in self.inputs(2)]

        def output(*inputs: Tensor) -> Tensor:
            return first(attention(*inputs, need_weights=need_weights))

        assert torch.autograd.gradcheck(output, inputs)
        output(*inputs).square().sum().backward()
        for name, parameter in attention.named_parameters():
            # One that counts for nothing has a gradient of rounding errors.
            assert parameter.grad is not None, name
            assert parameter.grad.abs().max() > 1e-9 or name in self.unseen, name

    @need_weights_or_not
    def test_leaves_its_inputs_alone(self, need_weights: bool) -> None:
        attention = self.attention()
        query, key, value = self.inputs(2)
        shape = (query.size(-2), key.size(-2))
        keep_mask, bias = torch.rand(shape) > 0.5, torch.randn(shape).double()

        def call(query: Tensor, key: Tensor, value: Tensor, keep: Tensor, bias: Tensor) -> None:
            attention(query, key, value, keep_mask=keep, bias=bias, need_weights=need_weights)

        assert_inputs_untouched(call, query, key, value, keep_mask, bias)


class UnorderedChecks(AttentionChecks):
    """Tests of an attention to which it is all one where queries and keys stand."""

    @need_weights_or_not
    def test_minds_no_order(self, need_weights: bool) -> None:
        """Each query takes its output along; keys do not count by their places."""
        attention = self.attention()
        query, key, value = self.inputs(2)
        output = first(attention(query, key, value, need_weights=need_weights))
        other = first(attention(shuffled(query), key, value, need_weights=need_weights))
        assert_equals(other, array(shuffled(output)))
        other = first(attention(query, shuffled(key), shuffled(value), need_weights=need_weights))
        assert_equals(other, array(output))


def total_bias(biases: Sequence[Tensor]) -> Tensor | None:
    """All that is added to the scores."""
    return sum(biases[1:], biases[0]) if biases else None


def cut_bias(bias: Tensor, queries: int, keys: int) -> Tensor:
    """What is added to the scores of the first queries and keys."""
    return bias[..., :queries, :keys] if bias.dim() > 1 else bias[:keys]
