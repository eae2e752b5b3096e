"""What a note says of an attention's score, scale, mask or kernel is what its class computes, and
what the tests of the package expect.

Each case is a formula with one thing changed. What its class must give is written out by hand, for
one sequence of 4 queries and 5 keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from building import Package, package_of, warnings_of
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

Array = np.ndarray
Weights = Mapping[str, Array]


def softmax(scores: Array) -> Array:
    """Softmax along the last axis."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def relu(x: Array) -> Array:
    """Zero for what is below zero."""
    return np.maximum(x, 0)


def pairs(query: Array, key: Array) -> Array:
    """Each query with each key, added up."""
    return query[:, None, :] + key[None, :, :]


def distances(query: Array, key: Array) -> Array:
    """The distance of each query and each key."""
    return np.sqrt(((query[:, None, :] - key[None, :, :]) ** 2).sum(axis=-1))


def causal(scores: Array) -> Array:
    """Scores of what comes later are −∞."""
    return scores + np.triu(np.full(scores.shape, -np.inf), 1)


def earlier(scores: Array) -> Array:
    """The shares of the keys before each query's own; the first query has none."""
    powers = np.tril(np.exp(scores), -1)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total, total, 1)


def far(scores: Array) -> Array:
    """|i − j| for each query i and key j; the last query stands where the last key does."""
    queries, keys = scores.shape[-2:]
    return np.abs(np.arange(keys - queries, keys)[:, None] - np.arange(keys))


def near(scores: Array, width: int) -> Array:
    """Scores of what is further away than a width are −∞."""
    return np.where(far(scores) <= width, scores, -np.inf)


@dataclass(frozen=True)
class Case:
    """A formula, the class it becomes and its arguments, and its weights by hand: from the
    parameters, the queries, the keys, and a bias where ``bias`` says that there is one. The values
    are ``shapes``' last array, which may also be the keys."""

    latex: str
    name: str
    by_hand: Callable[[Weights, Array, Array, Array], Array]
    sizes: Mapping[str, Any] = field(default_factory=dict)
    unusual: bool = False
    bias: bool = False
    shapes: tuple[tuple[int, int], ...] = ((4, 6), (5, 6), (5, 7))


