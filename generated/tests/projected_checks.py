"""What holds of every attention on projections of its inputs, with one head or several."""

from __future__ import annotations

import math
from inspect import signature

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attention_checks import need_weights_or_not, total_bias
from checks import (
    array,
    assert_close_in_float32,
    assert_equals,
    assert_inputs_untouched,
    first,
    shuffled,
)


class ProjectedChecks:
    """Tests of an attention that projects its inputs: one sequence, which asks and answers, or
    one that asks and others that answer.

    ``shapes`` are shapes of the inputs for tests, ``biases`` those of what the formula adds to
    the scores, ``bias_scale`` what it multiplies them with, ``heads`` the number of heads where
    the weights have an axis for them.
    """

    key_bias = ""  # its name: it moves all scores of a query alike, which most do not see
    shapes: tuple[tuple[int, int], ...] = ((4, 6),)
    biases: tuple[tuple[int, ...], ...] = ()
    bias_scale = 1.0
    heads: tuple[int, ...] = ()
    takes_bias = True
    parts = 1  # how many heads stand side by side in an output

    def attention(self, dropout: float = 0.0) -> nn.Module:
        """One with random parameters, in float64."""
        raise NotImplementedError

    def by_formula(self, attention: nn.Module, *inputs: Tensor) -> np.ndarray:
        """The formula at the attention's own weights; its biases come last."""
        raise NotImplementedError

    def of_nothing(self, attention: nn.Module, output: Tensor) -> Tensor:
        """What positions give that see nothing."""
        return torch.zeros_like(output)

    def shares(self, weights: Tensor) -> Tensor:
        """The weights that keys have, by how much each counts for its query."""
        return (weights / weights.sum(dim=-1, keepdim=True)).nan_to_num()

    def biased(self, weights: Tensor, bias: Tensor) -> Tensor:
        """What weights become where something is added to the scores."""
        return torch.softmax(weights.log() + bias, dim=-1).nan_to_num()

    def inputs(self, batch: int = 2) -> list[Tensor]:
        """A batch of random inputs."""
        return [torch.randn(batch, *shape, dtype=torch.float64) for shape in self.shapes]

    def added(self) -> list[Tensor]:
        """Random numbers for what the formula adds to the scores."""
        return [torch.randn(*shape, dtype=torch.float64) for shape in self.biases]

    # --- the formula ---------------------------------------------------------------------

    @need_weights_or_not
    @pytest.mark.parametrize("batch", [1, 3])
    def test_is_the_formula(self, batch: int, need_weights: bool) -> None:
        attention, inputs, biases = self.attention(), self.inputs(batch), self.added()
        output = attention(*inputs, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, *inputs, *biases))

    @need_weights_or_not
    def test_is_the_formula_for_one_position(self, need_weights: bool) -> None:
        attention = self.attention()
        inputs = [x[:, :1] for x in self.inputs()]
        biases = [bias[..., :1] if bias.dim() == 1 else bias[..., :1, :1] for bias in self.added()]
        output = attention(*inputs, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, *inputs, *biases))

    @need_weights_or_not
    def test_is_the_formula_in_evaluation(self, need_weights: bool) -> None:
        attention, inputs, biases = self.attention(dropout=0.5).eval(), self.inputs(), self.added()
        output = attention(*inputs, bias=total_bias(biases), need_weights=need_weights)
        assert_equals(first(output), self.by_formula(attention, *inputs, *biases))

    def test_is_the_formula_in_float32(self) -> None:
        attention = self.attention().float()
        inputs, biases = ([x.float() for x in xs] for xs in (self.inputs(), self.added()))
        expected = self.by_formula(attention, *inputs, *biases)
        output, weights = attention(*inputs, bias=total_bias(biases), need_weights=True)
        seen = weights[weights > 0].log()
        scale = (seen.max() - seen.min()).item()
        assert_close_in_float32(output, expected, scale)
        assert_close_in_float32(attention(*inputs, bias=total_bias(biases)), expected, scale)

    def test_takes_what_is_not_contiguous(self) -> None:
        attention, biases = self.attention(), self.added()
        inputs = [x.mT.contiguous().mT for x in self.inputs()]
        output = attention(*inputs, bias=total_bias(biases))
        assert_equals(output, self.by_formula(attention, *inputs, *biases))

    @need_weights_or_not
    def test_takes_no_sequences(self, need_weights: bool) -> None:
        attention, inputs = self.attention(), self.inputs()
        output = first(attention(*inputs, bias=total_bias(self.added())))
        none = first(attention(*(x[:0] for x in inputs), need_weights=need_weights))
        assert none.shape == (0, *output.shape[1:])

    # --- masks ---------------------------------------------------------------------------

    @pytest.mark.parametrize("of", ["sequence", "query", "head"])
    def test_keeps_what_the_mask_keeps(self, of: str) -> None:
        """The weights of the other keys are zero, and count for nothing in those of the kept; also
        where the batch is as large as there are heads, or queries."""
        attention, bias = self.attention(), total_bias(self.added())
        queries, keys = self.shapes[0][0], self.shapes[-1][0]
        for batch in (queries, *self.heads):
            inputs = self.inputs(batch)
            axes = {"sequence": (), "query": (queries,), "head": (*self.heads, queries)}[of]
            keep_mask = torch.rand(batch, *axes, keys) > 0.5
            keep_mask[..., 0] = True
            _, free = attention(*inputs, bias=bias, need_weights=True)
            masked = {"keep_mask": keep_mask, "bias": bias}
            output, weights = attention(*inputs, **masked, need_weights=True)
            while keep_mask.dim() < free.dim():
                keep_mask = keep_mask.unsqueeze(1)
            assert_equals(weights, array(self.shares(free * keep_mask)))
            assert_equals(attention(*inputs, **masked), array(output))

    @need_weights_or_not
    def test_does_not_see_padding(self, need_weights: bool) -> None:
        attention, bias = self.attention(), total_bias(self.added())
        inputs = self.inputs()
        keys = inputs[-1].size(1)
        keep_mask = torch.arange(keys).expand(2, keys) < torch.tensor([[keys], [keys - 2]])
        masked = {"keep_mask": keep_mask, "bias": bias, "need_weights": need_weights}
        output = first(attention(*inputs, **masked))
        others = inputs[1:] or inputs
        for x in others:
            x[1, keys - 2 :] = torch.randn_like(x[1, keys - 2 :])
        again = first(attention(*inputs, **masked))
        shown = output.size(1) - (2 if others is inputs else 0)
        assert_equals(again[:, :shown], array(output[:, :shown]))
        assert_equals(again[0], array(output[0]))

    @need_weights_or_not
    def test_gives_nothing_where_nothing_is_kept(self, need_weights: bool) -> None:
        attention, bias = self.attention(), total_bias(self.added())
        inputs = [x.requires_grad_() for x in self.inputs()]
        keep_mask = torch.tensor([[True], [False]]).expand(2, inputs[-1].size(1))
        output = first(
            attention(*inputs, keep_mask=keep_mask, bias=bias, need_weights=need_weights)
        )
        assert torch.equal(output[1], self.of_nothing(attention, output[1]))
        for gradient in torch.autograd.grad(output.sum(), [*inputs, *attention.parameters()]):
            assert gradient.isfinite().all()

    def test_refuses_a_mask_of_another_batch(self) -> None:
        keep_mask = torch.ones(3, self.shapes[-1][0], dtype=torch.bool)
        with pytest.raises(ValueError, match="keep mask"):
            self.attention()(*self.inputs(1), keep_mask=keep_mask, bias=total_bias(self.added()))

    @need_weights_or_not
    def test_refuses_a_mask_without_a_batch(self, need_weights: bool) -> None:
        """What it hides would be sequences, or heads."""
        attention, bias, keys = self.attention(), total_bias(self.added()), self.shapes[-1][0]
        given = {"bias": bias, "need_weights": need_weights}
        with pytest.raises(ValueError, match="not that of a batch"):
            keep_mask = torch.ones(keys, dtype=torch.bool)
            attention(*self.inputs(keys), keep_mask=keep_mask, **given)
        for heads in self.heads:
            keep_mask = torch.ones(heads, keys, dtype=torch.bool)
            with pytest.raises(ValueError, match="not that of a batch"):
                attention(*(x[0] for x in self.inputs()), keep_mask=keep_mask, **given)

    @pytest.mark.parametrize("of", ["query", "head"])
    def test_adds_a_bias_to_the_scores(self, of: str) -> None:
        """One that makes a score −∞ hides a key, or all of them."""
        attention, own = self.attention(), total_bias(self.added())
        inputs = self.inputs()
        shape = (*(self.heads if of == "head" else ()), self.shapes[0][0], self.shapes[-1][0])
        bias = 5 * torch.randn(shape, dtype=torch.float64)
        bias[..., 0, :] = bias[..., -1] = -math.copysign(math.inf, self.bias_scale)
        _, weights = attention(*inputs, bias=own, need_weights=True)
        expected = self.biased(weights, self.bias_scale * bias)
        bias = bias if own is None else own + bias
        output, weights = attention(*inputs, bias=bias, need_weights=True)
        assert_equals(weights, array(expected))
        assert_equals(attention(*inputs, bias=bias), array(output))

    @need_weights_or_not
    def test_adds_no_mask(self, need_weights: bool) -> None:
        mask = torch.ones(self.shapes[0][0], self.shapes[-1][0], dtype=torch.bool)
        with pytest.raises(TypeError if self.takes_bias else ValueError, match="bias"):
            self.attention()(*self.inputs(), bias=mask, need_weights=need_weights)

    # --- the rest ------------------------------------------------------------------------

    def test_gives_its_weights(self) -> None:
        attention, inputs = self.attention(), self.inputs()
        _, weights = attention(*inputs, bias=total_bias(self.added()), need_weights=True)
        assert weights.shape == (2, *self.heads, self.shapes[0][0], self.shapes[-1][0])
        assert (weights > 0).any()
        assert_equals(weights, array(self.shares(weights)))

    def test_gives_its_weights_before_dropout(self) -> None:
        attention, inputs = self.attention(dropout=0.5), self.inputs()
        given = {"bias": total_bias(self.added()), "need_weights": True}
        _, weights = attention(*inputs, **given)
        _, expected = attention.eval()(*inputs, **given)
        assert_equals(weights, array(expected))

    @need_weights_or_not
    def test_gives_nothing_where_all_is_dropped(self, need_weights: bool) -> None:
        attention, bias = self.attention(dropout=1.0), total_bias(self.added())
        output = first(attention(*self.inputs(), bias=bias, need_weights=need_weights))
        assert torch.equal(output, self.of_nothing(attention, output))

    @need_weights_or_not
    def test_drops_out_of_its_weights(self, need_weights: bool) -> None:
        """Not of what they weigh: no number of an output is dropped alone."""
        attention, bias = self.attention(dropout=0.5), total_bias(self.added())
        output = first(attention(*self.inputs(), bias=bias, need_weights=need_weights))
        dropped = (output == self.of_nothing(attention, output)).unflatten(-1, (self.parts, -1))
        assert torch.equal(dropped.any(dim=-1), dropped.all(dim=-1))

    def test_drops_out_nothing_by_default(self) -> None:
        assert signature(type(self.attention())).parameters["dropout"].default == 0.0

    @need_weights_or_not
    def test_drops_out_only_in_training(self, need_weights: bool) -> None:
        attention, inputs = self.attention(dropout=0.5), self.inputs()
        bias = total_bias(self.added())

        def output() -> Tensor:
            return first(attention(*inputs, bias=bias, need_weights=need_weights))

        attention.eval()
        assert torch.equal(output(), output())
        attention.train()
        assert not torch.equal(output(), output())

    @need_weights_or_not
    def test_has_gradients(self, need_weights: bool) -> None:
        attention, bias = self.attention(), total_bias(self.added())
        inputs = [x.requires_grad_() for x in self.inputs()]

        def output(*inputs: Tensor) -> Tensor:
            return first(attention(*inputs, bias=bias, need_weights=need_weights))

        assert torch.autograd.gradcheck(output, inputs)
        output(*inputs).square().sum().backward()
        for name, parameter in attention.named_parameters():
            # One that counts for nothing has a gradient of rounding errors.
            assert parameter.grad is not None, name
            assert parameter.grad.abs().max() > 1e-9 or name == self.key_bias, name

    @need_weights_or_not
    def test_leaves_its_inputs_alone(self, need_weights: bool) -> None:
        inputs = self.inputs()
        queries, keys = self.shapes[0][0], self.shapes[-1][0]
        masks = [torch.rand(2, keys) > 0.5]
        if self.takes_bias:
            masks.append(torch.randn(queries, keys).double())

        def call(*given: Tensor) -> None:
            masked = dict(zip(("keep_mask", "bias"), given[len(inputs) :], strict=False))
            self.attention()(*given[: len(inputs)], **masked, need_weights=need_weights)

        assert_inputs_untouched(call, *inputs, *masks)


