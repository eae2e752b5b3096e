"""Matrices, vectors, transposes, rows and columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def _normalised_rows(d: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
    return a @ v / d.diagonal()[:, None]


def _symmetric(d: np.ndarray, a: np.ndarray) -> np.ndarray:
    return a / np.sqrt(np.outer(d.diagonal(), d.diagonal()))


def _smoothed(d: np.ndarray, a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _symmetric(d, a) @ x


@table(
    # Nobody transposes what a number scales, but a value that a weight stands before.
    Case(
        r"D = \frac{\alpha}{r} \sum_{i=1}^{r} b_i a_i^\top",
        "alpha b[r,n] a[r,m]",
        lambda s, b, a: s / len(b) * b.T @ a,
    ),
    Case(r"o = \sum_i a_i v_i^\top", "a[n] v[n,d]", lambda a, v: a @ v),
    # What a dagger means is said where it is defined.
    Case(
        r"w = X^\dagger y, \quad X^\dagger = \epsilon X^\top",
        "epsilon X[n,d] y[n]",
        lambda e, x, y: e * x.T @ y,
    ),
    Case(
        r"w = X^\dagger y",
        "epsilon X[n,d] y[n]",
        lambda e, x, y: e * x.T @ y,
        context=[r"X^\dagger = \epsilon X^\top"],
    ),
    Case(r"w = X^\dagger y", "X_dagger[d,n] y[n]", np.matmul, shapes={"X_dagger": ("d", "n")}),
    # The halves of a gated unit side by side, and no product of what is transposed.
    Case(
        r"y = \mathrm{ReLU}(x A + b) (x C) U",
        "x[d] A[d,p] b[p] C[d,p] U[p,m]",
        lambda x, a, b, c, u: (np.maximum(x @ a + b, 0) * (x @ c)) @ u,
    ),
    Case(
        r"S = \mathrm{ReLU}(X A) (X B)^\top",
        "X[n,d] A[d,p] B[d,p]",
        lambda x, a, b: np.maximum(x @ a, 0) @ (x @ b).T,
    ),
    *(
        Case(
            latex,
            "A[p,m] B[m,d] x[d] C[m,d]",
            lambda a, b, x, c: a @ (np.maximum(b @ x, 0) * (c @ x)),
        )
        for latex in (
            r"y = A (\mathrm{ReLU}(B x) C x)",
            r"y = A \mathrm{ReLU}(B x) (C x)",
            r"y = A \cdot \mathrm{ReLU}(B x) \cdot (C x)",
        )
    ),
    # What the first one of several is declared as, and what one of two is, all are.
    Case(
        r"Y^{(m)} = X^{(m)} A^{(m)}",
        "X[m,d,n] A[m,n,p]",
        np.matmul,
        context=[r"X^{(0)} \in \mathbb{R}^{d \times n}"],
    ),
    Case(
        r"r = \exp(\rho_{u_1} \cdot \rho_{v_1}) - \exp(\rho_{u_2} \cdot \rho_{v_2})",
        "rho_u_1[d] rho_v_1[d] rho_u_2[n] rho_v_2[n]",
        lambda a, b, c, d: np.exp(a @ b) - np.exp(c @ d),
        context=[r"\rho_{u_1}, \rho_{v_1} \in \mathbb{R}^d"],
    ),
    Case(
        r"r = \exp(\rho_{q_1} \cdot \rho_{k_1}) - \exp(\rho_{q_2} \cdot \rho_{k_2})",
        "rho_q_1[d] rho_k_1[d] rho_q_2[n] rho_k_2[n]",
        lambda a, b, c, d: np.exp(a @ b) - np.exp(c @ d),
    ),
    # A column times a row before a matrix, whatever makes the row; a small t for all transposes.
    Case(
        r"Y = u \tanh(A v)^\top B",
        "u[p] A[n,m] v[m] B[n,d]",
        lambda u, a, v, b: np.outer(u, np.tanh(a @ v) @ b),
    ),
    Case(
        r"G = \sum_{i=1}^{n} u_i \mathrm{softmax}((u_i^t P K^t)^t)^t V",
        "u[n,d] P[d,e] K[m,e] V[m,p]",
        lambda u, p, k, v: u.T @ softmax(u @ p @ k.T) @ v,
    ),
    Case(r"g = (A x)^t B y", "A[n,m] x[m] B[n,d] y[d]", lambda a, x, b, y: (a @ x) @ (b @ y)),
    # Inverses and determinants of square matrices.
    Case(
        r"\theta = (X^\top X)^{-1} X^\top y",
        "X[n,d] y[n]",
        lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0],
    ),
    Case(r"y = A a + b", "A[n,d] a[d] b[n]", lambda A, a, b: A @ a + b),
    Case(
        r"a = (K + n \lambda I)^{-1} y",
        "K[d,d] n lambda_ y[d]",
        lambda K, n, weight, y: np.linalg.solve(K + n * weight * np.eye(len(K)), y),
    ),
    Case(
        r"w = (X^\top X + \lambda I)^{-1} X^\top y",
        "X[n,d] lambda_+ y[n]",
        lambda x, weight, y: np.linalg.solve(x.T @ x + weight * np.eye(x.shape[1]), x.T @ y),
    ),
    Case(r"x = A^{-1} b", "A[d,d] b[d]", np.linalg.solve, context=r"A \in \mathbb{R}^{d \times d}"),
    Case(r"Y = A^{-1} B A", "A[n,n] B[n,n]", lambda a, b: np.linalg.solve(a, b @ a)),
    Case(
        r"y_i = A_i^{-1} x_i",
        "A[n,d,d] x[n,d]",
        lambda a, x: np.stack([*map(np.linalg.solve, a, x)]),
    ),
    Case(
        r"G = P H^\top (H P H^\top + R)^{-1}",
        "P[n,n] H[m,n] R[m,m]",
        lambda p, h, r: p @ h.T @ np.linalg.inv(h @ p @ h.T + r),
    ),
    Case(
        r"y = \det(A) x + \det B",
        "A[n,n] x[d] B[m,m]",
        lambda a, x, b: np.linalg.det(a) * x + np.linalg.det(b),
    ),
    Case(
        r"Y = D^{-1} A, \quad D = \mathrm{diag}(A \mathbf{1})",
        "A[n,m]",
        lambda a: a / a.sum(1, keepdims=True),
    ),
    Case(r"X = [x_1; x_2; \ldots; x_n]", "x[n,d]", lambda x: x),
    # A letter twice around another is a matrix, and the L of these none of a loss.
    Case(r"L = U \Lambda U^\top", "U[n,d] Lambda[d,d]", lambda u, m: u @ m @ u.T),
    Case(r"L = V \cdot S \cdot V^\top", "V[n,d] S[d,d]", lambda u, m: u @ m @ u.T),
    Case(r"B = -\frac12 J D^{(2)} J", "J[n,m] D_2[m,n]", lambda j, d: -j @ d @ j / 2),
    # A D amid a product is a matrix: as a number, the size of something, it stands in front.
    Case(
        r"s = u^\top A^\top D B z",
        "u[d] A[p,d] D[p,q] B[q,r] z[r]",
        lambda u, a, d, b, z: u @ a.T @ d @ b @ z,
    ),
    Case(
        r"S = \frac{1}{\sqrt D} Q K^\top V",
        "Q[n,D] K[m,D] V[m,p]",
        lambda q, k, v: q @ k.T @ v / np.sqrt(q.shape[1]),
    ),
    # A prime is a transpose where nothing else fits, and the note has no such name.
    Case(r"S = Q K'", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    Case(r"Y = X' W", "X_prime[n,d] W[d,p]", np.matmul),
    Case(
        r"Y = Q K'",
        "Q[n,d] W[d,p] K[p,r]",
        lambda q, w, k: q @ w @ k,
        context=[r"K' = W K"],
    ),
    Case(r"Z = X M X", "X[n,d] M[d,n]", lambda x, m: x @ m @ x),
    Case(r"L = X W^\top", "X[d] W[d]", lambda x, w: x @ w),
    # What is transposed on the left is defined by the transpose.
    Case(r"C^\top = A B", "A[n,d] B[d,m]", lambda a, b: (a @ b).T),
    Case(r"C^T = A", "A[n,d]", lambda a: a.T),
    Case(r"c^\top = x^\top A", "x[n] A[n,d]", lambda x, a: x @ a),
    # Degrees stand on a diagonal.
    Case(r"L = D - A", "D[n,m] A[n,m]", lambda d, a: d - a),
    Case(r"P = A D^{-1}", "A[n,m] D+[m,m]", lambda a, d: a / d.diagonal()),
    # The tokens and weights of a law of scaling are numbers, and all parameters are a matrix.
    Case(r"L = A N^{-1} + B D^{-1}", "A N+ B D#", lambda a, n, b, d: a / n + b / d),
    Case(r"Z = X \Theta", "X[n,d] Theta[d,m]", np.matmul),
    Case(r"P = \hat D^{-1} \hat A V", "D_hat+[n,n] A_hat[n,m] V[m,p]", _normalised_rows),
    Case(r"S = \tilde D^{-1/2} \tilde A \tilde D^{-1/2}", "D_tilde+[n,n] A_tilde[n,n]", _symmetric),
    Case(r"Y = D^{-\frac12} A D^{-\frac12} X", "D+[n,n] A[n,n] X[n,p]", _smoothed),
    Case(
        r"D_{ii} = \sum_j A_{ij}, \quad L = I - D^{-1/2} A D^{-1/2}",
        "A+[n,n]",
        lambda a: np.eye(len(a)) - a / np.sqrt(np.outer(a.sum(1), a.sum(1))),
    ),
    Case(r"D_{ii} = \sum_j A_{ij}", "A[n,m]", lambda a: np.diag(a.sum(1))),
    Case(r"D_i = \sum_j A_{ij}, \quad P = D^{-1} A", "A+[n,m]", lambda a: a / a.sum(1)[:, None]),
    Case(r"S = Q K^\top D^{-1/2}", "Q[n,D] K[m,D]", lambda q, k: q @ k.T / np.sqrt(q.shape[1])),
    Case(
        r"X = [x_1; \dots; x_n], \quad S = X X^\top",
        "x[n,d]",
        lambda x: x @ x.T,
    ),
    Case(r"C = AB", "A[n,d] B[d,m]", lambda a, b: a @ b),
    # What an element of a product is; the left-hand side says which axis is the first.
    Case(r"(AB)_{ij} = \sum_k A_{ik} B_{kj}", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"[X W]_{ij} = \sum_{l=1}^{d} X_{il} W_{lj}", "X[n,d] W[d,p]", lambda x, w: x @ w),
    Case(r"(AB)_{ij} = \sum_k B_{kj} A_{ik}", "B[d,m] A[n,d]", lambda b, a: a @ b),
    Case(
        r"(XW + b)_{ij} = \sum_k X_{ik} W_{kj} + b_j",
        "X[n,d] W[d,p] b[p]",
        lambda x, w, b: x @ w + b,
    ),
    Case(r"(u v^\top)_{ij} = u_i v_j", "u[n] v[m]", np.outer),
    Case(r"(x \otimes y)_{ij} = x_i y_j", "x[d] y[d]", np.outer),
    Case(r"C = AB^T", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(r"C = A B^\top", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(r"C = A B^{\intercal}", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(r"C = A B^{\mathsf T}", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(r"C = A B^{\mathrm{T}}", "A[n,d] B[m,d]", lambda a, b: a @ b.T),
    Case(r"C = (AB)^\top", "A[n,d] B[d,m]", lambda a, b: (a @ b).T),
    Case(r"C = A^\top B", "A[d,n] B[d,m]", lambda a, b: a.T @ b),
    Case(r"C = {A}^{T} {B}", "A[d,n] B[d,m]", lambda a, b: a.T @ b),
    Case(r"C = A \cdot B", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"C = A \times B", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"C = A @ B", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"C = ABC_0", "A[n,d] B[d,m] C_0[m,k]", lambda a, b, c: a @ b @ c),
    Case(r"C = A \mathrm{diag}(w) B", "A[n,d] w[d] B[d,m]", lambda a, w, b: a * w @ b),
    # The powers of a diagonal matrix are those of what stands on its diagonal.
    Case(r"y = \mathrm{diag}(w)^{-1} x", "w+[d] x[d]", lambda w, x: x / w),
    Case(r"C = A \mathrm{diag}(w)^{-1/2} B", "A[n,d] w+[d] B[d,m]", lambda a, w, b: a / w**0.5 @ b),
    Case(r"y = S^{-1} x, \quad S = \mathrm{diag}(\ell)", "ell+[d] x[d]", lambda w, x: x / w),
    Case(r"y = [x; 1]", "x[d]", lambda x: np.append(x, 1)),
    Case(r"K_n = [K_c; k]", "K_c[n,d] k[d]", lambda c, k: np.vstack([c, k])),
    Case(
        r"X = E_{tok} + E_{pos} + E_{seg}",
        "E_tok[n,d] E_pos[n,d] E_seg[n,d]",
        lambda t, p, s: t + p + s,
    ),
    Case(
        r"L = c + \frac{a}{N^\alpha} + \frac{b}{D^\beta}",
        "c a N+ alpha b D+ beta",
        lambda c, a, n, p, b, d, q: c + a / n**p + b / d**q,
        shapes={"b": (), "N": (), "D": ()},
    ),
    Case(r"t = \mathrm{tr}(A B)", "A[n,d] B[d,n]", lambda a, b: np.trace(a @ b)),
    Case(r"s = \|x\|_\infty", "x[d]", lambda x: abs(x).max()),
    Case(
        r"\cos\theta = \frac{A \cdot B}{\|A\| \|B\|}",
        "A[d] B[d]",
        lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
    ),
    Case(
        r"c(A, B) = \frac{A \cdot B}{|A||B|}",
        "A[d] B[d]",
        lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
    ),
    Case(
        r"\begin{bmatrix} Q \\ K \end{bmatrix} = \begin{bmatrix} W_Q \\ W_K \end{bmatrix} X",
        "W_Q[h,d] W_K[e,d] X[d,n]",
        lambda q, k, x: np.concatenate([q, k]) @ x,
    ),
    Case(r"y = W x + \Delta W x", "W[h,d] x[d] Delta_W[h,d]", lambda w, x, d: (w + d) @ x),
    Case(r"\Delta W = 2 BA", "B[h,r] A[r,d]", lambda b, a: 2 * b @ a),
    Case(r"C = \tanh(\Delta A)", "Delta A[n,d]", lambda s, a: np.tanh(s * a)),
    Case(r"C = A \odot B", "A[n,m] B[n,m]", lambda a, b: a * b),
    Case(r"C = A \oslash B", "A[n,m] B[n,m]", lambda a, b: a / b),
    Case(r"y = x ⊘ b \odot c", "x[d] b[d] c[d]", lambda x, b, c: x / b * c),
    Case(r"C = A \circ B", "A[n,m] B[n,m]", lambda a, b: a * b),
    Case(r"Y = XW \odot XV", "X[n,d] W[d,h] V[d,h]", lambda x, w, v: (x @ w) * (x @ v)),
    Case(r"Y = xV \otimes yW", "x[d] V[d,h] y[e] W[e,h]", lambda x, v, y, w: (x @ v) * (y @ w)),
    Case(r"y = Wx + b", "W[h,d] x[d] b[h]", lambda w, x, b: w @ x + b),
    Case(r"y = xW + b", "x[d] W[d,h] b[h]", lambda x, w, b: x @ w + b),
    Case(r"y = W^\top x", "W[d,h] x[d]", lambda w, x: w.T @ x),
    Case(r"Y = XW + b", "X[n,d] W[d,h] b[h]", lambda x, w, b: x @ w + b),
    # The identity beside a matrix that is divided, and beside a Greek one.
    Case(
        r"\frac{2\mathbf{L}}{\lambda} - \mathbf{I}",
        "L[n,n] lambda_",
        lambda m, s: 2 * m / s - np.eye(len(m)),
    ),
    Case(
        r"Y = X ((1 - \beta) \mathbf{I} + \beta \mathbf{\Theta})",
        "X[n,d] beta Theta[d,d]",
        lambda x, b, t: x @ ((1 - b) * np.eye(len(t)) + b * t),
    ),
    Case(r"Y = XW + \mathbf{1} b^\top", "X[n,d] W[d,h] b[h]", lambda x, w, b: x @ w + b),
    Case(r"s = q^\top k", "q[d] k[d]", lambda q, k: q @ k),
    Case(r"s = q \cdot k", "q[d] k[d]", lambda q, k: q @ k),
    Case(r"s = \langle q, k \rangle", "q[d] k[d]", lambda q, k: q @ k),
    Case(r"s = q^\top W k", "q[d] W[d,e] k[e]", lambda q, w, k: q @ w @ k),
    Case(r"S = u v^\top", "u[n] v[m]", np.outer),
    # A variance scales the identity, at each step, too.
    Case(
        r"\Sigma_t = \sigma_t^2 I",
        "sigma[m] n#",
        lambda s, n: s[:, None, None] ** 2 * np.eye(n),
    ),
    Case(r"\Sigma_k = \beta_k I", "beta[m] n#", lambda b, n: b[:, None, None] * np.eye(n)),
    # A column stays one behind a matrix, and a transposed one before it makes no outer product.
    Case(
        r"Q^\top K = (W^Q h)^\top (W^{UK} c)",
        "W_Q[p,d] h[d,n] W_UK[p,r] c[r,m]",
        lambda w, h, u, c: (w @ h).T @ (u @ c),
    ),
    Case(
        r"A^\top B = (W_1 u)^\top (W_2 z)",
        "W_1[p,d] u[d,n] W_2[p,r] z[r,m]",
        lambda w, u, v, z: (w @ u).T @ (v @ z),
    ),
    # Capitals that count are no shape where the note declares them as arrays.
    Case(
        r"N \times P",
        "N[a,b] P[b,c]",
        np.matmul,
        context=r"$N \in \mathbb{R}^{a \times b}$, $P \in \mathbb{R}^{b \times c}$.",
    ),
    Case(
        r"A^\top B = (W x)^\top (U z)",
        "W[p,d] x[d] U[q,r] z[r]",
        lambda w, x, u, z: np.outer(w @ x, u @ z),
    ),
    # What a state gets of them is one.
    Case(
        r"M_t = c M_{t-1} + (A z_t)^\top (B z_t)",
        "c M[p,r] A[p,d] z[d] B[r,d]",
        lambda c, m, a, z, b: c * m + np.outer(a @ z, b @ z),
    ),
    # What a row is multiplied by is a row again, and a row below a transposed one makes a matrix.
    Case(
        r"S = (x U)^\top (x V)",
        "x[d] U[d,n] V[d,m]",
        lambda x, u, v: np.outer(x @ u, x @ v),
    ),
    Case(
        r"M_t = M_{t-1} + (x_t A)^\top x_t B",
        "M[p,r] x[d] A[d,p] B[d,r]",
        lambda m, x, a, b: m + np.outer(x @ a, x @ b),
    ),
    Case(
        r"G = \sum_i (z_i U)^\top \tanh(z_i V)",
        "z[n,d] U[d,p] V[d,r]",
        lambda z, u, v: (z @ u).T @ np.tanh(z @ v),
    ),
    Case(r"s_{ij} = (x_i U)^\top (x_j U)", "x[n,d] U[d,p]", lambda x, u: x @ u @ u.T @ x.T),
    Case(r"s = \frac{q^\top k}{\sqrt{d}}", "q[d] k[d]", lambda q, k: q @ k / np.sqrt(len(q))),
    Case(r"B_{ij} = A_{ji}", "A[n,m]", np.transpose),
    Case(r"y_i = A_{ii}", "A[n,n]", np.diag),
    Case(
        r"y = A x = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} [5, 6] = [17, 39]",
        "A[n,d] x[d]",
        np.matmul,
    ),
    Case(
        r"B = A - \lambda I",
        "A[n,n] lambda_",
        lambda a, s: a - s * np.eye(len(a)),
    ),
    Case(
        r"B = \frac{1}{2} A + \tfrac{1}{2} I",
        "A[n,n]",
        lambda a: (a + np.eye(len(a))) / 2,
    ),
    Case(r"y = (I - P) x", "P[d,d] x[d]", lambda p, x: x - p @ x),
    Case(r"Q = I W", "I[n,d] W[d,e]", np.matmul),
    Case(r"A = \lambda u w^\top", "lambda_ u[n] w[m]", lambda s, u, w: s * np.outer(u, w)),
    Case(r"y_i = w^\top x_i + b", "w[d] x[n,d] b", lambda w, x, b: x @ w + b),
    Case(r"y_i = W x_i", "W[h,d] x[n,d]", lambda w, x: x @ w.T),
    Case(r"y_i = x_i W", "x[n,d] W[d,h]", lambda x, w: x @ w),
    Case(r"Y = W_2 (W_1 X)", "W_2[h,e] W_1[e,d] X[d,n]", lambda b, a, x: b @ a @ x),
    Case(r"G_{ij} = x_i^\top x_j", "x[n,d]", lambda x: x @ x.T),
    Case(r"G = X^\top X", "X[n,d]", lambda x: x.T @ x),
    Case(
        r"R = \begin{pmatrix} \cos t & -\sin t \\ \sin t & \cos t \end{pmatrix}",
        "t",
        lambda t: np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]),
    ),
    Case(
        r"y = \begin{bmatrix} a & b \\ c & d \end{bmatrix} \begin{bmatrix} u \\ v \end{bmatrix}",
        "a b c d u v",
        lambda a, b, c, d, u, v: np.array([a * u + b * v, c * u + d * v]),
        shapes=dict.fromkeys("abcduv", ()),
    ),
    Case(
        r"z = [\mathbf{x}_{class}; \mathbf{x}_p^1 E; \mathbf{x}_p^2 E; \dots; \mathbf{x}_p^N E] + "
        r"\mathbf{P}_{pos}",
        "x_class[d] x_p[N,c] E[c,d] P_pos[N+1,d]",
        lambda c, x, e, p: np.concatenate([c[None], x @ e]) + p,
    ),
    Case(
        r"h = \tanh(U [e_{t-n+1}; \dots; e_{t-1}])",
        "U[m,n*d] e[n,d]",
        lambda u, e: np.tanh(u @ e.ravel()),
    ),
    Case(r"z = (1, x_1, \dots, x_n)", "x[n]", lambda x: np.concatenate([[1], x])),
    Case(
        r"\mathbf{z} = [\mathbf{u}; \mathbf{v}_1; \dots; \mathbf{v}_k]",
        "u[m] v[k,d]",
        lambda u, v: np.concatenate([u, v.ravel()]),
    ),
    # The identity matrix of n rows, and that of a graph's nodes.
    Case(r"B = A + I_n", "A[n,n]", lambda a: a + np.eye(len(a))),
    Case(r"B = A + I", "A[n,n]", lambda a: a + np.eye(len(a))),
    Case(r"B^{(j)} = A^{(j)} + I", "A[h,n,n]", lambda a: a + np.eye(a.shape[1])),
    Case(r"y = (I_d - U U^\top) x", "U[d,k] x[d]", lambda u, x: x - u @ (u.T @ x)),
    Case(r"z = (I + B) u", "B[d,d] u[d]", lambda b, u: u + b @ u),
    Case(
        r"\bar A = (I - \tfrac{\Delta}{2} A)^{-1} (I + \tfrac{\Delta}{2} A)",
        "Delta A[d,d]",
        lambda t, a: np.linalg.solve(np.eye(len(a)) - t / 2 * a, np.eye(len(a)) + t / 2 * a),
    ),
    Case(
        r"\hat A = D^{-1/2} (A + I) D^{-1/2}",
        "D+[n,n] A[n,n]",
        lambda d, a: (a + np.eye(len(a))) / np.sqrt(np.outer(np.diag(d), np.diag(d))),
    ),
    Case(r"Z = (I + W + U) X", "W[n,n] U[n,n] X[n,d]", lambda w, u, x: x + w @ x + u @ x),
    # Images under one letter are none.
    Case(r"d = \|I_p - I_q\|", "I_p[n,m] I_q[n,m]", lambda p, q: np.linalg.norm(p - q)),
    Case(
        r"d_t = \|I_t - I_{t-1}\|",
        "I[n,d]",
        lambda i: np.linalg.norm(i[1:] - i[:-1], axis=1),
    ),
    # A vector by its letter is made of a vector by a matrix.
    Case(r"x_i = E w_i", "E[d,p] w[n,p]", lambda e, w: w @ e.T),
    Case(r"c_i = \eta w_i", "eta w[n]", np.multiply),
    # The parts of complex numbers are numbers.
    Case(
        r"xu - yv",
        "x u y v",
        lambda x, u, y, v: x * u - y * v,
        context=["z = x + iy", "w = u + iv"],
    ),
    # The k of a size counts no step.
    Case(
        r"V = V + \frac{X W_Q W_K^\top}{\sqrt{d_k}} W_V",
        "V[n,p] X[n,d] W_Q[d,r] W_K[m,r] W_V[m,p]",
        lambda u, x, q, k, v: u + x @ q @ k.T @ v / np.sqrt(q.shape[1]),
    ),
    # The identity matrix is scaled by a sum of numbers, too, and bold it stands beside any matrix.
    Case(
        r"M = (1 - \beta) I + \beta W",
        "beta W[n,n]",
        lambda b, w: (1 - b) * np.eye(len(w)) + b * w,
    ),
    Case(
        r"\mathbf{H} = (\mathbf{A} + (1 + \epsilon) \cdot \mathbf{I}) \mathbf{X}",
        "A[n,n] epsilon X[n,d]",
        lambda a, e, x: a @ x + (1 + e) * x,
    ),
    Case(
        r"\frac{2}{\lambda} \mathbf{L} - \mathbf{I}",
        "lambda_ L[n,n]",
        lambda lam, m: 2 / lam * m - np.eye(len(m)),
    ),
    # Beside vectors it is a current, and what an I_mix is made of is an image.
    Case(
        r"\mathbf{u} = \mathbf{I} + \mathbf{W} \mathbf{s} + \mathbf{u}",
        "I[d] W[d,p] s[p] u[d]",
        lambda i, w, s, u: i + w @ s + u,
    ),
    Case(r"y = \frac12 \cdot I + x", "I[d] x[d]", lambda i, x: i / 2 + x),
    Case(r"Y = \frac12 \cdot I + X_1", "I[n,d] X_1[n,d]", lambda i, x: i / 2 + x),
    Case(
        r"I_{mix} = (1 - \alpha) \cdot I + \alpha J",
        "alpha I[n,d] J[n,d]",
        lambda a, i, j: (1 - a) * i + a * j,
    ),
)
def test_value(case: Case) -> None:
    check(case)


@table(
    # Vectors below each other in a matrix are its rows, those side by side its columns.
    Case(
        r"z = \begin{bmatrix} \alpha_1 & \dots & \alpha_T \end{bmatrix} "
        r"\begin{bmatrix} x_1 \\ \vdots \\ x_T \end{bmatrix}",
        "alpha[T] x[T,d]",
        lambda b, x: b @ x,
    ),
    Case(r"H = \begin{bmatrix} h_1 \\ \vdots \\ h_n \end{bmatrix}", "h[n,d]", lambda h: h),
    Case(r"H = \begin{bmatrix} h_1 & \dots & h_n \end{bmatrix}", "h[n,d]", lambda h: h.T),
    Case(
        r"s_i = q_i^\top \begin{bmatrix} k_1 & k_2 & \dots & k_n \end{bmatrix}",
        "q[m,d] k[n,d]",
        lambda q, k: q @ k.T,
    ),
    # Near misses: numbers make a vector; what a weight maps is one long vector.
    Case(r"x = \begin{bmatrix} x_1 \\ \vdots \\ x_T \end{bmatrix}", "x[T]", lambda x: x),
    Case(
        r"o = W_O \begin{bmatrix} h_1 \\ \vdots \\ h_n \end{bmatrix}",
        "W_O[m,n*d] h[n,d]",
        lambda w, h: w @ h.ravel(),
    ),
)
def test_vectors_in_a_matrix(case: Case) -> None:
    check(case)


@table(
    Case(r"y = q k^\top", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case(r"y = x^\top y_0 z^\top", "x[d] y_0[d] z[m]", lambda x, y, z: (x @ y) * z),
    Case(r"y = a b^\top c", "a[n] b[d] c[d]", lambda a, b, c: a * (b @ c)),
    Case(r"y = A x^2", "A[n,d] x[d]", lambda a, x: a @ x**2),
    Case(r"y = (A x)^2", "A[n,d] x[d]", lambda a, x: (a @ x) ** 2),
    Case(
        r"y = x^{T}",
        "x+ T",
        lambda x, t: x**t,
    ),
    Case(r"y = \frac{A}{c}", "A[n,m] c", lambda a, c: a / c),
    # What a matrix makes of a column stands up, and a row behind it lies.
    Case(r"B = A u v^\top", "A[n,d] u[d] v[n]", lambda a, u, v: np.outer(a @ u, v)),
    Case(r"B = \tanh(A u) v^\top", "A[n,d] u[d] v[n]", lambda a, u, v: np.outer(np.tanh(a @ u), v)),
    # A form is a number, which may stand before a matrix.
    Case(r"B = x^\top A x C", "x[d] A[d,d] C[n,m]", lambda x, a, c: (x @ a @ x) * c),
    # Numbers are those that are declared, whatever their letters; and Greek letters are matrices.
    Case(r"B = k A + W C", "k A[n,m] W C[n,m]", lambda k, a, w, c: k * a + w * c),
    Case(r"P = (\lambda - \rho)^T", "lambda_[n,m] rho[n,m]", lambda x, y: (x - y).T),
    Case(r"A = B \mathrm{ReLU}(B^\top)", "B[n,m]", lambda b: b @ np.maximum(b, 0).T),
    # What is declared of each is that, though the section declares one without an index before.
    Case(
        r"Y_i = X W_i",
        "X[n,e] W[h,e,p]",
        lambda x, w: x @ w,
        context=[r"W \in \mathbb{R}^{e \times e}", r"W_i \in \mathbb{R}^{e \times p}"],
    ),
)
def test_declared(case: Case) -> None:
    """What the note declares decides what a sign means."""
    check(case, declared=True)


@pytest.mark.parametrize("row", [r"\mathbf{{w}}_{n}", r"w_{n}^\top"])
def test_vectors_below_each_other_are_the_rows_of_what_is_declared_a_matrix(row: str) -> None:
    rows = r" \\ ".join(row.format(n=n) for n in (1, 2, 3))
    latex = rf"W = \begin{{bmatrix}} {rows} \end{{bmatrix}}"
    formula = compile_formula(latex, shapes={"W": (3, "d")})
    given = {f"w_{n}": np.arange(4.0) + 10 * n for n in (1, 2, 3)}
    np.testing.assert_array_equal(formula.reference(**given), np.stack(list(given.values())))
    assert "N2C042" not in {one.code for one in formula.diagnostics}


def test_a_plus_above_what_is_defined_is_a_label() -> None:
    formula = compile_formula(r"S^{+} = \max(S, 0)")
    given = np.array([[1.0, -2.0], [-3.0, 4.0]])
    np.testing.assert_array_equal(formula.reference(S=given), np.maximum(given, 0))
    with pytest.raises(FormulaError, match="pseudo-inverse"):
        compile_formula("A = S^{+} B")


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        (
            r"p(x) = \frac{1}{(2\pi)^{d/2} |\Sigma|^{1/2}} "
            r"\exp\left(-\frac12 (x - \mu)^\top \Sigma^{-1} (x - \mu)\right)",
            lambda x, m, s: (
                np.exp(-m @ np.linalg.solve(s, m) / 2)
                / np.sqrt((2 * np.pi) ** len(x) * np.linalg.det(s))
            ),
        ),
        (
            r"L = (x - \mu)^\top S^{-1} (x - \mu) + \log |S|",
            lambda x, m, s: m @ np.linalg.solve(s, m) + np.log(np.linalg.det(s)),
        ),
    ],
)
def test_densities_are_of_vectors(latex: str, value: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    x, mean = rng.standard_normal((2, 4))
    spread = np.eye(4) + np.diag([0.5, 0.2, 0.1], 1) + np.outer(x, x)
    formula = compile_formula(latex)
    given = {i.name: spread for i in formula.inputs if len(i.shape) == 2}
    given |= {"x": x, "mu": mean}
    expected = value(x, x - mean, spread)
    np.testing.assert_allclose(formula.reference(**given), expected)
    tensors = {name: torch.tensor(number) for name, number in given.items()}
    np.testing.assert_allclose(formula.function()(**tensors), expected)


@table(
    # A capital is a matrix, and so is one of several.
    Case(r"B = h v^\top", "h[n] v[d]", np.outer),
    Case(r"A_i = y h_i^\top", "y[n] h[m,d]", lambda y, h: y[:, None] * h[:, None, :]),
    # A number between others changes nothing of what they are.
    Case(r"y = W \mu z", "W[n,d] mu z[d]", lambda w, mu, z: mu * (w @ z)),
    Case(
        r"U = z x^\top \mu M",
        "z[n] x[d] mu M[d,m]",
        lambda z, x, mu, m: mu * np.outer(z, x) @ m,
        context=r"\mu \in \mathbb{R}",
    ),
)
def test_undeclared(case: Case) -> None:
    """What stands where decides what a letter is."""
    check(case)


def test_which_of_three_vectors_are_multiplied_first_is_told() -> None:
    (told,) = compile_formula(r"y = h u^\top v").diagnostics
    assert "the dot product of two rows" in told.message
    attention = compile_formula(r"o_i = \sum_j q_i k_j^\top v_j")
    assert "N2C039" not in {problem.code for problem in attention.diagnostics}


@pytest.mark.parametrize(
    ("latex", "axis", "said"),
    [
        (r"s = u^\top \mathrm{softmax}(A) v", 1, "along the last axis, and both are summed over"),
        (r"B = C \mathrm{softmax}(A)", 0, "along the first axis, which is summed over"),
    ],
)
def test_the_axis_of_a_softmax_between_factors_is_told(latex: str, axis: int, said: str) -> None:
    formula = compile_formula(latex, shapes={"A": ("n", "d"), "C": ("p", "n")})
    (told,) = formula.diagnostics
    assert told.message.endswith(said)
    rng = np.random.default_rng(0)
    lengths = {"n": 4, "d": 3, "p": 5}
    given = {one.name: rng.random([lengths[x] for x in one.shape]) for one in formula.inputs}
    weights = softmax(given["A"], axis)
    factors = [given.get("u", given.get("C")), weights, *([given["v"]] if "v" in given else [])]
    np.testing.assert_allclose(formula.reference(**given), np.linalg.multi_dot(factors))


def test_each_softmax_that_goes_along_the_first_axis_is_told() -> None:
    formula = compile_formula(r"B = C \mathrm{softmax}(A) + F \mathrm{softmax}(G)")
    said = [one.message for one in formula.diagnostics if "the first axis" in one.message]
    assert len(said) == 2


def test_a_power_that_may_be_a_product_of_matrices_is_told() -> None:
    declared = r"A \in \mathbb{R}^{n \times n}, B \in \mathbb{R}^{n \times n}, x \in \mathbb{R}^n"
    (told,) = compile_formula(rf"y = (A + B)^2 x, \quad {declared}").diagnostics
    assert told.code == "N2C039"
    assert "`(A + B)^2` is taken element by element" in told.message
    (told,) = compile_formula(rf"C = (A + B)^2, \quad {declared}").diagnostics
    assert "`(A + B)^2` is taken element by element" in told.message
    (told,) = compile_formula(r"C = (U W)^2").diagnostics
    assert "`(U W)^2` is taken element by element" in told.message
    errors = compile_formula(rf"C = (A - B)^2, \quad {declared}")
    assert not errors.diagnostics


# What stands before the weights of a compression is what they map, and scales nothing.
@table(
    Case(
        r"u_t = \sum_i \hat o_{t,i} W_i^{UV} W_i^O",
        "o_hat[n,h,d] W_UV[h,d,p] W_O[h,p,r]",
        lambda o, v, w: np.einsum("nhd,hdp,hpr->nr", o, v, w),
    ),
    Case(r"k = c W^{UK}", "c[d] W_UK[d,p]", lambda c, w: c @ w),
)
def test_what_compressed_keys_and_values_are_mapped_by(case: Case) -> None:
    check(case)


# A matrix of ones is divided by how many there are: its product with another has the means.
@table(
    Case(
        r"C = I - \frac{1}{n} \mathbf{1} \mathbf{1}^\top",
        "n#",
        lambda n: np.eye(n) - np.full((n, n), 1 / n),
    ),
    Case(
        r"Y = \mathbf{1} \mathbf{1}^\top X / n",
        "X[n,d]",
        lambda x: np.tile(x.mean(0), (len(x), 1)),
    ),
    Case(
        r"Y = X - \frac{\mathbf{1} \mathbf{1}^\top X}{m}",
        "X[n,d]",
        lambda x: x - x.mean(0),
    ),
)
def test_as_many_ones_as_they_are_divided_by(case: Case) -> None:
    check(case)


def test_keys_of_a_prefix_stand_before_the_others_of_their_head() -> None:
    latex = r"\mathrm{head}_i = \mathrm{Attention}(X W_i^Q, [P_i^K; X W_i^K], [P_i^V; X W_i^V])"

    def value(
        x: np.ndarray, q: np.ndarray, p: np.ndarray, k: np.ndarray, r: np.ndarray, v: np.ndarray
    ) -> np.ndarray:
        heads = []
        for h in range(len(q)):
            keys = np.concatenate([p[h], x @ k[h]])
            scores = x @ q[h] @ keys.T / np.sqrt(keys.shape[-1])
            heads.append(softmax(scores) @ np.concatenate([r[h], x @ v[h]]))
        return np.stack(heads)

    inputs = "X[n,d] W_Q[h,d,p] P_K[h,m,p] W_K[h,d,p] P_V[h,m,r] W_V[h,d,r]"
    check(Case(latex, inputs, value))
