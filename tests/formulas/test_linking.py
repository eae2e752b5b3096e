"""Several equations in one formula, where-clauses, and what the note says before."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, rotated, sigmoid, softmax, table

PROJECTED = r"Q = X W_Q, K = X W_K, V = X W_V"
TURNED = (
    r"\mathrm{RoPE}(x, m)_{2i} = x_{2i} \cos(m \theta_i) - x_{2i+1} \sin(m \theta_i), \quad "
    r"\mathrm{RoPE}(x, m)_{2i+1} = x_{2i} \sin(m \theta_i) + x_{2i+1} \cos(m \theta_i), \quad "
    r"\theta_i = 10000^{-2i/d}"
)


def of_groups(
    x: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, o: np.ndarray
) -> np.ndarray:
    """Heads of queries whose keys and values are those of their group, joined and mixed."""
    of = [i * len(k) // len(q) for i in range(len(q))]
    heads = [
        softmax(x @ q[i] @ (x @ k[g]).T / np.sqrt(k.shape[-1])) @ x @ v[g] for i, g in enumerate(of)
    ]
    return np.concatenate(heads, 1) @ o


@table(
    # The keys of the groups have an index of their own where they are made, and G(i) is of g.
    Case(
        r"Y = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W_O",
        "X[n,d] W_Q[2*g,d,k] W_K[g,d,k] W_V[g,d,v] W_O[2*g*v,p]",
        of_groups,
        context=[
            r"Q_i = X W_i^Q, \quad i \in [1, h]",
            r"K_j = X W_j^K, \quad V_j = X W_j^V, \quad j \in [1, g]",
            r"B_i = \mathrm{softmax}\left(\frac{Q_i K_{G(i)}^\top}{\sqrt{d_k}}\right)",
            r"\mathrm{head}_i = B_i V_{G(i)}",
        ],
    ),
    Case(
        r"Y = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W_O",
        "X[n,d] W_Q[2*g,d,k] W_K[g,d,k] W_V[g,d,v] W_O[2*g*v,p]",
        of_groups,
        context=[
            r"Q_i = X W_i^Q",
            r"K_j = X W_j^K",
            r"V_j = X W_j^V",
            r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_{g(i)}^\top / \sqrt{d_k}) V_{g(i)}",
        ],
    ),
    # One of the weights that a function gives, at one of the keys.
    Case(
        r"c = \sum_{i=1}^m \alpha(q, k_i) v_i",
        "q[d] k[m,d] v[m,p]",
        lambda q, k, v: softmax(k @ q) @ v,
        context=[r"\alpha(q, k_i) = \frac{\exp(q^\top k_i)}{\sum_{j=1}^m \exp(q^\top k_j)}"],
    ),
    # A sum may count with the letter of an array that another formula makes.
    Case(
        r"y_i = \sum_{j=1}^n \frac{\exp(s_{ij})}{\sum_{k=1}^n \exp(s_{ik})} u_j",
        "W_q[p,d] h[n,d] W_k[p,d] W_u[m,d]",
        lambda q, h, k, u: softmax((h @ q.T) @ (h @ k.T).T) @ h @ u.T,
        context=[
            r"q_i = W_q h_i \\ k_i = W_k h_i \\ u_i = W_u h_i",
            r"s_{ij} = q_i^\top k_j",
        ],
    ),
    # The f_i that stands without parentheses, too, is no function.
    Case(
        r"s = \sum_i w_i \frac{f_i (k_1 + 1)}{f_i + k_1}",
        "w[n] f[n] k_1",
        lambda w, f, k: (w * f * (k + 1) / (f + k)).sum(),
        context=[r"f(x) = \min(1, (x / m)^2)"],
    ),
    # What is made of all h_i may be called h.
    Case(
        r"\alpha_i = \frac{\exp(w^\top h_i)}{\sum_k \exp(w^\top h_k)}",
        "w[d] h[n,d]",
        lambda w, h: softmax(h @ w),
        context=[r"h = \sum_i \alpha_i h_i"],
    ),
    Case(
        r"y = \phi(W x)",
        "W[p,d] x[d]",
        lambda w, x: relu(w @ x),
        context=[r"\phi(\cdot) = \mathrm{ReLU}(\cdot)"],
    ),
    # Tokens are the rows of what weights stand behind, and the columns of what they stand before.
    Case(
        r"O = \mathrm{softmax}(Q K^\top) V",
        "x[n,d] W_Q[d,k] W_K[d,k] W_V[d,v]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).T) @ x @ v,
        context=[r"x_i \in \mathbb{R}^d", r"X = [x_1, \dots, x_n]", PROJECTED],
    ),
    Case(
        r"O = V \mathrm{softmax}(K^\top Q)",
        "W_V[v,d] x[n,d] W_K[k,d] W_Q[k,d]",
        lambda v, x, k, q: v @ x.T @ softmax((k @ x.T).T @ q @ x.T, axis=0),
        context=[
            r"x_i \in \mathbb{R}^d",
            r"X = [x_1, \dots, x_n]",
            r"Q = W_Q X, K = W_K X, V = W_V X",
        ],
    ),
    # All calls of one function compute with its weights, a size by its letter or not; a layer that
    # is applied to its own result has others.
    Case(
        r"L = -\log D(x) - \log(1 - D(y))",
        "x[d] w[d] b y[d]",
        lambda x, w, b, y: -np.log(sigmoid(w @ x + b)) - np.log(1 - sigmoid(w @ y + b)),
        context=[r"D(x) = \sigma(w^\top x + b)"],
    ),
    Case(
        r"s = \mathrm{Enc}(x)^\top \mathrm{Enc}(y)",
        "x[d] W[p,d] y[d]",
        lambda x, w, y: np.tanh(w @ x) @ np.tanh(w @ y),
        context=[r"\mathrm{Enc}(x) = \tanh(W x)"],
    ),
    Case(
        r"y = \mathrm{Enc}(\mathrm{Enc}(x))",
        "x[d] W[p,d] W_2[k,p]",
        lambda x, w, v: np.tanh(v @ np.tanh(w @ x)),
        context=[r"\mathrm{Enc}(x) = \tanh(W x)"],
    ),
    # What a function is said to be of is that which the formula makes, where it goes on with it.
    Case(
        r"q = W x, \quad f(q) = \tanh(q), \quad y = f(q) + z",
        "W[p,d] x[d] z[p]",
        lambda w, x, z: np.tanh(w @ x) + z,
    ),
    Case(
        r"Q = X W_Q, \quad S(Q) = \mathrm{softmax}(Q), \quad Y = S(Q) W",
        "X[n,d] W_Q[d,p] W[p,k]",
        lambda x, q, w: softmax(x @ q) @ w,
    ),
    # What a formula defines is its own, whatever another that it is made of calls so.
    Case(
        r"h_t = (1 - u_t) \odot h_{t-1} + u_t \odot c_t",
        "u[d] h[d] c[d]",
        lambda u, h, c: (1 - u) * h + u * c,
        context=[r"h_k = \mathrm{ReLU}(W_k X + b_k)", r"c_t = x_t W_x + r_t \odot h_{t-1} W_h"],
    ),
    # What stands where a function takes a vector is none of the sizes n and m.
    Case(
        r"L = \max(0, d(a, p) - d(a, n) + \mu)",
        "a[k] p[k] n[k] mu",
        lambda a, p, n, m: relu(np.linalg.norm(a - p) - np.linalg.norm(a - n) + m),
        context=[r"d(x, y) = \|x - y\|_2"],
    ),
    # A function that is defined beside another.
    Case(
        r"z = W \phi(q)",
        "W[p,d] q[d]",
        lambda w, q: w @ np.where(q > 0, q + 1, np.exp(q)),
        context=[r"G(Q, K) = \phi(Q) \phi(K)^\top, \quad \phi(x) = \mathrm{elu}(x) + 1"],
    ),
    # The parameter of a function is not the array that is declared by its name.
    Case(
        r"y = MLP(u) + u",
        "u[d] W_1[p,d] W_2[d,p]",
        lambda u, w1, w2: w2 @ relu(w1 @ u) + u,
        context=[r"x \in \mathbb{R}^{H \times W \times C}", r"MLP(x) = W_2 \, ReLU(W_1 x)"],
    ),
    Case(
        r"y = \mathrm{LN}(u) + u",
        "u[d] g[d]",
        lambda u, g: g * (u - u.mean()) + u,
        context=[
            r"x \in \mathbb{R}^{H \times W \times C}",
            r"\mathrm{LN}(x) = g \odot (x - \mu), \quad \mu = \frac{1}{d} \sum_{i=1}^d x_i",
        ],
    ),
    # A capital of which nothing is said is a matrix before one that is declared.
    Case(
        r"P = \mathrm{softmax}(\mathrm{Mix}(U E) E^\top)",
        "U[n,v] E[v,d]",
        lambda u, e: softmax(((x := u @ e) + x @ x.T @ x) @ e.T),
        context=[r"E \in \mathbb{R}^{v \times d}", r"\mathrm{Mix}(X) = X + X X^\top X"],
    ),
    # Capitals before a parenthesis, and what another formula defines, are words.
    Case(r"y = ABC(x) + x", "x[d] ABC()", lambda x, f: f(x) + x),
    Case(
        r"y = SA(x) + x",
        "x[d] W[d,d]",
        lambda x, w: np.tanh(x @ w) + x,
        context=[r"SA(z) = \tanh(z W)"],
    ),
    Case(r"y = AB(x + z)", "A[n,d] B[d,m] x[m] z[m]", lambda a, b, x, z: a @ b @ (x + z)),
    # A place that is left out is the row's own.
    Case(
        r"Y = \mathrm{RoPE}(X W)",
        "X[n,e] W[e,4]",
        lambda x, w: rotated(x @ w),
        context=[TURNED],
    ),
    Case(
        r"q_t = \mathrm{RoPE}(W h_t)",
        "W[4,e] h[n,e]",
        lambda w, h: rotated(h @ w.T),
        context=[TURNED],
    ),
    Case(
        r"q_t = \mathrm{RoPE}(W h_t, t)",
        "W[4,e] h[n,e]",
        lambda w, h: rotated(h @ w.T),
        context=[TURNED],
    ),
    Case(
        r"s = \frac{r}{lp(n)}",
        "r n a",
        lambda r, n, a: r * 6**a / (5 + n) ** a,
        context=[r"lp(n) = \frac{(5 + n)^a}{6^a}", r"r \in \mathbb{R}, n \in \mathbb{R}"],
    ),
    Case(
        r"Y = \rho_q(Q) (\rho_k(K)^\top V)",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q) @ (softmax(k.T) @ v),
        context=[
            r"\rho_q(Y) = \mathrm{softmax}_{row}(Y)",
            r"\rho_k(Y) = \mathrm{softmax}_{col}(Y)",
        ],
    ),
    Case(r"\phi(x) = \exp(W x)", "x[d] W[n,d]", lambda x, w: np.exp(w @ x)),
    Case(r"\phi(x) = \exp(x W)", "x[d] W[d,n]", lambda x, w: np.exp(x @ w)),
    Case(
        r"\phi(x) = \exp(w^\top x - \|x\|^2 / 2)",
        "x[d] w[d]",
        lambda x, w: np.exp(w @ x - x @ x / 2),
    ),
    Case(
        r"k_t = \mathrm{RoPE}(W h_t)",
        "W[4,e] h[n,e]",
        lambda w, h: rotated(h @ w.T),
    ),
    Case(
        r"s_{ij} = \mathrm{RoPE}(W_Q x_i)^\top \mathrm{RoPE}(W_K x_j)",
        "W_Q[4,e] x[n,e] W_K[4,e]",
        lambda q, x, k: rotated(x @ q.T) @ rotated(x @ k.T).T,
    ),
    Case(
        r"y_i = f(W x_i)",
        "W[d,e] x[n,e]",
        lambda w, x: softmax(x @ w.T @ w @ x.T) @ x @ w.T,
        context=[r"f(X) = \mathrm{softmax}(X X^\top) X"],
    ),
    Case(
        r"z^{[l]} = W^{[l]} a^{[l-1]} + b^{[l]}",
        "W[l,d,e] a[l,e] b[l,d]",
        lambda w, a, b: np.einsum("lde,le->ld", w, a) + b,
    ),
    Case(r"a^{[l]} = \sigma(z^{[l]})", "z[l,d]", lambda z: sigmoid(z)),
    Case(r"z^{[1]} = W^{[1]} x + b^{[1]}", "W_1[d,e] x[e] b_1[d]", lambda w, x, b: w @ x + b),
    Case(r"y = W a + b", "W[d,e] a[e] b[d]", lambda w, a, b: w @ a + b),
    # What a function of the field brings along is not what the formula calls so.
    Case(
        r"y = \mathrm{RMSNorm}(x) \odot \gamma",
        "x[d] epsilon+ gamma_2[d] gamma[d]",
        lambda x, eps, own, g: x / np.sqrt((x**2).mean() + eps) * own * g,
    ),
    Case(
        r"y = \gamma \odot \mathrm{RMSNorm}(x)",
        "gamma[d] x[d] epsilon+ gamma_2[d]",
        lambda g, x, eps, own: x / np.sqrt((x**2).mean() + eps) * own * g,
    ),
    Case(r"y = \gamma(c) \odot x", "c[d] gamma() x[d]", lambda c, f, x: f(c) * x),
    Case(r"f(t) = \lambda_0(t) e^{-t}", "t lambda_0()", lambda t, f: f(t) * np.exp(-t)),
    Case(r"y = \gamma (c + 1) x", "gamma c x[d]", lambda g, c, x: g * (c + 1) * x),
    Case(r"y = \text{W-MSA}(x) + x", "x[d] WMSA()", lambda x, f: f(x) + x),
    Case(
        r"\ell = T^2 \sum_i p_i \log \frac{p_i}{q_i}, \quad p = \mathrm{softmax}(z / T)",
        "T z[d] q+[d]",
        lambda t, z, q: t**2 * np.sum(softmax(z / t) * np.log(softmax(z / t) / q)),
    ),
    Case(
        r"y = x (1 - \alpha) + \frac{\alpha}{K}",
        "x[d] alpha K",
        lambda x, a, k: x * (1 - a) + a / k,
    ),
    Case(
        r"H(p, q) = -\sum_x p(x) \log q(x)",
        "p[d] q+[d]",
        lambda p, q: -np.sum(p * np.log(q)),
        context=[r"p_t^{(i)} = \sin(\omega_i t)"],
    ),
    Case(
        r"e_k = \gamma \sum_{j=0}^L s_j h_{k,j}",
        "gamma s[L+1] h[n,L+1,d]",
        lambda g, s, h: g * np.einsum("l,nld->nd", s, h),
    ),
    Case(
        r"s = \frac{r}{lp(y)}",
        "r a n",
        lambda r, a, n: r / (5 + n) ** a,
        context=[r"lp(y) = (5 + n)^a", r"n \in \mathbb{R}"],
    ),
    Case(
        r"z = \mu(x) + \sigma(x)",
        "x[d] mu() sigma()",
        lambda x, mean, deviation: mean(x) + deviation(x),
    ),
    Case(r"z = \sigma(x) + x", "x[d]", lambda x: sigmoid(x) + x),
    Case(
        r"y = \mathrm{RMSNorm}(x), \quad z = y + \gamma x",
        "x[d] epsilon+ gamma_2[d] gamma",
        lambda x, eps, own, g: x / np.sqrt((x**2).mean() + eps) * own + g * x,
    ),
    Case(r"\mathrm{Step}: \quad y = a x", "a x[d]", lambda a, x: a * x),
    Case(
        r"Y = \sigma(Q K^\top) V, \quad \sigma = \mathrm{softmax}",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(r"f = \tanh, \quad y = f(Wx)", "W[n,d] x[d]", lambda w, x: np.tanh(w @ x)),
    Case(r"y = u + 1, \quad u = 2x", "x[d]", lambda x: 2 * x + 1),
    Case(r"u = 2x, \quad y = u + 1", "x[d]", lambda x: 2 * x + 1),
    Case(r"y = u v, \quad u = a + 1, \quad v = u - 1", "a", lambda a: (a + 1) * a),
    Case(r"y = u^2 \quad \text{where} \quad u = a - c", "a c", lambda a, c: (a - c) ** 2),
    Case(r"y = u^2, \text{ with } u = a - c", "a c", lambda a, c: (a - c) ** 2),
    Case(
        r"y = \frac{u}{v}, \text{其中 } u = a + c,\ v = a - c",
        "a c",
        lambda a, c: (a + c) / (a - c),
    ),
    Case(r"y = -u \\ u = a - c", "a c", lambda a, c: c - a),
    Case(
        r"\begin{aligned} Q &= XW_Q \\ K &= XW_K \\ V &= XW_V \\ Y &= "
        r"\mathrm{softmax}(QK^\top)V \end{aligned}",
        "X[n,d] W_Q[d,k] W_K[d,k] W_V[d,v]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).T) @ x @ v,
    ),
    Case(
        r"\begin{align*} s &= Wx + b \\ p &= \mathrm{softmax}(s) \end{align*}",
        "W[v,d] x[d] b[v]",
        lambda w, x, b: softmax(w @ x + b),
    ),
    Case(
        r"\begin{gather} z = \sigma(W x) \\ y = z \odot x \end{gather}",
        "W[d,d] x[d]",
        lambda w, x: sigmoid(w @ x) * x,
    ),
    Case(
        r"c_i = \sum_j \alpha_{ij} h_j, \quad \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_k "
        r"\exp(e_{ik})},"
        r"\quad e_{ij} = s_i^\top W h_j",
        "h[m,d] s[n,e] W[e,d]",
        lambda h, s, w: softmax(s @ w @ h.T) @ h,
    ),
    Case(r"y = x - \mu, \quad \mu = \frac{1}{d}\sum_{i=1}^d x_i", "x[d]", lambda x: x - x.mean()),
    Case(r"y = x / \tau, \quad \tau = 0.5", "x[d]", lambda x: 2 * x),
    Case(r"a = b = c + 1", "c", lambda c: c + 1),
    Case(r"y = x + x = 2x", "x[d]", lambda x: 2 * x),
    Case(r"z = y^2, \quad y = f(a), \quad f(t) = t + 1", "a", lambda a: (a + 1) ** 2),
    Case(r"y = f(a, b, c), \quad f(t, u, r) = t - r", "a c", lambda a, c: a - c),
    Case(r"s = \sum_{n=1}^{N} w_n p_n, \quad w_n = \frac{1}{N}", "p[N]", np.mean),
    Case(r"w_n = 3, \quad s = \sum_{n=1}^{N} w_n p_n", "p[N]", lambda p: 3 * p.sum()),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}(Q W_i^Q (K W_i^K)^\top) V W_i^V",
        "Q[n,d] W_Q[h,d,k] K[m,e] W_K[h,e,k] V[m,f] W_V[h,f,v]",
        lambda q, wq, k, wk, v, wv: np.stack(
            [softmax(q @ a @ (k @ b).T) @ v @ c for a, b, c in zip(wq, wk, wv, strict=True)]
        ),
    ),
    Case(
        r"\mathrm{MultiHead}(Q, K, V) = [\mathrm{head}_1; \dots; \mathrm{head}_h] W^O \\"
        r"\text{where } \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
        "Q[n,d] W_Q[h,d,k] K[m,e] W_K[h,e,k] V[m,f] W_V[h,f,v] W_O[h*v,o]",
        lambda q, wq, k, wk, v, wv, wo: (
            np.concatenate(
                [
                    softmax(q @ a @ (k @ b).T / np.sqrt(a.shape[1])) @ v @ c
                    for a, b, c in zip(wq, wk, wv, strict=True)
                ],
                axis=1,
            )
            @ wo
        ),
    ),
)
def test_value(case: Case) -> None:
    check(case)


@table(
    Case(r"O = AV", "A[n,m] V[m,v]", lambda a, v: a @ v),
    Case(
        r"y = \mathrm{Act}(x)^2",
        "x[d]",
        lambda x: relu(x) ** 2,
        context=[r"\mathrm{Act}(z) = \max(0, z)"],
    ),
    Case(
        r"h_t = f(W h_{t-1} + U x_t)",
        "W[h,h] h[h] U[h,d] x[d] f()",
        lambda w, h, u, x, f: f(w @ h + u @ x),
        context=[r"f_t = \sigma(V x_t)"],
    ),
    Case(
        r"y\_i = \text{W}\_2 x\_i^{in} + \text{b}\_{out}",
        "W_2[k,d] x_in[n,d] b_out[k]",
        lambda w, x, b: x @ w.T + b,
    ),
    Case(
        r"y = x W",
        "x[n,d_model] W[d_model,d_k]",
        lambda x, w: x @ w,
        context=[r"x \in \R^{n \times d_{model}}, W \in \R^{d_{\text{model} \times d_k}}"],
    ),
    Case(
        r"y = \phi(a)",
        "a x[d]",
        lambda a, x: relu(a) + x,
        context=[r"\phi(\cdot) = \mathrm{ReLU}(\cdot) + x"],
    ),
    Case(
        r"y = g(a) g(c)",
        "a c",
        lambda a, c: (a + 1) * (c + 1),
        context="We take $g(t) = t + 1$ from now on.",
    ),
    Case(r"y = x W", "x[d] W[d,h]", lambda x, w: x @ w, context=[r"x \in \mathbb{R}^{d}"]),
    Case(
        r"y = x W", "x[n,d] W[d,h]", lambda x, w: x @ w, context=[r"x \in \mathbb{R}^{n \times d}"]
    ),
    Case(
        r"s = \sum_{i=1}^{d} x_i^2",
        "x[d]",
        lambda x: x @ x,
        context=[r"x \in \mathbb{R}^d"],
    ),
    Case(
        r"y = x^T",
        "x+ T",
        lambda x, t: x**t,
        context=[r"T \in \mathbb{R}", r"x \in \mathbb{R}"],
    ),
    Case(
        r"y = W h + b",
        "W[d,h] h[h] b[d]",
        lambda w, h, b: w @ h + b,
        context=[r"W \in \mathbb{R}^{d \times h}, \quad b \in \mathbb{R}^d"],
    ),
    Case(
        r"\mathrm{Attn}(X) = \mathrm{softmax}(Q K^\top) V",
        "X[n,d] W_Q[d,p] W_K[d,p] W_V[d,v]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).T) @ x @ v,
        context=[r"X = [e_1; \dots; e_n]", r"Q = X W_Q, \quad K = X W_K, \quad V = X W_V"],
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}(Q_i K^\top) V",
        "Q[h,n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context=[r"Q = X W_Q, \quad K = X W_K, \quad V = X W_V"],
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}(Q_i K^\top) V",
        "Q[h,n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context=[r"Q_i = X W_i^Q, \quad K = X W_K, \quad V = X W_V"],
    ),
    Case(
        r"\mathrm{head}_i = \cos(Q_i - V) \odot K",
        "X[n,d] W_Q[h,d,k] W_V[d,k] W_K[d,k]",
        lambda x, q, v, k: np.cos(x @ q - x @ v) * (x @ k),
        context=[r"Q_i = X W_i^Q, \quad K = X W_K, \quad V = X W_V"],
    ),
    Case(
        r"L = H(y, p)",
        "y[n] p+[n]",
        lambda y, p: -(y * np.log(p)).sum(),
        context=[r"H(u, p) = -\sum_k u_k \log p_k = -\frac{1}{K} \sum_k \log p_k"],
    ),
    Case(
        r"y = x + \mathrm{Aufmerksamkeit}(x)",
        "x[n,d]",
        lambda x: x + softmax(x @ x.T) @ x,
        context=[r"\mathrm{Aufmerksamkeit}(Q, K, V) = \mathrm{softmax}(Q K^\top) V"],
    ),
    Case(
        r"s = E \sum_{e=1}^{E} f_e p_e",
        "f[E] p[E]",
        lambda f, p: len(f) * f @ p,
        context=[r"E \in \mathbb{R}^{v \times d}"],
    ),
    Case(
        r"y = \sum_{i=1}^{n} G_i(x) (V x)_i",
        "x[d] W[d,n] V[n,d]",
        lambda x, w, v: softmax(x @ w) @ (v @ x),
        context=[r"G(x) = \mathrm{softmax}(x W)"],
    ),
    Case(
        r"y = \mathrm{swish}(U x) \odot V x",
        "U[h,d] x[d] beta V[h,d]",
        lambda u, x, beta, v: (u @ x) * sigmoid(beta * (u @ x)) * (v @ x),
        context=[
            r"\beta \in \mathbb{R}^d",
            r"\sigma = \sqrt{\sum_i h_i^2}",
            r"\beta = 1",
            r"\mathrm{swish}(z) = z \odot \sigma(\beta z)",
        ],
    ),
    # A function of places is one, and no factor of their numbers.
    Case(
        r"h_i = r(i) \theta_i",
        "L lambda_[d] theta[d]",
        lambda length, waves, theta: length / waves * theta,
        context=[r"r(i) = \frac{L}{\lambda_i}"],
    ),
    Case(
        r"y_{ij} = m(i, j) + c_{ij}",
        "a[n] b[m] c[n,m]",
        lambda a, b, c: np.outer(a, b) + c,
        context=[r"m(i, j) = a_i b_j"],
    ),
    # What one formula of the section applies to a letter is a function in the others.
    Case(
        r"y = N(x + A x)",
        "N() x[d] A[d,d]",
        lambda n, x, a: n(x + a @ x),
        context=[r"z = x + A N(x)"],
    ),
    # What holds of some places is no definition of the whole.
    Case(
        r"Y = \mathrm{softmax}(X W + M)",
        "X[n,d] W[d,m] M[n,m]",
        lambda x, w, m: softmax(x @ w + m),
        context=[r"M_{i,j} = -\infty"],
    ),
    # What only says how the elements of a row are called joins nothing.
    Case(
        r"e_i = [e_{i1}, \dots, e_{im}], \quad e_{ij} = u_i^\top r_j",
        "u[n,d] r[m,d]",
        lambda u, r: u @ r.T,
    ),
    # Parts of one letter are joined, or added up, in the order in which they are defined.
    Case(
        r"r_t = [r_t^{(1)}, \dots, r_t^{(h)}] \\ r_t^{(s)} = \tanh(g_t^{(s)}) \\ "
        r"g_t^{(s)} = x_t A^{(s)}",
        "x[n,d] A[h,d,e]",
        lambda x, a: np.concatenate(list(np.tanh(x @ a)), axis=-1),
    ),
    Case(
        r"r_t = \sum_s r_t^{(s)}, \quad r_t^{(s)} = x_t A^{(s)}",
        "x[n,d] A[h,d,e]",
        lambda x, a: (x @ a).sum(axis=0),
    ),
    # What the note joins without weights has none, whatever the field's MultiHead does.
    Case(
        r"Y = \mathrm{MultiHead}(X) W^O",
        "head[h,n,d] W_O[h*d,m]",
        lambda head, w: np.concatenate(list(head), axis=-1) @ w,
        context=[
            r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)"
        ],
    ),
    Case(
        r"y = Q^\top K",
        "Q[n,d] K[n,d]",
        lambda q, k: q.T @ k,
        context=[r"Q, K \in \mathbb{R}^{n \times d}"],
    ),
    # The letter that another formula's list or range ends with tells the last one.
    Case(r"s_0 = h_n", "h_n[d]", lambda h: h, context=[r"H = (h_1, h_2, \dots, h_n)"]),
    Case(
        r"y = W h_n + b",
        "W[k,d] h_n[d] b[k]",
        lambda w, h, b: w @ h + b,
        context=[r"c = \sum_{i=1}^n a_i h_i"],
    ),
    # But what a running sum or product counts with is any place, and no last one.
    Case(
        r"p_t = W o_t",
        "W[k,d] o[n,d]",
        lambda w, o: o @ w.T,
        context=[r"c_t = \sum_{i=1}^{t} a_{ti} v_i"],
    ),
    Case(
        r"x = \sqrt{\bar\alpha_t} x_0",
        "alpha_bar+[n] x_0[d]",
        lambda a, x: np.sqrt(a)[:, None] * x,
        context=[r"\bar\alpha_t = \prod_{s=1}^{t} \alpha_s"],
    ),
)
def test_context(case: Case) -> None:
    check(case)


def test_a_state_that_a_step_makes_a_matrix_is_one() -> None:
    formula = compile_formula(
        r"y_i = \phi(q_i)^\top h_i", context=r"h_i = \gamma_i \odot h_{i-1} + \phi(k_i) v_i^\top"
    )
    assert [len(given.shape) for given in formula.inputs if given.name == "h"] == [3]
    assert len(formula.shape) == 2


def test_a_matrix_for_each_index_is_no_matrix() -> None:
    blocks = (
        r"R_i(m) = \begin{bmatrix} \cos(m\theta_i) & -\sin(m\theta_i) \\"
        r" \sin(m\theta_i) & \cos(m\theta_i) \end{bmatrix}"
    )
    with pytest.raises(FormulaError, match="a matrix for each of its indices, and has none here"):
        compile_formula(r"q'_m = R(m) q_m", context=[blocks])


def test_what_is_given_and_defined_is_refused() -> None:
    with pytest.raises(FormulaError, match="is given to `S`"):
        compile_formula(r"X = E + P \\ Q = X W \\ S(X) = Q X^\top")


def test_the_share_of_a_head_is_no_row() -> None:
    with pytest.raises(FormulaError, match="shared out to the heads"):
        compile_formula(r"Q = X W \\ \mathrm{head}_i = \mathrm{softmax}(Q_i K^\top) V")


def test_an_activation_acts_on_numbers_whatever_the_note_calls_so() -> None:
    image = r"x \in \mathbb{R}^{H \times W \times C}"
    f = compile_formula(r"\mathrm{GELU}(x) = x \Phi(x)", context=[image])
    assert [given.shape for given in f.inputs] == [()]
    f = compile_formula(r"\mathrm{ReLU}(x) = \max(0, x), \quad x \in \mathbb{R}^n")
    assert [given.shape for given in f.inputs] == [("n",)]


def test_a_parameter_is_a_word_and_no_product() -> None:
    f = compile_formula(r"g(Gate, Up) = \sigma(Gate) \odot Up")
    assert [given.name for given in f.inputs] == ["Gate", "Up"]


def test_the_heads_that_a_note_defines_are_not_those_of_the_field() -> None:
    heads = r"\mathrm{head}_i = G_i \odot U_i"
    joined = r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W"
    with pytest.raises(FormulaError, match="does not say what becomes of"):
        compile_formula(r"Y = \mathrm{MultiHead}(\mathrm{LN}(X)) + X", context=[heads, joined])


def test_attention_in_two_parts_is_no_function_of_one_array() -> None:
    f = compile_formula(r"y = \mathrm{DiffAttn}(X)")
    assert f.component is None
    assert "DiffAttn" in [given.name for given in f.inputs]


def test_a_step_is_given_what_the_step_before_made() -> None:
    """Its y_{t-1} is an input, also where the note says what y_t is made of."""
    compiled = compile_formula(
        r"s_t = f(y_{t-1}, s_{t-1}, c_{t-1})",
        context=[
            r"s_0 = h_n",
            r"y_t = \mathrm{softmax}(W s_t + b)",
            r"c_t = \sum_{i=1}^n a_{ti} h_i",
            r"a_{ti} = \frac{\exp(e_{ti})}{\sum_{j=1}^n \exp(e_{tj})}",
            r"e_{ti} = v^\top \tanh(W_h h_i + U s_{t-1})",
        ],
    )
    assert {one.name for one in compiled.inputs} >= {"y", "s", "c"}


def test_a_start_value_says_nothing_of_the_shape() -> None:
    for value, axes in (("0", 1), ("1", 0)):
        compiled = compile_formula(r"y = A x + b", context=[f"b = {value}"])
        ranks = {one.name: len(one.shape) for one in compiled.inputs}
        assert ranks["b"] == axes


def test_a_step_says_what_becomes_of_a_state_and_not_what_it_is() -> None:
    """The v of another formula is the v itself, before any step or after all."""
    step = r"v^{(k+1)} = v^{(k)} - \eta g^{(k)}"
    model = r"c_v(x) = \sigma(v^\top x)"
    loss = r"F(v) = \sum_{i=1}^{n} c_v(x_i)^2"
    for context in ([step, model], [model, step]):
        compiled = compile_formula(loss, context=context)
        assert {one.name for one in compiled.inputs} == {"v", "x"}
    stacked = [r"h_0 = x", r"h_l = \tanh(W h_{l-1})"]
    compiled = compile_formula(r"y = U h_L", context=[", ".join(stacked)])
    assert "h_0" not in {one.name for one in compiled.inputs}


def test_one_of_several_numbers_is_told() -> None:
    def told(latex: str) -> bool:
        angles = r"\theta_i = 100^{-2i/d}"
        found = compile_formula(latex, context=[angles]).diagnostics
        return any("one number here" in problem.message for problem in found)

    assert told(r"R(x) = x \cos \theta")
    assert not told(r"r_i = x_i \cos \theta_i")
    assert not told(r"R(x, \theta) = x \cos \theta")


def test_a_letter_that_is_given_other_things_is_another_function() -> None:
    ratio, square = r"r_t(\theta) = \frac{p_t}{q_t}", "f(x) = x^2"
    for latex in (
        r"P = \frac{e^{r(x, y)}}{e^{r(x, y)} + e^{r(x, z)}}",
        r"s = \sum_i f(q_i, D) w_i",
    ):
        inputs = compile_formula(latex, context=[ratio, square]).inputs
        assert [one.kind for one in inputs].count("function") == 1


@pytest.mark.parametrize("call", ["f(x, y)", "f(q)"])
def test_a_call_that_lacks_something_is_refused(call: str) -> None:
    with pytest.raises(FormulaError, match="arguments, not"):
        compile_formula(f"y = {call}", context=["f(x, q, k) = x + q k"])
