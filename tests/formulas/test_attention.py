"""Softmax and attention, in matrices and element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


def masked(scores: Any, keep: Any) -> Any:
    return softmax(np.where(keep, scores, -np.inf))


def grouped(q: Any, k: Any, v: Any, groups: Any) -> Any:
    """Each head with the keys and values of its group."""
    return np.stack([softmax(q[i] @ k[g].T) @ v[g] for i, g in enumerate(groups)])


def sloped(q: Any, k: Any, m: float) -> Any:
    """Scores to keys up to the query, less by a slope with each step away."""
    away = np.arange(len(k)) - np.arange(len(q))[:, None]
    return np.where(away <= 0, q @ k.T + m * away, -np.inf)


def cosines(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The cosines of the angles between the rows of two matrices."""
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    return q @ k.T / lengths


@table(
    # What makes keys has their letter below it.
    Case(r"K = \Omega_k X", "Omega_k[m,n] X[n,d]", np.matmul),
    # It counts where it does on a left-hand side, and below what no weights are.
    Case(
        r"K = X W_K, \quad s_k = q^\top K_k",
        "X[n,d] W_K[d,p] q[p]",
        lambda x, w, q: x @ w @ q,
    ),
    Case(r"K = \tanh(h_k W)", "h[n,d] W[d,p]", lambda h, w: np.tanh(h @ w)),
    # The score of two vectors is a number, and what stands before the tanh no matrix.
    Case(
        r"score(h_d, h_e) = V^\top \tanh(A h_d + B h_e)",
        "V[p] A[p,n] h_d[n] B[p,m] h_e[m]",
        lambda v, a, h, b, e: v @ np.tanh(a @ h + b @ e),
    ),
    Case(
        r"A = \mathrm{softmax}(\cos(Q, K) / \tau) V",
        "Q[n,d] K[m,d] tau V[m,p]",
        lambda q, k, t, v: softmax(cosines(q, k) / t) @ v,
    ),
    # Beside a number, too, √d_k is of the keys.
    Case(
        r"A = \mathrm{softmax}\left(\frac{X U (X W)^\top}{\tau \sqrt{d_k}}\right)",
        "X[n,d] U[d,d_k] W[d,d_k] tau",
        lambda X, U, W, tau: softmax(X @ U @ (X @ W).T / tau / np.sqrt(U.shape[1])),
    ),
    Case(
        r"S = s \tanh\left(\frac{(X W_1) (X W_2)^\top}{s \sqrt{d_k}}\right)",
        "s X[n,d] W_1[d,d_k] W_2[d,d_k]",
        lambda s, X, W_1, W_2: s * np.tanh(X @ W_1 @ (X @ W_2).T / s / np.sqrt(W_1.shape[1])),
    ),
    # In bold, what weights add up at a place and for a head is a vector.
    Case(
        r"\mathbf{u}_{t,i} = \sum_{j=1}^{t} \mathrm{softmax}_j(\mathbf{q}_{t,i}^\top \mathbf{k}_j) "
        r"\mathbf{c}_j",
        "q[m,h,d] k[m,d] c[m,p]",
        lambda q, k, c: masked(q @ k.T, np.tril(np.ones((len(q), len(k))))[:, None, :] > 0) @ c,
        shapes={"q": ("m", "h", "d"), "k": ("m", "d"), "c": ("m", "p")},
    ),
    # The list of distances goes up to the place of the query, and so do the keys; the slope has
    # the number of its head, or of its layer.
    Case(
        r"\mathrm{softmax}(q_i K^\top + m \cdot [-(i-1), \dots, -2, -1, 0])",
        "q[n,d] K[l,d] m",
        lambda q, k, m: softmax(sloped(q, k, m)),
    ),
    Case(
        r"y_r = \mathrm{softmax}(q_r K^\top - \lambda_h [r-1, r-2, \dots, 1, 0]) V",
        "q[n,d] K[l,d] lambda_h V[l,p]",
        lambda q, k, m, v: softmax(sloped(q, k, m)) @ v,
    ),
    Case(
        r"s_{ij} = q_i^\top k_j - m_l (i - j)",
        "q[n,d] k[p,d] m_l",
        lambda q, k, m: q @ k.T - m * (np.arange(len(q))[:, None] - np.arange(len(k))),
    ),
    Case(
        r"s_{ij} = q_i^\top k_j - m_j |i - j|",
        "q[n,d] k[p,d] m[p]",
        lambda q, k, m: q @ k.T - m * np.abs(np.arange(len(q))[:, None] - np.arange(len(k))),
    ),
    # Whatever sequences an attention is given by name, they are its queries, keys and values.
    Case(
        r"\mathrm{CrossAttention}(Q = X A, V = Z C, K = Z B)",
        "X[n,d] A[d,p] Z[m,e] B[e,p] C[e,r]",
        lambda x, a, z, b, c: softmax(x @ a @ (z @ b).T / np.sqrt(a.shape[1])) @ (z @ c),
    ),
    # Where the keys are cut off, the weights beyond are 0.
    Case(
        r"a_i = \mathrm{softmax}(q_i K_{\le i}^\top)",
        "q[n,d] K[l,d]",
        lambda q, k: softmax(sloped(q, k, 0)),
    ),
    # All keys are given to what has a set of them as a parameter, and it has none of its own.
    Case(
        r"A(q, \{(k_i, v_i)\}_{i=1}^m) = \sum_{i=1}^m \mathrm{softmax}_i(q^\top k_i) v_i",
        "q[d] k[m,d] v[m,p]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    Case(r"s(\{x_i\}_{i=1}^n) = \sum_{i=1}^n x_i", "x[n,d]", lambda x: x.sum(0)),
    # A role and a head side by side below a weight.
    Case(
        r"Y_i = \mathrm{softmax}(X W_{Qi} (X W_{Ki})^\top) X W_{Vi}",
        "X[n,d] W_Q[h,d,p] W_K[h,d,p] W_V[h,d,r]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).swapaxes(1, 2)) @ (x @ v),
    ),
    Case(
        r"\mathrm{head}_h = \mathrm{softmax}(X W_{qh} (X W_{kh})^\top) X W_{vh}",
        "X[n,d] W_q[h,d,p] W_k[h,d,p] W_v[h,d,r]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).swapaxes(1, 2)) @ (x @ v),
    ),
    Case(r"Q = X W_{Qi}", "X[n,d] W_Qi[d,p]", np.matmul),
    # The size of a scale counts what the scores that it scales are summed over.
    Case(
        r"S = Q K^\top, \quad A = \mathrm{softmax}\left(\frac{S}{\sqrt d}\right), \quad O = A V",
        "Q[n,d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"e_{ij} = q_i^\top k_j, \quad a_{ij} = \mathrm{softmax}_j(e_{ij} / \sqrt{d})",
        "q[n,d] k[m,d]",
        lambda q, k: softmax(q @ k.T / np.sqrt(q.shape[1])),
    ),
    # What is joined in brackets goes as far as these.
    Case(
        r"Y = \left(\Vert_{i=1}^{h} Z_i\right) U",
        "Z[h,n,d] U[h*d,p]",
        lambda z, u: np.hstack(z) @ u,
    ),
    # And where it is a sum, as far as that.
    Case(
        r"y_i = \parallel_{m=1}^{M} \sum_j w_{ij}^m A^m z_j",
        "w[M,n,l] A[M,p,d] z[l,d]",
        lambda w, a, z: np.concatenate([w[m] @ z @ a[m].T for m in range(len(w))], axis=1),
    ),
    # Columns of a small x are compared with each other, each with all.
    Case(
        r"P = \mathrm{softmax}(z^\top W_Q^\top W_K z)",
        "z[d,n] W_Q[h,d] W_K[h,d]",
        lambda z, q, k: softmax((q @ z).T @ (k @ z)),
    ),
    Case(
        r"P = \mathrm{softmax}(x^\top W_{QK} x)",
        "x[d,n] W_QK[d,d]",
        lambda x, w: softmax(x.T @ w @ x),
    ),
    Case(
        r"s = x^\top W_Q^\top W_K x",
        "x[d] W_Q[h,d] W_K[h,d]",
        lambda x, q, k: (q @ x) @ (k @ x),
    ),
    # The Q_i of Q = W x are its columns, those of Q = x W its rows.
    Case(
        r"Q = W_Q x, \quad K = W_K x, \quad s_{ij} = Q_i^\top K_j",
        "W_Q[h,d] x[d,n] W_K[h,d]",
        lambda q, x, k: (q @ x).T @ (k @ x),
    ),
    Case(
        r"Q = X W_Q, \quad K = X W_K, \quad s_{ij} = Q_i^\top K_j",
        "X[n,d] W_Q[d,h] W_K[d,h]",
        lambda x, q, k: (x @ q) @ (x @ k).T,
    ),
    Case(r"z = K^\top 1", "K[n,d]", lambda k: k.sum(0)),
    # Of one input, too, a softmax of keys by queries is that of the keys.
    Case(
        r"Q = W^q I, \; K = W^k I, \; V = W^v I, \; S = K^\top Q, \; S' = \mathrm{softmax}(S), "
        r"\; O = V S'",
        "W_q[a,d] I[d,n] W_k[a,d] W_v[c,d]",
        lambda q, x, k, v: v @ x @ softmax((k @ x).T @ (q @ x), 0),
    ),
    Case(
        r"Q = X W_q, \; K = X W_k, \; S = Q K^\top, \; P = \mathrm{softmax}(S), \; O = P X",
        "X[n,d] W_q[d,a] W_k[d,a]",
        lambda x, q, k: softmax(x @ q @ (x @ k).T) @ x,
    ),
    # Keys in parentheses of their own are no argument of the queries; X is one.
    Case(r"S = Q (K)^\top", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    Case(
        r"A_r = \mathrm{softmax}(Q_r (K_r)^\top) V_r",
        "Q[h,n,d] K[h,m,d] V[h,m,c]",
        lambda q, k, v: softmax(q @ k.swapaxes(1, 2)) @ v,
    ),
    Case(
        r"S = Q(X) K(X)^\top",
        "X[n,d] Q() K()",
        lambda x, q, k: q(x) @ k(x).T,
    ),
    # What each head is made of may be said behind it.
    Case(
        r"\mathrm{head}_r = \mathrm{softmax}(Q_r K_r^\top) V_r, \quad Q_r = Q W_r^Q, "
        r"\quad K_r = K W_r^K, \quad V_r = V W_r^V",
        "Q[n,a] W_Q[h,a,d] K[m,b] W_K[h,b,d] V[m,c] W_V[h,c,e]",
        lambda q, wq, k, wk, v, wv: softmax((q @ wq) @ (k @ wk).swapaxes(1, 2)) @ (v @ wv),
    ),
    # The V_j of an output with an index are rows, too.
    Case(
        r"\mathrm{Attention}(Q, K, V)_i = \sum_j A_{ij} V_j",
        "A[n,m] V[m,d]",
        np.matmul,
    ),
    # Where the queries of each head are declared, its keys are alike.
    Case(
        r"S_i = Q_i K_i^\top",
        "Q[h,n,d_k] K[h,m,d_k]",
        lambda q, k: q @ k.swapaxes(1, 2),
        context=[r"Q_i \in \mathbb{R}^{n \times d_k}"],
    ),
    Case(
        r"E = \sum_i x_i^2",
        "x[n,d]",
        lambda x: (x**2).sum(0),
        context=[r"x_1, \dots, x_n \in \mathbb{R}^d"],
    ),
    Case(r"f(X)_i = \frac{X_i}{\sum_j X_j}", "X[n]", lambda x: x / x.sum()),
    # Attention is of rows: a weight before it projects each, and mixes no tokens.
    Case(
        r"Y = \mathrm{Attention}(W_q X, W_k X, W_v X)",
        "W_q[e,d] X[n,d] W_k[e,d] W_v[p,d]",
        lambda q, x, k, v: softmax((x @ q.T) @ (x @ k.T).T / np.sqrt(len(q))) @ (x @ v.T),
        context=[r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \sqrt{d})V"],
    ),
    Case(
        r"Y = \mathrm{Attention}(W_q X, W_k X, W_v X)",
        "W_q[e,d] X[d,n] W_k[e,d] W_v[p,d]",
        lambda q, x, k, v: v @ x @ softmax((q @ x).T @ (k @ x)).T,
        context=[r"\mathrm{Attention}(Q, K, V) = V \mathrm{softmax}(K^\top Q)"],
    ),
    Case(
        r"Y = W_O \mathrm{Concat}(A_1, A_2)",
        "W_O[e,p+q] A_1[n,p] A_2[n,q]",
        lambda w, a, b: np.concatenate([a, b], -1) @ w.T,
    ),
    Case(
        r"Y = X + W_O \mathrm{Attn}(X)",
        "X[n,d] W_O[d,d]",
        lambda x, w: x + softmax(x @ x.T / np.sqrt(x.shape[1])) @ x @ w.T,
    ),
    # So is what comes from such a layer, and what adds the tokens to it.
    Case(
        r"Y = W_p \cdot (X + \mathrm{Attn}(X))",
        "W_p[e,d] X[n,d]",
        lambda w, x: (x + softmax(x @ x.T / np.sqrt(x.shape[1])) @ x) @ w.T,
    ),
    # What is declared with an axis of heads behind those of the tokens is a bias for each head.
    Case(
        r"O = \mathrm{softmax}(QK^\top + B) V",
        "Q[n,d_k] K[n,d_k] B[n,n,h] V[n,d_v]",
        lambda q, k, b, v: softmax(q @ k.T + b.transpose(2, 0, 1)) @ v,
        context=[r"B \in \mathbb{R}^{n \times n \times h}"],
    ),
    # What has a label on the left has one on the right, beside what counts patches, too.
    Case(
        r"z_d^{(i)} = W_p z_p^{(i)}",
        "W_p[e,d] z_p[n,d]",
        lambda a, z: z @ a.T,
    ),
    # What is projected to queries is no number.
    Case(r"q = a \cdot W^q", "a[d] W_q[d,p]", lambda a, w: a @ w),
    # A bias for every two places, whatever it is looked up by.
    Case(
        r"A_{ij} = q_i^\top k_j + b_{\text{bucket}(i-j)}",
        "q[n,d] k[m,d] b_bucket[n+m-1]",
        lambda q, k, b: q @ k.T + b[np.arange(len(q))[:, None] - np.arange(len(k)) + len(k) - 1],
    ),
    Case(
        r"A_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} + b_{\text{rel}(i,j)}",
        "q[n,d] k[m,d] b_rel[n,m]",
        lambda q, k, b: q @ k.T / np.sqrt(q.shape[1]) + b,
    ),
    Case(
        r"o_{t,i} = \sum_{j=1}^t \mathrm{softmax}_j \left( \frac{q_{t,i}^\top k_{j,i}}{\sqrt{d_h}} "
        r"\right) v_{j,i}",
        "q[n,h,d] k[m,h,d] v[m,h,v]",
        lambda q, k, v: np.stack(
            [
                masked(q[:, h] @ k[:, h].T / np.sqrt(q.shape[2]), np.tri(len(q), len(k)) > 0)
                @ v[:, h]
                for h in range(q.shape[1])
            ],
            axis=1,
        ),
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}\left(X W_i^Q (E_i X W_i^K)^\top\right) F_i X W_i^V",
        "X[n,d] W_Q[h,d,k] E[h,r,n] W_K[h,d,k] F[h,r,n] W_V[h,d,v]",
        lambda x, wq, e, wk, f, wv: softmax(x @ wq @ (e @ x @ wk).swapaxes(1, 2)) @ f @ x @ wv,
    ),
    Case(
        r"h_i' = W_o [h_i^{1}; \dots; h_i^{H}]",
        "W_o[d,H*v] h[n,H,v]",
        lambda w, h: h.reshape(len(h), -1) @ w.T,
    ),
    Case(
        r"\xi^{new} = X \mathrm{softmax}(\beta X^\top \xi)",
        "X[d,n] beta xi[d]",
        lambda x, b, xi: x @ softmax(b * x.T @ xi),
    ),
    Case(r"\tilde x = \frac{m \odot x}{1 - p}", "m[d] x[d] p", lambda m, x, p: m * x / (1 - p)),
    Case(
        r"u_t = W_O [o_{t,1}; o_{t,2}; \dots; o_{t,n_h}]",
        "W_O[d,h*v] o[n,h,v]",
        lambda w, o: o.reshape(len(o), -1) @ w.T,
    ),
    Case(
        r"y_{ic} = \sum_j \mathrm{softmax}_j(\sum_b q_{ib} k_{jb}) v_{jc}",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"Z_i = \mathrm{softmax}(Q_i K_i^\top) V_i",
        "Q[h,n,d] K[h,n,d] V[h,n,v]",
        lambda q, k, v: softmax(q @ k.swapaxes(1, 2)) @ v,
        context=[
            r"Q \in \mathbb{R}^{L \times d_q}, K \in \mathbb{R}^{L \times d_k}, "
            r"V \in \mathbb{R}^{L \times d_v}, Z \in \mathbb{R}^{L \times d_v}"
        ],
    ),
    Case(r"q = c^Q W^{UQ}", "c_Q[d] W_UQ[d,p]", np.matmul),
    Case(
        r"s_{ij} = (q_i^c)^\top k_j^c + (q_i^r)^\top k_j^r",
        "q_c[n,d] k_c[m,d] q_r[n,e] k_r[m,e]",
        lambda q, k, r, s: q @ k.T + r @ s.T,
    ),
    Case(
        r"\text{score}(i, j) = Q_i \cdot K_j, \quad y_i = \sum_j \text{score}(i, j) V_j",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: q @ k.T @ v,
    ),
    Case(
        r"y_i = \sum_j \text{weight}(i, j) V_j",
        "a[n] b[m] V[m,v]",
        lambda a, b, v: np.outer(a, np.exp(b)) @ v,
        context=[r"\text{weight}(i, j) = a_i \exp(b_j)"],
    ),
    Case(
        r"Z_i = \mathrm{softmax}(\frac{Q_i K_i^\top}{\sqrt{d_k}}) V_i",
        "Q[h,n,d] K[h,n,d] V[h,n,v]",
        lambda q, k, v: softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])) @ v,
        context=[
            r"Q \in \mathbb{R}^{L \times d_q}, K \in \mathbb{R}^{L \times d_k}, "
            r"V \in \mathbb{R}^{L \times d_v}"
        ],
    ),
    Case(r"p = \mathrm{softmax}(z)", "z[d]", softmax),
    Case(r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}", "z[n]", softmax),
    Case(r"p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}}", "z[n] T", lambda z, t: softmax(z / t)),
    Case(r"p_i = \frac{\exp z_i}{\sum_{j=1}^{n} \exp z_j}", "z[n]", softmax),
    Case(r"A = \mathrm{softmax}(S)", "S[n,m]", softmax),
    Case(r"A = \mathrm{softmax}_{\mathrm{row}}(S)", "S[n,m]", softmax),
    Case(
        r"A = \mathrm{softmax}_{\mathrm{col}}(S)",
        "S[n,m]",
        lambda s: softmax(s, 0),
    ),
    Case(
        r"a_{ij}^{h} = \mathrm{softmax}_j(q_i^{h\top} k_j^h)",
        "q[h,n,d] k[h,m,d]",
        lambda q, k: softmax(np.einsum("hid,hjd->hij", q, k)),
    ),
    Case(
        r"o_i^{(h)} = \sum_j a_{ij}^{(h)} v_j^{(h)}",
        "a[h,n,m] v[h,m,d]",
        lambda a, v: np.einsum("hij,hjd->hid", a, v),
    ),
    Case(r"b_{ij}^h = x_i^\top W^h x_j", "x[n,d] W[h,d,d]", lambda x, w: x @ w @ x.T),
    Case(r"a_{ij} = q_i^{(h)\top} k_j^{(h)}", "q_h[n,d] k_h[m,d]", lambda q, k: q @ k.T),
    Case(r"A_{ij} = \mathrm{softmax}_j(S_{ij})", "S[n,m]", softmax),
    Case(r"A_{ij} = \frac{e^{S_{ij}}}{\sum_{j'} e^{S_{ij'}}}", "S[n,m]", softmax),
    Case(
        r"A(i, j) = \frac{\exp(s_{ij})}{\sum_{j' \le i} \exp(s_{ij'})}",
        "s[n,m]",
        lambda s: np.exp(s) / (np.exp(s) * np.tri(*s.shape)).sum(-1, keepdims=True),
    ),
    Case(
        r"a_t(s) = \frac{\exp(h_t^\top W u_s)}{\sum_{s^\prime} \exp(h_t^\top W u_{s^\prime})}",
        "h[n,d] W[d,e] u[m,e]",
        lambda h, w, g: softmax(h @ w @ g.T),
    ),
    Case(
        r"P(y = k \mid x) = \frac{\exp(w_k^\top x)}{\sum_j \exp(w_j^\top x)}",
        "x[d] w[n,d]",
        lambda x, w: softmax(w @ x),
    ),
    Case(r"A_{ij} = \mathrm{softmax}_i(S_{ij})", "S[n,m]", lambda s: softmax(s, 0)),
    Case(r"A_{ij} = \frac{e^{S_{ij}}}{\sum_i e^{S_{ij}}}", "S[n,m]", lambda s: softmax(s, 0)),
    Case(
        r"O = \mathrm{softmax}(QK^\top)V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}(QK^\top / \sqrt{d_k})V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}(d_k^{-1/2} QK^\top)V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}(\frac{1}{\sqrt{d_k}} QK^\top + M)V",
        "Q[n,d] K[m,d] M[n,m] V[m,v]",
        lambda q, k, m, v: softmax(q @ k.T / np.sqrt(q.shape[1]) + m) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}\left(\frac{QK^\top}{d_k}\right)V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T / q.shape[1]) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}\left(\frac{QK^\top + B}{\sqrt{d_k}}\right)V",
        "Q[n,d] K[m,d] B[n,m] V[m,v]",
        lambda q, k, b, v: softmax((q @ k.T + b) / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"O = (\mathrm{softmax}(QK^\top) \odot M) V",
        "Q[n,d] K[m,d] M[n,m] V[m,v]",
        lambda q, k, m, v: (softmax(q @ k.T) * m) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}(QK^t) V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"e_{ij} = u_i^{out^T} A u_j^{in}",
        "u_out[n,d] A[d,e] u_in[m,e]",
        lambda u, a, w: u @ a @ w.T,
    ),
    Case(
        r"r_{ij} = u^\top \tanh(W x_{ij} + b) + c",
        "u[h] W[h,d] x[n,m,d] b[h] c",
        lambda u, w, x, b, c: np.tanh(x @ w.T + b) @ u + c,
    ),
    Case(
        r"\hat{x}_i = \sum_j a_{ij} x_{ij} \in \mathbb{R}^{d}",
        "a[n,m] x[n,m,d]",
        lambda a, x: np.einsum("nm,nmd->nd", a, x),
    ),
    Case(
        r"S_t = S_{t-1} + \phi(K_t) V_t^\top, \quad \phi(x) = 2x",
        "S[d,v] K[d] V[v]",
        lambda s, k, v: s + 2 * np.outer(k, v),
    ),
    Case(
        r"p_t = n \sigma(v_p^\top \tanh(W_p s_t))",
        "n v_p[h] W_p[h,d] s[m,d]",
        lambda n, v, w, s: n / (1 + np.exp(-np.tanh(s @ w.T) @ v)),
    ),
    Case(
        r"o_t = \mathrm{softmax}(q_t K_{1:t}^\top) V_{1:t}",
        "q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(np.where(np.tri(len(q), len(k)) > 0, q @ k.T, -np.inf)) @ v,
    ),
    Case(
        r"\begin{array}{r} O = \mathrm{softmax}(A B^\top) V \\"
        r"\text { where } A = X U, B = X W, V = X Z \end{array}",
        "X[n,d] U[d,h] W[d,h] Z[d,v]",
        lambda x, u, w, z: softmax(x @ u @ (x @ w).T) @ (x @ z),
    ),
    Case(
        r"O = V \mathrm{softmax}(K^\top Q)",
        "Q[d,n] K[d,m] V[v,m]",
        lambda q, k, v: v @ softmax(k.T @ q, 0),
    ),
    Case(
        r"o_i = \sum_j \frac{\exp(q_i^\top k_j)}{\sum_l \exp(q_i^\top k_l)} v_j",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"o_i = \frac{\sum_j \exp(q_i^\top k_j) v_j}{\sum_j \exp(q_i^\top k_j)}",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"o_t = \sum_{s \le t} \mathrm{softmax}_s(q_t^\top k_s) v_s",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: masked(q @ k.T, np.tri(len(q), len(k), dtype=bool)) @ v,
    ),
    Case(
        r"e_{ij} = \frac{q_i \cdot k_j}{\|q_i\|\,\|k_j\|}",
        "q[n,d] k[m,d]",
        lambda q, k: (
            (q / np.linalg.norm(q, axis=1)[:, None]) @ (k / np.linalg.norm(k, axis=1)[:, None]).T
        ),
    ),
    Case(
        r"e_{ij} = -\frac{1}{2}\|q_i - k_j\|^2",
        "q[n,d] k[m,d]",
        lambda q, k: -0.5 * ((q[:, None] - k) ** 2).sum(-1),
    ),
    Case(
        r"e_{ij} = w^\top \tanh(W q_i + U k_j + b)",
        "w[h] W[h,d] q[n,d] U[h,e] k[m,e] b[h]",
        lambda w, a, q, u, k, b: np.tanh((q @ a.T)[:, None] + k @ u.T + b) @ w,
    ),
    Case(
        r"c = \sum_j \alpha_j h_j, \quad \alpha_j = \mathrm{softmax}_j(s^\top W h_j)",
        "s[e] W[e,d] h[n,d]",
        lambda s, w, h: softmax(h @ w.T @ s) @ h,
    ),
    Case(
        r"f(x) = \sum_i \mathrm{softmax}_i\left(-\frac{(x - x_i)^2}{2\tau^2}\right) y_i",
        "x x_i[n] tau y[n,v]",
        lambda x, keys, tau, y: softmax(-((x - keys) ** 2) / (2 * tau**2)) @ y,
    ),
    Case(
        r"o_i = \frac{\phi(Q_i) S_i}{\phi(Q_i) \sum_{j \le i} \phi(K_j)}",
        "Q[n,d] phi() S[n,d,v] K[m,d]",
        lambda q, phi, s, k: (
            np.einsum("nd,ndv->nv", phi(q), s)
            / np.einsum("nd,nd->n", phi(q), np.tri(len(q), len(k)) @ phi(k))[:, None]
        ),
    ),
    Case(
        r"O = \phi(Q)\left(\phi(K)^\top V\right)",
        "Q[n,d] K[m,d] V[m,v] phi()",
        lambda q, k, v, phi: phi(q) @ (phi(k).T @ v),
    ),
    # Queries and keys over their lengths are so row by row, not as matrices.
    Case(
        r"\hat{Q} = \frac{Q}{\|Q\|}, \hat{K} = \frac{K}{\|K\|_2}, A = g \hat{Q} \hat{K}^\top",
        "Q[n,d] K[m,d] g",
        lambda q, k, g: g * cosines(q, k),
    ),
    Case(
        r"A = \mathrm{softmax}\left(\frac{Q K^\top}{\tau \|Q\| \|K\|}\right) V",
        "Q[n,d] K[m,d] tau V[m,e]",
        lambda q, k, t, v: softmax(cosines(q, k) / t) @ v,
    ),
    Case(
        r"\mathrm{softmax}\left(s \frac{Q}{\|Q\|} \frac{K^\top}{\|K\|}\right) V",
        "s Q[n,d] K[m,d] V[m,p]",
        lambda s, q, k, v: softmax(s * cosines(q, k)) @ v,
    ),
    Case(r"S = a \hat Q \hat K^\top", "a Q_hat[n,d] K_hat[m,d]", lambda a, q, k: a * q @ k.T),
    Case(
        r"Y = \frac{Q}{\|Q\|_F} W",
        "Q[n,d] W[d,e]",
        lambda q, w: q / np.linalg.norm(q) @ w,
    ),
    # A matrix whose rows the formula defines is these; where each is a column, it is not.
    Case(
        r"\hat q_i = \frac{q_i}{\|q_i\|}, \hat k_j = \frac{k_j}{\|k_j\|}, "
        r"A = \mathrm{softmax}(g \hat Q \hat K^\top) V",
        "q[n,d] k[m,d] g V[m,e]",
        lambda q, k, g, v: softmax(g * cosines(q, k)) @ v,
    ),
    Case(
        r"q_i = W_Q x_i, k_i = W_K x_i, v_i = W_V x_i, O = \mathrm{softmax}(Q K^\top) V",
        "W_Q[c,d] x[n,d] W_K[c,d] W_V[e,d]",
        lambda a, x, b, c: softmax(x @ a.T @ b @ x.T) @ x @ c.T,
    ),
    Case(
        r"q_i = Q x_i, k_i = K x_i, s_{ij} = q_i^\top k_j, A = \mathrm{softmax}(s) V",
        "Q[c,d] x[n,d] K[c,d] V[n,e]",
        lambda a, x, b, v: softmax(x @ a.T @ b @ x.T) @ v,
    ),
    # A k_j beside K is its row; the K that a sum goes up to has none.
    Case(
        r"O = \frac{\psi(Q)(\psi(K)^\top V)}{\psi(Q) \sum_j \psi(k_j)}",
        "Q[n,d] K[m,d] V[m,v] psi()",
        lambda q, k, v, psi: psi(q) @ (psi(k).T @ v) / (psi(q) @ psi(k).sum(axis=0))[:, None],
    ),
    Case(
        r"o = \mathrm{softmax}(q K^\top) V + \frac{1}{m}\sum_{j=1}^m v_j",
        "q[d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(k @ q) @ v + v.mean(axis=0),
    ),
    Case(
        r"s_i = \sum_{j=1}^{K} q_i^\top k_j",
        "q[n,d] k[K,d]",
        lambda q, k: q @ k.sum(axis=0),
    ),
    Case(
        r"S = XW^Q (XW^K)^\top",
        "X[n,d] W_Q[d,k] W_K[d,k]",
        lambda x, q, k: x @ q @ (x @ k).T,
    ),
    Case(
        r"\mathrm{softmax}(XW_Q W_K^\top X^\top) X W_V",
        "X[n,d] W_Q[d,k] W_K[d,k] W_V[d,v]",
        lambda x, q, k, v: softmax(x @ q @ k.T @ x.T) @ x @ v,
    ),
    Case(
        r"O = \mathrm{softmax}\left(\mathrm{Mask}\left(\frac{QK^\top}{\sqrt{d_k}}\right)\right)V",
        "Q[n,d] K[m,d] Mask[n,m] V[m,v]",
        lambda q, k, mask, v: softmax(q @ k.T / np.sqrt(q.shape[1]) + mask) @ v,
    ),
    Case(
        r"O = \mathrm{softmax}(\mathrm{CausalMask}(QK^\top))V",
        "Q[n,d] K[n,d] V[n,v]",
        lambda q, k, v: masked(q @ k.T, np.tri(len(q), dtype=bool)) @ v,
        shapes={"Q": ["n", "d"], "K": ["n", "d"], "V": ["n", "v"]},
    ),
    Case(
        r"\mathrm{CausalAttention}(Q, K, V) = \mathrm{softmax}(\mathrm{mask}(QK^\top))V",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: masked(q @ k.T, np.tri(len(q), len(k), dtype=bool)) @ v,
    ),
    Case(
        r"O = V \mathrm{softmax}(\mathrm{causal\_mask}(K^\top Q))",
        "V[v,m] K[d,m] Q[d,n]",
        lambda v, k, q: v @ masked(q.T @ k, np.tri(q.shape[1], k.shape[1], dtype=bool)).T,
    ),
    Case(
        r"A = \mathrm{softmax}\left(\frac{\mathrm{tril}(QK^\top)}{\sqrt{d_k}}\right)",
        "Q[n,d] K[m,d]",
        lambda q, k: softmax(np.tril(q @ k.T) / np.sqrt(q.shape[1])),
    ),
    Case(r"L = \mathrm{tril}(A)", "A[n,m]", np.tril),
    Case(
        r"A = \mathrm{softmax}(\mathrm{masked\_fill}(S, P > 0.5, -\infty))",
        "S[n,m] P[n,m]",
        lambda s, p: masked(s, p <= 0.5),
    ),
    Case(
        r"B = \mathrm{masked\_fill}(S, P > 0, -5)",
        "S[n,m] P[n,m]",
        lambda s, p: np.where(p > 0, -5, s),
    ),
    Case(
        r"A = \mathrm{softmax}_{\mathrm{causal}}(QK^\top)",
        "Q[n,d] K[m,d]",
        lambda q, k: masked(q @ k.T, np.tri(len(q), len(k), dtype=bool)),
    ),
    Case(
        r"o_i = \sum_j \mathrm{softmax}_{j \le i}(q_i^\top k_j) v_j",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: masked(q @ k.T, np.tri(len(q), len(k), dtype=bool)) @ v,
    ),
    Case(r"A = \mathrm{softmax}_{\mathrm{dim}=0}(S)", "S[n,m]", lambda s: softmax(s, 0)),
    Case(
        r"O_i = \mathrm{softmax}\left(Q_i K_{g(i)}^\top\right) V_{g(i)}",
        "Q[h,n,d] K[g,m,d] V[g,m,v]",
        lambda q, k, v: grouped(q, k, v, [i * len(k) // len(q) for i in range(len(q))]),
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{Attention}(X A_i^Q, X A_{g(i)}^K, X A_{g(i)}^V)",
        "X[n,d] A_Q[h,d,k] A_K[g,d,k] A_V[g,d,v]",
        lambda x, q, k, v: grouped(
            x @ q / np.sqrt(q.shape[-1]),
            x @ k,
            x @ v,
            [i * len(k) // len(q) for i in range(len(q))],
        ),
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{Attention}(X W_Q^i, X W_K^{g(i)}, X W_V^{g(i)})",
        "X[n,d] W_Q[h,d,k] W_K[g,d,k] W_V[g,d,v]",
        lambda x, q, k, v: grouped(
            x @ q / np.sqrt(q.shape[-1]),
            x @ k,
            x @ v,
            [i * len(k) // len(q) for i in range(len(q))],
        ),
    ),
    Case(
        r"\mathrm{Attn}_i(Q_i, K_{g(i)}, V_{g(i)}) = \mathrm{softmax}(Q_i K_{g(i)}^\top) V_{g(i)}",
        "Q[h,n,d] K[g,m,d] V[g,m,v]",
        lambda q, k, v: grouped(q, k, v, [i * len(k) // len(q) for i in range(len(q))]),
    ),
    Case(
        r"O_h = \mathrm{softmax}(Q_h K_{\lfloor h / r \rfloor}^\top) V_{\lfloor h / r \rfloor}",
        "Q[g*r,n,d] K[g,m,d] V[g,m,v] r#",
        lambda q, k, v, r: grouped(q, k, v, [i // r for i in range(len(q))]),
    ),
    Case(
        r"O_i = \mathrm{softmax}(Q_i K_{g(i)}^\top) V_{g(i)}, \quad g(i) = \lceil i / r \rceil",
        "Q[g*r,n,d] K[g,m,d] V[g,m,v] r#",
        lambda q, k, v, r: grouped(q, k, v, [-(-i // r) - 1 for i in range(1, len(q) + 1)]),
    ),
    Case(
        r"O_i = \mathrm{softmax}(Q_i K_{\lceil i g / h \rceil}^\top) V_{\lceil i g / h \rceil}",
        "Q[h,n,d] K[g,m,d] V[g,m,v]",
        lambda q, k, v: grouped(
            q, k, v, [-(-i * len(k) // len(q)) - 1 for i in range(1, len(q) + 1)]
        ),
    ),
    # Sequences that go by small letters.
    Case(
        r"\mathrm{softmax}\left(\frac{(y W_Q)(x W_K)^\top}{\sqrt{d_k}}\right) x W_V",
        "y[n,e] W_Q[e,k] x[m,d] W_K[d,k] W_V[d,v]",
        lambda y, q, x, k, v: softmax(y @ q @ (x @ k).T / np.sqrt(q.shape[1])) @ x @ v,
    ),
    Case(
        r"\beta(u, r_j) = <u, r_j>/\sqrt{d}",
        "u[d] r[m,d]",
        lambda u, r: r @ u / np.sqrt(len(u)),
    ),
    Case(
        r"f(query) = \sum_i \mathrm{softmax}(query \cdot key_i) \cdot value_i",
        "query[d] key[m,d] value[m,e]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    Case(
        r"A(Query, Key, Value) = \mathrm{softmax}(\frac{Query\ Key^\top}{\sqrt{d}}) Value",
        "Query[n,d] Key[m,d] Value[m,e]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"o_i = \mathrm{softmax}(Query_i Key^\top) Value",
        "Query[n,d] Key[m,d] Value[m,e]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    # A d_k counts no keys, where the queries' own size is another.
    Case(
        r"b_{ij} = \frac{\exp(u_i^\top r_j)}{\sqrt{d_k} \sum_s \exp(u_i^\top r_s)}",
        "u[n,d] r[m,d] d_k#",
        lambda u, r, d: softmax(u @ r.T) / np.sqrt(d),
        shapes={"u": ("n", "d"), "r": ("m", "d")},
    ),
    # What a d scales may be defined before, as features are compared; what weighs rows has none.
    Case(
        r"R = A B^\top, \quad P = \mathrm{softmax}(\frac{R}{\sqrt{d}})",
        "A[n,e] B[m,e]",
        lambda a, b: softmax(a @ b.T / np.sqrt(a.shape[1])),
    ),
    Case(
        r"c = \sum_j w_j h_j, \quad y = \frac{c}{\sqrt{d}}",
        "w[n] h[n,e] d#",
        lambda w, h, d: w @ h / np.sqrt(d),
    ),
    # The second query, and its weight for the key j: 2j tells of no even entries.
    Case(r"\omega_{2j} = q^{(2)} \cdot k^{(j)}", "q_2[d] k[n,d]", lambda q, k: k @ q),
    Case(
        r"h_2 = \sum_{i=1}^n w_{2i} x_i + b_2",
        "w_2[n] x[n] b_2",
        lambda w, x, b: w @ x + b,
    ),
    Case(
        r"o_2 = \tanh(\sum_{j=1}^n u_{2j} z_j)",
        "u_2[n] z[n,d]",
        lambda u, z: np.tanh(u @ z),
    ),
    # So are those of a list that ends with two letters; with one number they count further.
    Case(
        r"\alpha_i = \mathrm{softmax}([s_{1i}, \dots, s_{Ni}])",
        "s[m,n]",
        lambda s: softmax(s, 0).T,
    ),
    Case(r"y_i = [x_{i1}, \dots, x_{iN}]", "x[n,m]", lambda x: x),
    Case(
        r"\alpha_{2j} = \frac{\exp(\omega_{2j})}{\sum_m \exp(\omega_{2m})}",
        "omega_2[n]",
        lambda w: softmax(w),
    ),
    # What stands above and is a term of the sum below has its index, whatever else is below it.
    Case(r"p = \frac{\exp(e_{rj})}{\sum_m \exp(e_{rm})}", "e_r[n]", softmax),
    Case(r"g = \frac{e_{r,j}}{\sum_m e_{r,m}}", "e_r[n]", lambda e: e / e.sum()),
    # Near miss: the p of a positive is one of all.
    Case(
        r"J = -\log \frac{e^{s_{rp}}}{\sum_n e^{s_{rn}}}",
        "s_rp s_r[n]",
        lambda p, s: np.log(np.exp(s).sum()) - p,
    ),
    # Keys and values with an index of their own are those of one query: all of them are added up.
    Case(
        r"\mathrm{Attend}(q, k_t, v_t) = \mathrm{softmax}(q k_t^\top) v_t",
        "q[d] k[n,d] v[n,c]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    Case(
        r"\mathrm{Attend}(q_s, k_t, v_t) = \mathrm{softmax}(q_s k_t^\top) v_t",
        "q[m,d] k[n,d] v[n,c]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"\mathrm{Attend}(q, k_{t,i}, v_{t,i}) = "
        r"\mathrm{softmax}(q W_{Q,i} k_{t,i}^\top) v_{t,i} W_{V,i}",
        "q[d] k[n,h,e] v[n,h,c] W_Q[h,d,e] W_V[h,c,p]",
        lambda q, k, v, w, u: np.einsum(
            "hn,nhc,hcp->hp", softmax(np.einsum("d,hde,nhe->hn", q, w, k)), v, u
        ),
    ),
    # The index of a projection counts heads, and is not what a softmax runs over.
    Case(
        r"a_{s,i} = \mathrm{softmax}(q W_{Q,i} k_{s,i}^\top)",
        "q[d] W_Q[h,d,e] k[n,h,e]",
        lambda q, w, k: softmax(np.einsum("d,hde,nhe->hn", q, w, k)).T,
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_one_of_several_experts_is_called() -> None:
    f = compile_formula(r"y = \sum_{i=1}^N g_i E_i(x)")
    assert [(given.name, given.kind) for given in f.inputs][-1] == ("E", "function")


def test_one_number_added_to_all_scores_of_a_softmax_is_told() -> None:
    f = compile_formula(
        r"A_j = \mathrm{softmax}(\mathbf{q}_j \mathbf{k}_j^\top + \mathbf{B}_j)",
        context=[r"\mathbf{B}_j \in \mathbb{R}^{n \times m}"],
    )
    assert [one.severity for one in f.diagnostics] == ["warning"]
    assert "changes nothing in their softmax" in f.diagnostics[0].message


def test_a_size_of_keys_and_of_the_model_scales_as_usual() -> None:
    latex = r"Q = XW_Q \\ K = XW_K \\ V = XW_V \\ Y = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d}}) V"
    square = compile_formula(latex, context=[r"W_Q, W_K, W_V \in \mathbb{R}^{d \times d}"])
    assert (square.settings["scale"], square.diagnostics) == ("d_k**-0.5", ())
    wide = r"W_Q, W_K \in \mathbb{R}^{d \times k}"
    assert [one.code for one in compile_formula(latex, context=[wide]).diagnostics] == ["N2C050"]


def test_what_is_added_beside_a_causal_mask_is_shown() -> None:
    mask = r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}"
    latex = rf"\mathrm{{softmax}}(QK^\top / \sqrt{{d_k}} + B + M) V, \quad {mask}"
    assert compile_formula(latex).settings["mask"] == "causal + B"
    twice = latex.replace("B + M", "M + M")
    assert compile_formula(twice).settings["mask"] == "causal"
