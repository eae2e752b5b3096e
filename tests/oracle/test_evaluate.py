"""The oracle's values against NumPy written independently of it, for formulas as in notes."""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

from notes2code.meaning import type_formula
from notes2code.meaning.scope import Scope
from notes2code.oracle import evaluate, sample

A = Any


def softmax(x: A, axis: int = -1) -> A:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def attention(q: A, k: A, v: A) -> A:
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


def masked(q: A, k: A, v: A) -> A:
    scores = q @ k.T / np.sqrt(q.shape[1])
    future = np.triu(np.ones(scores.shape, bool), 1)
    return softmax(np.where(future, -np.inf, scores)) @ v


def cosine(q: A, k: A) -> A:
    return (q @ k.T) / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)


def layer_norm(x: A, epsilon: float, gamma: A, beta: A) -> A:
    return (x - x.mean()) / np.sqrt(x.var() + epsilon) * gamma + beta


def positions(n: int, d: int) -> A:
    out = np.empty((n, d))
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    out[:, 0::2], out[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])
    return out


def bahdanau(v: A, w1: A, h: A, w2: A, s: A) -> A:
    return np.tanh((h @ w1.T)[None] + (s @ w2.T)[:, None]) @ v


def sigmoid(x: A) -> A:
    return 1 / (1 + np.exp(-x))


phi = np.vectorize(lambda x: (1 + erf(x / np.sqrt(2))) / 2)

CASES: list[tuple[str, str, Callable[..., Any]]] = [
    (
        r"\text{Attention}(Q,K,V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        "Q K V",
        attention,
    ),
    (
        r"\mathrm{softmax}(QK^T / d_k) V",
        "Q K V",
        lambda q, k, v: softmax(q @ k.T / q.shape[1]) @ v,
    ),
    (
        r"\operatorname{softmax}\left(\frac{QK^T}{\sqrt{d_k}} + M\right)V",
        "Q K M V",
        lambda q, k, m, v: softmax(q @ k.T / np.sqrt(q.shape[1]) + m) @ v,
    ),
    (r"e_{ij} = q_i^\top k_j", "q k", lambda q, k: np.einsum("id,jd->ij", q, k)),
    (r"e_{ij} = q_i^\top W k_j", "q W k", lambda q, w, k: np.einsum("ia,ab,jb->ij", q, w, k)),
    (r"e_{ij} = v^\top \tanh(W_1 h_j + W_2 s_i)", "v W_1 h W_2 s", bahdanau),
    (
        r"e_{ij} = v^\top \tanh(W [s_i; h_j])",
        "v W s h",
        lambda v, w, s, h: bahdanau(v, w[:, s.shape[1] :], h, w[:, : s.shape[1]], s),
    ),
    (r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{n} \exp(e_{ik})}", "e", softmax),
    (r"c_i = \sum_{j=1}^{n} \alpha_{ij} h_j", "alpha h", lambda a, h: a @ h),
    (
        r"e_{ij} = q_i^\top k_j \quad \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_k \exp(e_{ik})}"
        r"\quad c_i = \sum_j \alpha_{ij} v_j",
        "q k v",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    (
        r"o_i = \sum_{j \le i} \frac{\exp(q_i^\top k_j)}{\sum_{l \le i} \exp(q_i^\top k_l)} v_j",
        "q k v",
        lambda q, k, v: masked(q * np.sqrt(q.shape[1]), k, v),
    ),
    (r"Q = X W_Q", "X W_Q", lambda x, w: x @ w),
    (r"A = Q^T K", "Q K", lambda q, k: q.T @ k),
    (r"y = W x + b", "W x b", lambda w, x, b: w @ x + b),
    (
        r"\mathrm{FFN}(x) = \max(0, xW_1 + b_1) W_2 + b_2",
        "x W_1 b_1 W_2 b_2",
        lambda x, w1, b1, w2, b2: np.maximum(x @ w1 + b1, 0) @ w2 + b2,
    ),
    (
        r"\mathrm{SwiGLU}(x) = \mathrm{Swish}(xW) \otimes (xV)",
        "x W V",
        lambda x, w, v: x @ w * sigmoid(x @ w) * (x @ v),
    ),
    (
        r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} \cdot \gamma + \beta",
        "x epsilon gamma beta",
        layer_norm,
    ),
    (
        r"\bar{a}_i = \frac{a_i}{\sqrt{\frac{1}{n} \sum_{j=1}^{n} a_j^2}} g_i",
        "a g",
        lambda a, g: a / np.sqrt((a**2).mean()) * g,
    ),
    (
        r"p_{k,2i} = \sin(k / 10000^{2i/d}) \quad p_{k,2i+1} = \cos(k / 10000^{2i/d})",
        "n d",
        positions,
    ),
    (r"\theta_i = 10000^{-2i/d}", "n d", lambda n, d: 10000.0 ** (-2 * np.arange(n) / d)),
    (r"L = -\sum_{i=1}^{V} y_i \log(p_i)", "y p", lambda y, p: -(y * np.log(p)).sum()),
    (
        r"\mathrm{PPL} = \exp\left(-\frac{1}{N} \sum_{t=1}^{N} \log p_t\right)",
        "p",
        lambda p: np.exp(-np.log(p).mean()),
    ),
    (
        r"\mathrm{BP} = \begin{cases} 1 & c > r \\ e^{1-r/c} & c \leq r \end{cases}",
        "c r",
        lambda c, r: 1 if c > r else np.exp(1 - r / c),
    ),
    (
        r"lr = d_{model}^{-0.5} \cdot \min(s^{-0.5}, s \cdot w^{-1.5})",
        "s w d_model",
        lambda s, w, d: d**-0.5 * min(s**-0.5, s * w**-1.5),
    ),
    (r"e_{ij} = \mathrm{cosine}(q_i, k_j)", "q k", cosine),
    (r"\mathrm{GELU}(x) = x \Phi(x)", "x", lambda x: x * phi(x)),
    (r"\mathrm{SiLU}(x) = \frac{x}{1 + e^{-x}}", "x", lambda x: x * sigmoid(x)),
    (
        r"f_t = \sigma(W_f [h_t, x_t] + b_f)",
        "W_f h x b_f",
        lambda w, h, x, b: sigmoid(np.hstack([h, x]) @ w.T + b),
    ),
    (
        r"y_i = \sum_{j} \exp(-\frac{1}{2} (q_i - k_j)^2) v_j",
        "q k v",
        lambda q, k, v: np.exp(-((q[:, None] - k) ** 2) / 2) @ v,
    ),
    (
        r"R = \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}",
        "theta",
        lambda t: np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]),
    ),
    (
        r"\mathrm{MultiHead} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O",
        "head W_O",
        lambda head, w: np.hstack(list(head)) @ w,
    ),
]