CAUSAL = r", \quad M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
SQUARE = ((4, 6), (4, 6), (4, 7))
DOT, UNSCALED = "ScaledDotProductAttention", "UnscaledDotProductAttention"
DOTS = {
    "divided by d_k": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{d_k}\right)V",
        DOT, lambda w, q, k, b: softmax(q @ k.T / 6), unusual=True,
    ),
    "unscaled": Case(r"\mathrm{softmax}(QK^\top)V", UNSCALED, lambda w, q, k, b: softmax(q @ k.T)),
    "with a temperature": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\tau}\right)V",
        DOT, lambda w, q, k, b: softmax(q @ k.T / 2.5), {"tau": 2.5}, unusual=True,
    ),
    "with a bias": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V",
        DOT, lambda w, q, k, b: softmax(q @ k.T / np.sqrt(6) + b), bias=True,
    ),
    "with a bias and a number before it": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + \alpha P\right)V",
        DOT, lambda w, q, k, b: softmax(q @ k.T / np.sqrt(6) + 0.3 * b), {"alpha": 0.3}, bias=True,
    ),
    "less a bias": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} - B\right)V",
        DOT, lambda w, q, k, b: softmax(q @ k.T / np.sqrt(6) - b), bias=True,
    ),
    "less a bias and a number before it": Case(
        r"\mathrm{softmax}(QK^\top - \gamma D)V",
        UNSCALED, lambda w, q, k, b: softmax(q @ k.T - 0.3 * b), {"gamma": 0.3}, bias=True,
    ),
    "with a relative bias, of elements": Case(
        r"o_i = \sum_j \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\sqrt{d_k}} + b_{ij}\right) v_j",
        DOT, lambda w, q, k, b: softmax(q @ k.T / np.sqrt(6) + b), bias=True,
    ),
    "causal": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V" + CAUSAL,
        DOT, lambda w, q, k, b: softmax(causal(q @ k.T / np.sqrt(6))), shapes=SQUARE,
    ),
    "later keys only": Case(
        r"\mathrm{softmax}(QK^\top + M)V"
        r", \quad M_{ij} = \begin{cases} 0 & j \ge i \\ -\infty & j < i \end{cases}",
        UNSCALED, lambda w, q, k, b: softmax(causal((q @ k.T).T).T), unusual=True, shapes=SQUARE,
    ),
    "earlier keys only, none for the first query": Case(
        r"\mathrm{softmax}(QK^\top + M)V"
        r", \quad M_{ij} = \begin{cases} 0 & j < i \\ -\infty & j \ge i \end{cases}",
        UNSCALED, lambda w, q, k, b: earlier(q @ k.T), unusual=True, shapes=SQUARE,
    ),
    "a sum over the keys up to the query's": Case(
        r"o_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j)}{\sum_{l \le i} \exp(q_i^\top k_l)} v_j",
        UNSCALED, lambda w, q, k, b: softmax(causal(q @ k.T)), shapes=SQUARE,
    ),
    "less for far keys": Case(
        r"\mathrm{softmax}(QK^\top + D)V, \quad D_{ij} = -\lambda |i - j|",
        UNSCALED, lambda w, q, k, b: softmax(q @ k.T - 0.3 * far(q @ k.T)), {"lambda_": 0.3},
    ),
    "a bias inside the scale": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top + M}{\sqrt{d_k}}\right)V",
        DOT, lambda w, q, k, b: softmax((q @ k.T + b) / np.sqrt(6)), bias=True,
    ),
    "a large number for infinity": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V"
        + CAUSAL.replace(r"-\infty", "-1e9"),
        DOT, lambda w, q, k, b: softmax(causal(q @ k.T / np.sqrt(6))), shapes=SQUARE,
    ),
    "later keys only, by a large number": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V"
        r", \quad M_{ij} = \begin{cases} 0 & j \ge i \\ -10^{9} & j < i \end{cases}",
        DOT, lambda w, q, k, b: softmax(causal((q @ k.T).T / np.sqrt(6)).T),
        unusual=True, shapes=SQUARE,
    ),
    "divided by the root of another size": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_{model}}}\right)V"
        r", \quad Q \in \mathbb{R}^{n \times d_k}",
        DOT, lambda w, q, k, b: softmax(q @ k.T / np.sqrt(24)), {"d_model": 24}, unusual=True,
    ),
    "capped": Case(
        r"\mathrm{softmax}\left(c\tanh\left(\frac{QK^\top}{c\sqrt{d_k}}\right)\right)V",
        DOT,
        lambda w, q, k, b: softmax(1.5 * np.tanh(q @ k.T / 1.5 / np.sqrt(6))),
        {"c": 1.5},
    ),
    "near keys only": Case(
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right)V, \quad "
        r"M_{ij} = \begin{cases} 0 & |i - j| \le w \\ -\infty & \text{otherwise} \end{cases}",
        DOT, lambda w, q, k, b: softmax(near(q @ k.T / np.sqrt(6), 2)), {"w": 2},
    ),
    "a sum over near keys": Case(
        r"o_i = \sum_{j: |i-j| \le 1} \mathrm{softmax}_j(q_i^\top k_j) v_j",
        UNSCALED, lambda w, q, k, b: softmax(near(q @ k.T, 1)),
    ),
    "a sum over a window": Case(
        r"o_i = \sum_{j=i-w}^{i+w} "
        r"\frac{\exp(q_i^\top k_j)}{\sum_{l=i-w}^{i+w} \exp(q_i^\top k_l)} v_j",
        UNSCALED, lambda w, q, k, b: softmax(near(q @ k.T, 2)), {"w": 2},
    ),
    "the last keys": Case(
        r"\mathrm{softmax}(QK^\top + M)V, \quad "
        r"M_{ij} = \begin{cases} 0 & 0 \le i - j < 2 \\ -\infty & \text{else} \end{cases}",
        UNSCALED, lambda w, q, k, b: softmax(causal(near(q @ k.T, 1))), shapes=SQUARE,
    ),
    "capped in steps": Case(
        r"S = \frac{QK^\top}{\sqrt{d}}, \quad S' = 20 \tanh(S/20), "
        r"\quad O = \mathrm{softmax}(S') V",
        DOT, lambda w, q, k, b: softmax(20 * np.tanh(q @ k.T / 20 / np.sqrt(6))),
    ),
    "by columns": Case(
        r"V \mathrm{softmax}\left(\frac{K^\top Q}{d_k}\right)",
        DOT, lambda w, q, k, b: softmax(q @ k.T / 6), unusual=True,
    ),
    "one query": Case(
        r"\sum_j \mathrm{softmax}_j(3 q^\top k_j) v_j",
        DOT, lambda w, q, k, b: softmax(3 * (q @ k.T)), unusual=True,
    ),
    "scores alone": Case(
        r"a(q, k) = \frac{q^\top k}{d_k}",
        DOT, lambda w, q, k, b: softmax(q @ k.T / 6), unusual=True,
    ),
    "weights alone": Case(
        r"\alpha_{ij} = \mathrm{softmax}_j\left(\frac{q_i^\top k_j}{2}\right)",
        DOT, lambda w, q, k, b: softmax(q @ k.T / 2), unusual=True,
    ),
}  # fmt: skip

