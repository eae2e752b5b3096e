"""Tests of the linear maps."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer.linear import Linear, linear_map


@pytest.fixture(params=[True, False])
def bias(request: pytest.FixtureRequest) -> Tensor | None:
    return torch.randn(5) if request.param else None


@pytest.mark.parametrize("shape", [(3,), (1, 3), (4, 3), (2, 4, 3), (2, 0, 3)])
def test_gives_what_torch_gives(shape: tuple[int, ...], bias: Tensor | None) -> None:
    x, weight = torch.randn(shape), torch.randn(5, 3)
    torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))
    with torch.no_grad():
        torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))


def test_takes_what_is_not_contiguous() -> None:
    x, weight, bias = torch.randn(3, 4).mT, torch.randn(3, 5).mT, torch.randn(10)[::2]
    torch.testing.assert_close(linear_map(x, weight, bias), F.linear(x, weight, bias))


def test_has_gradients_and_those_of_gradients(bias: Tensor | None) -> None:
    inputs = [torch.randn(2, 4, 3), torch.randn(5, 3), *([] if bias is None else [bias])]
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
    x, weight = torch.randn(4, 3), torch.randn(5, 3)

    def loss(weight: Tensor, rows: Tensor) -> Tensor:
        return linear_map(rows, weight).square().sum()

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(weight, x.unsqueeze(1))
    torch.testing.assert_close(each.sum(dim=0), torch.func.grad(loss)(weight, x))
    inputs = (x, weight, torch.randn(5))
    output, tangent = torch.func.jvp(linear_map, inputs, inputs)
    torch.testing.assert_close(tangent, 2 * output - inputs[2])


def test_other_numbers_are_left_to_torch() -> None:
    module, x = Linear(3, 5), torch.randn(4, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert module(x).dtype == torch.bfloat16
    module, x = module.double(), x.double()
    assert torch.equal(module(x), F.linear(x, module.weight, module.bias))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        linear_map(torch.randn(4, 3), torch.randn(5, 4))


def test_the_kernel_is_taken_where_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Tensor] = []

    def kernel(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        calls.append(x)
        return F.linear(x, weight, bias)

    monkeypatch.setitem(linear_map.__globals__, "_product", kernel)
    x, weight = torch.randn(4, 3), torch.randn(5, 3)
    with torch.no_grad():
        for one in (x, x[:1, :1]):
            linear_map(one, weight[:, : one.size(-1)])
            assert bool(calls) == torch.backends.mkldnn.is_available()
            calls.clear()
        linear_map(x[0], weight)
        linear_map(x[:0], weight)
        linear_map(x.to("meta"), weight.to("meta"))
        with torch.backends.mkldnn.flags(enabled=False):
            linear_map(x, weight)
        with monkeypatch.context() as without:
            without.setattr(torch.ops, "mkldnn", object())
            linear_map(x, weight)
        monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
        linear_map(x, weight)
    assert not calls
