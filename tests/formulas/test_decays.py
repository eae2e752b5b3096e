"""What decays with the time: numbers, but for states and for keys that fade."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


@table(
    Case(
        r"s_t = s_0 \cdot \exp(-\lambda t) + s_{\min}",
        "s_0 lambda_ s_min n#",
        lambda first, rate, low, n: first * np.exp(-rate * np.arange(n)) + low,
    ),
    Case(
        r"y(t) = y_0 e^{-t / \tau}",
        "t y_0 tau",
        lambda t, first, tau: first * np.exp(-t / tau),
    ),
    Case(
        r"g_t = \frac{1}{1 + e^{-k (t - t_0)}}",
        "k t_0 n#",
        lambda k, middle, n: 1 / (1 + np.exp(-k * (np.arange(n) - middle))),
    ),
    Case(
        r"x_t = e^{-\beta t} x_0 + z",
        "beta x_0[d] z[d] n#",
        lambda beta, x, z, n: np.exp(-beta * np.arange(n))[:, None] * x + z,
    ),
    Case(
        r"o_t = \sum_{i < t} e^{-(t - i) w} v_i",
        "w[d] v[n,d]",
        lambda w, v: np.stack(
            [sum((np.exp(-(t - i) * w) * v[i] for i in range(t)), 0 * w) for t in range(len(v))]
        ),
    ),
)
def test_value(case: Case) -> None:
    check(case)
