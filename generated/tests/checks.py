"""Checks that the tests of several classes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def array(numbers: Tensor | np.ndarray) -> np.ndarray:
    """Numbers in float64, for a reference."""
    return torch.as_tensor(numbers).detach().double().cpu().numpy()


def per_head(linear: nn.Linear, num_heads: int) -> np.ndarray:
    """The weight of a linear map, cut for the heads that share its output: (heads, in, size)."""
    return array(linear.weight).reshape(num_heads, -1, linear.in_features).transpose(0, 2, 1)


def assert_equals(actual: Tensor, expected: np.ndarray) -> None:
    """In float64 the code and the formula agree to rounding."""
    assert actual.dtype == torch.float64
    assert actual.shape == expected.shape
    np.testing.assert_allclose(array(actual), expected, rtol=1e-10, atol=1e-12)


def assert_close_in_float32(actual: Tensor, expected: np.ndarray, scale: float = 1.0) -> None:
    """In float32 they agree to the rounding of numbers as large as ``scale``."""
    assert actual.dtype == torch.float32
    assert actual.shape == expected.shape
    tolerance = 2 * torch.finfo(torch.float32).eps * max(1.0, scale) * max(1.0, abs(expected).max())
    np.testing.assert_allclose(array(actual), expected, rtol=1e-5, atol=8 * tolerance)


def assert_inputs_untouched(call: Callable[..., object], *inputs: Tensor) -> None:
    """A call leaves the caller's tensors as they were."""
    before = [tensor.clone() for tensor in inputs]
    call(*inputs)
    for tensor, copy in zip(inputs, before, strict=True):
        assert torch.equal(tensor, copy)


def assert_dropout_only_in_training(module: nn.Module, *inputs: Tensor) -> None:
    """Dropout changes the output in training and does nothing in evaluation."""
    module.eval()
    assert torch.equal(first(module(*inputs)), first(module(*inputs)))
    module.train()
    assert not torch.equal(first(module(*inputs)), first(module(*inputs)))


def first(output: Tensor | tuple[Tensor, ...]) -> Tensor:
    """The output itself, without the weights that may come with it."""
    return output[0] if isinstance(output, tuple) else output


@contextmanager
def made_in_float64() -> Iterator[None]:
    """What modules compute when they are made, such as tables, is in float64 inside."""
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def randomised(module: nn.Module) -> nn.Module:
    """The module in float64 with all parameters random, so that each of them shows."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module.double()


def outspoken(module: nn.Module) -> nn.Module:
    """The module in float64 with large random matrices and nothing added to them, so that what it
    prefers depends on what it is given."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1:
                parameter.normal_(std=0.5)
    return module.double()


class KernelCall(NamedTuple):
    """What torch's fused kernel was called with."""

    query: Tensor
    key: Tensor
    value: Tensor
    options: dict[str, Any]


def calls_of_kernel(monkeypatch: pytest.MonkeyPatch) -> list[KernelCall]:
    """All calls of torch's fused kernel from now on."""
    kernel, calls = F.scaled_dot_product_attention, []

    def remembered(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        calls.append(KernelCall(query, key, value, options))
        return kernel(query, key, value, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", remembered)
    return calls


def shuffled(x: Tensor) -> Tensor:
    """The rows at odd places, then those at even ones."""
    return torch.cat((x[..., 1::2, :], x[..., ::2, :]), dim=-2)


def softmax_of_rows(scores: np.ndarray) -> np.ndarray:
    """Softmax along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
