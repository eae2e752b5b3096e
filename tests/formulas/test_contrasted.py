"""Pairs that a loss contrasts: the letters of one array are indices, all of them or none."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table

ALL = r"\sum_{k=1}^{n} \mathbb{1}_{k \neq i} \exp(z_i^\top z_k / \tau)"
SHARE = rf"-\log \frac{{\exp(z_i^\top z_j / \tau)}}{{{ALL}}}"


def _contrasted(z: np.ndarray, tau: float) -> np.ndarray:
    scores = np.exp(z @ z.T / tau)
    return -np.log(scores / (scores.sum(1) - np.diag(scores))[:, None])


@table(
    Case(rf"\mathcal{{L}} = {SHARE}", "z[n,d] tau+", _contrasted),
    Case(rf"\ell_{{i,j}} = {SHARE}", "z[n,d] tau+", _contrasted),
    # What is compared is a vector, whatever sizes are called.
    Case(
        r"\mathcal{L} = -\log \frac{e^{q^\top d^+}}{\sum_i e^{q^\top d_i^-}}",
        "q[d] d_plus[d] d_minus[n,d]",
        lambda q, own, others: np.log(np.exp(others @ q).sum()) - own @ q,
    ),
    # Letters that no sum counts tell parts apart.
    Case(r"s = u_h + u_w", "u_h[d] u_w[d]", lambda a, b: a + b),
)
def test_values(case: Case) -> None:
    check(case)
