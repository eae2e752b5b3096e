"""Times above names: ``h^{t-1}`` is the state before, wherever a time stands above names."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@table(
    Case(
        r"g^t = \sigma(U_g h^{t-1} + V_g x^t + b_g)",
        "U_g[e,d] h[n,d] V_g[e,k] x[n,k] b_g[e]",
        lambda u, h, v, x, b: sigmoid(h @ u.T + x @ v.T + b),
    ),
    Case(
        r"\hat s^t = \tanh(W s^{t-1} + b)",
        "W[e,d] s[d] b[e]",
        lambda w, s, b: np.tanh(w @ s + b),
    ),
    Case(
        r"v^k = A x^{k-1}",
        "A[e,d] x[n,d]",
        lambda a, x: x @ a.T,
    ),
    # A formula that names no time on the left is one step.
    Case(
        r"z = \tanh(W [x^t; h^{t-1}])",
        "W[e,d+k] x[d] h[k]",
        lambda w, x, h: np.tanh(w @ np.concatenate([x, h])),
    ),
    Case(r"h^{t-1'} = h^{t-1} \odot r", "h[d] r[d]", lambda h, r: h * r),
    # What is 1 less a power below a line corrects a bias.
    Case(
        r"\hat s_k = \frac{s_k}{1 - \delta^k}",
        "s[n,d] delta",
        lambda s, d: s / (1 - d ** np.arange(1, len(s) + 1))[:, None],
    ),
    Case(
        r"h^t = (1 - z^t) \odot h^{t-1}",
        "z[d] h[d]",
        lambda z, h: (1 - z) * h,
    ),
    # Near misses: powers of rates and of numbers.
    Case(
        r"m^t = \beta^{t-1} m_1",
        "beta m_1 n#",
        lambda beta, m, n: beta ** np.arange(n) * m,
    ),
    Case(
        r"f(x) = \sum_{k=1}^n a_k x^{k-1}",
        "x a[n]",
        lambda x, a: sum(number * x**k for k, number in enumerate(a)),
    ),
    Case(
        r"P_t = p (1 - p)^{t-1}",
        "p+ n#",
        lambda p, n: p * (1 - p) ** np.arange(n),
    ),
)
def test_value(case: Case) -> None:
    check(case)
