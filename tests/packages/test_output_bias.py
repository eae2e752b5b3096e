"""Multi-head attention with a bias behind its projection."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from torch import nn

from building import Package, package_of

JOINED = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
)
HEADS = r"\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
LAYER = (
    r"Z = \mathrm{LN}(X + \mathrm{MultiHead}(X, X, X)), \quad Y = \mathrm{LN}(Z + \mathrm{FFN}(Z))"
)


@pytest.mark.parametrize(
    "notes",
    [
        [JOINED + " + b^O", HEADS],
        [JOINED + " + b^O"],
        [JOINED + r" + b^O, \quad " + HEADS, LAYER],
    ],
)
def test_emitted_tests_pass(notes: list[str], run_tests: Callable[[Package], bool]) -> None:
    package = package_of(notes)
    assert "self.W_O = Linear(d_model, d_model)\n" in package["transformer/attention.py"]
    assert run_tests(package)


def test_causal_self_attention(run_tests: Callable[[Package], bool]) -> None:
    joined = r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O + b^O"
    scores = r"\frac{XW_i^Q (XW_i^K)^\top}{\sqrt{d_k}} + M"
    package = package_of(
        [
            rf"{joined}, \quad \mathrm{{head}}_i = \mathrm{{softmax}}\left({scores}\right) XW_i^V",
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        ]
    )
    assert "class CausalSelfAttention" in package["transformer/attention.py"]
    assert "self.W_O = Linear(d_model, d_model)\n" in package["transformer/attention.py"]
    assert run_tests(package)


def test_value(imported: Callable[[Package], ModuleType]) -> None:
    """It is that of torch, whose output projection always has a bias where others have."""
    attention = imported(package_of([JOINED + " + b^O", HEADS])).MultiHeadAttention(12, 3)
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    with torch.no_grad():
        linears = (attention.W_Q, attention.W_K, attention.W_V)
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in linears]))
        theirs.in_proj_bias.zero_()
        theirs.out_proj.weight.copy_(attention.W_O.weight)
        theirs.out_proj.bias.copy_(attention.W_O.bias)
    x = torch.randn(2, 5, 12)
    torch.testing.assert_close(attention(x), theirs(x, x, x)[0])


@pytest.mark.parametrize("added", [" - b^O", " + 2 b^O", " + Q", r" + b_i"])
def test_other_terms_are_no_bias(added: str) -> None:
    package = package_of([JOINED + added + r", \quad " + HEADS])
    assert "class MultiHeadAttention" not in package.get("transformer/attention.py", "")
