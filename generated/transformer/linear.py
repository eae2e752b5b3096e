"""Linear maps: as fast as torch can compute them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def linear_map(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``F.linear``, on a CPU by oneDNN's kernel where there is much to compute: for some rows and
    the weights of a large vocabulary it takes up to half of the time less than torch's own."""
    if not _has_kernel(x, weight):
        return F.linear(x, weight, bias)
    compute = _Product.apply if torch.is_grad_enabled() else _product
    output: Tensor = compute(x, weight, bias)
    return output


def _has_kernel(x: Tensor, weight: Tensor) -> bool:
    """Whether oneDNN's kernel is there for these, outside of what is compiled, and serves: below
    some rows and some work it would take longer."""
    return (
        not torch.compiler.is_compiling()
        and x.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and x.size(-1) == weight.size(-1)
        and x.numel() >= 4 * x.size(-1)
        and x.numel() * weight.size(0) >= 2**24
        and bool(torch.backends.mkldnn.enabled)
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and not torch.is_autocast_enabled("cpu")
    )


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    bias = None if bias is None else bias.contiguous()
    output: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return output


class _Product(torch.autograd.Function):
    """The kernel's product, with the gradients that ``F.linear`` has."""

    generate_vmap_rule = True
    forward = staticmethod(_product)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None], output: Tensor
    ) -> None:
        ctx.save_for_backward(*inputs[:2])
        ctx.save_for_forward(*inputs[:2])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        rows = gradient.flatten(0, -2)
        return (
            gradient @ weight if of_x else None,
            rows.mT @ x.flatten(0, -2) if of_weight else None,
            rows.sum(dim=0) if of_bias else None,
        )

    @staticmethod
    def jvp(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        own_x, own_weight = ctx.saved_tensors
        return F.linear(x, own_weight, bias) + F.linear(own_x, weight)


class Linear(nn.Linear):
    """A linear map, computed by ``linear_map``."""

    def forward(self, x: Tensor) -> Tensor:
        return linear_map(x, self.weight, self.bias)