class UnorderedProjectedChecks(ProjectedChecks):
    """Tests of an attention to which it is all one where queries and keys stand."""

    @need_weights_or_not
    def test_minds_no_order(self, need_weights: bool) -> None:
        """What asks takes its output along; what answers does not count by its place."""
        attention, (asks, *answers) = self.attention(), self.inputs()
        output = first(attention(asks, *answers, need_weights=need_weights))
        other = first(attention(shuffled(asks), *answers, need_weights=need_weights))
        assert_equals(other, array(shuffled(output)))
        answers = [shuffled(x) for x in answers]
        other = first(attention(asks, *answers, need_weights=need_weights))
        assert_equals(other, array(output))


class CausalChecks(ProjectedChecks):
    """Tests of an attention in which a position sees itself and those before it."""

    @need_weights_or_not
    def test_is_causal(self, need_weights: bool) -> None:
        """A position changes its own output and later ones, and none before it."""
        attention, bias = self.attention(), total_bias(self.added())
        inputs = self.inputs()[:1]
        masked = {"bias": bias, "need_weights": need_weights}
        output = first(attention(*inputs, **masked))
        for at in range(1, output.size(1)):
            changed = inputs[0].clone()
            changed[:, at] = torch.randn_like(changed[:, at])
            again = first(attention(changed, **masked))
            assert_equals(again[:, :at], array(output[:, :at]))
            assert not torch.equal(again[:, at], output[:, at])


