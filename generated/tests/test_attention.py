"""Tests of the attention of the notes, held against the formulas as written."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_checks import AttentionChecks, UnorderedChecks, total_bias
from checks import (
    array,
    assert_equals,
    assert_inputs_untouched,
    calls_of_kernel,
    first,
    randomised,
)
from formulas import (
    additive_attention_by_formula,
    biased_causal_self_attention_by_formula,
    bilinear_attention_by_formula,
    causal_scaled_dot_product_attention_by_formula,
    causal_self_attention_by_formula,
    cross_attention_by_formula,
    differential_attention_by_formula,
    kernel_attention_by_formula,
    linear_attention_by_formula,
    masked_scaled_dot_product_attention_by_formula,
    multi_head_attention_by_formula,
    parametric_kernel_attention_by_formula,
    relative_position_attention_by_formula,
    relative_self_attention_by_formula,
    rescaled_dot_product_attention_by_formula,
    scaled_dot_product_attention_by_formula,
    self_attention_by_formula,
    seq2seq_attention_by_formula,
    sigmoid_attention_by_formula,
    single_head_causal_self_attention_by_formula,
    soft_capped_scaled_dot_product_attention_by_formula,
    synthesizer_attention_by_formula,
    unscaled_dot_product_attention_by_formula,
)
from kernel_checks import FusedDistanceChecks
from projected_checks import (
    CausalChecks,
    CausalGivenHeadsChecks,
    GivenHeadsChecks,
    ProjectedChecks,
    UnorderedProjectedChecks,
)
from transformer.attention import (
    AdditiveAttention,
    Attention,
    BiasedCausalSelfAttention,
    BilinearAttention,
    CausalScaledDotProductAttention,
    CausalSelfAttention,
    CrossAttention,
    DifferentialAttention,
    KernelAttention,
    LinearAttention,
    MaskedScaledDotProductAttention,
    MultiHeadAttention,
    ParametricKernelAttention,
    RelativePositionAttention,
    RelativeSelfAttention,
    RescaledDotProductAttention,
    ScaledDotProductAttention,
    SelfAttention,
    Seq2SeqAttention,
    SigmoidAttention,
    SingleHeadCausalSelfAttention,
    SoftCappedScaledDotProductAttention,
    SynthesizerAttention,
    UnscaledDotProductAttention,
    join_heads,
    split_heads,
)
from transformer.cache import KeyValueCache
from transformer.masks import causal_mask, keep_from_padding


class TestScaledDotProductAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    by_formula = staticmethod(scaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> ScaledDotProductAttention:
        return randomised(ScaledDotProductAttention(dropout=dropout))


class TestCausalScaledDotProductAttention(AttentionChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (4, 6), (4, 7)
    by_formula = staticmethod(causal_scaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> CausalScaledDotProductAttention:
        return randomised(CausalScaledDotProductAttention(dropout=dropout))


class TestUnscaledDotProductAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    by_formula = staticmethod(unscaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> UnscaledDotProductAttention:
        return randomised(UnscaledDotProductAttention(dropout=dropout))


class TestSoftCappedScaledDotProductAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    defaults = (("c", 50.0), ("dropout", 0.0))
    by_formula = staticmethod(soft_capped_scaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> SoftCappedScaledDotProductAttention:
        return randomised(SoftCappedScaledDotProductAttention(dropout=dropout, c=0.7))


class TestMaskedScaledDotProductAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    biases = ((4, 5),)
    by_formula = staticmethod(masked_scaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> MaskedScaledDotProductAttention:
        return randomised(MaskedScaledDotProductAttention(dropout=dropout))


class TestRescaledDotProductAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    by_formula = staticmethod(rescaled_dot_product_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> RescaledDotProductAttention:
        return randomised(RescaledDotProductAttention(dropout=dropout))


class TestBilinearAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 3), (5, 7)
    by_formula = staticmethod(bilinear_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> BilinearAttention:
        return randomised(BilinearAttention(query_size=6, key_size=3, dropout=dropout))


class TestAdditiveAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 3), (5, 7)
    by_formula = staticmethod(additive_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> AdditiveAttention:
        return randomised(
            AdditiveAttention(query_size=6, key_size=3, hidden_size=8, dropout=dropout)
        )

    def test_takes_as_many_queries_at_a_time_as_serves(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """2²¹ numbers: of each query and key what is in the network's hidden layer, and what comes
        out of it."""
        attention, rows = self.attention(), []
        scores = attention.scores

        def recorded(query: Tensor, key: Tensor) -> Tensor:
            rows.append(query.size(-2))
            return scores(query, key)

        monkeypatch.setattr(attention, "scores", recorded)
        sizes = ((256, self.query), (1024, self.key), (1024, self.value))
        attention(*(torch.randn(length, size, dtype=torch.float64) for length, (_, size) in sizes))
        assert max(rows) * 1024 * 2 * 8 == 2**21


class TestKernelAttention(FusedDistanceChecks, UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 1), (5, 1), (5, 7)
    by_formula = staticmethod(kernel_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> KernelAttention:
        return randomised(KernelAttention(dropout=dropout))


class TestParametricKernelAttention(FusedDistanceChecks, UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 1), (5, 1), (5, 7)
    defaults = (("w", 1.0), ("dropout", 0.0))
    by_formula = staticmethod(parametric_kernel_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> ParametricKernelAttention:
        return randomised(ParametricKernelAttention(dropout=dropout, w=0.7))

    def test_learns_w(self) -> None:
        """From the number on that it is given, which may be a whole one."""
        assert ParametricKernelAttention(w=1).w == 1
        attention = self.attention()
        attention(*self.inputs(2)).square().sum().backward()
        assert attention.w.grad


class TestDifferentialAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 12), (5, 12), (5, 7)
    defaults = (("lambda_", 0.8), ("dropout", 0.0))

    def attention(self, dropout: float = 0.0) -> DifferentialAttention:
        return randomised(DifferentialAttention(dropout=dropout, lambda_=0.7))

    def by_formula(
        self, attention: nn.Module, query: Tensor, key: Tensor, value: Tensor, *biases: Tensor
    ) -> np.ndarray:
        """The formula for the queries and keys of both attentions."""
        halves = {"query": query.chunk(2, dim=-1), "key": key.chunk(2, dim=-1)}
        return differential_attention_by_formula(
            attention,
            halves["query"][0],
            halves["key"][0],
            halves["query"][1],
            halves["key"][1],
            value,
            *biases,
        )

    def largest_score(self, attention: nn.Module, query: Tensor, key: Tensor) -> float:
        """The larger one of both attentions."""
        halves = zip(query.chunk(2, dim=-1), key.chunk(2, dim=-1), strict=True)
        return max(float(attention.scores(*half).detach().abs().max()) for half in halves)

    def test_gives_its_weights(self) -> None:
        """The second attention takes its share from what the first gives."""
        attention, bias = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        output, weights = attention(query, key, value, bias=bias, need_weights=True)
        assert_equals(weights @ value, array(output))
        ones = torch.ones_like(weights[..., 0])
        assert_equals(weights.sum(dim=-1), array((1 - attention.lambda_) * ones))

    def test_adds_a_bias_to_the_scores(self) -> None:
        """Of both attentions; one of −∞ hides a key, or all of them."""
        query, key, value = self.inputs(2)
        own = total_bias(self.added())
        bias = 5 * torch.randn(query.size(-2), key.size(-2), dtype=torch.float64)
        bias[0] = bias[:, -1] = -math.inf
        attention = self.attention()
        whole = bias if own is None else own + bias
        masked = {"bias": whole, "causal": False}
        output, weights = attention(query, key, value, **masked, need_weights=True)
        assert_equals(attention(query, key, value, **masked), array(output))
        expected = torch.zeros_like(weights)
        for share, half in ((1.0, 0), (-attention.lambda_, 1)):
            scores = attention.scores(query.chunk(2, -1)[half], key.chunk(2, -1)[half])
            biased = scores + whole
            expected = expected + share * torch.softmax(biased, dim=-1).nan_to_num()
        assert_equals(weights, array(expected))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_refuses_queries_that_have_no_halves(self, need_weights: bool) -> None:
        query, key, value = (x[..., 3:] for x in self.inputs(2))
        with pytest.raises(ValueError, match="two halves"):
            self.attention()(query, key, value, need_weights=need_weights)

    def test_learns_lambda_(self) -> None:
        """From the number on that it is given, which may be a whole one."""
        assert DifferentialAttention(lambda_=1).lambda_ == 1
        attention = self.attention()
        attention(*self.inputs(2)).square().sum().backward()
        assert attention.lambda_.grad


class TestSigmoidAttention(UnorderedChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (5, 6), (5, 7)
    defaults = (("b", 0.0), ("dropout", 0.0))
    by_formula = staticmethod(sigmoid_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> SigmoidAttention:
        return randomised(SigmoidAttention(dropout=dropout, b=0.7))

    def test_gives_its_weights(self) -> None:
        """Each is between nothing and one, whatever the others are."""
        attention, bias = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        output, weights = attention(query, key, value, bias=bias, need_weights=True)
        assert ((weights >= 0) & (weights <= 1)).all()
        assert_equals(weights @ value, array(output))
        attention.causal = False
        masked = {"bias": None if bias is None else bias[..., -1:]}
        last = (key[..., -1:, :], value[..., -1:, :])  # which alone stands where it stood
        _, one = attention(query, *last, **masked, need_weights=True)
        masked["bias"] = bias
        _, weights = attention(query, key, value, **masked, need_weights=True)
        assert_equals(one, array(weights[..., -1:]))

    def test_adds_a_bias_to_the_scores(self) -> None:
        """One that makes a score −∞ hides a key, or all of them."""
        attention, own = self.attention(), total_bias(self.added())
        query, key, value = self.inputs(2)
        bias = torch.randn(query.size(-2), key.size(-2), dtype=torch.float64)
        bias[0] = bias[:, -1] = -math.copysign(math.inf, self.bias_scale)
        _, weights = attention(query, key, value, bias=own, need_weights=True)
        expected = torch.sigmoid(weights.logit() + self.bias_scale * bias)
        bias = bias if own is None else own + bias
        output, weights = attention(query, key, value, bias=bias, need_weights=True)
        assert_equals(weights, array(expected))
        assert_equals(attention(query, key, value, bias=bias), array(output))
        assert torch.equal(output[..., 0, :], torch.zeros_like(output[..., 0, :]))


class TestLinearAttention(AttentionChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (4, 6), (4, 7)
    by_formula = staticmethod(linear_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> LinearAttention:
        return randomised(LinearAttention(dropout=dropout))

    takes_bias = False

    def inputs(self, *batch: int) -> tuple[Tensor, ...]:
        """Queries and keys whose weights do not add up to almost nothing."""
        query, key, value = super().inputs(*batch)
        for x in (query, key):
            x[..., 0] = 1 + x[..., 0].abs()
        return query, key, value

    def largest_score(self, attention: nn.Module, query: Tensor, key: Tensor) -> float:
        """Rounding counts for more where the features are large, or cancel out."""
        query, key = attention.feature_map(query), attention.feature_map(key)
        total = (query.abs() @ key.abs().mT).sum(dim=-1)
        total = total / (query @ key.mT).sum(dim=-1).abs()
        return float(total.max())

    @pytest.mark.parametrize("gradients", [False, True])
    @pytest.mark.parametrize(
        ("queries", "keys"), [(1, 170), (64, 170), (150, 170), (300, 170), (70, 2200), (64, 64)]
    )
    def test_is_causal_in_blocks(self, queries: int, keys: int, gradients: bool) -> None:
        attention = self.attention()
        query = torch.randn(2, queries, 6, dtype=torch.float64).abs()
        key = torch.randn(2, keys, 6, dtype=torch.float64).abs()
        value = torch.randn(2, keys, 3, dtype=torch.float64)
        keep_mask = torch.rand(2, keys) > 0.3
        masked = {"keep_mask": keep_mask, "causal": True}
        expected, _ = attention(query, key, value, **masked, need_weights=True)
        with torch.set_grad_enabled(gradients):
            assert_equals(attention(query, key, value, **masked), array(expected))

    @pytest.mark.parametrize("need_weights", [False, True])
    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("gradients", [False, True])
    def test_has_room_for_many_keys_in_float16(
        self, gradients: bool, causal: bool, need_weights: bool
    ) -> None:
        """Their weights for a query add up to more than its largest number."""
        attention = self.attention().half()
        key, value = torch.full((8192, 6), 2.0).half(), torch.randn(8192, 3).half()
        asked = {"causal": causal, "need_weights": need_weights}
        with torch.set_grad_enabled(gradients):
            output = first(attention(key[-2:], key, value, **asked))
        expected = value.double().mean(dim=0)
        torch.testing.assert_close(output[-1].double(), expected, rtol=0, atol=2e-3)

    @torch.no_grad()
    def test_makes_features_of_some_keys_at_a_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        attention, lengths = self.attention(), []
        features = attention.feature_map

        def recorded(x: Tensor) -> Tensor:
            lengths.append(x.size(-2))
            return features(x)

        monkeypatch.setattr(attention, "feature_map", recorded)
        key = torch.rand(2200, 6, dtype=torch.float64)
        attention(key[-70:], key, key, causal=True)
        assert max(lengths) <= 1024 and sum(lengths) == 2200 + 70
        assert max(lengths[-4:]) <= 64  # of the queries, and of keys that not all of them see

    @torch.no_grad()
    @pytest.mark.parametrize(("keys", "strict"), [("n", False), ("m", False), ("n", True)])
    def test_is_exported_with_its_lengths_open(self, keys: str, strict: bool) -> None:
        attention = self.attention()
        attention.causal = True
        query, key = (torch.rand(2, 5 + (keys == "m") * at, 6).double() for at in range(2))
        lengths = [{1: torch.export.Dim(name)} for name in ("n", keys, keys)]
        exported = torch.export.export(
            attention, (query, key, key), dynamic_shapes=tuple(lengths), strict=strict
        ).module()
        for queries, others in ((1, 1), (64, 5), (70, 200), (3, 66), (200, 200)):
            query, key = (
                torch.rand(2, length, 6, dtype=torch.float64)
                for length in (queries, queries if keys == "n" else others)
            )
            torch.testing.assert_close(exported(query, key, key), attention(query, key, key))

    @torch.no_grad()
    def test_is_compiled_as_a_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A loop over blocks would be a graph of all of them."""
        attention = self.attention()
        attention.causal = True
        x = torch.rand(2, 70, 6, dtype=torch.float64)
        expected = attention(x, x, x)
        monkeypatch.setattr(LinearAttention, "each_block", None)
        compiled = torch.compile(attention, fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(x, x, x), expected)

    @pytest.mark.parametrize("causal", [False, True])
    def test_does_not_need_its_weights(self, causal: bool) -> None:
        """Those of so many queries and keys would not fit into memory."""
        attention, many = self.attention(dropout=0.5).eval(), 2**19
        attention.causal = causal
        query, key, value = torch.rand(3, 1, many, 6, dtype=torch.float64)
        keep_mask = torch.rand(1, many) > 0.3
        output = attention(query, key, value, keep_mask=keep_mask)
        last = attention(query[:, -3:], key, value, keep_mask=keep_mask, need_weights=True)
        assert_equals(output[:, -3:], array(first(last)))

    @pytest.mark.parametrize("causal", [False, True])
    def test_hides_keys_of_infinite_features(self, causal: bool) -> None:
        attention, (query, key, value) = self.attention(), self.inputs(2)
        masked = {"keep_mask": torch.arange(key.size(-2)) != 2, "causal": causal}
        expected = attention(query, key, value, **masked)
        key[..., 2, :] = math.inf
        for need_weights in (False, True):
            output = attention(query, key, value, **masked, need_weights=need_weights)
            assert_equals(first(output), array(expected))

    def test_adds_a_bias_to_the_scores(self) -> None:
        """It has no scores to add it to, and says so."""
        with pytest.raises(ValueError, match="bias"):
            self.attention()(*self.inputs(2), bias=torch.zeros(1, dtype=torch.float64))

    def test_leaves_its_inputs_alone(self) -> None:
        attention = self.attention()
        query, key, value = self.inputs(2)
        keep_mask = torch.rand(2, key.size(-2)) > 0.5

        def call(query: Tensor, key: Tensor, value: Tensor, keep: Tensor) -> None:
            attention(query, key, value, keep_mask=keep)

        assert_inputs_untouched(call, query, key, value, keep_mask)


