"""Greek letters of what is learned: weights where they map a vector, numbers where they scale."""

from __future__ import annotations

import numpy as np

from tables import Case, check, sigmoid, table


@table(
    # The δ of a pattern and a unit is an error: no one thing is counted by both its letters.
    Case(
        r"\Delta_n w_{kj} = \alpha \delta_{nk} z_{nj}",
        "alpha delta[n,p] z[n,q]",
        lambda a, d, z: a * d[:, :, None] * z[:, None, :],
    ),
    Case(
        r"J_{ij} = \delta_{ij} a_i - a_i a_j",
        "delta[n,n] a[n]",
        lambda d, a: d * a[:, None] - np.outer(a, a),
        context=[r"\delta_{ij} = (t_i - a_j) f_{ij}"],
    ),
    Case(r"Q = \theta^Q x", "theta_Q[n,d] x[d]", lambda t, x: t @ x),
    Case(r"v_i = \phi_V x_i", "phi_V[m,d] x[n,d]", lambda p, x: x @ p.T),
    Case(r"\hat y = \sigma(\theta \cdot h)", "theta[d] h[d]", lambda t, h: sigmoid(t @ h)),
    # Near misses: rates and temperatures, what is declared, and what has no sign.
    Case(r"y = \sigma(\beta \cdot x)", "beta x[d]", lambda b, x: sigmoid(b * x)),
    Case(r"y = \theta \cdot x", "theta x[d]", lambda t, x: t * x, context=r"\theta \in \mathbb{R}"),
    Case(r"q = \lambda_q x", "lambda_q x[d]", lambda s, x: s * x),
)
def test_values(case: Case) -> None:
    check(case)
