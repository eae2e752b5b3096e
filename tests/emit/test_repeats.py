"""Recursions: loops over layers, with weights of their own or without."""

from __future__ import annotations

from typing import Any

from notes2code.emit.torch_function import torch_source
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Input,
    Iterate,
    Lambda,
    Reduce,
    Ref,
    Size,
)

N, D, LAYERS = Size("n"), Size("d"), Size("L")


def _state(*indices: Index) -> Ref:
    return Ref("h_before", tuple(map(Idx, indices)))


def _stack(weighted: bool, numbered: bool) -> Equation:
    """h ← h + tanh(h W), or with a W_l for each layer, or with the layer's number added."""
    first, again, value = ((Index("i", N), Index("a", D)) for _ in range(3))
    layer, inner = Index("l", LAYERS, 1), Index("b", D)
    at: tuple[Expr, ...] = (Idx(inner), Idx(again[1]))
    weight = Ref("W", (Idx(layer), *at) if weighted else at)
    moved = Reduce("sum", inner, ir.mul(_state(again[0], inner), weight))
    terms: list[Expr] = [_state(*again), Fn("tanh", (moved,))]
    if numbered:
        terms.append(ir.mul(ir.add(Idx(layer), ir.ONE), Ref("x", tuple(map(Idx, again)))))
    start = Lambda(first, Ref("x", tuple(map(Idx, first))))
    step = Lambda(again, ir.add(*terms))
    body = Iterate(layer, "h_before", start, step, tuple(map(Idx, value)))
    shape = (LAYERS, D, D) if weighted else (D, D)
    inputs = [Input("x", (N, D), "x"), Input("W", shape, "W")]
    inputs += [] if weighted else [Input("L", (), "L", "size")]
    return Equation("h", tuple(inputs), (), Lambda(value, body))


def test_weights_of_each_layer(checks: Any) -> None:
    equation = _stack(weighted=True, numbered=True)
    assert torch_source(equation, "stack").endswith(
        """\
def stack(x: Tensor, W: Tensor) -> Tensor:
    L = W.shape[-3]
    h = x
    for l_ in range(L):
        h = h + torch.tanh(h @ W[..., l_, :, :]) + (l_ + 1) * x
    return h
"""
    )
    checks.agrees(equation)
    checks.agrees_in_batches(equation)


def test_one_weight_for_all_layers(checks: Any) -> None:
    for numbered in (False, True):
        equation = _stack(weighted=False, numbered=numbered)
        checks.agrees(equation)
        checks.agrees_in_batches(equation)
    assert "for _ in range(L):" in torch_source(_stack(False, False), "stack")


def test_layers_of_a_language_model(checks: Any) -> None:
    equation = checks.typed(
        r"h_0 = UW_e + W_p,\quad h_l = \mathrm{block}(h_{l-1}) \ \forall l \in [1, n],\quad "
        r"P = \mathrm{softmax}(h_n W_e^\top)"
    )
    assert torch_source(equation, "model").endswith(
        """\
    h_0 = U @ W_e + W_p
    h = h_0
    for _ in range(n):
        h = block(h)
    return torch.softmax(h @ W_e.transpose(-2, -1), dim=-1)
"""
    )
    checks.agrees(equation)
    checks.agrees_in_batches(equation)