@pytest.mark.parametrize(("latex", "names", "expected"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("seed", [0, 1])
def test_value(latex: str, names: str, expected: Callable[..., Any], seed: int) -> None:
    equation = type_formula(latex).equation
    assert equation is not None
    inputs = sample(equation, seed)
    for name in ("p", "epsilon"):
        if name in inputs:
            inputs[name] = np.abs(inputs[name])
    wanted = np.asarray(expected(*(inputs[name] for name in names.split())))
    assert set(names.split()) == set(inputs)
    value = evaluate(equation, inputs)
    assert value.dtype == np.float64
    assert value.shape == wanted.shape
    np.testing.assert_allclose(value, wanted, rtol=1e-11, atol=1e-13)


def test_a_function_of_the_notes_is_called() -> None:
    one_head = type_formula(
        r"\mathrm{Attention}(Q,K,V) = \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V"
    ).equation
    assert one_head is not None
    heads = type_formula(
        r"\mathrm{MultiHead}(Q,K,V) = \mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)W^O"
        r"\quad \mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)",
        Scope(functions={"Attention": one_head}),
    ).equation
    assert heads is not None
    given = sample(heads, 3)
    by_hand = [
        attention(given["Q"] @ wq, given["K"] @ wk, given["V"] @ wv)
        for wq, wk, wv in zip(given["W_Q"], given["W_K"], given["W_V"], strict=True)
    ]
    np.testing.assert_allclose(
        evaluate(heads, given), np.hstack(by_hand) @ given["W_O"], rtol=1e-11
    )


def test_an_unknown_function_is_an_input() -> None:
    equation = type_formula(r"y_t = \mathrm{Norm}(x_t + \mathrm{Sub}(x_t))").equation
    assert equation is not None
    x = np.random.default_rng(0).normal(size=(3, 4))
    value = evaluate(equation, {"x": x, "Sub": np.tanh, "Norm": lambda row: row / row.sum()})
    total = x + np.tanh(x)
    np.testing.assert_allclose(value, total / total.sum(1, keepdims=True), rtol=1e-12)


def test_a_number_may_be_an_array() -> None:
    equation = type_formula(r"\mathrm{Swish}_\beta(x) = x \cdot \sigma(\beta x)").equation
    assert equation is not None
    x = np.random.default_rng(0).normal(size=(2, 3))
    np.testing.assert_allclose(evaluate(equation, {"x": x, "beta": 2}), x * sigmoid(2 * x))
    betas = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(evaluate(equation, {"x": x, "beta": betas}), x * sigmoid(betas * x))
    assert evaluate(equation, {"x": 1.0, "beta": 1.0}).shape == ()


def test_a_mask_of_minus_infinities_gives_no_nan() -> None:
    equation = type_formula(r"\mathrm{softmax}(QK^T + M)V").equation
    assert equation is not None
    given = sample(equation, 0)
    given["M"] = np.zeros_like(given["M"])
    given["M"][0], given["M"][1, 1:] = -np.inf, -np.inf
    value = evaluate(equation, given)
    np.testing.assert_array_equal(value[0], 0)
    np.testing.assert_allclose(value[1], given["V"][0])
    assert np.isfinite(value).all()
