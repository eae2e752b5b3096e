"""Sums, products, maxima and their ranges."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def running_mean(a: np.ndarray) -> np.ndarray:
    return np.array([a[: i + 1].mean() for i in range(len(a))])


def halved(a: float, b: np.ndarray) -> np.ndarray:
    return a * 2.0 ** (1 - np.arange(len(b))) * b


@table(
    # What tells heads apart counts no keys: each head has a softmax of its own.
    Case(
        r"Y = \sum_{i=1}^h \mathrm{softmax}(X W_i^Q (X W_i^K)^\top) X W_i^V",
        "X[n,d] W_Q[h,d,p] W_K[h,d,p] W_V[h,d,r]",
        lambda x, q, k, v: (softmax((x @ q) @ np.swapaxes(x @ k, 1, 2)) @ (x @ v)).sum(0),
    ),
    # The elements of a sequence, and the best of another's for each.
    Case(
        r"r = \frac{1}{|x|} \sum_{x_i \in x} \max_{\hat{x}_j \in \hat{x}} x_i^\top \hat{x}_j",
        "x[n,d] x_hat[m,d]",
        lambda x, y: (x @ y.T).max(axis=1).mean(),
    ),
    # The k of a weight W_k is of the keys, whatever the sum counts with.
    # A weight in a sum without an index is one for each of what it weighs.
    Case(r"c = \sum a \cdot h_s", "a[n] h[n,d]", np.matmul),
    Case(r"y = \sum x_i w + b", "x[n,d] w[n] b[d]", lambda x, w, b: w @ x + b),
    # What one neuron of several makes: a dot between its weights and all of x.
    Case(
        r"z_k = w_k \cdot u + b_k",
        "w[n,d] u[d] b[n]",
        lambda w, u, b: w @ u + b,
    ),
    Case(
        r"p_k = \mathrm{softmax}(w_k \cdot h)",
        "w[n,d] h[d]",
        lambda w, h: softmax(w @ h),
    ),
    Case(r"y_i = \alpha_i \cdot x", "alpha[n] x[d]", np.outer),
    # A weight between two units is changed by a number of each.
    Case(
        r"\Delta w_{ji} = -\eta \cdot \delta_j \cdot z_i",
        "eta delta[n] z[m]",
        lambda eta, delta, z: -eta * np.outer(delta, z),
    ),
    # A cross between small letters is that of a product, but behind a matrix and a dash.
    Case(
        r"y = a_1 \times h_1 + a_2 \times h_2 - a_3 \times h_3",
        "a_1 h_1[n] a_2 h_2[n] a_3 h_3[n]",
        lambda a, h, b, k, c, v: a * h + b * k - c * v,
    ),
    Case(r"y = x - a \times h", "x[n] a h[n]", lambda x, a, h: x - a * h),
    # What is taken off all exponents is a number, as their largest is.
    Case(
        r"s = r \cdot \exp(c - c') + \sum \exp(u_{new} - c')",
        "r c c_prime u_new[n]",
        lambda r, c, new, u: r * np.exp(c - new) + np.exp(u - new).sum(),
    ),
    # The letters beside one that a sum primes are indices, whichever they are.
    Case(
        r"p_{ab} = \frac{e^{z_{ab}}}{\sum_{b'} e^{z_{ab'}}}",
        "z[n,m]",
        lambda z: np.array([softmax(row) for row in z]),
    ),
    Case(
        r"p_{u,v} = \frac{e^{z_{u,v}}}{\sum_{v' \in N} e^{z_{u,v'}}}",
        "z[n,m] N+[m]",
        lambda z, n: np.array([np.exp(row) / np.exp(row).sum() for row in z]),
    ),
    Case(
        r"p_i = \frac{f_i^\alpha}{\sum_j f_j^\alpha}",
        "f+[n] alpha",
        lambda f, a: f**a / (f**a).sum(),
    ),
    Case(
        r"s_{ij} = \sum_k (W_q x_i)_k (W_k x_j)_k",
        "W_q[e,d] x[n,d] W_k[e,d]",
        lambda q, x, k: x @ q.T @ (x @ k.T).T,
    ),
    Case(
        r"s_{ij} = \sum_v (x_i W_Q)_v (y_j W_v)_v",
        "x[n,d] W_Q[d,e] y[m,c] W_v[c,e]",
        lambda x, q, y, v: x @ q @ (y @ v).T,
    ),
    Case(
        r"g_{q,k}(x_m, m) = W_{q,k} x_m",
        "x[n,d] W_q_k[e,d]",
        lambda x, w: x @ w.T,
    ),
    Case(
        r"y_i = \sum_{j \in \mathcal{N}(i)} a_{ij} v_j",
        "a[n,m] N[n,m] v[m,d]",
        lambda a, members, v: (a * (members != 0)) @ v,
    ),
    Case(
        r"y_i = \sum_{j \in \mathcal{N}(i) \cup \{i\}} a_{ij} v_j",
        "a[n,m] N[n,m] v[m,d]",
        lambda a, members, v: (a * ((members != 0) | np.eye(*a.shape, dtype=bool))) @ v,
    ),
    # What is counted below a sign that joins is laid end to end, where it is plain how far it goes.
    Case(
        r"y_i = \Big\|_{k=1}^K \tanh\left(\sum_{j} a_{ij}^k W^k x_j\right)",
        "a[K,n,m] W[K,p,d] x[m,d]",
        lambda a, w, x: np.concatenate([np.tanh(a[k] @ x @ w[k].T) for k in range(len(w))], 1),
    ),
    Case(
        r"Y = \mathrm{Concat}_{h=1}^{H}(\mathrm{head}_h) U",
        "head[H,n,d] U[H*d,p]",
        lambda heads, u: np.concatenate(list(heads), 1) @ u,
    ),
    Case(r"L_{t2i} = \frac{1}{N} \sum_{i=1}^{N} s_{ii}", "s[N,N]", lambda s: np.trace(s) / len(s)),
    Case(
        r"a_{t,i} = \frac{\exp(e_{t,i})}{\sum_{j=1}^{T_{in}} \exp(e_{t,j})}", "e[n,T_in]", softmax
    ),
    # The largest magnitude is that of all elements.
    Case(r"s = \frac{\max|x|}{127}", "x[n]", lambda x: np.abs(x).max() / 127),
    Case(r"s = \max(|X|)", "X[n,d]", lambda x: np.abs(x).max()),
    Case(
        r"y_i = \frac{1}{|S(i)|} \sum_{j \in S(i)} x_j",
        "S[n,m] x[m,d]",
        lambda members, x: (members != 0) @ x / (members != 0).sum(axis=1, keepdims=True),
    ),
    Case(
        r"L = -\frac{1}{N} \sum \log P(w_i \mid w_{<i})",
        "P+[N]",
        lambda p: -np.log(p).mean(),
    ),
    Case(
        r"y = \sum_{i \in \text{top-}k} c_i x_i",
        "c[n] x[n,d] top_k[n]",
        lambda c, x, members: (c * (members != 0)) @ x,
    ),
    Case(
        r"y = \sum_{i \in \mathrm{Pick}(A x, k)} a_i - \sum_{i \in \mathrm{Pick}(B x, k)} a_i",
        "a[n] Pick_A_x_k[n] Pick_B_x_k[n]",
        lambda c, a, b: c @ ((a != 0) * 1.0) - c @ ((b != 0) * 1.0),
    ),
    Case(
        r"f_e = \frac{1}{n} \sum_{t=1}^{n} \mathbf{1}[e \in \mathcal{K}_t]",
        "K[n,m]",
        lambda members: (members != 0).mean(axis=0),
    ),
    Case(r"s = \sum_{i=1}^{n} a_i", "a[n]", np.sum),
    Case(
        r"y_i = \sum_{j: |i-j| \le w} c_{ij}",
        "c[n,m] w",
        lambda c, w: (c * (abs(np.subtract.outer(*map(np.arange, c.shape))) <= w)).sum(1),
    ),
    Case(
        r"y_i = \sum_{|i-j| < w} c_{ij} h_j",
        "c[n,m] w h[m,d]",
        lambda c, w, h: (c * (abs(np.subtract.outer(*map(np.arange, c.shape))) < w)) @ h,
    ),
    Case(
        r"s = \sum_i \sum_{2j \le i} c_{ij}",
        "c[n,m]",
        lambda c: (c * (2 * np.arange(c.shape[1]) <= np.arange(len(c))[:, None])).sum(),
    ),
    Case(
        r"y_i = \sum_{j \mid j \le i, j \ne 2} c_{ij}",
        "c[n,m]",
        lambda c: (np.tril(c) * (np.arange(c.shape[1]) != 2)).sum(1),
    ),
    Case(
        r"y = \frac{1}{|M|} \sum_{j \in M} a_j",
        "M[n] a[n]",
        lambda m, a: a.mean(),
    ),
    Case(
        r"y_i = \frac{1}{|\mathcal{S}_i|} \sum_{j \in \mathcal{S}_i} h_j",
        "S[n,m] h[m,d]",
        lambda s, h: np.tile(h.mean(0), (len(s), 1)),
    ),
    Case(r"s = \sum_{i=1}^{|V|} a_i b_i", "a[n] b[n]", np.dot),
    Case(r"s = \frac{1}{|\mathcal{D}|} \sum_{i=1}^{|\mathcal{D}|} a_i", "a[n]", np.mean),
    Case(r"s = \sum_{i, j < i} c_{ij}", "c[n,m]", lambda c: np.tril(c, -1).sum()),
    Case(r"s = \sum_{i, j \le n} c_{ij}", "c[n,m]", np.sum),
    Case(r"s = \sum_i a_i^2", "a[n]", lambda x: (x**2).sum()),
    Case(r"s = \left(\sum_i a_i\right)^2", "a[n]", lambda x: x.sum() ** 2),
    Case(r"s = \sum_i a_i + c", "a[n] c", lambda x, c: x.sum() + c),
    Case(r"s = \sum_i (a_i + c)", "a[n] c", lambda x, c: (x + c).sum()),
    Case(r"s = c + \sum_i a_i", "c a[n]", lambda c, x: c + x.sum()),
    Case(r"o_{ic} = \sum_j a_{ij} v_{jc}", "a[n,m] v[m,d]", lambda a, v: a @ v),
    Case(r"s_{ij} = \sum_{c=1}^d x_{ic} y_{jc}", "x[n,d] y[m,d]", lambda x, y: x @ y.T),
    Case(
        r"s = \sum_i a_i b_i - c",
        "a[n] b[n] c",
        lambda a, b, c: a @ b - c,
    ),
    Case(
        r"s = \sum_i a_i \cdot \sum_j b_j",
        "a[n] b[m]",
        lambda a, b: a.sum() * b.sum(),
    ),
    Case(r"s = \sum_i \sum_j A_{ij}", "A[n,m]", np.sum),
    Case(r"s = \sum_{i,j} A_{ij} B_{ji}", "A[n,m] B[m,n]", lambda a, b: np.trace(a @ b)),
    Case(r"r_i = \sum_j A_{ij}", "A[n,m]", lambda a: a.sum(1)),
    Case(r"c_j = \sum_i A_{ij}", "A[n,m]", lambda a: a.sum(0)),
    Case(r"C_{ik} = \sum_j A_{ij} B_{jk}", "A[n,m] B[m,k]", lambda a, b: a @ b),
    Case(r"C_{ij} = \sum_k A_{ik} B_{jk}", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(
        r"P_{ij} = a_i, \quad j = 1, \dots, m",
        "a[n] m#",
        lambda a, m: np.repeat(a[:, None], m, 1),
    ),
    Case(
        r"P \in \mathbb{R}^{n \times m}, \quad P_{ij} = b_j",
        "b[m] n#",
        lambda b, n: np.repeat(b[None], n, 0),
    ),
    Case(r"s_i = \sum_{j \le i} a_j", "a[n]", np.cumsum),
    Case(r"s_i = \sum_{j < i} a_j", "a[n]", lambda x: np.cumsum(x) - x),
    Case(r"s_i = \sum_{j \geq i} a_j", "a[n]", lambda x: np.cumsum(x[::-1])[::-1]),
    Case(r"s_i = \sum_{j=1}^{i} a_j", "a[n]", np.cumsum),
    Case(
        r"s_i = \sum_{j=1}^{n} c^{|i-j|} A_{ij}",
        "c A[m,n]",
        lambda c, a: (c ** abs(np.subtract.outer(*map(np.arange, a.shape))) * a).sum(1),
    ),
    Case(
        r"s_i = \sum_{j=1}^{n} \frac{A_{ij}}{i + j}",
        "A[m,n]",
        lambda a: (a / (2 + np.add.outer(*map(np.arange, a.shape)))).sum(1),
    ),
    Case(
        r"s_i = \sum_{j \le i} a_j \sum_{k=1}^{n} b_k",
        "a[m] b[n]",
        lambda a, b: np.cumsum(a) * b.sum(),
    ),
    Case(r"s_i = \frac{1}{i} \sum_{j \le i} a_j", "a[n]", running_mean),
    Case(r"s_i = \frac{1}{i} \sum_{j=0}^{i-1} a_j", "a[n]", running_mean),
    Case(
        r"\hat{m}_t = \frac{m_t}{1 - \beta^t}",
        "m[n] beta",
        lambda m, beta: m / (1 - beta ** np.arange(1, len(m) + 1)),
    ),
    Case(
        r"s = \sum_{t=0}^T \gamma^t r_t",
        "gamma r[T+1,d]",
        lambda gamma, r: gamma ** np.arange(len(r)) @ r,
    ),
    Case(r"s_i = a_i / i", "a[n]", lambda a: a / np.arange(1, len(a) + 1)),
    Case(r"m = \max(a_1, \dots, a_n)", "a[n]", np.max),
    Case(r"m_i = \min(A_{i1}, \dots, A_{in})", "A[m,n]", lambda a: a.min(1)),
    Case(r"s_i = \sum_{j=i}^{n} a_j", "a[n]", lambda x: np.cumsum(x[::-1])[::-1]),
    Case(r"s_i = \sum_{j=i+1}^{n} a_j", "a[n]", lambda x: x.sum() - np.cumsum(x)),
    Case(r"s_i = \sum_{j \ne i} a_j", "a[n]", lambda x: x.sum() - x),
    Case(
        r"s = \sum_{t=2}^{n} a_t a_{t-1}",
        "a[n]",
        lambda x: x[1:] @ x[:-1],
    ),
    Case(r"y = \frac{1}{n}\sum_{i=1}^{n} a_i", "a[n]", np.mean),
    Case(r"y = \frac{\sum_i w_i a_i}{\sum_i w_i}", "w[n] a[n]", lambda w, x: w @ x / w.sum()),
    Case(
        r"y = \frac{a_1 + a_2 + \dots + a_n}{n}",
        "a[n]",
        np.mean,
    ),
    Case(r"s = a_1 + \dots + a_{n-1} + a_n", "a[n]", np.sum),
    Case(r"s = w_1 x_1 + w_2 x_2 + \dots + w_n x_n", "w[n] x[n]", np.dot),
    # What stands before or behind all that the dots go through is added to it.
    Case(
        r"s = w_1 x_1 + \dots + w_n x_n + b",
        "w[n] x[n] b",
        lambda w, x, b: w @ x + b,
    ),
    Case(
        r"s = \tanh(w_1 x_1 + w_2 x_2 + \cdots + w_n x_n - b)",
        "w[n] x[n] b",
        lambda w, x, b: np.tanh(w @ x - b),
    ),
    Case(
        r"s = w_0 + w_1 x_1 + w_2 x_2 + \dots + w_n x_n",
        "w_0 w[n] x[n]",
        lambda first, w, x: first + w @ x,
    ),
    # The bias of each neuron is none of its weights, and what it is given are numbers.
    Case(
        r"u_k = \beta_{k,0} + \sum_{j=1}^{m} \beta_{k,j} x_{k,j}",
        "beta_0[n] beta[n,m] x[n,m]",
        lambda bias, w, x: bias + np.sum(w * x, axis=1),
    ),
    Case(
        r"u_k = \tanh(w_{k0} + \sum_{j=1}^{m} w_{kj} X_j)",
        "w_0[n] w[n,m] X[m]",
        lambda bias, w, x: np.tanh(bias + w @ x),
    ),
    Case(
        r"u_k = w_{k0} x_0 + \sum_{j=1}^{m} w_{kj} x_j",
        "w_0[n] x_0 w[n,m] x[m]",
        lambda bias, one, w, x: bias * one + w @ x,
    ),
    Case(
        r"u_i = \alpha_{i0} v_0 + \sum_{j=1}^{m} \alpha_{ij} v_j",
        "alpha_0[n] v_0[d] alpha[n,m] v[m,d]",
        lambda sink, first, a, v: np.outer(sink, first) + a @ v,
    ),
    Case(
        r"u_k = w_{k0} + w_{k1} x_1 + \dots + w_{km} x_m",
        "w_0[n] w[n,m] x[m]",
        lambda bias, w, x: bias + w @ x,
    ),
    # What a norm is of is a vector, whose elements are numbers.
    Case(r"\|u\|_1 = |u_1| + \dots + |u_n|", "u[n]", lambda u: np.sum(np.abs(u))),
    Case(
        r"r = \sqrt{u_1^2 + u_2^2 + \dots + u_n^2}",
        "u[n]",
        np.linalg.norm,
    ),
    # A power of one has no number.
    Case(
        r"p(x) = a_0 + a_1 x + a_2 x^2 + \dots + a_n x^n",
        "x[d] a_0 a[n]",
        lambda x, first, a: first + sum(c * x**k for k, c in enumerate(a, 1)),
    ),
    Case(
        r"s = 1 + r + r^2 + \dots + r^n",
        "r n#",
        lambda r, n: sum(r**k for k in range(n + 1)),
    ),
    Case(
        r"Z = H_1 W_1 + \dots + H_h W_h",
        "H[h,n,v] W[h,v,d]",
        lambda h, w: np.einsum("hnv,hvd->nd", h, w),
        shapes={"H": ("h", "n", "v")},
    ),
    Case(r"p = a_1 \times \cdots \times a_n", "a[n]", np.prod),
    Case(r"y = \sum\limits_{i=1}^n i\, a_i", "a[n]", lambda x: np.arange(1, len(x) + 1) @ x),
    Case(
        r"s = \sum_{i=1}^n \sum_{j=i}^n A_{ij}",
        "A[n,n]",
        lambda a: np.triu(a).sum(),
    ),
    Case(r"s = \sum_{i=1}^n \sum_{j=1}^{i-1} A_{ij}", "A[n,n]", lambda a: np.tril(a, -1).sum()),
    Case(r"m = \max_i \sum_j A_{ij}", "A[n,m]", lambda a: a.sum(1).max()),
    Case(r"m = \max_{i,j} A_{ij}", "A[n,m]", np.max),
    Case(r"s = \sum_{1 \le i \le n} a_i", "a[n]", np.sum),
    Case(
        r"y = \sum_{h=1}^{H} O_h W_h", "O[H,d] W[H,d,e]", lambda o, w: np.einsum("hd,hde->e", o, w)
    ),
    Case(r"s = \sum_{i<j} A_{ij}", "A[n,m]", lambda a: np.triu(a, 1).sum()),
    Case(r"s = \sum_{i \ne j} A_{ij}", "A[n,m]", lambda a: a.sum() - np.trace(a)),
    Case(r"s_j = \sum_{i<j} A_{ij}", "A[n,m]", lambda a: np.triu(a, 1).sum(0)),
    Case(r"y_{ij} = \frac{a_{ij}}{\sum_k a_{ik}}", "a[n,m]", lambda a: a / a.sum(1, keepdims=True)),
    Case(r"y_{ij} = \frac{a_{ij}}{\sum_k a_{kj}}", "a[n,m]", lambda a: a / a.sum(0)),
    Case(r"y_{ij} = a_i + c_j", "a[n] c[m]", lambda a, c: a[:, None] + c),
    Case(r"y_i = \frac{a_i}{\max_j a_j}", "a[n]", lambda a: a / a.max()),
    Case(
        r"y_i = a_{i+1} - a_i",
        "a[n+1]",
        np.diff,
    ),
    Case(r"s = \sum_{c \in \{q, k\}} a_c", "a_q a_k", lambda q, k: q + k),
    Case(
        r"z_t = \sum_{s \in \{\mathrm{near}, \mathrm{far}\}} g_t^s x_t^s",
        "g_near[n] x_near[n,d] g_far[n] x_far[n,d]",
        lambda g, x, h, y: g[:, None] * x + h[:, None] * y,
    ),
    Case(
        r"z = a \sum_{c \in \{q, k\}} W_c x + b",
        "a W_q[m,d] x[d] W_k[m,d] b[m]",
        lambda a, q, x, k, b: a * (q + k) @ x + b,
    ),
    Case(r"s = \sum_{i \in \{1, 2, 3\}} a_i", "a[3]", np.sum),
    Case(r"s = \sum_{i \in \{1, \dots, n\}} a_i", "a[n]", np.sum),
    Case(r"y = A \mathbf{1}", "A[n,m]", lambda a: a.sum(1)),
    Case(r"s = \mathbf{1}^\top x", "x[d]", np.sum),
    Case(r"p = \prod_{i=1}^{n} a_i", "a[n]", np.prod),
    # What runs from 0 up to the one before the t that counts in another array counts as t does.
    Case(r"c_t = \sum_{j=0}^{t-1} a_j", "a[n]", lambda a: np.cumsum(a) - a),
    Case(
        r"m_t = \frac{1}{t} \sum_{j=0}^{t-1} s_j",
        "s[n,d]",
        lambda s: np.cumsum(s, 0) / np.arange(1, len(s) + 1)[:, None],
    ),
    Case(r"P(w_1, \dots, w_n) = \prod_{t=1}^{n} P(w_t \mid w_1, \dots, w_{t-1})", "P+[n]", np.prod),
    Case(r"f(x_1, \dots, x_n) = \sum_{i=1}^{n} x_i^2", "x[n]", lambda x: (x**2).sum()),
    Case(
        r"s(x_1, \dots, x_n)_i = \frac{e^{x_i}}{\sum_{j=1}^{n} e^{x_j}}",
        "x[n]",
        lambda x: np.exp(x) / np.exp(x).sum(),
    ),
    Case(r"p = \prod_i (1 - a_i)", "a[n]", lambda a: np.prod(1 - a)),
    Case(r"p = \prod_i a_i + 1", "a[n]", lambda a: a.prod() + 1),
    Case(r"m = \max_i a_i", "a[n]", np.max),
    Case(r"m_j = a\,2^{1-j} b_j", "a b[m]", halved),
    Case(r"m_i = \max_j A_{ij}", "A[n,m]", lambda a: a.max(1)),
    Case(r"m = \max_i a_i - \min_i a_i", "a[n]", np.ptp),
    Case(r"y_i = a_i - \max_j a_j", "a[n]", lambda x: x - x.max()),
    Case(r"s = -\sum_i p_i \log p_i", "p+[n]", lambda p: -(p * np.log(p)).sum()),
    Case(
        r"s = \sum_i \sum_j u_i A_{ij} v_j",
        "u[n] A[n,m] v[m]",
        lambda x, a, y: x @ a @ y,
    ),
    Case(
        r"z_k = \sum_{t=1}^{T_k} a_{kt} h_t",
        "T[n] a[n,m] h[m,d]",
        lambda end, a, h: np.where(np.arange(1, a.shape[1] + 1) <= end[:, None], a, 0) @ h,
    ),
    # A vector has d numbers: what is counted up to there are these.
    Case(r"s = \sum_{i=1}^{d} x_i", "x[d]", lambda x: x.sum()),
    Case(r"z = \sum_{k=1}^{d_h} a_k h_k", "a[d_h] h[d_h]", np.dot),
    Case(
        r"y = \frac{1}{d} \sum_{i=1}^{d} |x_i - c_i|", "x[d] c[d]", lambda x, c: abs(x - c).mean()
    ),
    Case(r"y = \sum_{i=1}^{n} x_i", "x[n,d]", lambda x: x.sum(0)),
    Case(r"Z = \sum_{i=1}^{d} s_i u_i v_i^\top", "s[d] u[d,n] v[d,m]", lambda s, u, v: u.T * s @ v),
    # What is a mean by one of its names is a number.
    Case(r"\text{avg} = \mu = \frac{1}{n} \sum_{i=1}^n x_i", "x[n]", np.mean),
    # Words that weigh are numbers, and of two words else the first one.
    Case(
        r"y = \sum_i \text{gates}_i \cdot \text{outcomes}_i",
        "gates[n] outcomes[n,d]",
        lambda g, o: g @ o,
    ),
    Case(r"y = \sum_j x_j \cdot \text{weights}_j", "x[n,d] weights[n]", lambda x, w: w @ x),
    Case(r"y = \sum_j \text{share}_j \text{part}_j", "share[n] part[n,d]", lambda s, p: s @ p),
    Case(
        r"y = \sum_j \text{part}_j \text{probabilities}_j",
        "part[n,d] probabilities[n]",
        lambda s, p: p @ s,
    ),
    # The section says what elements are: the x_j of a maximum that is taken off them are numbers.
    Case(r"u = \max_j x_j", "x[n]", np.max, context=r"s = \sum_j e^{x_j - u}"),
    Case(
        r"u = \max_j x_j",
        "x[n,d]",
        lambda x: x.max(0),
        context=[r"\sigma(x_i) = \frac{e^{x_i}}{\sum_j e^{x_j}}"],
    ),
    Case(
        r"q_j = W x_j",
        "W[p,d] x[n,d]",
        lambda w, x: x @ w.T,
        context=r"s = \sum_j e^{x_j - m}",
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("members", ["1, 2, 5", "1, n", "-1, 0, 1"])
def test_a_list_of_numbers_that_do_not_count_on_is_no_range(members: str) -> None:
    with pytest.raises(FormulaError, match="is not known"):
        compile_formula(rf"s = \sum_{{i \in \{{{members}\}}}} a_i")


def test_members() -> None:
    latex = r"o_i = \sum_{j \in \mathcal{N}(i)} \mathrm{softmax}_{j \in \mathcal{N}(i)}(e_{ij}) v_j"
    rng = np.random.default_rng(0)
    e, v = rng.standard_normal((4, 5)), rng.standard_normal((5, 3))
    members = np.triu(np.ones((4, 5)))
    weights = np.exp(e) * members
    expected = weights / weights.sum(axis=1, keepdims=True) @ v
    np.testing.assert_allclose(compile_formula(latex).reference(e=e, v=v, N=members), expected)


@table(
    # Of an array that is known to be longer an index takes those elements that it counts.
    Case(r"s = \sum_{i=2}^n z_i", "z[n]", lambda z: z[1:].sum(), context=r"$z \in \mathbb{R}^n$"),
    Case(
        r"s = \sum_{i=1}^{n-1} z_i u_{i+1}",
        "z[n] u[n]",
        lambda z, u: z[:-1] @ u[1:],
        context=r"For $z, u \in \mathbb{R}^n$:",
    ),
    Case(
        r"s = \sum_{i=3}^{n-1} u_{i-2} r_i",
        "u[n] r[n,d]",
        lambda u, r: u[:-3] @ r[2:-1],
        shapes={"u": ("n",), "r": ("n", "d")},
    ),
    Case(
        r"s = \sum_{i=0}^{n-2} z_i z_{i+1}", "z[n]", lambda z: z[:-1] @ z[1:], shapes={"z": ("n",)}
    ),
    Case(r"s = \sum_{i=2}^{9} z_i", "z[10]", lambda z: z[1:9].sum(), shapes={"z": (10,)}),
    Case(
        r"y_i = z_i (z_i - z_{i-1}), \quad i = 2, \dots, n",
        "z[n]",
        lambda z: z[1:] * np.diff(z),
        shapes={"z": ("n",)},
    ),
    Case(r"s = \sum_{i=1}^n z_i^2 + \sum_{i=2}^n z_i", "z[n]", lambda z: z @ z + z[1:].sum()),
    Case(r"s = \sum_{i=2}^n z_i + \sum_{j=1}^n z_j^2", "z[n]", lambda z: z @ z + z[1:].sum()),
    Case(
        r"s = \sum_{i=2}^n b_i z_i + \sum_{i=1}^n z_i",
        "b[n-1] z[n,d]",
        lambda b, z: b @ z[1:] + z.sum(axis=0),
    ),
)
def test_an_index_that_counts_a_part(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "noted"),
    [
        (r"s = \sum_{j=2}^n a_j", True),
        (r"s = \sum_{j=1}^n a_j^2 + \sum_{j=2}^n a_j", False),
        (r"s = \sum_{j=1}^n a_j^2 + \sum_{j=2}^n a_j b_j", True),
        (r"s = \sum_{j=1}^n a_j", False),
        (r"s = \sum_{j=2}^n (a_j - a_{j-1})", False),
    ],
)
def test_elements_that_begin_later_are_told(latex: str, noted: bool) -> None:
    told = [p for p in compile_formula(latex).diagnostics if "to begin with `j = 2`" in p.message]
    assert bool(told) == noted


def test_the_best_of_several_functions_is_counted() -> None:
    assert compile_formula(r"m = \max_k f_k(x)").status == "formula"


def test_a_weight_that_scales_all_of_a_vector_is_told() -> None:
    found = compile_formula(r"z_k = w_k u + b_k").diagnostics
    told = "`w_k` is taken to be a number, which scales all of `u`"
    assert told in [one.message for one in found]
