"""Formulas that have a second reading, which looks as good at first sight and is wrong."""

from __future__ import annotations

import numpy as np

from tables import Case, check, softmax, table

STACKED = [
    Case(r"Z = \begin{bmatrix} A \\ B \end{bmatrix}", "A[n,d] B[m,d]", lambda a, b: np.r_[a, b]),
    Case(r"Z = [A; B]", "A[n,d] B[m,d]", lambda a, b: np.r_[a, b]),
    Case(
        r"Z = [A; B]",
        "A[n,d] B[n,d]",
        lambda a, b: np.r_[a, b],
        context=r"A, B \in \mathbb{R}^{n \times d}",
    ),
    Case(
        r"Z = [A; B]",
        "A[n,d] B[n,p]",
        lambda a, b: np.c_[a, b],
        context=r"A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{n \times p}",
    ),
    Case(
        r"Z = \mathrm{Concat}(A, B)",
        "A[n,d] B[m,d]",
        lambda a, b: np.r_[a, b],
        context=r"A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{m \times d}",
    ),
    Case(r"Z = \begin{bmatrix} A & B \end{bmatrix}", "A[n,d] B[n,p]", lambda a, b: np.c_[a, b]),
    Case(
        r"Z = \begin{bmatrix} A & B \\ C & D \end{bmatrix}",
        "A[n,d] B[n,p] C[m,d] D[m,p]",
        lambda a, b, c, d: np.block([[a, b], [c, d]]),
    ),
    Case(
        r"Z = \begin{bmatrix} A & 0 \\ 0 & B \end{bmatrix}",
        "A[n,d] B[m,p]",
        lambda a, b: np.block(
            [[a, np.zeros((len(a), b.shape[1]))], [np.zeros((len(b), a.shape[1])), b]]
        ),
    ),
    Case(r"Z = \begin{bmatrix} x^\top \\ y^\top \end{bmatrix}", "x[d] y[d]", lambda x, y: [x, y]),
    Case(r"Z = \begin{bmatrix} x & y \end{bmatrix}", "x y", lambda x, y: [x, y]),
    Case(
        r"Z = \begin{bmatrix} H_1 \\ \vdots \\ H_n \end{bmatrix}",
        "H[n,m,d]",
        lambda h: h.reshape(-1, h.shape[-1]),
        context=r"H_i \in \mathbb{R}^{m \times d}",
    ),
    Case(
        r"S = Q \begin{bmatrix} K \\ P \end{bmatrix}^\top",
        "Q[n,d] K[m,d] P[p,d]",
        lambda q, k, p: q @ np.r_[k, p].T,
    ),
    Case(
        r"O = \mathrm{softmax}\left(\frac{Q [P_k; K]^\top}{\sqrt{d}}\right) [P_v; V]",
        "Q[n,d] P_k[p,d] K[m,d] P_v[p,v] V[m,v]",
        lambda q, a, k, b, v: softmax(q @ np.r_[a, k].T / np.sqrt(q.shape[1])) @ np.r_[b, v],
    ),
    Case(
        r"z_{ij} = [h_i; s_j]",
        "h[n,d] s[m,p]",
        lambda h, s: np.array([[np.r_[a, b] for b in s] for a in h]),
    ),
]
"""Matrices below each other and side by side; vectors are joined end to end."""


@table(*STACKED)
def test_value(case: Case) -> None:
    check(case)