class TestRelativeSelfAttention(ProjectedChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6),)
    by_formula = staticmethod(relative_self_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> RelativeSelfAttention:
        return randomised(
            RelativeSelfAttention(d_model=6, d_k=3, d_v=5, max_distance=2, dropout=dropout)
        )

    def test_begins_with_a_small_row_for_each_distance(self) -> None:
        attention = RelativeSelfAttention(d_model=6, d_k=3, d_v=6, max_distance=2)
        rows = attention.rows(2 + 1, 2 + 1)
        assert torch.equal(rows.unique(), torch.arange(len(attention.w_K)))
        assert 0.01 < attention.w_K.std() < 0.03
        assert torch.equal(rows.unique(), torch.arange(len(attention.w_V)))
        assert 0.01 < attention.w_V.std() < 0.03


class TestRelativePositionAttention(AttentionChecks):
    """Its formula, and what holds of every attention."""

    query, key, value = (4, 6), (4, 6), (4, 7)
    by_formula = staticmethod(relative_position_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> RelativePositionAttention:
        return randomised(RelativePositionAttention(d_k=6, max_distance=2, dropout=dropout))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_keeps_what_the_mask_keeps(self, need_weights: bool) -> None:
        """As if the keys before them were not there, however far off they are."""
        attention, biases = self.attention(), self.added()
        query, key, value = self.inputs(2)
        key[1, ..., :2, :] = 1e6
        keep_mask = torch.ones(2, key.size(-2), dtype=torch.bool)
        keep_mask[1, :2] = False
        masked = {"bias": total_bias(biases)}
        output = first(
            attention(query, key, value, keep_mask=keep_mask, need_weights=need_weights, **masked)
        )
        assert_equals(output[0], array(attention(query[0], key[0], value[0], **masked)))
        masked["bias"] = total_bias([bias[..., 2:] for bias in biases])
        kept = (query[1], key[1, ..., 2:, :], value[1, ..., 2:, :])
        assert_equals(output[1], array(attention(*kept, **masked)))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_has_the_queries_last(self, need_weights: bool) -> None:
        attention = self.attention()
        query, key, value = self.inputs(2)
        for causal in (False, True):
            masked = {"causal": causal, "need_weights": need_weights}
            output = first(attention(query, key, value, **masked))
            fewer = first(attention(query[..., -2:, :], key, value, **masked))
            assert_equals(fewer, array(output[..., -2:, :]))

    def test_begins_with_a_small_row_for_each_distance(self) -> None:
        attention = RelativePositionAttention(d_k=6, max_distance=2)
        rows = attention.rows(2 + 1, 2 + 1)
        assert torch.equal(rows.unique(), torch.arange(len(attention.r)))
        assert 0.01 < attention.r.std() < 0.03


class TestSynthesizerAttention(ProjectedChecks):
    """Its formula, and what holds of every attention."""

    shapes = ((4, 6),)
    by_formula = staticmethod(synthesizer_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> SynthesizerAttention:
        return randomised(
            SynthesizerAttention(d_model=6, hidden_size=5, value_size=7, max_len=9, dropout=dropout)
        )

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_takes_any_leading_axes(self, need_weights: bool) -> None:
        attention = self.attention()
        x = torch.randn(2, 3, *self.shapes[0], dtype=torch.float64)
        expected = first(attention(x.flatten(0, 1), need_weights=need_weights))
        assert_equals(first(attention(x, need_weights=need_weights)).flatten(0, 1), array(expected))

    def test_takes_some_sequences_at_a_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As many as 2²¹ numbers allow, of which each feature of a position is 6."""
        attention, calls = self.attention(), calls_of_kernel(monkeypatch)
        count = 2**21 // (6 * 6 * 2)
        attention(torch.zeros(6 * count - 3, 2, 6, dtype=torch.float64))
        assert len(calls) == 6
        calls.clear()
        wide = SynthesizerAttention(d_model=2, hidden_size=2**13, value_size=2, max_len=200)
        wide(torch.zeros(2, 200, 2))  # all positions of a sequence stay together
        assert [call.query.size(-2) for call in calls] == [200, 200]

    def test_takes_as_many_positions_as_it_was_made_for(self) -> None:
        attention = self.attention()
        x = torch.randn(1, 10, 6, dtype=torch.float64)
        assert_equals(attention(x[:, :9]), self.by_formula(attention, x[:, :9]))
        with pytest.raises(ValueError, match="10 positions"):
            attention(x)


class TestSeq2SeqAttention(UnorderedProjectedChecks):
    """Its formula, and what holds of every attention."""

    shapes = ((4, 6), (5, 3))
    by_formula = staticmethod(seq2seq_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> Seq2SeqAttention:
        return randomised(
            Seq2SeqAttention(state_size=6, memory_size=3, hidden_size=8, dropout=dropout)
        )

    def test_takes_one_state_of_each_sequence(self) -> None:
        attention, (state, memory) = self.attention(), self.inputs()
        keep_mask = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
        context, weights = attention(state[:, 1], memory, keep_mask=keep_mask, need_weights=True)
        contexts, several = attention(state, memory, keep_mask=keep_mask, need_weights=True)
        assert_equals(context, array(contexts[:, 1]))
        assert_equals(weights, array(several[:, 1]))
        assert_equals(attention(state[:, 1], memory, keep_mask=keep_mask), array(context))
        alone, weights = attention(state[:1, 1], memory[:1], need_weights=True)
        assert_equals(alone, array(context[:1]))
        assert_equals(weights, array(several[:1, 1]))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_adds_a_bias_for_one_state(self, need_weights: bool) -> None:
        attention, (state, memory) = self.attention(), self.inputs()
        bias = torch.randn(2, 5, dtype=torch.float64)
        context = first(attention(state[:, 1], memory, bias=bias, need_weights=need_weights))
        contexts = first(attention(state, memory, bias=bias[:, None], need_weights=need_weights))
        assert_equals(context, array(contexts[:, 1]))

    def test_takes_a_sequence_without_a_batch(self) -> None:
        attention, (state, memory) = self.attention(), self.inputs()
        contexts, several = attention(state, memory, need_weights=True)
        context, weights = attention(state[1], memory[1], need_weights=True)
        assert_equals(context, array(contexts[1]))
        assert_equals(weights, array(several[1]))
        context, weights = attention(state[1, 2], memory[1], need_weights=True)
        assert_equals(context, array(contexts[1, 2]))
        assert_equals(weights, array(several[1, 2]))


class TestMultiHeadAttention(GivenHeadsChecks, UnorderedProjectedChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6), (5, 6), (5, 6))
    sizes = (("d_model", 6), ("num_heads", 3))
    heads = (3,)
    by_formula = staticmethod(multi_head_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> MultiHeadAttention:
        return randomised(MultiHeadAttention(**dict(self.sizes), dropout=dropout))

    def test_keys_and_values_are_those_of_the_query_by_default(self) -> None:
        attention = self.attention()
        x, memory = torch.randn(2, 2, 4, 6, dtype=torch.float64)
        assert_equals(attention(x), array(attention(x, x, x)))
        assert_equals(attention(x, memory), array(attention(x, memory, memory)))

    def test_weighs_values_of_their_own(self) -> None:
        attention = self.attention()
        query, key, value = torch.randn(3, 2, 4, 6, dtype=torch.float64)
        output, weights = attention(query, key, value, need_weights=True)
        heads = weights @ split_heads(attention.W_V(value), 3)
        assert_equals(output, array(attention.W_O(join_heads(heads))))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_is_causal_when_asked_to_be(self, need_weights: bool) -> None:
        """A position changes its own output and later ones, and none before it."""
        attention = self.attention()
        x = torch.randn(2, 4, 6, dtype=torch.float64)
        output = first(attention(x, causal=True, need_weights=need_weights))
        for at in range(4):
            changed = x.clone()
            changed[:, at] = torch.randn_like(changed[:, at])
            again = first(attention(changed, causal=True, need_weights=need_weights))
            assert_equals(again[:, :at], array(output[:, :at]))
            assert not torch.equal(again[:, at], output[:, at])
        fewer = first(attention(x[:, -2:], x, causal=True, need_weights=need_weights))
        assert_equals(fewer, array(output[:, -2:]))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_goes_on_where_its_cache_ends(self, need_weights: bool) -> None:
        attention, cache = self.attention(), KeyValueCache(5)
        x = torch.randn(2, 5, 6, dtype=torch.float64)
        options = {"causal": True, "need_weights": need_weights}
        pieces = x.split([2, 1, 2], dim=1)
        read = [first(attention(piece, cache=cache, **options)) for piece in pieces]
        assert_equals(torch.cat(read, dim=1), array(attention(x, causal=True)))

    def test_makes_keys_and_values_of_a_memory_once(self) -> None:
        attention, cache = self.attention(), KeyValueCache(4)
        x, memory = torch.randn(2, 2, 4, 6, dtype=torch.float64)
        expected = attention(x, memory)
        assert_equals(attention(x, memory, cache=cache), array(expected))
        assert_equals(attention(x, torch.zeros_like(memory), cache=cache), array(expected))

    def test_refuses_keys_without_values(self) -> None:
        x, memory = torch.randn(2, 2, 4, 6, dtype=torch.float64)
        with pytest.raises((ValueError, RuntimeError)):
            self.attention()(x, memory, memory[:, :3])

    @pytest.mark.parametrize(
        ("attention", "head_size", "by_formula"),
        [
            (UnscaledDotProductAttention(), 2, unscaled_dot_product_attention_by_formula),
            (BilinearAttention(2, 2), 2, bilinear_attention_by_formula),
            (AdditiveAttention(2, 2, 2), 2, additive_attention_by_formula),
            (KernelAttention(), 1, kernel_attention_by_formula),
            (ParametricKernelAttention(), 1, parametric_kernel_attention_by_formula),
            (ScaledDotProductAttention(), 2, scaled_dot_product_attention_by_formula),
            (SigmoidAttention(), 2, sigmoid_attention_by_formula),
            (
                SoftCappedScaledDotProductAttention(),
                2,
                soft_capped_scaled_dot_product_attention_by_formula,
            ),
            (LinearAttention(), 2, linear_attention_by_formula),
            (CausalScaledDotProductAttention(), 2, causal_scaled_dot_product_attention_by_formula),
            (RescaledDotProductAttention(), 2, rescaled_dot_product_attention_by_formula),
        ],
    )
    def test_has_heads_of_any_attention(
        self, attention: Attention, head_size: int, by_formula: Callable[..., np.ndarray]
    ) -> None:
        several = randomised(MultiHeadAttention(3 * head_size, 3, attention=attention))
        x, memory = torch.randn(2, 2, 4, 3 * head_size, dtype=torch.float64)
        linear = several.W_Q(x), several.W_K(memory), several.W_V(memory)
        query, key, value = (split_heads(y, 3).flatten(0, 1) for y in linear)
        heads = torch.as_tensor(by_formula(attention, query, key, value)).unflatten(0, (2, 3))
        expected = several.W_O(join_heads(heads))
        for need_weights in (False, True):
            output = first(several(x, memory, need_weights=need_weights))
            assert_equals(output, array(expected))

    @pytest.mark.parametrize("causal", [False, True])
    def test_takes_an_attention_of_one_s_own(self, causal: bool) -> None:
        class Own(Attention):
            def scores(self, query: Tensor, key: Tensor) -> Tensor:
                return query @ key.mT / math.sqrt(query.size(-1))

        attention, (x,) = self.attention(), self.inputs()[:1]
        masked = {"keep_mask": torch.rand(2, 4, 4) > 0.3, "causal": causal}
        expected = attention(x, **masked)
        heads, theirs = split_heads(x, 3), attention.attention
        attention.attention = Own()
        assert_equals(attention(x, **masked), array(expected))
        assert_equals(first(attention(x, **masked, need_weights=True)), array(expected))
        assert_equals(Own()(heads, heads, heads), array(theirs(heads, heads, heads)))

    def test_is_that_of_torch(self) -> None:
        attention = self.attention()
        theirs = nn.MultiheadAttention(6, 3, bias=False, batch_first=True).double()
        projections = (attention.W_Q, attention.W_K, attention.W_V)
        with torch.no_grad():
            theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
            theirs.out_proj.weight.copy_(attention.W_O.weight)

        query, key, value = torch.randn(3, 2, 4, 6, dtype=torch.float64)
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        expected, theirs = theirs(
            query, key, value, key_padding_mask=padding, average_attn_weights=False
        )
        masked = {"keep_mask": keep_from_padding(padding), "causal": False}
        output, weights = attention(query, key, value, **masked, need_weights=True)
        assert_equals(output, array(expected))
        assert_equals(weights, array(theirs))
        assert_equals(attention(query, key, value, **masked), array(expected))


class TestCausalSelfAttention(CausalGivenHeadsChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6),)
    sizes = (("d_model", 6), ("num_heads", 3))
    heads = (3,)
    by_formula = staticmethod(causal_self_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> CausalSelfAttention:
        return randomised(CausalSelfAttention(**dict(self.sizes), dropout=dropout))

    def test_is_that_of_torch(self) -> None:
        attention, (x,) = self.attention(), self.inputs()
        theirs = nn.MultiheadAttention(6, 3, bias=False, batch_first=True).double()
        projections = (attention.W_Q, attention.W_K, attention.W_V)
        with torch.no_grad():
            theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
            theirs.out_proj.weight.copy_(attention.W_O.weight)

        mask = ~causal_mask(x.size(1), x.size(1))
        expected, theirs = theirs(x, x, x, attn_mask=mask, average_attn_weights=False)
        output, weights = attention(x, need_weights=True)
        assert_equals(output, array(expected))
        assert_equals(weights, array(theirs))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_goes_on_where_its_cache_ends(self, need_weights: bool) -> None:
        attention, cache = self.attention(), KeyValueCache(5)
        x = torch.randn(2, 5, 6, dtype=torch.float64)
        pieces = x.split([2, 1, 2], dim=1)
        read = [first(attention(p, cache=cache, need_weights=need_weights)) for p in pieces]
        assert_equals(torch.cat(read, dim=1), array(attention(x)))


class TestBiasedCausalSelfAttention(CausalGivenHeadsChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6),)
    sizes = (("d_model", 6), ("num_heads", 3))
    heads = (3,)
    key_bias = "W_K.bias"
    by_formula = staticmethod(biased_causal_self_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> BiasedCausalSelfAttention:
        return randomised(BiasedCausalSelfAttention(**dict(self.sizes), dropout=dropout))

    def of_nothing(self, attention: nn.Module, output: Tensor) -> Tensor:
        """What is added behind the projection."""
        return attention.W_O.bias.expand_as(output)

    def test_is_that_of_torch(self) -> None:
        attention, (x,) = self.attention(), self.inputs()
        theirs = nn.MultiheadAttention(6, 3, bias=True, batch_first=True).double()
        projections = (attention.W_Q, attention.W_K, attention.W_V)
        with torch.no_grad():
            theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
            theirs.out_proj.weight.copy_(attention.W_O.weight)
            theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in projections]))
            theirs.out_proj.bias.copy_(attention.W_O.bias)

        mask = ~causal_mask(x.size(1), x.size(1))
        expected, theirs = theirs(x, x, x, attn_mask=mask, average_attn_weights=False)
        output, weights = attention(x, need_weights=True)
        assert_equals(output, array(expected))
        assert_equals(weights, array(theirs))

    @pytest.mark.parametrize("need_weights", [False, True])
    def test_goes_on_where_its_cache_ends(self, need_weights: bool) -> None:
        attention, cache = self.attention(), KeyValueCache(5)
        x = torch.randn(2, 5, 6, dtype=torch.float64)
        pieces = x.split([2, 1, 2], dim=1)
        read = [first(attention(p, cache=cache, need_weights=need_weights)) for p in pieces]
        assert_equals(torch.cat(read, dim=1), array(attention(x)))


class TestSelfAttention(UnorderedProjectedChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6),)
    by_formula = staticmethod(self_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> SelfAttention:
        return randomised(SelfAttention(d_model=6, d_k=3, d_v=5, dropout=dropout))


class TestSingleHeadCausalSelfAttention(CausalChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6),)
    by_formula = staticmethod(single_head_causal_self_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> SingleHeadCausalSelfAttention:
        return randomised(SingleHeadCausalSelfAttention(d_model=6, d_k=3, d_v=5, dropout=dropout))


class TestCrossAttention(UnorderedProjectedChecks):
    """Its formula, and what holds of every attention on projections."""

    shapes = ((4, 6), (5, 6))
    by_formula = staticmethod(cross_attention_by_formula)

    def attention(self, dropout: float = 0.0) -> CrossAttention:
        return randomised(CrossAttention(d_model=6, d_memory=6, d_k=3, d_v=5, dropout=dropout))

    def test_takes_a_memory_of_another_width(self) -> None:
        """As if the further features were not there, where they are zero."""
        narrow = self.attention()
        wide = CrossAttention(d_model=6, d_memory=8, d_k=3, d_v=5).double()
        weights = narrow.state_dict()
        for name in ("W_K.weight", "W_V.weight"):
            weights[name] = F.pad(weights[name], (0, 2), value=1.0)
        wide.load_state_dict(weights)
        x, memory = self.inputs()
        output, expected = wide(x, F.pad(memory, (0, 2))), narrow(x, memory)
        assert_equals(output, array(expected))
