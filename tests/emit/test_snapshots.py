"""Typical formulas, and the functions that they become, to the letter."""

from __future__ import annotations

import re
from typing import Any

import pytest

from notes2code.emit.torch_function import torch_source
from notes2code.meaning.scope import Scope

ATTENTION = r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"

SNAPSHOTS = [
    (
        ATTENTION,
        """\
import math

import torch
from torch import Tensor


def attention(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V
""",
    ),
    (
        r"y_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j/\sqrt{d})}"
        r"{\sum_{l \le i} \exp(q_i^\top k_l/\sqrt{d})} v_j",
        """\
import math

import torch
from torch import Tensor


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    n, d = q.shape[-2:]
    m = k.shape[-2]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)
    j = torch.arange(m, device=q.device)
    i = torch.arange(n, device=q.device).unsqueeze(-1)
    weights = torch.softmax(scores.masked_fill(j > i, -math.inf), dim=-1)
    return weights @ v
""",
    ),
    (
        r"e_{ij} = w^\top \tanh(W_q q_i + W_k k_j),\quad "
        r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{l} \exp(e_{il})}",
        """\
import torch
from torch import Tensor


def additive(w: Tensor, W_q: Tensor, q: Tensor, W_k: Tensor, k: Tensor) -> Tensor:
    q_W_q = q @ W_q.transpose(-2, -1)
    k_W_k = k @ W_k.transpose(-2, -1)
    hidden = torch.tanh(q_W_q.unsqueeze(-2) + k_W_k.unsqueeze(-3))
    e = torch.einsum("...p,...nmp->...nm", w, hidden)
    return torch.softmax(e, dim=-1)
""",
    ),
    (
        r"\mathrm{LN}(x)_i=\gamma_i\frac{x_i-\mu}{\sqrt{\sigma^2+\epsilon}}+\beta_i,\quad"
        r"\mu=\frac{1}{d}\sum_{i=1}^d x_i,\quad\sigma^2=\frac{1}{d}\sum_{i=1}^d(x_i-\mu)^2",
        """\
import torch
from torch import Tensor


def layer_norm(x: Tensor, gamma: Tensor, epsilon: float | Tensor, beta: Tensor) -> Tensor:
    mu = x.mean(dim=-1, keepdim=True)
    centred = x - mu
    sigma_squared = centred.square().mean(dim=-1, keepdim=True)
    return gamma * centred / torch.sqrt(sigma_squared + epsilon) + beta
""",
    ),
    (
        r"H = \mathrm{ReLU}(XW_1 + b_1)W_2 + b_2",
        """\
import torch.nn.functional as F
from torch import Tensor


def feed_forward(X: Tensor, W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor) -> Tensor:
    hidden = F.relu(X @ W_1 + b_1.unsqueeze(-2))
    return hidden @ W_2 + b_2.unsqueeze(-2)
""",
    ),
    (
        r"p_i = \frac{\exp(z_i/T)}{\sum_j \exp(z_j/T)}",
        """\
import torch
from torch import Tensor


def softmax(z: Tensor, T: float | Tensor) -> Tensor:
    return torch.softmax(z / T, dim=-1)
""",
    ),
    (
        r"L = -\sum_i y_i \log \mathrm{softmax}(z)_i",
        """\
import torch
from torch import Tensor


def cross_entropy(y: Tensor, z: Tensor) -> Tensor:
    log_weights = torch.log_softmax(z, dim=-1)
    return -(y * log_weights).sum(dim=-1)
""",
    ),
    (
        r"f_i = \sum_{j=1}^{m} \mathrm{softmax}_j\left(-\frac{\|q_i - k_j\|^2}{2}\right) v_j",
        """\
import torch
from torch import Tensor


def kernel_regression(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = -0.5 * (q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(dim=-1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v
""",
    ),
    (
        r"\frac{\phi(Q)(\phi(K)^\top V)}{\phi(Q)\phi(K)^\top \mathbf{1}}",
        """\
from collections.abc import Callable

import torch
from torch import Tensor


def linear_attention(Q: Tensor, phi: Callable[..., Tensor], K: Tensor, V: Tensor) -> Tensor:
    phi_Q = phi(Q)
    phi_K = phi(K)
    product = torch.einsum("...nk,...k->...n", phi_Q, phi_K.sum(dim=-2))
    return phi_Q @ (phi_K.transpose(-2, -1) @ V) / product.unsqueeze(-1)
""",
    ),
    (
        r"PE_{pos,2i}=\sin(pos/10000^{2i/d}),\quad PE_{pos,2i+1}=\cos(pos/10000^{2i/d})",
        """\
import torch
from torch import Tensor


def positions(n: int, d: int) -> Tensor:
    a = torch.arange(d, dtype=torch.float64)
    pos = torch.arange(n, dtype=torch.float64).unsqueeze(-1)
    angle = pos / 10000 ** (2 * (a // 2) / d)
    return torch.where(a % 2 == 0, torch.sin(angle), torch.cos(angle))
""",
    ),
]


@pytest.mark.parametrize("latex, source", SNAPSHOTS)
def test_source(checks: Any, latex: str, source: str) -> None:
    name = source.split("def ", 1)[1].partition("(")[0]
    equation = checks.typed(latex)
    assert torch_source(equation, name) == source
    assert torch_source(checks.typed(latex), name) == source


def test_multi_head_calls_attention(checks: Any) -> None:
    scope = Scope(functions={"Attention": checks.typed(ATTENTION)})
    equation = checks.typed(
        r"\mathrm{MultiHead}(Q,K,V)=\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)W^O,"
        r"\quad\mathrm{head}_i=\mathrm{Attention}(QW_i^Q,KW_i^K,VW_i^V)",
        scope,
    )
    source = torch_source(equation, "multi_head", r"Heads: $W_i^Q$.")
    letters = re.compile(r'"[a-z.,]+->[a-z.]+"')
    assert letters.sub("…", source.partition("def multi_head")[2]) == (
        '''\
(
    Q: Tensor, K: Tensor, V: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor
) -> Tensor:
    """Heads: $W_i^Q$."""
    Q_W_Q = torch.einsum(…, Q, W_Q)
    K_W_K = torch.einsum(…, K, W_K)
    V_W_V = torch.einsum(…, V, W_V)
    head = attention(Q_W_Q, K_W_K, V_W_V)
    return head.transpose(-3, -2).flatten(-2) @ W_O
'''
    )
    assert "def attention(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:" in source
    checks.agrees(equation)
    checks.agrees_in_batches(equation)