class HeadsChecks(ProjectedChecks):
    """Tests of an attention in several heads, which is made with ``sizes``."""

    sizes: tuple[tuple[str, int], ...]

    def test_shows_how_many_heads_it_has(self) -> None:
        heads = f"num_heads={dict(self.sizes)['num_heads']}"
        assert self.attention().extra_repr().startswith(heads)

    def test_refuses_heads_of_unequal_size(self) -> None:
        sizes = dict(self.sizes)
        sizes["d_model"] += 1
        with pytest.raises(ValueError, match="multiple"):
            type(self.attention())(**sizes)


class GivenHeadsChecks(HeadsChecks):
    """Tests of an attention whose heads may be given: they attend as that does."""

    def test_refuses_heads_that_do_not_attend(self) -> None:
        with pytest.raises(TypeError, match="Identity"):
            type(self.attention())(**dict(self.sizes), attention=nn.Identity())

    def test_refuses_a_dropout_that_would_count_for_nothing(self) -> None:
        made = type(self.attention())
        given = made(**dict(self.sizes)).attention
        with pytest.raises(ValueError, match="dropout of its own"):
            made(**dict(self.sizes), dropout=0.1, attention=given)


class CausalGivenHeadsChecks(GivenHeadsChecks, CausalChecks):
    """Tests of an attention that is causal whatever its heads are."""

    @need_weights_or_not
    def test_is_causal_whatever_attends(self, need_weights: bool) -> None:
        attention, inputs = self.attention(), self.inputs()
        expected = first(attention(*inputs, need_weights=need_weights))
        attention.attention.causal = False
        assert_equals(first(attention(*inputs, need_weights=need_weights)), array(expected))
