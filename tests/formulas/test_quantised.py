"""Arrays that are rounded to a grid, and back: one scale and one zero point for all of each."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


@table(
    Case(
        r"u_q = \text{round}\left(\frac{u}{\rho}\right) + z",
        "u[d] rho+ z",
        lambda u, s, z: np.round(u / s) + z,
    ),
    Case(
        r"x_q = \text{round}\left(\frac{x}{S} + Z\right)",
        "x[d] S+ Z",
        lambda x, s, z: np.round(x / s + z),
    ),
    # No capital maps what is quantised, and no vector is multiplied with it.
    Case(
        r"x = S \times (x_q - Z)",
        "S x_q[d] Z[d]",
        lambda s, q, z: s * (q - z),
    ),
    Case(r"\hat u = (u_{quant} - z) \cdot S", "u_quant[d] z[d] S", lambda q, z, s: s * (q - z)),
    Case(r"B = s \times B_q", "s B_q[n,d]", lambda s, q: s * q),
    Case(r"W = s \cdot W_q", "s W_q[n,d]", lambda s, q: s * q),
    Case(r"W = W_q \cdot s", "W_q[n,d] s", lambda q, s: s * q),
    # The int of a label is one word, and no three indices.
    Case(r"A = s A_{int8}", "s A_int_8[n,d]", lambda s, q: s * q),
    Case(r"u = s (u_{int} - z)", "s u_int[d] z[d]", lambda s, q, z: s * (q - z)),
    Case(r"X_{int} = \mathrm{round}(X / s)", "X[n,d] s+", lambda x, s: np.round(x / s)),
    Case(r"r = S (q - Z)", "S q[d] Z[d]", lambda s, q, z: s * (q - z)),
    # Near misses: a query has a q below, a weight maps, another label says nothing, and what is
    # not rounded is no grid.
    Case(r"q = R q_q", "R[p,d] q_q[d]", np.matmul),
    Case(r"H = A H_q", "A[n,m] H_q[m,d]", np.matmul),
    Case(r"x = W (x_q - z)", "W[p,d] x_q[d] z[d]", lambda w, q, z: w @ (q - z)),
    Case(r"x = A (x_0 - z)", "A[p,d] x_0[d] z[d]", lambda a, x, z: a @ (x - z)),
    Case(r"y = \frac{x}{\rho} + z", "x[d] rho+ z[d]", lambda x, r, z: x / r + z),
)
def test_scales_and_zero_points(case: Case) -> None:
    check(case)
