"""Emitted functions can be differentiated, also where a mask leaves a row nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from notes2code import oracle

DIFFERENTIABLE = [
    r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"y_i=\sum_{j\le i}\frac{\exp(q_i^\top k_j)}{\sum_{l\le i}\exp(q_i^\top k_l)}v_j",
    r"e_{ij}=v^\top\tanh(W_1 s_i+W_2 h_j)",
    r"y=\frac{x-\mathrm{E}[x]}{\sqrt{\mathrm{Var}[x]+\epsilon}}\odot\gamma+\beta",
    r"L=-\sum_i y_i\log\mathrm{softmax}(z)_i",
    r"s_{ij}=\frac{q_i^\top k_j}{\|q_i\|\cdot\|k_j\|}",
    r"a_{ij}=\mathrm{softmax}_j(q_i^\top k_j+b_{i-j})",
]


@pytest.mark.parametrize("latex", DIFFERENTIABLE)
def test_gradcheck(checks: Any, latex: str) -> None:
    equation = checks.typed(latex)
    function, inputs = checks.function(equation), checks.inputs(equation)
    names = list(inputs)
    tensors = [torch.tensor(inputs[n], dtype=torch.float64, requires_grad=True) for n in names]
    assert torch.autograd.gradcheck(
        lambda *x: function(**dict(zip(names, x, strict=True))), tensors
    )


def test_inputs_are_left_alone(checks: Any) -> None:
    for latex in DIFFERENTIABLE:
        equation = checks.typed(latex)
        given = checks.tensors(checks.inputs(equation))
        kept = {n: x.clone() if isinstance(x, torch.Tensor) else x for n, x in given.items()}
        checks.function(equation)(**given)
        assert all(bool(torch.as_tensor(given[name] == kept[name]).all()) for name in given)


@pytest.mark.parametrize(
    "latex",
    [
        r"y_i=\sum_{j<i}\frac{\exp(q_i^\top k_j)}{\sum_{l<i}\exp(q_i^\top k_l)}v_j",
        r"\mathrm{softmax}(QK^\top+M)V,\quad "
        r"M_{ij}=\begin{cases}0&j<i\\-\infty&\text{otherwise}\end{cases}",
    ],
)
def test_a_row_with_nothing_to_attend_to_gives_zeros(checks: Any, latex: str) -> None:
    equation = checks.typed(latex)
    inputs = checks.inputs(equation)
    value = checks.function(equation)(**checks.tensors(inputs))
    assert torch.equal(value[0], torch.zeros_like(value[0]))
    assert bool((value[1:] != 0).all())
    np.testing.assert_allclose(value.numpy(), oracle.evaluate(equation, inputs), rtol=1e-10)


def test_a_masked_row_has_finite_gradients(checks: Any) -> None:
    equation = checks.typed(
        r"y_i=\sum_{j<i}\frac{\exp(q_i^\top k_j)}{\sum_{l<i}\exp(q_i^\top k_l)}v_j"
    )
    given = checks.tensors(checks.inputs(equation))
    for tensor in given.values():
        tensor.requires_grad_()
    checks.function(equation)(**given).sum().backward()
    assert all(bool(torch.isfinite(tensor.grad).all()) for tensor in given.values())
    assert bool((given["v"].grad[0] != 0).all())
