"""Layers, activations, concatenation, and functions that are named."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, relu, sigmoid, softmax, table

phi = np.vectorize(lambda x: (1 + erf(x / np.sqrt(2))) / 2)


def leaky(x: Any, slope: float) -> Any:
    return np.where(x > 0, x, slope * x)


@table(
    # A number that is drawn from the standard normal distribution is at most x with Φ(x).
    Case(
        r"y = x P(Z \le x), \quad Z \sim \mathcal{N}(0, 1)",
        "x[d]",
        lambda x: x * phi(x),
    ),
    Case(r"\mathrm{GELU}(x) = x \cdot P(X \leq x)", "x", lambda x: x * phi(x)),
    Case(r"\mathrm{GELU}(x) = x \Pr(X < x) = x \Phi(x)", "x", lambda x: x * phi(x)),
    Case(
        r"H = g(X W), \quad g(x) = x P(Z \le x), \quad Z \sim N(0, 1)",
        "X[n,d] W[d,p]",
        lambda x, w: x @ w * phi(x @ w),
    ),
    # The second thing that a linear layer is given is how many features it gives.
    Case(
        r"y = \alpha^{L-1} W x", "alpha+ L W[p,d] x[d]", lambda a, n, w, x: a ** (n - 1) * (w @ x)
    ),
    Case(
        r"y = \mathrm{Linear}(x, d_{out})",
        "x[d] W_1[d,d_out] b_1[d_out]",
        lambda x, w, b: x @ w + b,
    ),
    Case(
        r"y = \sum_{i=1}^N g_i \mathrm{FFN}_i(x)",
        "g[N] x[d] W_1[N,d,p] b_1[N,p] W_2[N,p,r] b_2[N,r]",
        lambda g, x, w, b, u, c: sum(
            g[i] * (relu(x @ w[i] + b[i]) @ u[i] + c[i]) for i in range(len(g))
        ),
    ),
    Case(
        r"h\text{-swish}(x) = x \frac{\mathrm{ReLU6}(x + 3)}{6}",
        "x[d]",
        lambda x: x * np.clip(x + 3, 0, 6) / 6,
    ),
    Case(r"h = \mathrm{ReLU}(Wx + b)", "W[h,d] x[d] b[h]", lambda w, x, b: relu(w @ x + b)),
    Case(r"h = \text{relu}(xW + b)", "x[d] W[d,h] b[h]", lambda x, w, b: relu(x @ w + b)),
    Case(r"h = \max(0, xW)", "x[d] W[d,h]", lambda x, w: relu(x @ w)),
    Case(r"y = \sigma(x)", "x[d]", sigmoid),
    Case(r"y = x \sigma(x)", "x[d]", lambda x: x * sigmoid(x)),
    # Whatever the letter, and wherever the activation stands: no product of matrices.
    Case(r"y = z \sigma(z)", "z[d]", lambda z: z * sigmoid(z)),
    Case(r"y = h \tanh(\log(1 + e^h))", "h[d]", lambda h: h * np.tanh(np.log1p(np.exp(h)))),
    Case(r"y = \tanh(u) u", "u[d]", lambda u: u * np.tanh(u)),
    Case(r"y = x \odot \sigma(\beta x)", "x[d] beta", lambda x, b: x * sigmoid(b * x)),
    Case(r"y = \mathrm{SiLU}(x)", "x[d]", lambda x: x * sigmoid(x)),
    Case(r"y = \mathrm{GELU}(x)", "x[d]", lambda x: x * phi(x)),
    Case(r"y = x\Phi(x)", "x[d]", lambda x: x * phi(x)),
    Case(
        r"y = \tanh(x) + \mathrm{softplus}(x)", "x[d]", lambda x: np.tanh(x) + np.log1p(np.exp(x))
    ),
    Case(
        r"y = 0.5x\left(1 + \tanh\left(\sqrt{2/\pi}(x + 0.044715x^3)\right)\right)",
        "x",
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    Case(r"f(x)^2, \quad f(x) = x + 1", "x[d]", lambda x: (x + 1) ** 2),
    Case(r"g(x) = f(x)^2 - f(2x), \quad f(z) = z^3", "x[d]", lambda x: x**6 - 8 * x**3),
    Case(
        r"y = \mathrm{FFN}(x), \quad \mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2",
        "x[d] W_1[d,h] b_1[h] W_2[h,e] b_2[e]",
        lambda x, w1, b1, w2, b2: relu(x @ w1 + b1) @ w2 + b2,
    ),
    Case(
        r"\mathrm{GLU}(x) = (xW + b) \otimes \sigma(xV + c)",
        "x[d] W[d,h] b[h] V[d,h] c[h]",
        lambda x, w, b, v, c: (x @ w + b) * sigmoid(x @ v + c),
    ),
    Case(r"y = x + f(x)", "x[d] f()", lambda x, f: x + f(x)),
    Case(
        r"y = [a; b]",
        "a[n] b[m]",
        lambda a, b: np.concatenate([a, b]),
        shapes={"a": "n", "b": "m"},
    ),
    Case(r"y = W[q; k]", "W[h,d+e] q[d] k[e]", lambda w, q, k: w @ np.concatenate([q, k])),
    Case(r"y = W[q \Vert k]", "W[h,d+e] q[d] k[e]", lambda w, q, k: w @ np.concatenate([q, k])),
    Case(r"y = W\,\mathrm{Concat}(q, k)", "W[h,d+e] q[d] k[e]", lambda w, q, k: w @ np.r_[q, k]),
    Case(
        r"y = W \begin{bmatrix} q \\ k \end{bmatrix}",
        "W[h,d+e] q[d] k[e]",
        lambda w, q, k: w @ np.r_[q, k],
    ),
    # The share of negative numbers that passes is given, or an input.
    Case(
        r"e_{ij} = \mathrm{LeakyReLU}(u^\top x_i + v^\top x_j)",
        "u[d] x[n,d] v[d] negative_slope",
        lambda u, x, v, slope: leaky((x @ u)[:, None] + x @ v, slope),
    ),
    Case(
        r"y = \mathrm{LeakyReLU}(W x, 0.2)",
        "W[m,d] x[d]",
        lambda w, x: leaky(w @ x, 0.2),
    ),
    # What MultiHead joins has all positions, whatever letter it has.
    Case(
        r"\mathrm{MultiHead}(X) = \mathrm{Concat}(z_1, \dots, z_h) W^O",
        "z[h,n,d] W_O[h*d,m]",
        lambda z, w: np.concatenate(list(z), axis=-1) @ w,
    ),
    Case(
        r"O = \mathrm{Concat}(H_1, \dots, H_h) W^O",
        "H[h,n,v] W_O[h*v,d]",
        lambda h, w: np.concatenate(list(h), axis=1) @ w,
    ),
    Case(
        r"O = [H_1, \dots, H_h] W^O",
        "H[h,n,v] W_O[h*v,d]",
        lambda h, w: np.concatenate(list(h), axis=1) @ w,
    ),
    Case(
        r"O = (head_1, head_2, \dots, head_h) W^O",
        "head[h,n,v] W_O[h*v,d]",
        lambda h, w: np.concatenate(list(h), axis=1) @ w,
    ),
    Case(
        r"z = W_c [c_t; h_t], \quad c_t = \sum_s \alpha_{ts} h_s",
        "W_c[e,2*d] h[n,d] alpha[n,n]",
        lambda w, h, a: np.concatenate([a @ h, h], axis=1) @ w.T,
    ),
    Case(
        r"h_t = \tanh(W h_{t-1} + U x_t)",
        "W[d,d] h[d] U[d,e] x[e]",
        lambda w, h, u, x: np.tanh(w @ h + u @ x),
    ),
    Case(
        r"p = \mathrm{softmax}(W_2 \tanh(W_1 x))",
        "W_2[v,h] W_1[h,d] x[d]",
        lambda w2, w1, x: softmax(w2 @ np.tanh(w1 @ x)),
    ),
    # A layer has all positions, and what scales it is a number.
    # The state of another layer is an array of its own, and raised to nothing.
    Case(r"U = H^{l-1} W^U", "H_l_1[n,d] W_U[d,p]", np.matmul),
    Case(
        r"S = \mathrm{softmax}(H^{\ell-1} M (H^{\ell-1})^\top)",
        "H_ell_1[n,d] M[d,d]",
        lambda h, m: softmax(h @ m @ h.T),
    ),
    Case(r"y = W a^{l-1} + b", "W[h,d] a_l_1[d] b[h]", lambda w, a, b: w @ a + b),
    Case(
        r"\delta = x^{l+1} - 3 x^l - x^{l-1}",
        "x_l_plus_1[d] x_l[d] x_l_1[d]",
        lambda after, x, before: after - 3 * x - before,
    ),
    Case(
        r"G = \gamma^{l-1} H^{l-1} W",
        "gamma l H_l_1[n,d] W[d,p]",
        lambda g, layer, h, w: g ** (layer - 1) * (h @ w),
    ),
    # Not so what is a number, or has the number of the layer for its exponent elsewhere.
    Case(r"y = l p^{l-1}", "l p+", lambda n, p: n * p ** (n - 1)),
    Case(
        r"s = \sum_{\ell=1}^L c_\ell r^{\ell-1}",
        "c[L,d] r",
        lambda c, r: sum(c[i] * r**i for i in range(len(c))),
    ),
    Case(
        r"H^{(l+1)} = s \cdot \frac{\hat H^{(l)}}{\|\hat H^{(l)}\|_F}",
        "s H_hat[n,d]",
        lambda s, h: s * h / np.linalg.norm(h),
    ),
    # What is added to what a layer makes of queries has a row for each of them; a bias has not.
    Case(
        r"y = x^{in} + \mathrm{Attention}(Q, K, V)",
        "x_in[n,d] Q[n,q] K[m,q] V[m,d]",
        lambda x, q, k, v: x + softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"y = \mathrm{Attention}(Q, K, V) + b",
        "Q[n,q] K[m,q] V[m,d] b[d]",
        lambda q, k, v, b: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v + b,
    ),
    # The bold x_i of a layer is a vector, whatever acts on it.
    Case(
        r"\mathbf{x}_i^{(l+1)} = \tilde{\mathbf{x}}_i^{(l)} + f(\tilde{\mathbf{x}}_i^{(l)})",
        "x_tilde[n,d] f()",
        lambda x, f: x + f(x),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_block_of_a_step() -> None:
    """What makes a state of the one before is a block of its own, and no whole model."""
    formula = compile_formula(r"h_i = \text{transformer}(h_{i-1})")
    assert {i.name: i.kind for i in formula.inputs} == {"h": "array", "transformer": "function"}
    assert compile_formula(r"Y = \text{MultiHead}(X)").component == "multi_head_attention"


def test_the_width_of_a_layer_may_be_a_product() -> None:
    x, weight, bias = compile_formula(r"y = \mathrm{Linear}(x, 4d)").inputs
    assert (weight.shape, bias.shape) == (("d", "4*d"), ("4*d",))
    assert x.shape == ("d",)
