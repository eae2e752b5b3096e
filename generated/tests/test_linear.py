"""Tests of the linear maps."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.linear import Linear, linear_map


def random(*shape: int) -> Tensor:
    """Random numbers, small enough for sums of many products of them."""
    return torch.randn(shape) / 16


SIZE = 256
"""So many rows of so many features, mapped to as many, are enough for the kernel."""


@pytest.fixture(params=[True, False])
def bias(request: pytest.FixtureRequest) -> Tensor | None:
    return random(SIZE) if request.param else None


@pytest.mark.parametrize("lead", [(), (1,), (SIZE,), (2, SIZE // 2), (2, 0)])
def test_gives_what_torch_gives(lead: tuple[int, ...], bias: Tensor | None) -> None:
    x, weight = random(*lead, SIZE), random(SIZE, SIZE)
    torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))
    with torch.no_grad():
        torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))


def test_takes_what_is_not_contiguous() -> None:
    x, weight, bias = random(SIZE, SIZE).mT, random(SIZE, SIZE).mT, random(2 * SIZE)[::2]
    torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))


def test_has_gradients_and_those_of_gradients(bias: Tensor | None) -> None:
    inputs = [random(2, SIZE // 2, SIZE), random(SIZE, SIZE), *([] if bias is None else [bias])]
    inputs = [x.requires_grad_() for x in inputs]
    found = []
    for compute in (linear_map, F.linear):
        once = torch.autograd.grad(compute(*inputs).square().sum(), inputs, create_graph=True)
        twice = torch.autograd.grad(sum(g.square().sum() for g in once), inputs)
        found.append((*once, *twice))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_gradients_that_nobody_asks_for_are_not_computed() -> None:
    backward = linear_map.__globals__["_Product"].backward
    for asked in product((False, True), repeat=3):
        context = SimpleNamespace(saved_tensors=torch.randn(2, 4, 4), needs_input_grad=asked)
        gradients = backward(context, torch.randn(4, 4))
        shapes = [None if gradient is None else gradient.shape for gradient in gradients]
        sizes = zip(asked, [(4, 4), (4, 4), (4,)], strict=True)
        assert shapes == [size if wanted else None for wanted, size in sizes]


def test_works_with_the_transforms_of_torch() -> None:
    x, weight = random(2, SIZE, SIZE), random(SIZE, SIZE)

    def loss(weight: Tensor, rows: Tensor) -> Tensor:
        return linear_map(rows, weight).square().sum()

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(weight, x)
    torch.testing.assert_close(each.sum(dim=0), torch.func.grad(loss)(weight, x))
    inputs = (x, weight, random(SIZE))
    output, tangent = torch.func.jvp(linear_map, inputs, inputs)
    torch.testing.assert_close(tangent, 2 * output - inputs[2])


def test_other_numbers_are_left_to_torch() -> None:
    module, x = Linear(SIZE, SIZE), random(SIZE, SIZE)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert module(x).dtype == torch.bfloat16
    module, x = module.double(), x.double()
    assert torch.equal(module(x), F.linear(x, module.weight, module.bias))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        linear_map(random(SIZE, SIZE), random(2 * SIZE, 2 * SIZE))


def test_the_kernel_is_taken_where_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Tensor] = []

    def kernel(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        calls.append(x)
        return F.linear(x, weight, bias)

    monkeypatch.setitem(linear_map.__globals__, "_product", kernel)
    x, weight = torch.zeros(4, 2**10), torch.zeros(2**12, 2**10)
    with torch.no_grad():
        for one in (x, x.reshape(2, 2, -1), x[:, :1].repeat(2**10, 1)):
            linear_map(one, weight[:, : one.size(-1)])
            assert bool(calls) == torch.backends.mkldnn.is_available()
            calls.clear()
        linear_map(x, weight[1:])  # there is too little to do
        linear_map(x[:3], weight.repeat(2, 1))  # there are too few rows
        linear_map(x.to("meta"), weight.to("meta"))
        with torch.backends.mkldnn.flags(enabled=False):
            linear_map(x, weight)
        with monkeypatch.context() as without:
            without.setattr(torch.ops, "mkldnn", object())
            linear_map(x, weight)
        monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
        linear_map(x, weight)
    assert not calls
