"""Tests of the positions of the notes, held against the formulas as written."""

from __future__ import annotations

import pytest
import torch

from checks import (
    assert_close_in_float32,
    assert_equals,
    assert_inputs_untouched,
    made_in_float64,
)
from formulas import sinusoidal_positional_encoding_by_formula
from transformer.positions import SinusoidalPositionalEncoding


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
    layer = SinusoidalPositionalEncoding(d_model=4, max_len=3001)
    x = torch.zeros(3001, 4)
    assert_close_in_float32(layer(x), sinusoidal_positional_encoding_by_formula(layer, x))


def test_sinusoidal_positional_encoding_keeps_the_type_of_its_input() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert layer(torch.zeros(3, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_sinusoidal_positional_encoding_has_no_more_positions_than_it_was_made_for() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4, max_len=7)
    with pytest.raises(ValueError, match="max_len=7"):
        layer(torch.zeros(8, 4))


def test_sinusoidal_positional_encoding_learns_nothing_and_stays_out_of_checkpoints() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert not list(layer.parameters())
    assert not layer.state_dict()


def test_sinusoidal_positional_encoding_passes_gradients_on() -> None:
    x = torch.zeros(3, 4, requires_grad=True)
    layer = SinusoidalPositionalEncoding(d_model=4)
    layer(x).sum().backward()
    assert torch.equal(x.grad, torch.ones(3, 4))


def test_sinusoidal_positional_encoding_leaves_its_input_alone() -> None:
    layer = SinusoidalPositionalEncoding(d_model=4)
    assert_inputs_untouched(layer, torch.randn(2, 3, 4))
