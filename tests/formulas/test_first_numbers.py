"""Indices of which the value depends on whether they count from 0 or from 1."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table


@table(
    # What the text says, before the formula or in it.
    Case(
        r"s = \sum_i i x_i",
        "x[n,d]",
        lambda x: np.arange(1, len(x) + 1) @ x,
        context=r"We number the words $i = 1, \dots, n$ of a sentence.",
    ),
    Case(
        r"b_k = k w_k",
        "w[n]",
        lambda w: np.arange(1, len(w) + 1) * w,
        context=r"Let $k \in \{1, \dots, n\}$.",
    ),
    Case(
        r"b_k = k w_k",
        "w[n]",
        lambda w: np.arange(len(w)) * w,
        context=r"We count $k = 0, 1, \dots, n - 1$.",
    ),
    Case(
        r"P_j = 1[j \le \ell]",
        "ell n#",
        lambda last, n: (np.arange(1, n + 1) <= last).astype(float),
        context=r"Places are $j = 1, \dots, n$.",
    ),
    # What stands beside a letter of which it is said.
    Case(
        r"b_{ij} = c_j - \lambda |i - j|",
        "c[m] lambda_ n#",
        lambda c, slope, n: c - slope * abs(np.arange(n)[:, None] - np.arange(len(c))),
        context=r"Keys are $j = 1, \dots, m$.",
    ),
    # Nothing is divided by 0.
    Case(r"s = \sum_k x_k / k", "x[n,d]", lambda x: (1 / np.arange(1, len(x) + 1)) @ x),
    Case(r"b_i = \frac{x_i}{i}", "x[n,d]", lambda x: x / np.arange(1, len(x) + 1)[:, None]),
    # The i of heads is not that of frequencies.
    Case(
        r"\omega_i = b^{-2i/d}",
        "b+ n# d#",
        lambda b, n, d: b ** (-2 * np.arange(n) / d),
        context=r"There is one for each head, $i = 1, \dots, h$.",
    ),
    Case(
        r"\omega_i = b^{-2i/d}",
        "b+ n# d#",
        lambda b, n, d: b ** (-2 * np.arange(1, n + 1) / d),
        context=r"We number the planes $i = 1, \dots, d/2$.",
    ),
    # Columns 2i count from 0, whatever is said.
    Case(
        r"PE_{p, 2i} = \sin(p / c^{2i/d})",
        "c+ n# d#",
        lambda c, n, d: np.sin(np.arange(n)[:, None] / c ** (2 * np.arange((d + 1) // 2) / d)),
        context=r"The planes of a rotation are $i = 1, \dots, d/2$.",
    ),
)
def test_first_numbers(case: Case) -> None:
    check(case)