ADDITIVE = "AdditiveAttention"
NETWORK = {"query_size": 6, "key_size": 3, "hidden_size": 8}
UNLIKE = ((4, 6), (5, 3), (5, 7))
ADDITIVES = {
    "scores alone": Case(
        r"a(q, k) = w^\top \tanh(W q + U k)",
        ADDITIVE,
        lambda w, q, k, b: softmax(np.tanh(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["w"][0]),
        NETWORK, shapes=UNLIKE,
    ),
    "scores of one query": Case(
        r"e_j = w^\top \tanh(U k_j + W q)",
        ADDITIVE,
        lambda w, q, k, b: softmax(np.tanh(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["w"][0]),
        NETWORK, shapes=UNLIKE,
    ),
    "ReLU": Case(
        r"f(q) = \sum_j \mathrm{softmax}_j(w^\top \mathrm{ReLU}(W q + U k_j)) v_j",
        ADDITIVE,
        lambda w, q, k, b: softmax(relu(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["w"][0]),
        NETWORK, unusual=True, shapes=UNLIKE,
    ),
    "nothing around the sum": Case(
        r"f(q) = \sum_j \mathrm{softmax}_j(w^\top (W q + U k_j)) v_j",
        ADDITIVE,
        lambda w, q, k, b: softmax(pairs(q @ w["W"].T, k @ w["U"].T) @ w["w"][0]),
        NETWORK, unusual=True, shapes=UNLIKE,
    ),
    "with a bias inside": Case(
        r"f(q) = \sum_j \mathrm{softmax}_j(w^\top \tanh(W q + U k_j + b)) v_j",
        ADDITIVE,
        lambda w, q, k, b: softmax(
            np.tanh(pairs(q @ w["W"].T, k @ w["U"].T) + w["U.bias"]) @ w["w"][0]
        ),
        NETWORK, shapes=UNLIKE,
    ),
    "one matrix for both": Case(
        r"e_{ij} = w^\top \tanh(W [q_i; k_j])",
        ADDITIVE,
        lambda w, q, k, b: softmax(
            np.tanh(pairs(q @ w["W"][:, :6].T, k @ w["W"][:, 6:].T)) @ w["w"][0]
        ),
        NETWORK, shapes=UNLIKE,
    ),
    "with a mask": Case(
        r"o_i = \sum_j \mathrm{softmax}_j(w^\top \tanh(W q_i + U k_j) + M_{ij}) v_j",
        ADDITIVE,
        lambda w, q, k, b: softmax(np.tanh(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["w"][0] + b),
        NETWORK, bias=True, shapes=UNLIKE,
    ),
}  # fmt: skip

BILINEAR = "BilinearAttention"
MAP = {"query_size": 6, "key_size": 3}
BILINEARS = {
    "scores alone": Case(
        r"a(q, k) = q^\top W k",
        BILINEAR, lambda w, q, k, b: softmax(q @ w["W"].T @ k.T), MAP, shapes=UNLIKE,
    ),
    "scaled": Case(
        r"\mathrm{softmax}\left(\frac{QWK^\top}{\sqrt{d_k}}\right)V",
        BILINEAR, lambda w, q, k, b: softmax(q @ w["W"].T @ k.T / np.sqrt(3)), MAP, shapes=UNLIKE,
    ),
    "bent": Case(
        r"\mathrm{softmax}(\tanh(QWK^\top))V",
        BILINEAR, lambda w, q, k, b: softmax(np.tanh(q @ w["W"].T @ k.T)), MAP, shapes=UNLIKE,
    ),
    "with a mask": Case(
        r"\mathrm{softmax}(QWK^\top + M)V",
        BILINEAR,
        lambda w, q, k, b: softmax(q @ w["W"].T @ k.T + b),
        MAP, bias=True, shapes=UNLIKE,
    ),
}  # fmt: skip

KERNEL = "KernelAttention"
NUMBERS = ((4, 1), (5, 1), (5, 7))


def normalised(kernel: Array) -> Array:
    """A kernel's values over their sum."""
    return kernel / kernel.sum(axis=-1, keepdims=True)


KERNELS = {
    "of numbers": Case(
        r"f(x) = \sum_i \mathrm{softmax}_i\left(-2(x - x_i)^2\right) y_i",
        KERNEL, lambda w, q, k, b: softmax(-2 * distances(q, k) ** 2), shapes=NUMBERS,
    ),
    "of vectors, with a bandwidth": Case(
        r"f(q) = \sum_i \mathrm{softmax}_i\left(-\frac{\|q - k_i\|^2}{2\sigma^2}\right) v_i",
        KERNEL,
        lambda w, q, k, b: softmax(-(distances(q, k) ** 2) / (2 * 1.7**2)),
        {"sigma": 1.7},
    ),
    "of the distance": Case(
        r"f(q) = \sum_i \mathrm{softmax}_i(-\|q - k_i\|) v_i",
        KERNEL, lambda w, q, k, b: softmax(-distances(q, k)),
    ),
    "of the difference": Case(
        r"o_i = \sum_j \mathrm{softmax}_j((x_i - z_j)^3) y_j",
        KERNEL, lambda w, q, k, b: softmax((q - k.T) ** 3), shapes=NUMBERS,
    ),
    "over its sum": Case(
        r"f(q) = \sum_i \frac{(1 + \|q - k_i\|^2)^{-1}}{\sum_j (1 + \|q - k_j\|^2)^{-1}} v_i",
        KERNEL, lambda w, q, k, b: normalised(1 / (1 + distances(q, k) ** 2)),
    ),
    "cut off": Case(
        r"f(q) = \sum_i \frac{\max(0, 15 - \|q - k_i\|^2)}{\sum_j \max(0, 15 - \|q - k_j\|^2)} v_i",
        KERNEL, lambda w, q, k, b: normalised(relu(15 - distances(q, k) ** 2)),
    ),
    "with a learned width": Case(
        r"f(x) = \sum_i \mathrm{softmax}_i\left(-\frac{1}{2}((x - x_i) w)^2\right) y_i",
        KERNEL,
        lambda w, q, k, b: softmax(-0.5 * (w["w"] * distances(q, k)) ** 2),
        {"w": 1.7}, shapes=NUMBERS,
    ),
    "weights alone": Case(
        r"\alpha_i = \frac{\exp(-\|q - k_i\|^2)}{\sum_j \exp(-\|q - k_j\|^2)}",
        KERNEL, lambda w, q, k, b: softmax(-(distances(q, k) ** 2)),
    ),
}  # fmt: skip

LINEAR = "LinearAttention"


def elu_and_one(x: Array) -> Array:
    """Features that are positive and, for x > 0, a line."""
    return np.where(x > 0, x + 1, np.exp(x))


LINEARS = {
    "usual": Case(
        library().components["linear_attention"].textbook.latex,
        LINEAR, lambda w, q, k, b: normalised(elu_and_one(q) @ elu_and_one(k).T),
    ),
    "ReLU, by rows": Case(
        r"o_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j) v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)},"
        r"\quad \phi(x) = \max(0, x)",
        LINEAR, lambda w, q, k, b: normalised(relu(q) @ relu(k).T),
    ),
    "a temperature, for each head": Case(
        r"o_i^h = \frac{\sum_j \phi(q_i^h)^\top \phi(k_j^h) v_j^h}"
        r"{\sum_j \phi(q_i^h)^\top \phi(k_j^h)}, \quad \phi(x) = e^{x/\tau}",
        LINEAR, lambda w, q, k, b: normalised(np.exp(q / 1.7) @ np.exp(k.T / 1.7)), {"tau": 1.7},
    ),
    "of features that are given": Case(
        r"O = \frac{\phi(Q) (\phi(K)^\top V)}{\phi(Q) \sum_j \phi(K_j)^\top}",
        LINEAR, lambda w, q, k, b: normalised(np.cosh(q) @ np.cosh(k).T),
        {"feature_map": torch.cosh},
    ),
    "causal, of features that are given": Case(
        r"o_i = \frac{\sum_{j \le i} \phi(q_i)^\top \phi(k_j) v_j}"
        r"{\sum_{j \le i} \phi(q_i)^\top \phi(k_j)}",
        LINEAR, lambda w, q, k, b: normalised(np.tril(np.cosh(q) @ np.cosh(k).T)),
        {"feature_map": torch.cosh}, shapes=SQUARE,
    ),
    "features of a width": Case(
        r"O = \frac{\exp(Q/\sqrt{d_k}) \exp(K/\sqrt{d_k})^\top V}"
        r"{\exp(Q/\sqrt{d_k}) \exp(K/\sqrt{d_k})^\top \mathbf{1}}",
        LINEAR, lambda w, q, k, b: normalised(np.exp(q / 6**0.5) @ np.exp(k.T / 6**0.5)),
    ),
    "not normalised": Case(
        r"O = \mathrm{ReLU}(Q)(\mathrm{ReLU}(K)^\top V)",
        LINEAR, lambda w, q, k, b: relu(q) @ relu(k).T,
    ),
    "causal": Case(
        r"y_i = \frac{\phi(q_i)^\top S_i}{\phi(q_i)^\top z_i}, \quad \phi(x) = e^x,"
        r"\quad S_i = \sum_{j=1}^i \phi(k_j) v_j^\top, \quad z_i = \sum_{j=1}^i \phi(k_j)",
        LINEAR, lambda w, q, k, b: normalised(np.tril(np.exp(q) @ np.exp(k).T)), shapes=SQUARE,
    ),
    "causal, not normalised": Case(
        r"o_t = \sum_{s \le t} \exp(q_t)^\top \exp(k_s) v_s",
        LINEAR, lambda w, q, k, b: np.tril(np.exp(q) @ np.exp(k).T), shapes=SQUARE,
    ),
}  # fmt: skip

SEQ2SEQ = "Seq2SeqAttention"
STATES = {"state_size": 6, "memory_size": 3}
MEMORY = ((4, 6), (5, 3))
STATE = r"c_t = \sum_j \mathrm{softmax}_j\left({}\right) h_j"
SEQ2SEQS = {
    "additive": Case(
        STATE.replace("{}", r"v^\top \tanh(W s_{t-1} + U h_j)"),
        SEQ2SEQ,
        lambda w, q, k, b: softmax(np.tanh(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["v"][0]),
        {**STATES, "hidden_size": 8}, shapes=MEMORY,
    ),
    "ReLU": Case(
        STATE.replace("{}", r"v^\top \mathrm{ReLU}(W s_{t-1} + U h_j)"),
        SEQ2SEQ,
        lambda w, q, k, b: softmax(relu(pairs(q @ w["W"].T, k @ w["U"].T)) @ w["v"][0]),
        {**STATES, "hidden_size": 8}, unusual=True, shapes=MEMORY,
    ),
    "one matrix for both": Case(
        STATE.replace("{}", r"v^\top \tanh(W [s_t; h_j])"),
        SEQ2SEQ,
        lambda w, q, k, b: softmax(
            np.tanh(pairs(q @ w["W"][:, :6].T, k @ w["W"][:, 6:].T)) @ w["v"][0]
        ),
        {**STATES, "hidden_size": 8}, shapes=MEMORY,
    ),
    "general": Case(
        STATE.replace("{}", r"s_t^\top W h_j"),
        SEQ2SEQ, lambda w, q, k, b: softmax(q @ w["W"].T @ k.T), STATES, shapes=MEMORY,
    ),
    "dot": Case(
        STATE.replace("{}", r"s_t^\top h_j"),
        SEQ2SEQ, lambda w, q, k, b: softmax(q @ k.T), shapes=((4, 6), (5, 6)),
    ),
    "dot, scaled": Case(
        STATE.replace("{}", r"\frac{s_t^\top h_j}{7}"),
        SEQ2SEQ,
        lambda w, q, k, b: softmax(q @ k.T / 7),
        shapes=((4, 6), (5, 6)),
    ),
    "general, with a mask": Case(
        STATE.replace("{}", r"s_t^\top W h_j + M_{tj}"),
        SEQ2SEQ,
        lambda w, q, k, b: softmax(q @ w["W"].T @ k.T + b),
        STATES, bias=True, shapes=MEMORY,
    ),
}  # fmt: skip

SYNTHESIZER = "SynthesizerAttention"
DENSE = {"d_model": 6, "hidden_size": 8, "value_size": 7, "max_len": 9}


def gelu(x: Array) -> Array:
    """GELU, from torch."""
    return torch.nn.functional.gelu(torch.from_numpy(x)).numpy()


def synthesized(w: Weights, x: Array, activation: Callable[[Array], Array] = relu) -> Array:
    """The scores of a synthesizer for the first positions."""
    hidden = activation(x @ w["A"].T + w.get("A.bias", 0))
    return (hidden @ w["B"].T + w.get("B.bias", 0))[:, : len(x)]


SYNTHESIZERS = {
    "usual": Case(
        r"\mathrm{softmax}(\mathrm{ReLU}(XA + b_1)B + b_2)(XV)",
        SYNTHESIZER, lambda w, x, _, b: softmax(synthesized(w, x)), DENSE,
    ),
    "GELU": Case(
        r"\mathrm{softmax}(\mathrm{GELU}(XA + b_1)B + b_2)(XV)",
        SYNTHESIZER, lambda w, x, _, b: softmax(synthesized(w, x, gelu)), DENSE, unusual=True,
    ),
    "no biases": Case(
        r"\mathrm{softmax}(\mathrm{ReLU}(XA)B)XV",
        SYNTHESIZER, lambda w, x, _, b: softmax(synthesized(w, x)), DENSE,
    ),
    "causal": Case(
        r"\mathrm{softmax}(\mathrm{ReLU}(XA + b_1)B + b_2 + M)XV" + CAUSAL,
        SYNTHESIZER, lambda w, x, _, b: softmax(causal(synthesized(w, x))), DENSE,
    ),
    "with a mask": Case(
        r"\mathrm{softmax}(\mathrm{ReLU}(XA + b_1)B + b_2 + M)XV",
        SYNTHESIZER, lambda w, x, _, b: softmax(synthesized(w, x) + b), DENSE, bias=True,
    ),
    "weights alone": Case(
        r"\mathrm{softmax}(\mathrm{ReLU}(XA + b_1)B + b_2)",
        SYNTHESIZER, lambda w, x, _, b: softmax(synthesized(w, x)), DENSE,
    ),
}  # fmt: skip
SYNTHESIZERS = {name: replace(case, shapes=((4, 6),)) for name, case in SYNTHESIZERS.items()}

GROUPS = {
    "dot": DOTS,
    "additive": ADDITIVES,
    "bilinear": BILINEARS,
    "kernel": KERNELS,
    "linear": LINEARS,
    "seq2seq": SEQ2SEQS,
    "synthesizer": SYNTHESIZERS,
}
CASES = [
    pytest.param(case, id=f"{group}: {name}")
    for group, cases in GROUPS.items()
    for name, case in cases.items()
]


@pytest.mark.parametrize("case", CASES)
def test_the_class_computes_what_the_note_says(
    case: Case,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    torch.manual_seed(0)
    files = package_of([case.latex])
    attention = getattr(imported(files), case.name)(**case.sizes).double()
    parameters = {
        name.removesuffix(".weight"): value.numpy()
        for name, value in attention.state_dict().items()
    }
    inputs = [torch.randn(shape, dtype=torch.float64) for shape in case.shapes]
    arrays = [x.numpy() for x in inputs]
    bias = torch.randn(len(arrays[0]), len(arrays[-1]), dtype=torch.float64)
    keys = arrays[min(1, len(arrays) - 1)]
    weights = case.by_hand(parameters, arrays[0], keys, bias.numpy())
    value = arrays[-1] @ parameters["V"].T if "V" in parameters else arrays[-1]
    given = {"bias": bias} if case.bias else {}
    output = attention(*inputs, **given)
    np.testing.assert_allclose(output.detach().numpy(), weights @ value, rtol=1e-10, atol=1e-12)
    output, shown = attention(*inputs, **given, need_weights=True)
    np.testing.assert_allclose(output.detach().numpy(), weights @ value, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(shown.detach().numpy(), weights, rtol=1e-10, atol=1e-12)
    assert run_tests(files)
    assert ("N2C050" in warnings_of([case.latex])) == case.unusual


@pytest.mark.parametrize(
    ("latex", "why"),
    [
        (
            r"\mathrm{softmax}(QK^\top + \lambda B + M)V",
            "B and M, is multiplied with several numbers",
        ),
        (r"\mathrm{softmax}(QK^\top + c)V", "nothing for c, which changes none of its weights"),
        (r"\mathrm{softmax}(Q_iK_i^\top + m_i D)V_i", "is computed for each head"),
        (r"\mathrm{softmax}(G \odot QK^\top)V", "the score is computed from G"),
        (r"o_i = \sum_j \mathrm{softmax}_j(\gamma_i q_i^\top k_j) v_j", "not one number for all"),
    ],
)
def test_what_no_argument_takes_is_left_out_and_told(latex: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(f"$$\n{latex}\n$$\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert not any(f"class {DOT}" in text for text in rendered.files.values())
    assert [d.code for d in rendered.diagnostics if why in d.message] == ["N2C053"]
