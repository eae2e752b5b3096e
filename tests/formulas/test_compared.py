"""Distributions that a left-hand side compares: their letters tell them apart and count none."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


@table(
    Case(
        r"D_{KL}(u_s \| u_t) = \sum_i u_s(i) \log \frac{u_s(i)}{u_t(i)}",
        "u_s+[n] u_t+[n]",
        lambda s, t: (s * np.log(s / t)).sum(),
    ),
    Case(
        r"\mathrm{KL}(q_t, q_s) = \sum_k q_{t,k} \log \frac{q_{t,k}}{q_{s,k}}",
        "q_t+[n] q_s+[n]",
        lambda t, s: (t * np.log(t / s)).sum(),
    ),
    # Near misses: those of all pairs are i and j, and points and states are compared for all
    # places, too.
    Case(
        r"D_{KL}(u_i \| u_j) = \sum_k u_{i,k} \log \frac{u_{i,k}}{u_{j,k}}",
        "u+[n,m]",
        lambda u: (u[:, None] * np.log(u[:, None] / u)).sum(-1),
    ),
    Case(
        r"d(z_s, z_t) = \sum_k (z_{s,k} - z_{t,k})^2",
        "z[n,m]",
        lambda z: ((z[:, None] - z) ** 2).sum(-1),
    ),
    Case(
        r"H(h_t, x_s) = h_t^\top W x_s",
        "h[n,d] W[d,e] x[m,e]",
        lambda h, w, x: h @ w @ x.T,
    ),
)
def test_compared(case: Case) -> None:
    check(case)
