"""The command ``\\concat`` that many notes have a macro for: a name before parentheses, else a
sign."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


@table(
    Case(
        r"y = \concat(a_1, \dots, a_H) W^O",
        "a[H,d] W_O[H*d,p]",
        lambda a, w: a.reshape(-1) @ w,
    ),
    Case(
        r"y = W \concat\left(u, x\right)",
        "W[p,n+d] u[n] x[d]",
        lambda w, u, x: w @ np.concatenate([u, x]),
    ),
    Case(
        r"y = W [u \concat x]",
        "W[p,n+d] u[n] x[d]",
        lambda w, u, x: w @ np.concatenate([u, x]),
    ),
    Case(
        r"y = (u \concat (x + z)) W",
        "u[n] x[d] z[d] W[n+d,p]",
        lambda u, x, z, w: np.concatenate([u, x + z]) @ w,
    ),
)
def test_value(case: Case) -> None:
    check(case)
