"""Attention whose queries and keys are turned by their positions, as notes write it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, package_of

RUN = Callable[[Package], bool]
IMPORTED = Callable[[Package], ModuleType]

MATRIX = r"""R_m = \begin{pmatrix}
\cos m\theta_1 & -\sin m\theta_1 & \cdots & 0 & 0 \\
\sin m\theta_1 & \cos m\theta_1 & \cdots & 0 & 0 \\
\vdots & \vdots & \ddots & \vdots & \vdots \\
0 & 0 & \cdots & \cos m\theta_{d/2} & -\sin m\theta_{d/2} \\
0 & 0 & \cdots & \sin m\theta_{d/2} & \cos m\theta_{d/2} \end{pmatrix}"""
OF_ROWS = r"f(u, m) = R_m u"
PAIRS = (
    r"y_{2i} = x_{2i} \cos(m\theta_i) - x_{2i+1} \sin(m\theta_i), \quad "
    r"y_{2i+1} = x_{2i} \sin(m\theta_i) + x_{2i+1} \cos(m\theta_i), \quad \theta_i = 10000^{-2i/d}"
)
HALVES = (
    r"\mathrm{RoPE}(X)_{p,i} = X_{p,i} \cos(p \theta_i) - X_{p,i+d/2} \sin(p \theta_i), \quad "
    r"\mathrm{RoPE}(X)_{p,i+d/2} = X_{p,i+d/2} \cos(p \theta_i) + X_{p,i} \sin(p \theta_i)"
)
JOINED = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"
)
TURNED = r"\mathrm{softmax}\left(\frac{\mathrm{RoPE}(Q) \mathrm{RoPE}(K)^\top}{\sqrt{d_k}}\right) V"
PLAIN = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V"


def turned(x: np.ndarray, halves: bool) -> np.ndarray:
    """Each row as complex numbers, turned by its position."""
    width = x.shape[-1]
    parts = [x[..., : width // 2], x[..., width // 2 :]] if halves else [x[..., ::2], x[..., 1::2]]
    angle = np.outer(np.arange(x.shape[-2]), 10000.0 ** (-np.arange(0, width, 2) / width))
    z = (parts[0] + 1j * parts[1]) * np.exp(1j * angle)
    if halves:
        return np.concatenate([z.real, z.imag], axis=-1)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def attended(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, halves: bool = False
) -> np.ndarray:
    scores = scale * turned(q, halves) @ turned(k, halves).swapaxes(-1, -2)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def made(package: ModuleType, name: str, *sizes: int) -> Any:
    """One that computes its tables in float64, as its tests do."""
    torch.set_default_dtype(torch.float64)
    try:
        return getattr(package, name)(*sizes)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    "notes, name, scale, halves",
    [
        ([TURNED], "RotaryAttention", 0.5, False),
        ([PAIRS, TURNED], "RotaryAttention", 0.5, False),
        ([HALVES, TURNED], "RotaryAttention", 0.5, True),
        ([r"Q' = \mathrm{RoPE}(Q), \quad K' = \mathrm{RoPE}(K)",
          r"\mathrm{softmax}\left(\frac{Q' K'^\top}{\sqrt{d_k}}\right) V"],
         "RotaryAttention", 0.5, False),
        ([MATRIX, r"\mathrm{softmax}\left(\frac{(R_m q_m)^\top (R_n k_n)}{\sqrt{d}}\right)"],
         "RotaryAttention", 0.5, False),
        ([MATRIX, r"(R_i q_i)^\top (R_j k_j)"], "RotaryAttention", 1.0, False),
        ([MATRIX, r"\tilde q_m = R_m q_m, \quad \tilde k_n = R_n k_n",
          r"a_{m,n} = \mathrm{softmax}_n\left(\frac{\tilde q_m^\top \tilde k_n}{\sqrt{d}}\right)",
          r"o_m = \sum_n a_{m,n} v_n"], "RotaryAttention", 0.5, False),
        ([MATRIX, OF_ROWS,
          r"\mathrm{softmax}\left(\frac{f(q_m, m)^\top f(k_n, n)}{\sqrt d}\right)"],
         "RotaryAttention", 0.5, False),
        ([MATRIX, OF_ROWS, r"\mathrm{softmax}\left(\frac{f(Q) f(K)^\top}{2 \sqrt{d_k}}\right) V"],
         "RotaryAttention", 0.25, False),
        ([MATRIX, r"\mathrm{softmax}\left(\frac{R Q (R K)^\top}{\sqrt{d_k}}\right) V"],
         "RotaryAttention", 0.5, False),
    ],
)  # fmt: skip
def test_turns_queries_and_keys(
    notes: list[str], name: str, scale: float, halves: bool, run_tests: RUN, imported: IMPORTED
) -> None:
    files = package_of(notes)
    assert run_tests(files)
    attention = made(imported(files), name, 4)
    q, k, v = np.random.default_rng(0).standard_normal((3, 5, 4))
    output = attention(*map(torch.tensor, (q, k, v)))
    expected = attended(q, k, v, scale, halves)
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


HEADS = [
    [JOINED, r"\mathrm{head}_i = "
     r"\mathrm{Attention}(\mathrm{RoPE}(Q W_i^Q), \mathrm{RoPE}(K W_i^K), V W_i^V)"],
    [MATRIX, OF_ROWS, PLAIN, JOINED,
     r"\mathrm{head}_i = \mathrm{Attention}(f(Q W_i^Q), f(K W_i^K), V W_i^V)"],
    [MATRIX, JOINED, r"\mathrm{head}_i = \mathrm{Attention}(R Q W_i^Q, R K W_i^K, V W_i^V)"],
    [MATRIX, r"\mathrm{head}_i = \mathrm{Attention}(R (Q W_i^Q), R (K W_i^K), V W_i^V)"],
    [rf"\mathrm{{Attention}}(Q, K, V) = {TURNED}", JOINED,
     r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"],
    [r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
     r"\mathrm{head}_i = \mathrm{softmax}\left(\frac{\mathrm{RoPE}(X W_i^Q) "
     r"\mathrm{RoPE}(X W_i^K)^\top}{\sqrt{d_k}}\right) X W_i^V"],
]  # fmt: skip


@pytest.mark.parametrize("notes", HEADS)
def test_turns_them_in_each_head(notes: list[str], run_tests: RUN, imported: IMPORTED) -> None:
    files = package_of(notes)
    assert run_tests(files)
    attention = made(imported(files), "MultiHeadAttention", 8, 2)
    x = np.random.default_rng(0).standard_normal((1, 5, 8))
    linear = {name: w.detach().numpy() for name, w in attention.named_parameters()}

    def heads(letter: str) -> np.ndarray:
        projected: np.ndarray = x @ linear[f"W_{letter}.weight"].T
        return projected.reshape(1, 5, 2, 4).transpose(0, 2, 1, 3)

    joined = attended(heads("Q"), heads("K"), heads("V"), 0.5).transpose(0, 2, 1, 3)
    expected = joined.reshape(1, 5, 8) @ linear["W_O.weight"].T
    output = attention(torch.tensor(x)).detach()
    np.testing.assert_allclose(output, expected, rtol=1e-10, atol=1e-12)


def test_causal_heads_make_causal_self_attention(run_tests: RUN) -> None:
    files = package_of(
        [
            r"\mathrm{MaskedAttention}(Q, K, V) = "
            r"\mathrm{softmax}(QK^\top / \sqrt{d_k} + M) V, \quad "
            r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
            r"\mathrm{Heads}(X) = "
            r"\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
            r"\mathrm{head}_i = \mathrm{MaskedAttention}(\mathrm{RoPE}(X W_i^Q), "
            r"\mathrm{RoPE}(X W_i^K), X W_i^V)",
        ]
    )
    source = files["transformer/attention.py"]
    assert "RotaryEmbedding(self.head_size" in source.partition("class CausalSelfAttention")[2]
    assert run_tests(files)


@pytest.mark.parametrize(
    "notes",
    [
        [r"\mathrm{softmax}\left(\frac{(R_m q_m)^\top (R_n k_n)}{\sqrt{d}}\right)"],
        [MATRIX.replace("-", ""), r"(R_m q_m)^\top (R_n k_n)"],
        [MATRIX, OF_ROWS, r"\mathrm{softmax}(f(q_m, n)^\top f(k_n, m))"],
        [MATRIX, r"(R_m q_m)^\top (R_m k_n)"],
        [MATRIX, r"(R_m q_m)^\top k_n"],
        [MATRIX, JOINED, r"\mathrm{head}_i = \mathrm{Attention}(R Q W_i^Q, K W_i^K, V W_i^V)"],
    ],
)
def test_what_turns_nothing_or_only_one_of_them_is_none(notes: list[str]) -> None:
    assert "self.rotary" not in package_of(notes).get("transformer/attention.py", "")
