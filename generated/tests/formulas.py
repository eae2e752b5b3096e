"""The formulas of the notes in NumPy, term by term."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from checks import array, per_head
from transformer.attention import (
    AdditiveAttention,
    BiasedCausalSelfAttention,
    BilinearAttention,
    CausalScaledDotProductAttention,
    CausalSelfAttention,
    CrossAttention,
    DifferentialAttention,
    KernelAttention,
    LinearAttention,
    MaskedScaledDotProductAttention,
    MultiHeadAttention,
    ParametricKernelAttention,
    RelativePositionAttention,
    RelativeSelfAttention,
    RescaledDotProductAttention,
    ScaledDotProductAttention,
    SelfAttention,
    Seq2SeqAttention,
    SigmoidAttention,
    SingleHeadCausalSelfAttention,
    SoftCappedScaledDotProductAttention,
    SynthesizerAttention,
    UnscaledDotProductAttention,
)
from transformer.layers import (
    AddNorm,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    GeluFeedForward,
    LayerNorm,
    OutputHead,
    PreNorm,
    TokenEmbedding,
    TransformerBlock,
)
from transformer.models import GPT, Decoder, Encoder, EncoderDecoder, TextEncoder
from transformer.positions import RelativePositionBias, SinusoidalPositionalEncoding


def softmax(x):
    """The softmax along the last axis; a row of nothing but -inf gives zeros."""
    x = np.asarray(x, dtype=float)
    largest = np.max(x, axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(x - np.where(np.isneginf(largest), 0, largest))
    total = np.sum(powers, axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def relu(x):
    """The larger of x and 0."""
    return np.maximum(x, 0)


def elu(x):
    """x where it is positive, else exp(x) - 1."""
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def erf(x):
    """The error function."""
    return np.vectorize(math.erf, otypes=[float])(x)


def normal_cdf(x):
    """The distribution function of the standard normal distribution."""
    return (1 + erf(x / np.sqrt(2))) / 2


def gelu(x):
    """x times the normal distribution function at x, not its tanh approximation."""
    return x * normal_cdf(x)


def unscaled_dot_product_attention_reference(q, k, v):
    d = len(q)
    m = k.shape[0]
    d_v = v.shape[1]
    scores = np.array([sum(q[b] * k[j, b] for b in range(d)) for j in range(m)])
    weights = softmax(scores)
    return np.array([sum(weights[j] * v[j, a] for j in range(m)) for a in range(d_v)])


def unscaled_dot_product_attention_by_formula(
    attention: UnscaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: unscaled_dot_product_attention_reference(q=query, k=key, v=value),
        signature="(d),(m,d),(m,v)->(v)",
    )
    return formula(array(query), array(key)[..., None, :, :], array(value)[..., None, :, :])


def bilinear_attention_reference(q, k, W, v):
    d_q = len(q)
    m, d_k = k.shape
    d_v = v.shape[1]
    q_W = np.array([sum(q[b] * W[b, a] for b in range(d_q)) for a in range(d_k)])
    scores = np.array([sum(q_W[a] * k[j, a] for a in range(d_k)) for j in range(m)])
    weights = softmax(scores)
    return np.array([sum(weights[j] * v[j, i] for j in range(m)) for i in range(d_v)])


def bilinear_attention_by_formula(
    attention: BilinearAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "W": array(attention.W.weight).T,
    }
    formula = np.vectorize(
        lambda query, key, value: bilinear_attention_reference(q=query, k=key, v=value, **weights),
        signature="(d),(m,e),(m,v)->(v)",
    )
    return formula(array(query), array(key)[..., None, :, :], array(value)[..., None, :, :])


def additive_attention_reference(q, k, w_v, W_q, W_k, v):
    d_q = len(q)
    m, d_k = k.shape
    d_a = len(w_v)
    d_v = v.shape[1]
    W_q_q = np.array([sum(W_q[a, b] * q[b] for b in range(d_q)) for a in range(d_a)])
    W_k_k = np.zeros((d_a, m))
    for a in range(d_a):
        for j in range(m):
            W_k_k[a, j] = sum(W_k[a, c] * k[j, c] for c in range(d_k))
    scores = np.zeros(m)
    for j in range(m):
        scores[j] = sum(w_v[a] * np.tanh(W_q_q[a] + W_k_k[a, j]) for a in range(d_a))
    weights = softmax(scores)
    return np.array([sum(weights[j] * v[j, i] for j in range(m)) for i in range(d_v)])


def additive_attention_by_formula(
    attention: AdditiveAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "W_q": array(attention.W_q.weight),
        "W_k": array(attention.W_k.weight),
        "w_v": array(attention.w_v.weight)[0],
    }
    formula = np.vectorize(
        lambda query, key, value: additive_attention_reference(q=query, k=key, v=value, **weights),
        signature="(d),(m,e),(m,v)->(v)",
    )
    return formula(array(query), array(key)[..., None, :, :], array(value)[..., None, :, :])


def kernel_attention_reference(x, x_i, y):
    n = len(x_i)
    d = y.shape[1]
    x_i_2 = sum(np.exp(-((x - x_i[j]) ** 2) / 2) / np.sqrt(2 * np.pi) for j in range(n))
    output = np.zeros(d)
    for i in range(d):
        output[i] = sum(
            np.exp(-((x - x_i[a]) ** 2) / 2) / (np.sqrt(2 * np.pi) * x_i_2) * y[a, i]
            for a in range(n)
        )
    return output


def kernel_attention_by_formula(
    attention: KernelAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: kernel_attention_reference(x=query, x_i=key, y=value),
        signature="(),(m),(m,v)->(v)",
    )
    return formula(
        array(query)[..., 0], array(key)[..., 0][..., None, :], array(value)[..., None, :, :]
    )


def parametric_kernel_attention_reference(x, x_i, w, y):
    n = len(x_i)
    d = y.shape[1]
    scores = np.array([-(((x - x_i[a]) * w) ** 2) / 2 for a in range(n)])
    weights = softmax(scores)
    return np.array([sum(weights[a] * y[a, i] for a in range(n)) for i in range(d)])


def parametric_kernel_attention_by_formula(
    attention: ParametricKernelAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "w": attention.w.item(),
    }
    formula = np.vectorize(
        lambda query, key, value: parametric_kernel_attention_reference(
            x=query, x_i=key, y=value, **weights
        ),
        signature="(),(m),(m,v)->(v)",
    )
    return formula(
        array(query)[..., 0], array(key)[..., 0][..., None, :], array(value)[..., None, :, :]
    )


def scaled_dot_product_attention_reference(Q, K, V):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q[i, b] * K[j, b] for b in range(d_k)) / np.sqrt(d_k)
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def scaled_dot_product_attention_by_formula(
    attention: ScaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: scaled_dot_product_attention_reference(Q=query, K=key, V=value),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def differential_attention_reference(V, Q_1, K_1, lambda_, Q_2, K_2):
    m, d_v = V.shape
    n, d = Q_1.shape
    d_k = Q_2.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q_1[i, b] * K_1[j, b] for b in range(d)) / np.sqrt(d)
    weights = softmax(scores)
    scores_2 = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores_2[i, j] = sum(Q_2[i, c] * K_2[j, c] for c in range(d_k)) / np.sqrt(d)
    weights_2 = softmax(scores_2)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(
                (weights[i, j] - lambda_ * weights_2[i, j]) * V[j, a] for j in range(m)
            )
    return output


def differential_attention_by_formula(
    attention: DifferentialAttention,
    query_1: Tensor,
    key_1: Tensor,
    query_2: Tensor,
    key_2: Tensor,
    value: Tensor,
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "lambda_": attention.lambda_.item(),
    }
    formula = np.vectorize(
        lambda query_1, key_1, query_2, key_2, value: differential_attention_reference(
            Q_1=query_1, K_1=key_1, Q_2=query_2, K_2=key_2, V=value, **weights
        ),
        signature="(n,d),(m,d),(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query_1), array(key_1), array(query_2), array(key_2), array(value))


def sigmoid_attention_reference(Q, K, V, b):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    Q_K = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            Q_K[i, j] = sum(Q[i, c] * K[j, c] for c in range(d_k))
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(
                V[j, a] / (1 + np.exp(-(Q_K[i, j] / np.sqrt(d_k) + b))) for j in range(m)
            )
    return output


def sigmoid_attention_by_formula(
    attention: SigmoidAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "b": attention.b,
    }
    formula = np.vectorize(
        lambda query, key, value: sigmoid_attention_reference(Q=query, K=key, V=value, **weights),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def soft_capped_scaled_dot_product_attention_reference(Q, K, V, c):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = c * np.tanh(
                sum(Q[i, b] * K[j, b] for b in range(d_k)) / (c * np.sqrt(d_k))
            )
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def soft_capped_scaled_dot_product_attention_by_formula(
    attention: SoftCappedScaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "c": attention.c,
    }
    formula = np.vectorize(
        lambda query, key, value: soft_capped_scaled_dot_product_attention_reference(
            Q=query, K=key, V=value, **weights
        ),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def linear_attention_reference(q, k, v):
    n, d_k = q.shape
    m = k.shape[0]
    d_v = v.shape[1]
    q_k = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            q_k[i, j] = sum((elu(q[i, b]) + 1) * (elu(k[j, b]) + 1) for b in range(d_k))
    total = np.zeros(n)
    for i in range(n):
        total[i] = sum(
            (elu(q[i, c]) + 1) * (elu(k[r, c]) + 1) for r in range(m) if r <= i for c in range(d_k)
        )
    LinearAttn = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            LinearAttn[i, a] = sum(q_k[i, j] * v[j, a] for j in range(m) if j <= i) / total[i]
    return LinearAttn


def linear_attention_by_formula(
    attention: LinearAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: linear_attention_reference(q=query, k=key, v=value),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def layer_norm_reference(x, gamma, epsilon, beta):
    d = len(x)
    mu = sum(x[i] for i in range(d)) / d
    sigma_squared = sum((x[j] - mu) ** 2 for j in range(d)) / d
    output = np.zeros(d)
    for a in range(d):
        output[a] = gamma[a] * (x[a] - mu) / np.sqrt(sigma_squared + epsilon) + beta[a]
    return output


def layer_norm_by_formula(layer: LayerNorm, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula at the layer's own weights, for each row of x."""
    weights = {
        "gamma": array(layer.gamma),
        "beta": array(layer.beta),
        "epsilon": layer.eps,
    }
    rows = array(x).reshape(-1, x.shape[-1])
    output = np.stack([layer_norm_reference(x=row, **weights) for row in rows])
    return output.reshape(x.shape)


def multi_head_attention_reference(Q, K, V, W_Q, W_K, W_V, W_O):
    n, d_model = Q.shape
    m = K.shape[0]
    h = W_Q.shape[0]
    d_k = W_Q.shape[2]
    d_v = W_V.shape[2]
    Q_W_Q = np.zeros((h, n, d_k))
    for i in range(h):
        for k in range(n):
            for b in range(d_k):
                Q_W_Q[i, k, b] = sum(Q[k, c] * W_Q[i, c, b] for c in range(d_model))
    K_W_K = np.zeros((h, m, d_k))
    for i in range(h):
        for r in range(m):
            for e in range(d_k):
                K_W_K[i, r, e] = sum(K[r, f] * W_K[i, f, e] for f in range(d_model))
    V_W_V = np.zeros((h, m, d_v))
    for i in range(h):
        for s in range(m):
            for g in range(d_v):
                V_W_V[i, s, g] = sum(V[s, p] * W_V[i, p, g] for p in range(d_model))
    head = np.array(
        [scaled_dot_product_attention_reference(Q_W_Q[i], K_W_K[i], V_W_V[i]) for i in range(h)]
    )
    output = np.zeros((n, d_model))
    for j in range(n):
        for a in range(d_model):
            output[j, a] = sum(head[t // d_v, j, t % d_v] * W_O[t, a] for t in range(h * d_v))
    return output


def multi_head_attention_by_formula(
    attention: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": per_head(attention.W_Q, attention.num_heads),
        "W_K": per_head(attention.W_K, attention.num_heads),
        "W_V": per_head(attention.W_V, attention.num_heads),
        "W_O": array(attention.W_O.weight).T,
    }
    formula = np.vectorize(
        lambda query, key, value: multi_head_attention_reference(
            Q=query, K=key, V=value, **weights
        ),
        signature="(n,d),(m,d),(m,d)->(n,d)",
    )
    return formula(array(query), array(key), array(value))


def feed_forward_reference(x, W_1, b_1, W_2, b_2):
    d_model = len(x)
    d_ff = W_1.shape[1]
    x_W_1 = np.array([sum(x[c] * W_1[c, b] for c in range(d_model)) for b in range(d_ff)])
    output = np.zeros(d_model)
    for a in range(d_model):
        output[a] = sum(relu(x_W_1[b] + b_1[b]) * W_2[b, a] for b in range(d_ff)) + b_2[a]
    return output


def feed_forward_by_formula(layer: FeedForward, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula at the layer's own weights, for each row of x."""
    weights = {
        "W_1": array(layer.W_1.weight).T,
        "W_2": array(layer.W_2.weight).T,
        "b_1": array(layer.W_1.bias),
        "b_2": array(layer.W_2.bias),
    }
    rows = array(x).reshape(-1, x.shape[-1])
    output = np.stack([feed_forward_reference(x=row, **weights) for row in rows])
    return output.reshape(*x.shape[:-1], -1)


def encoder_layer_reference(X, MultiHead, LayerNorm, FFN, LayerNorm_2):
    n, d_model = X.shape
    multi_head_out = MultiHead(X, X, X)
    argument = np.zeros((n, d_model))
    for i in range(n):
        for b in range(d_model):
            argument[i, b] = X[i, b] + multi_head_out[i, b]
    Z = np.array([LayerNorm(argument[i]) for i in range(n)])
    ffn_out = np.array([FFN(Z[j]) for j in range(n)])
    argument_2 = np.zeros((n, d_model))
    for j in range(n):
        for k in range(d_model):
            argument_2[j, k] = Z[j, k] + ffn_out[j, k]
    return np.array([LayerNorm_2(argument_2[j]) for j in range(n)])


def encoder_layer_by_formula(layer: EncoderLayer, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula for each sequence, with the layer's own sublayers by their formulas."""

    def formula(x: np.ndarray) -> np.ndarray:
        return encoder_layer_reference(
            X=x,
            MultiHead=partial(multi_head_attention_by_formula, layer.attention),
            FFN=partial(feed_forward_by_formula, layer.feed_forward),
            LayerNorm=partial(layer_norm_by_formula, layer.attention_norm),
            LayerNorm_2=partial(layer_norm_by_formula, layer.feed_forward_norm),
        )

    return np.stack([formula(sequence) for sequence in array(x)])


def encoder_layer_formula(
    X, W_Q, W_K, W_V, W_O, gamma, epsilon, beta, W_1, b_1, W_2, b_2, gamma_2, beta_2
):
    n, d_model = X.shape
    multi_head_out = multi_head_attention_reference(X, X, X, W_Q, W_K, W_V, W_O)
    argument = np.zeros((n, d_model))
    for i in range(n):
        for b in range(d_model):
            argument[i, b] = X[i, b] + multi_head_out[i, b]
    Z = np.array([layer_norm_reference(argument[i], gamma, epsilon, beta) for i in range(n)])
    ffn_out = np.array([feed_forward_reference(Z[j], W_1, b_1, W_2, b_2) for j in range(n)])
    argument_2 = np.zeros((n, d_model))
    for j in range(n):
        for k in range(d_model):
            argument_2[j, k] = Z[j, k] + ffn_out[j, k]
    return np.array(
        [layer_norm_reference(argument_2[j], gamma_2, epsilon, beta_2) for j in range(n)]
    )


def encoder_reference(
    X, W_Q, W_K, W_V, W_O, gamma, epsilon, beta, W_1, b_1, W_2, b_2, gamma_2, beta_2
):
    n, d_model = X.shape
    N = W_Q.shape[0]
    H_0 = np.zeros((n, d_model))
    for i in range(n):
        for a in range(d_model):
            H_0[i, a] = X[i, a]
    H = H_0
    for j in range(N):
        H = encoder_layer_formula(
            H,
            W_Q[j],
            W_K[j],
            W_V[j],
            W_O[j],
            gamma[j],
            epsilon,
            beta[j],
            W_1[j],
            b_1[j],
            W_2[j],
            b_2[j],
            gamma_2[j],
            beta_2[j],
        )
    output = np.zeros((n, d_model))
    for k in range(n):
        for m in range(d_model):
            output[k, m] = H[k, m]
    return output


def encoder_by_formula(encoder: Encoder, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula at the weights of all layers, for each sequence of x."""
    weights = {
        "W_Q": np.stack(
            [per_head(layer.attention.W_Q, layer.attention.num_heads) for layer in encoder.layers]
        ),
        "W_K": np.stack(
            [per_head(layer.attention.W_K, layer.attention.num_heads) for layer in encoder.layers]
        ),
        "W_V": np.stack(
            [per_head(layer.attention.W_V, layer.attention.num_heads) for layer in encoder.layers]
        ),
        "W_O": np.stack([array(layer.attention.W_O.weight).T for layer in encoder.layers]),
        "gamma": np.stack([array(layer.attention_norm.gamma) for layer in encoder.layers]),
        "epsilon": encoder.layers[0].feed_forward_norm.eps,
        "beta": np.stack([array(layer.attention_norm.beta) for layer in encoder.layers]),
        "W_1": np.stack([array(layer.feed_forward.W_1.weight).T for layer in encoder.layers]),
        "b_1": np.stack([array(layer.feed_forward.W_1.bias) for layer in encoder.layers]),
        "W_2": np.stack([array(layer.feed_forward.W_2.weight).T for layer in encoder.layers]),
        "b_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in encoder.layers]),
        "gamma_2": np.stack([array(layer.feed_forward_norm.gamma) for layer in encoder.layers]),
        "beta_2": np.stack([array(layer.feed_forward_norm.beta) for layer in encoder.layers]),
    }
    return np.stack([encoder_reference(X=rows, **weights) for rows in array(x)])


def causal_scaled_dot_product_attention_reference(Q, K, V):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q[i, b] * K[j, b] for b in range(d_k)) / np.sqrt(d_k) + (
                0 if j <= i else -np.inf
            )
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def causal_scaled_dot_product_attention_by_formula(
    attention: CausalScaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: causal_scaled_dot_product_attention_reference(
            Q=query, K=key, V=value
        ),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def masked_attention_formula(Q, K, V, M):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q[i, b] * K[j, b] for b in range(d_k)) / np.sqrt(d_k) + M[i, j]
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def causal_attention_formula(Q, K, V):
    n = Q.shape[0]
    m = K.shape[0]
    C = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if j <= i:
                C[i, j] = 0
            else:
                C[i, j] = -np.inf
    return masked_attention_formula(Q, K, V, C)


def causal_self_attention_reference(X, W_Q, W_K, W_V, W_O):
    n, d_model = X.shape
    h = W_Q.shape[0]
    d_k = W_Q.shape[2]
    d_v = W_V.shape[2]
    X_W_Q = np.zeros((h, n, d_k))
    for i in range(h):
        for k in range(n):
            for b in range(d_k):
                X_W_Q[i, k, b] = sum(X[k, c] * W_Q[i, c, b] for c in range(d_model))
    X_W_K = np.zeros((h, n, d_k))
    for i in range(h):
        for m in range(n):
            for e in range(d_k):
                X_W_K[i, m, e] = sum(X[m, f] * W_K[i, f, e] for f in range(d_model))
    X_W_V = np.zeros((h, n, d_v))
    for i in range(h):
        for r in range(n):
            for g in range(d_v):
                X_W_V[i, r, g] = sum(X[r, p] * W_V[i, p, g] for p in range(d_model))
    head = np.array([causal_attention_formula(X_W_Q[i], X_W_K[i], X_W_V[i]) for i in range(h)])
    output = np.zeros((n, d_model))
    for j in range(n):
        for a in range(d_model):
            output[j, a] = sum(head[s // d_v, j, s % d_v] * W_O[s, a] for s in range(h * d_v))
    return output


def causal_self_attention_by_formula(attention: CausalSelfAttention, x: Tensor) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": per_head(attention.W_Q, attention.num_heads),
        "W_K": per_head(attention.W_K, attention.num_heads),
        "W_V": per_head(attention.W_V, attention.num_heads),
        "W_O": array(attention.W_O.weight).T,
    }
    formula = np.vectorize(
        lambda x: causal_self_attention_reference(X=x, **weights), signature="(n,d)->(n,d)"
    )
    return formula(array(x))


def decoder_layer_reference(
    Y, H, MaskedMultiHead, LayerNorm, MultiHead, LayerNorm_2, FFN, LayerNorm_3
):
    n, d_model = Y.shape
    masked_multi_head_out = MaskedMultiHead(Y)
    argument = np.zeros((n, d_model))
    for i in range(n):
        for b in range(d_model):
            argument[i, b] = Y[i, b] + masked_multi_head_out[i, b]
    A = np.array([LayerNorm(argument[i]) for i in range(n)])
    multi_head_out = MultiHead(A, H, H)
    argument_2 = np.zeros((n, d_model))
    for j in range(n):
        for k in range(d_model):
            argument_2[j, k] = A[j, k] + multi_head_out[j, k]
    B = np.array([LayerNorm_2(argument_2[j]) for j in range(n)])
    ffn_out = np.array([FFN(B[r]) for r in range(n)])
    argument_3 = np.zeros((n, d_model))
    for r in range(n):
        for s in range(d_model):
            argument_3[r, s] = B[r, s] + ffn_out[r, s]
    return np.array([LayerNorm_3(argument_3[r]) for r in range(n)])


def decoder_layer_by_formula(
    layer: DecoderLayer, x: Tensor | np.ndarray, memory: Tensor | np.ndarray
) -> np.ndarray:
    """The formula for each sequence, with the layer's own sublayers by their formulas."""

    def formula(x: np.ndarray, memory: np.ndarray) -> np.ndarray:
        return decoder_layer_reference(
            Y=x,
            H=memory,
            MaskedMultiHead=partial(causal_self_attention_by_formula, layer.attention),
            MultiHead=partial(multi_head_attention_by_formula, layer.cross_attention),
            FFN=partial(feed_forward_by_formula, layer.feed_forward),
            LayerNorm=partial(layer_norm_by_formula, layer.attention_norm),
            LayerNorm_2=partial(layer_norm_by_formula, layer.cross_attention_norm),
            LayerNorm_3=partial(layer_norm_by_formula, layer.feed_forward_norm),
        )

    return np.stack([formula(*pair) for pair in zip(array(x), array(memory), strict=True)])


def decoder_layer_formula(
    Y,
    H,
    W_Q,
    W_K,
    W_V,
    W_O,
    gamma,
    epsilon,
    beta,
    W_Q_2,
    W_K_2,
    W_V_2,
    W_O_2,
    gamma_2,
    beta_2,
    W_1,
    b_1,
    W_2,
    b_2,
    gamma_3,
    beta_3,
):
    n, d_model = Y.shape
    masked_multi_head_out = causal_self_attention_reference(Y, W_Q, W_K, W_V, W_O)
    argument = np.zeros((n, d_model))
    for i in range(n):
        for b in range(d_model):
            argument[i, b] = Y[i, b] + masked_multi_head_out[i, b]
    A = np.array([layer_norm_reference(argument[i], gamma, epsilon, beta) for i in range(n)])
    multi_head_out = multi_head_attention_reference(A, H, H, W_Q_2, W_K_2, W_V_2, W_O_2)
    argument_2 = np.zeros((n, d_model))
    for j in range(n):
        for k in range(d_model):
            argument_2[j, k] = A[j, k] + multi_head_out[j, k]
    B = np.array([layer_norm_reference(argument_2[j], gamma_2, epsilon, beta_2) for j in range(n)])
    ffn_out = np.array([feed_forward_reference(B[r], W_1, b_1, W_2, b_2) for r in range(n)])
    argument_3 = np.zeros((n, d_model))
    for r in range(n):
        for s in range(d_model):
            argument_3[r, s] = B[r, s] + ffn_out[r, s]
    return np.array(
        [layer_norm_reference(argument_3[r], gamma_3, epsilon, beta_3) for r in range(n)]
    )


def decoder_reference(
    Y,
    H,
    W_Q,
    W_K,
    W_V,
    W_O,
    gamma,
    epsilon,
    beta,
    W_Q_2,
    W_K_2,
    W_V_2,
    W_O_2,
    gamma_2,
    beta_2,
    W_1,
    b_1,
    W_2,
    b_2,
    gamma_3,
    beta_3,
):
    n, d_model = Y.shape
    N = W_Q.shape[0]
    S_0 = np.zeros((n, d_model))
    for i in range(n):
        for a in range(d_model):
            S_0[i, a] = Y[i, a]
    S = S_0
    for j in range(N):
        S = decoder_layer_formula(
            S,
            H,
            W_Q[j],
            W_K[j],
            W_V[j],
            W_O[j],
            gamma[j],
            epsilon,
            beta[j],
            W_Q_2[j],
            W_K_2[j],
            W_V_2[j],
            W_O_2[j],
            gamma_2[j],
            beta_2[j],
            W_1[j],
            b_1[j],
            W_2[j],
            b_2[j],
            gamma_3[j],
            beta_3[j],
        )
    output = np.zeros((n, d_model))
    for k in range(n):
        for r in range(d_model):
            output[k, r] = S[k, r]
    return output


def decoder_by_formula(
    decoder: Decoder, x: Tensor | np.ndarray, memory: Tensor | np.ndarray
) -> np.ndarray:
    """The formula at the weights of all layers, for each sequence of x and its memory."""
    weights = {
        "W_Q": np.stack(
            [per_head(layer.attention.W_Q, layer.attention.num_heads) for layer in decoder.layers]
        ),
        "W_K": np.stack(
            [per_head(layer.attention.W_K, layer.attention.num_heads) for layer in decoder.layers]
        ),
        "W_V": np.stack(
            [per_head(layer.attention.W_V, layer.attention.num_heads) for layer in decoder.layers]
        ),
        "W_O": np.stack([array(layer.attention.W_O.weight).T for layer in decoder.layers]),
        "gamma": np.stack([array(layer.attention_norm.gamma) for layer in decoder.layers]),
        "epsilon": decoder.layers[0].feed_forward_norm.eps,
        "beta": np.stack([array(layer.attention_norm.beta) for layer in decoder.layers]),
        "W_Q_2": np.stack(
            [
                per_head(layer.cross_attention.W_Q, layer.cross_attention.num_heads)
                for layer in decoder.layers
            ]
        ),
        "W_K_2": np.stack(
            [
                per_head(layer.cross_attention.W_K, layer.cross_attention.num_heads)
                for layer in decoder.layers
            ]
        ),
        "W_V_2": np.stack(
            [
                per_head(layer.cross_attention.W_V, layer.cross_attention.num_heads)
                for layer in decoder.layers
            ]
        ),
        "W_O_2": np.stack([array(layer.cross_attention.W_O.weight).T for layer in decoder.layers]),
        "gamma_2": np.stack([array(layer.cross_attention_norm.gamma) for layer in decoder.layers]),
        "beta_2": np.stack([array(layer.cross_attention_norm.beta) for layer in decoder.layers]),
        "W_1": np.stack([array(layer.feed_forward.W_1.weight).T for layer in decoder.layers]),
        "b_1": np.stack([array(layer.feed_forward.W_1.bias) for layer in decoder.layers]),
        "W_2": np.stack([array(layer.feed_forward.W_2.weight).T for layer in decoder.layers]),
        "b_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in decoder.layers]),
        "gamma_3": np.stack([array(layer.feed_forward_norm.gamma) for layer in decoder.layers]),
        "beta_3": np.stack([array(layer.feed_forward_norm.beta) for layer in decoder.layers]),
    }
    pairs = zip(array(x), array(memory), strict=True)
    return np.stack([decoder_reference(Y=y, H=h, **weights) for y, h in pairs])


def token_embedding_reference(U, E):
    n, V = U.shape
    d_model = E.shape[1]
    X = np.zeros((n, d_model))
    for i in range(n):
        for a in range(d_model):
            X[i, a] = sum(U[i, j] * E[j, a] for j in range(V)) * np.sqrt(d_model)
    return X


def token_embedding_by_formula(layer: TokenEmbedding, tokens: Tensor) -> np.ndarray:
    """The formula at the layer's own weights, for the one-hot row of each token."""
    weights = {
        "E": array(layer.E.weight),
    }
    rows = np.eye(layer.E.num_embeddings)[tokens.flatten().tolist()]
    output = token_embedding_reference(U=rows, **weights)
    return output.reshape(*tokens.shape, -1)


def sinusoidal_positional_encoding_reference(n, d_model):
    PE = np.zeros((n, d_model))
    for pos in range(n):
        for a in range(d_model):
            if a % 2 == 0:
                PE[pos, a] = np.sin(pos / 10000 ** (2 * (a // 2) / d_model))
            else:
                PE[pos, a] = np.cos(pos / 10000 ** (2 * (a // 2) / d_model))
    return PE


def sinusoidal_positional_encoding_by_formula(
    layer: SinusoidalPositionalEncoding, x: Tensor | np.ndarray
) -> np.ndarray:
    """x and the encodings of its positions."""
    n, d_model = x.shape[-2:]
    return array(x) + sinusoidal_positional_encoding_reference(n=n, d_model=d_model)


def encoder_decoder_reference(
    X,
    Y,
    W_Q,
    W_K,
    W_V,
    W_O,
    gamma,
    epsilon,
    beta,
    W_1,
    b_1,
    W_2,
    b_2,
    gamma_2,
    beta_2,
    W_Q_2,
    W_K_2,
    W_V_2,
    W_O_2,
    gamma_3,
    beta_3,
    W_Q_2_2,
    W_K_2_2,
    W_V_2_2,
    W_O_2_2,
    gamma_2_2,
    beta_2_2,
    W_1_2,
    b_1_2,
    W_2_2,
    b_2_2,
    gamma_3_2,
    beta_3_2,
    W,
    b,
):
    d_model = X.shape[1]
    m = Y.shape[0]
    V = W.shape[1]
    encoder_out = encoder_reference(
        X, W_Q, W_K, W_V, W_O, gamma, epsilon, beta, W_1, b_1, W_2, b_2, gamma_2, beta_2
    )
    decoder_out = decoder_reference(
        Y,
        encoder_out,
        W_Q_2,
        W_K_2,
        W_V_2,
        W_O_2,
        gamma_3,
        epsilon,
        beta_3,
        W_Q_2_2,
        W_K_2_2,
        W_V_2_2,
        W_O_2_2,
        gamma_2_2,
        beta_2_2,
        W_1_2,
        b_1_2,
        W_2_2,
        b_2_2,
        gamma_3_2,
        beta_3_2,
    )
    scores = np.zeros((m, V))
    for i in range(m):
        for j in range(V):
            scores[i, j] = sum(decoder_out[i, a] * W[a, j] for a in range(d_model)) + b[j]
    return softmax(scores)


def encoder_decoder_by_formula(model: EncoderDecoder, source: Tensor, target: Tensor) -> np.ndarray:
    """The formula at the model's own weights, for each pair of sequences."""
    weights = {
        "W_Q": np.stack(
            [
                per_head(layer.attention.W_Q, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_K": np.stack(
            [
                per_head(layer.attention.W_K, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_V": np.stack(
            [
                per_head(layer.attention.W_V, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_O": np.stack([array(layer.attention.W_O.weight).T for layer in model.encoder.layers]),
        "gamma": np.stack([array(layer.attention_norm.gamma) for layer in model.encoder.layers]),
        "epsilon": model.decoder.layers[0].feed_forward_norm.eps,
        "beta": np.stack([array(layer.attention_norm.beta) for layer in model.encoder.layers]),
        "W_1": np.stack([array(layer.feed_forward.W_1.weight).T for layer in model.encoder.layers]),
        "b_1": np.stack([array(layer.feed_forward.W_1.bias) for layer in model.encoder.layers]),
        "W_2": np.stack([array(layer.feed_forward.W_2.weight).T for layer in model.encoder.layers]),
        "b_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in model.encoder.layers]),
        "gamma_2": np.stack(
            [array(layer.feed_forward_norm.gamma) for layer in model.encoder.layers]
        ),
        "beta_2": np.stack([array(layer.feed_forward_norm.beta) for layer in model.encoder.layers]),
        "W_Q_2": np.stack(
            [
                per_head(layer.attention.W_Q, layer.attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_K_2": np.stack(
            [
                per_head(layer.attention.W_K, layer.attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_V_2": np.stack(
            [
                per_head(layer.attention.W_V, layer.attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_O_2": np.stack([array(layer.attention.W_O.weight).T for layer in model.decoder.layers]),
        "gamma_3": np.stack([array(layer.attention_norm.gamma) for layer in model.decoder.layers]),
        "beta_3": np.stack([array(layer.attention_norm.beta) for layer in model.decoder.layers]),
        "W_Q_2_2": np.stack(
            [
                per_head(layer.cross_attention.W_Q, layer.cross_attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_K_2_2": np.stack(
            [
                per_head(layer.cross_attention.W_K, layer.cross_attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_V_2_2": np.stack(
            [
                per_head(layer.cross_attention.W_V, layer.cross_attention.num_heads)
                for layer in model.decoder.layers
            ]
        ),
        "W_O_2_2": np.stack(
            [array(layer.cross_attention.W_O.weight).T for layer in model.decoder.layers]
        ),
        "gamma_2_2": np.stack(
            [array(layer.cross_attention_norm.gamma) for layer in model.decoder.layers]
        ),
        "beta_2_2": np.stack(
            [array(layer.cross_attention_norm.beta) for layer in model.decoder.layers]
        ),
        "W_1_2": np.stack(
            [array(layer.feed_forward.W_1.weight).T for layer in model.decoder.layers]
        ),
        "b_1_2": np.stack([array(layer.feed_forward.W_1.bias) for layer in model.decoder.layers]),
        "W_2_2": np.stack(
            [array(layer.feed_forward.W_2.weight).T for layer in model.decoder.layers]
        ),
        "b_2_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in model.decoder.layers]),
        "gamma_3_2": np.stack(
            [array(layer.feed_forward_norm.gamma) for layer in model.decoder.layers]
        ),
        "beta_3_2": np.stack(
            [array(layer.feed_forward_norm.beta) for layer in model.decoder.layers]
        ),
        "W": array(model.W.weight).T,
        "b": array(model.W.bias),
    }
    read = sinusoidal_positional_encoding_by_formula(
        model.positions, token_embedding_by_formula(model.source_embedding, source)
    )
    written = sinusoidal_positional_encoding_by_formula(
        model.positions, token_embedding_by_formula(model.target_embedding, target)
    )
    pairs = zip(read, written, strict=True)
    return np.stack([encoder_decoder_reference(X=x, Y=y, **weights) for x, y in pairs])


def text_encoder_reference(
    U, E, PE, W_Q, W_K, W_V, W_O, gamma, epsilon, beta, W_1, b_1, W_2, b_2, gamma_2, beta_2
):
    d_in, d = U.shape
    d_model = E.shape[1]
    argument = np.zeros((d_in, d_model))
    for c in range(d_in):
        for e in range(d_model):
            argument[c, e] = sum(U[c, f] * E[f, e] for f in range(d)) * np.sqrt(d_model) + PE[c, e]
    return encoder_reference(
        argument, W_Q, W_K, W_V, W_O, gamma, epsilon, beta, W_1, b_1, W_2, b_2, gamma_2, beta_2
    )


def text_encoder_by_formula(model: TextEncoder, tokens: Tensor) -> np.ndarray:
    """The formula at the model's own weights, for each sequence of tokens."""
    weights = {
        "E": array(model.E.weight),
        "W_Q": np.stack(
            [
                per_head(layer.attention.W_Q, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_K": np.stack(
            [
                per_head(layer.attention.W_K, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_V": np.stack(
            [
                per_head(layer.attention.W_V, layer.attention.num_heads)
                for layer in model.encoder.layers
            ]
        ),
        "W_O": np.stack([array(layer.attention.W_O.weight).T for layer in model.encoder.layers]),
        "gamma": np.stack([array(layer.attention_norm.gamma) for layer in model.encoder.layers]),
        "epsilon": model.encoder.layers[0].feed_forward_norm.eps,
        "beta": np.stack([array(layer.attention_norm.beta) for layer in model.encoder.layers]),
        "W_1": np.stack([array(layer.feed_forward.W_1.weight).T for layer in model.encoder.layers]),
        "b_1": np.stack([array(layer.feed_forward.W_1.bias) for layer in model.encoder.layers]),
        "W_2": np.stack([array(layer.feed_forward.W_2.weight).T for layer in model.encoder.layers]),
        "b_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in model.encoder.layers]),
        "gamma_2": np.stack(
            [array(layer.feed_forward_norm.gamma) for layer in model.encoder.layers]
        ),
        "beta_2": np.stack([array(layer.feed_forward_norm.beta) for layer in model.encoder.layers]),
    }
    nothing = np.zeros((tokens.size(1), model.config.d_model))
    positions = sinusoidal_positional_encoding_by_formula(model.PE, nothing)
    weights["PE"] = positions
    one_hot = array(F.one_hot(tokens, model.config.vocab_size))
    return np.stack([text_encoder_reference(U=rows, **weights) for rows in one_hot])


def gelu_feed_forward_reference(x, W_1, b_1, W_2, b_2):
    d_model = len(x)
    d = W_1.shape[1]
    p = W_2.shape[1]
    x_W_1 = np.array([sum(x[c] * W_1[c, b] for c in range(d_model)) for b in range(d)])
    output = np.zeros(p)
    for a in range(p):
        output[a] = sum(gelu(x_W_1[b] + b_1[b]) * W_2[b, a] for b in range(d)) + b_2[a]
    return output


def gelu_feed_forward_by_formula(layer: GeluFeedForward, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula at the layer's own weights, for each row of x."""
    weights = {
        "W_1": array(layer.W_1.weight).T,
        "W_2": array(layer.W_2.weight).T,
        "b_1": array(layer.W_1.bias),
        "b_2": array(layer.W_2.bias),
    }
    rows = array(x).reshape(-1, x.shape[-1])
    output = np.stack([gelu_feed_forward_reference(x=row, **weights) for row in rows])
    return output.reshape(*x.shape[:-1], -1)


def biased_causal_self_attention_reference(X, W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O):
    n, d = X.shape
    h = W_Q.shape[0]
    p = W_Q.shape[2]
    r = W_V.shape[2]
    d_in = W_O.shape[1]
    argument = np.zeros((h, n, p))
    for i in range(h):
        for k in range(n):
            for b in range(p):
                argument[i, k, b] = sum(X[k, c] * W_Q[i, c, b] for c in range(d)) + b_Q[i, b]
    argument_2 = np.zeros((h, n, p))
    for i in range(h):
        for m in range(n):
            for e in range(p):
                argument_2[i, m, e] = sum(X[m, f] * W_K[i, f, e] for f in range(d)) + b_K[i, e]
    argument_3 = np.zeros((h, n, r))
    for i in range(h):
        for s in range(n):
            for g in range(r):
                argument_3[i, s, g] = sum(X[s, q] * W_V[i, q, g] for q in range(d)) + b_V[i, g]
    head = np.array(
        [causal_attention_formula(argument[i], argument_2[i], argument_3[i]) for i in range(h)]
    )
    output = np.zeros((n, d_in))
    for j in range(n):
        for a in range(d_in):
            output[j, a] = sum(head[t // r, j, t % r] * W_O[t, a] for t in range(h * r)) + b_O[a]
    return output


def biased_causal_self_attention_by_formula(
    attention: BiasedCausalSelfAttention, x: Tensor
) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": per_head(attention.W_Q, attention.num_heads),
        "W_K": per_head(attention.W_K, attention.num_heads),
        "W_V": per_head(attention.W_V, attention.num_heads),
        "W_O": array(attention.W_O.weight).T,
        "b_O": array(attention.W_O.bias),
        "b_Q": array(attention.W_Q.bias).reshape(attention.num_heads, -1),
        "b_K": array(attention.W_K.bias).reshape(attention.num_heads, -1),
        "b_V": array(attention.W_V.bias).reshape(attention.num_heads, -1),
    }
    formula = np.vectorize(
        lambda x: biased_causal_self_attention_reference(X=x, **weights), signature="(n,d)->(n,d)"
    )
    return formula(array(x))


def transformer_block_reference(X, LayerNorm, BiasedHeads, LayerNorm_2, MLP):
    n, d = X.shape
    layer_norm_out = np.array([LayerNorm(X[j]) for j in range(n)])
    biased_heads_out = BiasedHeads(layer_norm_out)
    Z = np.zeros((n, d))
    for i in range(n):
        for a in range(d):
            Z[i, a] = X[i, a] + biased_heads_out[i, a]
    layer_norm_2_out = np.array([LayerNorm_2(Z[k]) for k in range(n)])
    mlp_out = np.array([MLP(layer_norm_2_out[k]) for k in range(n)])
    output = np.zeros((n, d))
    for k in range(n):
        for m in range(d):
            output[k, m] = Z[k, m] + mlp_out[k, m]
    return output


def transformer_block_by_formula(layer: TransformerBlock, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula for each sequence, with the layer's own sublayers by their formulas."""

    def formula(x: np.ndarray) -> np.ndarray:
        return transformer_block_reference(
            X=x,
            BiasedHeads=partial(biased_causal_self_attention_by_formula, layer.attention),
            MLP=partial(gelu_feed_forward_by_formula, layer.feed_forward),
            LayerNorm=partial(layer_norm_by_formula, layer.attention_norm),
            LayerNorm_2=partial(layer_norm_by_formula, layer.feed_forward_norm),
        )

    return np.stack([formula(sequence) for sequence in array(x)])


def block_formula(
    X,
    gamma,
    epsilon,
    beta,
    W_Q,
    b_Q,
    W_K,
    b_K,
    W_V,
    b_V,
    W_O,
    b_O,
    gamma_2,
    beta_2,
    W_1,
    b_1,
    W_2,
    b_2,
):
    n, d = X.shape
    layer_norm_out = np.array([layer_norm_reference(X[j], gamma, epsilon, beta) for j in range(n)])
    biased_heads_out = biased_causal_self_attention_reference(
        layer_norm_out, W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O
    )
    Z = np.zeros((n, d))
    for i in range(n):
        for a in range(d):
            Z[i, a] = X[i, a] + biased_heads_out[i, a]
    layer_norm_out_2 = np.array(
        [layer_norm_reference(Z[k], gamma_2, epsilon, beta_2) for k in range(n)]
    )
    mlp_out = np.array(
        [gelu_feed_forward_reference(layer_norm_out_2[k], W_1, b_1, W_2, b_2) for k in range(n)]
    )
    output = np.zeros((n, d))
    for k in range(n):
        for m in range(d):
            output[k, m] = Z[k, m] + mlp_out[k, m]
    return output


def gpt_reference(
    U,
    W_e,
    W_p,
    gamma,
    epsilon,
    beta,
    W_Q,
    b_Q,
    W_K,
    b_K,
    W_V,
    b_V,
    W_O,
    b_O,
    gamma_2,
    beta_2,
    W_1,
    b_1,
    W_2,
    b_2,
    gamma_3,
    beta_3,
):
    n, V = U.shape
    d_model = W_e.shape[1]
    N = gamma.shape[0]
    h_0 = np.zeros((n, d_model))
    for i in range(n):
        for a in range(d_model):
            h_0[i, a] = sum(U[i, j] * W_e[j, a] for j in range(V)) + W_p[i, a]
    h = h_0
    for k in range(N):
        h = block_formula(
            h,
            gamma[k],
            epsilon,
            beta[k],
            W_Q[k],
            b_Q[k],
            W_K[k],
            b_K[k],
            W_V[k],
            b_V[k],
            W_O[k],
            b_O[k],
            gamma_2[k],
            beta_2[k],
            W_1[k],
            b_1[k],
            W_2[k],
            b_2[k],
        )
    layer_norm_out = np.array(
        [layer_norm_reference(h[m], gamma_3, epsilon, beta_3) for m in range(n)]
    )
    scores = np.zeros((n, V))
    for m in range(n):
        for s in range(V):
            scores[m, s] = sum(layer_norm_out[m, t] * W_e[s, t] for t in range(d_model))
    return softmax(scores)


def gpt_by_formula(model: GPT, tokens: Tensor) -> np.ndarray:
    """The formula at the model's own weights, for each sequence of tokens."""
    weights = {
        "W_e": array(model.W_e.weight),
        "gamma": np.stack([array(layer.attention_norm.gamma) for layer in model.layers]),
        "epsilon": model.norm.eps,
        "beta": np.stack([array(layer.attention_norm.beta) for layer in model.layers]),
        "W_Q": np.stack(
            [per_head(layer.attention.W_Q, layer.attention.num_heads) for layer in model.layers]
        ),
        "b_Q": np.stack(
            [
                array(layer.attention.W_Q.bias).reshape(layer.attention.num_heads, -1)
                for layer in model.layers
            ]
        ),
        "W_K": np.stack(
            [per_head(layer.attention.W_K, layer.attention.num_heads) for layer in model.layers]
        ),
        "b_K": np.stack(
            [
                array(layer.attention.W_K.bias).reshape(layer.attention.num_heads, -1)
                for layer in model.layers
            ]
        ),
        "W_V": np.stack(
            [per_head(layer.attention.W_V, layer.attention.num_heads) for layer in model.layers]
        ),
        "b_V": np.stack(
            [
                array(layer.attention.W_V.bias).reshape(layer.attention.num_heads, -1)
                for layer in model.layers
            ]
        ),
        "W_O": np.stack([array(layer.attention.W_O.weight).T for layer in model.layers]),
        "b_O": np.stack([array(layer.attention.W_O.bias) for layer in model.layers]),
        "gamma_2": np.stack([array(layer.feed_forward_norm.gamma) for layer in model.layers]),
        "beta_2": np.stack([array(layer.feed_forward_norm.beta) for layer in model.layers]),
        "W_1": np.stack([array(layer.feed_forward.W_1.weight).T for layer in model.layers]),
        "b_1": np.stack([array(layer.feed_forward.W_1.bias) for layer in model.layers]),
        "W_2": np.stack([array(layer.feed_forward.W_2.weight).T for layer in model.layers]),
        "b_2": np.stack([array(layer.feed_forward.W_2.bias) for layer in model.layers]),
        "gamma_3": array(model.norm.gamma),
        "beta_3": array(model.norm.beta),
    }
    positions = array(model.W_p.weight)[: tokens.size(1)]
    weights["W_p"] = positions
    one_hot = array(F.one_hot(tokens, model.config.vocab_size))
    return np.stack([gpt_reference(U=rows, **weights) for rows in one_hot])


def add_norm_reference(x, Sublayer, LayerNorm):
    d = len(x)
    sublayer_out = Sublayer(x)
    argument = np.array([x[b] + sublayer_out[b] for b in range(d)])
    return LayerNorm(argument)


def add_norm_by_formula(
    layer: AddNorm,
    x: Tensor | np.ndarray,
    sublayer: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """The formula around a sublayer, with the layer's own norm by its formula."""

    def norm(x: np.ndarray) -> np.ndarray:
        return layer_norm_by_formula(layer.norm, x)

    rows = array(x).reshape(-1, x.shape[-1])
    output = np.stack(
        [add_norm_reference(x=row, LayerNorm=norm, Sublayer=sublayer) for row in rows]
    )
    return output.reshape(x.shape)


def pre_norm_reference(x, LayerNorm, Sublayer):
    d = len(x)
    layer_norm_out = LayerNorm(x)
    sublayer_out = Sublayer(layer_norm_out)
    return np.array([x[a] + sublayer_out[a] for a in range(d)])


def pre_norm_by_formula(
    layer: PreNorm,
    x: Tensor | np.ndarray,
    sublayer: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """The formula around a sublayer, with the layer's own norm by its formula."""

    def norm(x: np.ndarray) -> np.ndarray:
        return layer_norm_by_formula(layer.norm, x)

    rows = array(x).reshape(-1, x.shape[-1])
    output = np.stack(
        [pre_norm_reference(x=row, LayerNorm=norm, Sublayer=sublayer) for row in rows]
    )
    return output.reshape(x.shape)


def masked_scaled_dot_product_attention_reference(Q, K, V, M):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q[i, b] * K[j, b] for b in range(d_k)) / np.sqrt(d_k) + M[i, j]
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def masked_scaled_dot_product_attention_by_formula(
    attention: MaskedScaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor, M: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value, M: masked_scaled_dot_product_attention_reference(
            Q=query, K=key, V=value, M=M
        ),
        signature="(n,d),(m,d),(m,v),(n,m)->(n,v)",
    )
    return formula(array(query), array(key), array(value), array(M))


def relative_self_attention_reference(w_K, x, W_Q, W_K, w_V, W_V, c):
    d_k = w_K.shape[1]
    n, d = x.shape
    p = w_V.shape[1]
    a_K = np.zeros((n, n, d_k))
    for i in range(n):
        for j in range(n):
            for a in range(d_k):
                a_K[i, j, a] = w_K[min(max(j - i, -c), c) + c, a]
    x_W_Q = np.zeros((n, d_k))
    for k in range(n):
        for m in range(d_k):
            x_W_Q[k, m] = sum(x[k, b] * W_Q[b, m] for b in range(d))
    x_W_K = np.zeros((n, d_k))
    for r in range(n):
        for m in range(d_k):
            x_W_K[r, m] = sum(x[r, s] * W_K[s, m] for s in range(d))
    e = np.zeros((n, n))
    for k in range(n):
        for r in range(n):
            e[k, r] = sum(x_W_Q[k, m] * (x_W_K[r, m] + a_K[k, r, m]) for m in range(d_k)) / np.sqrt(
                d_k
            )
    a_V = np.zeros((n, n, p))
    for t in range(n):
        for u in range(n):
            for v in range(p):
                a_V[t, u, v] = w_V[min(max(u - t, -c), c) + c, v]
    weights = softmax(e)
    x_W_V = np.zeros((n, p))
    for w in range(n):
        for y in range(p):
            x_W_V[w, y] = sum(x[w, f] * W_V[f, y] for f in range(d))
    z = np.zeros((n, p))
    for g in range(n):
        for y in range(p):
            z[g, y] = sum(weights[g, w] * (x_W_V[w, y] + a_V[g, w, y]) for w in range(n))
    return z


def relative_self_attention_by_formula(attention: RelativeSelfAttention, x: Tensor) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": array(attention.W_Q.weight).T,
        "W_K": array(attention.W_K.weight).T,
        "W_V": array(attention.W_V.weight).T,
        "w_K": array(attention.w_K),
        "w_V": array(attention.w_V),
        "c": attention.max_distance,
    }
    formula = np.vectorize(
        lambda x: relative_self_attention_reference(x=x, **weights), signature="(n,d)->(n,v)"
    )
    return formula(array(x))


def relative_position_attention_reference(q, k, v, r, c):
    n, d_k = q.shape
    m = k.shape[0]
    d_v = v.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(
                q[i, b] * (k[j, b] + r[min(max(j - i, -c), c) + c, b]) for b in range(d_k)
            ) / np.sqrt(d_k)
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * v[j, a] for j in range(m))
    return output


def relative_position_attention_by_formula(
    attention: RelativePositionAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "r": array(attention.r),
        "c": attention.max_distance,
    }
    formula = np.vectorize(
        lambda query, key, value: relative_position_attention_reference(
            q=query, k=key, v=value, **weights
        ),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))


def relative_position_bias_reference(b, n, m, c):
    H = b.shape[0]
    B = np.zeros((H, n, m))
    for h in range(H):
        for i in range(n):
            for j in range(m):
                B[h, i, j] = b[h, min(max(j - i, -c), c) + c]
    return B


def relative_position_bias_by_formula(bias: RelativePositionBias, n: int) -> np.ndarray:
    """The formula for as many queries as keys, with the numbers of each head."""
    table = array(bias.b)
    return relative_position_bias_reference(b=table, n=n, m=n, c=bias.max_distance)


def self_attention_reference(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_Q.shape[1]
    d_v = W_V.shape[1]
    X_W_Q = np.zeros((n, d_k))
    for i in range(n):
        for b in range(d_k):
            X_W_Q[i, b] = sum(X[i, j] * W_Q[j, b] for j in range(d_model))
    X_W_K = np.zeros((n, d_k))
    for k in range(n):
        for b in range(d_k):
            X_W_K[k, b] = sum(X[k, m] * W_K[m, b] for m in range(d_model))
    scores = np.zeros((n, n))
    for i in range(n):
        for k in range(n):
            scores[i, k] = sum(X_W_Q[i, b] * X_W_K[k, b] for b in range(d_k)) / np.sqrt(d_k)
    weights = softmax(scores)
    X_W_V = np.zeros((n, d_v))
    for k in range(n):
        for a in range(d_v):
            X_W_V[k, a] = sum(X[k, r] * W_V[r, a] for r in range(d_model))
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, k] * X_W_V[k, a] for k in range(n))
    return output


def self_attention_by_formula(attention: SelfAttention, x: Tensor) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": array(attention.W_Q.weight).T,
        "W_K": array(attention.W_K.weight).T,
        "W_V": array(attention.W_V.weight).T,
    }
    formula = np.vectorize(
        lambda x: self_attention_reference(X=x, **weights), signature="(n,d)->(n,v)"
    )
    return formula(array(x))


def single_head_causal_self_attention_reference(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_Q.shape[1]
    d_v = W_V.shape[1]
    X_W_Q = np.zeros((n, d_k))
    for i in range(n):
        for b in range(d_k):
            X_W_Q[i, b] = sum(X[i, c] * W_Q[c, b] for c in range(d_model))
    X_W_K = np.zeros((n, d_k))
    for j in range(n):
        for b in range(d_k):
            X_W_K[j, b] = sum(X[j, f] * W_K[f, b] for f in range(d_model))
    scores = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            scores[i, j] = sum(X_W_Q[i, b] * X_W_K[j, b] for b in range(d_k)) / np.sqrt(d_k) + (
                0 if j <= i else -np.inf
            )
    weights = softmax(scores)
    X_W_V = np.zeros((n, d_v))
    for j in range(n):
        for a in range(d_v):
            X_W_V[j, a] = sum(X[j, p] * W_V[p, a] for p in range(d_model))
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * X_W_V[j, a] for j in range(n))
    return output


def single_head_causal_self_attention_by_formula(
    attention: SingleHeadCausalSelfAttention, x: Tensor
) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": array(attention.W_Q.weight).T,
        "W_K": array(attention.W_K.weight).T,
        "W_V": array(attention.W_V.weight).T,
    }
    formula = np.vectorize(
        lambda x: single_head_causal_self_attention_reference(X=x, **weights),
        signature="(n,d)->(n,v)",
    )
    return formula(array(x))


def cross_attention_reference(X, Z, W_Q, W_K, W_V):
    n, d_model = X.shape
    m = Z.shape[0]
    d_k = W_Q.shape[1]
    d_v = W_V.shape[1]
    X_W_Q = np.zeros((n, d_k))
    for i in range(n):
        for c in range(d_k):
            X_W_Q[i, c] = sum(X[i, e] * W_Q[e, c] for e in range(d_model))
    Z_W_K = np.zeros((m, d_k))
    for j in range(m):
        for c in range(d_k):
            Z_W_K[j, c] = sum(Z[j, f] * W_K[f, c] for f in range(d_model))
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(X_W_Q[i, c] * Z_W_K[j, c] for c in range(d_k)) / np.sqrt(d_k)
    weights = softmax(scores)
    total = np.zeros((n, d_model))
    for i in range(n):
        for b in range(d_model):
            total[i, b] = sum(weights[i, j] * Z[j, b] for j in range(m))
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(total[i, b] * W_V[b, a] for b in range(d_model))
    return output


def cross_attention_by_formula(attention: CrossAttention, x: Tensor, memory: Tensor) -> np.ndarray:
    """The formula at the attention's own weights, for each sequence."""
    weights = {
        "W_Q": array(attention.W_Q.weight).T,
        "W_K": array(attention.W_K.weight).T,
        "W_V": array(attention.W_V.weight).T,
    }
    formula = np.vectorize(
        lambda x, memory: cross_attention_reference(X=x, Z=memory, **weights),
        signature="(n,d),(m,e)->(n,v)",
    )
    return formula(array(x), array(memory))


def synthesizer_attention_reference(X, A, b_1, B, b_2, V):
    n, d_model = X.shape
    d_a = A.shape[1]
    d_v = V.shape[1]
    X_A = np.zeros((n, d_a))
    for i in range(n):
        for b in range(d_a):
            X_A[i, b] = sum(X[i, c] * A[c, b] for c in range(d_model))
    scores = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            scores[i, j] = sum(relu(X_A[i, b] + b_1[b]) * B[b, j] for b in range(d_a)) + b_2[j]
    weights = softmax(scores)
    X_V = np.zeros((n, d_v))
    for j in range(n):
        for a in range(d_v):
            X_V[j, a] = sum(X[j, e] * V[e, a] for e in range(d_model))
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * X_V[j, a] for j in range(n))
    return output


def synthesizer_attention_by_formula(attention: SynthesizerAttention, x: Tensor) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "A": array(attention.A.weight).T,
        "B": array(attention.B.weight)[: x.shape[-2]].T,
        "V": array(attention.V.weight).T,
        "b_1": array(attention.A.bias),
        "b_2": array(attention.B.bias)[: x.shape[-2]],
    }
    formula = np.vectorize(
        lambda x: synthesizer_attention_reference(X=x, **weights), signature="(n,d)->(n,v)"
    )
    return formula(array(x))


def seq2seq_attention_reference(v_a, W_a, s, U_a, h):
    d_a = len(v_a)
    d_s = W_a.shape[1]
    n = s.shape[0]
    d_h = U_a.shape[1]
    m = h.shape[0]
    W_a_s = np.zeros((d_a, n))
    for a in range(d_a):
        for t in range(n):
            W_a_s[a, t] = sum(W_a[a, b] * s[t, b] for b in range(d_s))
    U_a_h = np.zeros((d_a, m))
    for a in range(d_a):
        for j in range(m):
            U_a_h[a, j] = sum(U_a[a, i] * h[j, i] for i in range(d_h))
    e = np.zeros((n, m))
    for t in range(n):
        for j in range(m):
            e[t, j] = sum(v_a[a] * np.tanh(W_a_s[a, t] + U_a_h[a, j]) for a in range(d_a))
    total = np.array([sum(np.exp(e[r, k]) for k in range(m)) for r in range(n)])
    alpha = np.zeros((n, m))
    for r in range(n):
        for u in range(m):
            alpha[r, u] = np.exp(e[r, u]) / total[r]
    c = np.zeros((n, d_h))
    for v in range(n):
        for w in range(d_h):
            c[v, w] = sum(alpha[v, x] * h[x, w] for x in range(m))
    return c


def seq2seq_attention_by_formula(
    attention: Seq2SeqAttention, state: Tensor, memory: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    weights = {
        "W_a": array(attention.W_a.weight),
        "U_a": array(attention.U_a.weight),
        "v_a": array(attention.v_a.weight)[0],
    }
    formula = np.vectorize(
        lambda state, memory: seq2seq_attention_reference(s=state, h=memory, **weights),
        signature="(n,d),(m,e)->(n,e)",
    )
    return formula(array(state), array(memory))


def rotary_embedding_reference(x):
    n, d = x.shape
    theta = np.array([10000 ** (-2 * i / d) for i in range((d + 1) // 2)])
    x_prime = np.zeros((n, d))
    for m in range(n):
        for a in range(d):
            if a % 2 == 0:
                x_prime[m, a] = sum(
                    (np.cos(m * theta[a // 2]) if j == 0 else -np.sin(m * theta[a // 2]))
                    * np.concatenate([[x[m, 2 * (a // 2)]], [x[m, 2 * (a // 2) + 1]]])[j]
                    for j in range(2)
                )
            else:
                x_prime[m, a] = sum(
                    (np.sin(m * theta[a // 2]) if r == 0 else np.cos(m * theta[a // 2]))
                    * np.concatenate([[x[m, 2 * (a // 2)]], [x[m, 2 * (a // 2) + 1]]])[r]
                    for r in range(2)
                )
    return x_prime


def rotary_embedding_by_formula(x: Tensor) -> np.ndarray:
    """The formula for each sequence."""
    n, d_k = x.shape[-2:]
    sequences = array(x).reshape(-1, n, d_k)
    turned = [rotary_embedding_reference(x=sequence) for sequence in sequences]
    return np.stack(turned).reshape(x.shape)


def alibi_reference(H, n, l_):
    m = np.array([2 ** (-8 * (h + 1) / H) for h in range(H)])
    B = np.zeros((H, n, l_))
    for i in range(H):
        for j in range(n):
            for k in range(l_):
                B[i, j, k] = m[i] * (k - j)
    return B


def alibi_by_formula(num_heads: int, n: int) -> np.ndarray:
    """The formula for as many queries as keys."""
    return alibi_reference(num_heads, n, n)


def output_head_reference(h, W, b):
    n, d_model = h.shape
    V = W.shape[1]
    scores = np.zeros((n, V))
    for t in range(n):
        for i in range(V):
            scores[t, i] = sum(h[t, a] * W[a, i] for a in range(d_model)) + b[i]
    return softmax(scores)


def output_head_by_formula(layer: OutputHead, x: Tensor | np.ndarray) -> np.ndarray:
    """The formula's probabilities at the layer's own weights, for each row of x."""
    weights = {
        "W": array(layer.W.weight).T,
        "b": array(layer.W.bias),
    }
    rows = array(x).reshape(-1, x.shape[-1])
    output = output_head_reference(h=rows, **weights)
    return output.reshape(*x.shape[:-1], -1)


def cross_entropy_reference(y, p):
    V = len(y)
    return -sum(y[i] * np.log(p[i]) for i in range(V))


def cross_entropy_by_formula(scores: Tensor, target: Tensor) -> np.ndarray:
    """The formula at the probabilities that the scores make; over a text, its mean."""
    probabilities = array(torch.softmax(scores, dim=-1)).reshape(-1, scores.size(-1))
    truth = np.eye(scores.size(-1))[target.flatten().tolist()]
    pairs = zip(truth, probabilities, strict=True)
    return np.mean([cross_entropy_reference(y=y, p=p) for y, p in pairs])


def perplexity_reference(y, p):
    V = len(y)
    L = -sum(y[i] * np.log(p[i]) for i in range(V))
    return np.exp(L)


def perplexity_by_formula(scores: Tensor, target: Tensor) -> np.ndarray:
    """The formula at the probabilities that the scores make; of a text, the geometric mean."""
    probabilities = array(torch.softmax(scores, dim=-1)).reshape(-1, scores.size(-1))
    truth = np.eye(scores.size(-1))[target.flatten().tolist()]
    pairs = zip(truth, probabilities, strict=True)
    each = [perplexity_reference(y=y, p=p) for y, p in pairs]
    return np.prod(each) ** (1 / len(each))


def label_smoothing_reference(epsilon, y, V):
    d = len(y)
    return np.array([(1 - epsilon) * y[i] + epsilon / V for i in range(d)])


def label_smoothing_by_formula(truth: Tensor, epsilon: float) -> np.ndarray:
    """The formula for each row of the truth."""
    rows = array(truth).reshape(-1, truth.size(-1))
    smoothed = np.stack(
        [label_smoothing_reference(y=row, epsilon=epsilon, V=truth.size(-1)) for row in rows]
    )
    return smoothed.reshape(truth.shape)


def warmup_schedule_reference(step, warmup, d_model):
    return np.minimum(1 / np.sqrt(step), step / warmup**1.5) / np.sqrt(d_model)


def warmup_schedule_by_formula(step: int, d_model: int, warmup_steps: int) -> float:
    """The formula at a step."""
    rates = warmup_schedule_reference(
        d_model=d_model, warmup=np.asarray(warmup_steps), step=np.asarray(step)
    )
    return np.ravel(rates)[-1]


def bleu_reference(c, r, p):
    N = len(p)
    w = np.array([1 / N for n in range(N)])
    BP = 1 if c > r else np.exp(1 - r / c)
    return BP * np.exp(sum(w[i] * np.log(p[i]) for i in range(N)))


def bleu_precision_by_formula(candidate: list[str], reference: list[str], n: int) -> float:
    """The part of the candidate's n-grams that find a partner of their own in the reference."""
    left = [reference[at : at + n] for at in range(len(reference) - n + 1)]
    grams = [candidate[at : at + n] for at in range(len(candidate) - n + 1)]
    found = 0
    for gram in grams:
        if gram in left:
            left.remove(gram)
            found += 1
    return found / len(grams)


def bleu_by_formula(candidate: list[str], reference: list[str]) -> float:
    """The formula at the candidate's precisions of one and two words."""
    precisions = np.array([bleu_precision_by_formula(candidate, reference, n) for n in (1, 2)])
    return bleu_reference(c=len(candidate), r=len(reference), p=precisions)


def rescaled_dot_product_attention_reference(Q, K, V):
    n, d_k = Q.shape
    m = K.shape[0]
    d_v = V.shape[1]
    scores = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            scores[i, j] = sum(Q[i, b] * K[j, b] for b in range(d_k)) / d_k
    weights = softmax(scores)
    output = np.zeros((n, d_v))
    for i in range(n):
        for a in range(d_v):
            output[i, a] = sum(weights[i, j] * V[j, a] for j in range(m))
    return output


def rescaled_dot_product_attention_by_formula(
    attention: RescaledDotProductAttention, query: Tensor, key: Tensor, value: Tensor
) -> np.ndarray:
    """The formula for all queries of each sequence."""
    formula = np.vectorize(
        lambda query, key, value: rescaled_dot_product_attention_reference(Q=query, K=key, V=value),
        signature="(n,d),(m,d),(m,v)->(n,v)",
    )
    return formula(array(query), array(key), array(value))
