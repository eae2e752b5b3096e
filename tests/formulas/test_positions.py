"""Positions, strides over even and odd columns, and index arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from tables import Case, check, table


def angles(n: int, d: int, base: float = 10000) -> Any:
    return np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)


def woven(even: Any, odd: Any) -> Any:
    """Columns of two arrays in turn."""
    return np.stack([even, odd], axis=-1).reshape(len(even), -1)


def encoding(n: int, d: int, base: float = 10000) -> Any:
    angle = angles(n, d, base)
    return woven(np.sin(angle), np.cos(angle))[:, :d]


@table(
    Case(
        r"PE_{(pos,2i)} = \sin(pos/10000^{2i/d}), \quad PE_{(pos,2i+1)} = \cos(pos/10000^{2i/d})",
        "n# d#",
        encoding,
    ),
    Case(
        r"P_{k,2i} = \sin\left(\frac{k}{b^{2i/d}}\right), \quad P_{k,2i+1} = "
        r"\cos\left(\frac{k}{b^{2i/d}}\right)",
        "b+ n# d#",
        lambda b, n, d: encoding(n, d, b),
    ),
    Case(
        r"PE_{t,2i} = \cos(t/500^{2i/d}), \quad PE_{t,2i+1} = \sin(t/500^{2i/d})",
        "n# d#",
        lambda n, d: woven(np.cos(angles(n, d, 500)), np.sin(angles(n, d, 500)))[:, :d],
    ),
    Case(
        r"\begin{aligned} PE_{(p,2i)} &= \sin(\omega_i p) \\ PE_{(p,2i+1)} &= \cos(\omega_i p) "
        r"\end{aligned}",
        "omega[m] n#",
        lambda w, n: woven(np.sin(np.outer(np.arange(n), w)), np.cos(np.outer(np.arange(n), w))),
    ),
    Case(
        r"PE_{(p,2i)} = \sin(\omega_i p), \quad PE_{(p,2i+1)} = \cos(\omega_i p), \quad "
        r"\omega_i = 10000^{-2i/d}",
        "n# d#",
        encoding,
    ),
    Case(r"\theta_i = 10000^{-2i/d}", "n# d#", lambda n, d: 10000 ** (-2 * np.arange(n) / d)),
    Case(r"y_i = a_{2i} a_{2i+1}", "a[2*m]", lambda a: a[::2] * a[1::2]),
    Case(r"y_i = a_{2i} - a_{2i+1}", "a[2*m]", lambda a: a[::2] - a[1::2]),
    Case(
        r"e_{ij} = q_i^\top k_j + b_{i-j}",
        "q[n,d] k[m,d] b[n+m-1]",
        lambda q, k, b: q @ k.T + b[np.arange(len(q))[:, None] - np.arange(len(k)) + len(k) - 1],
    ),
    Case(
        r"E_{ij} = -\lambda |i - j|",
        "lambda_ n# m#",
        lambda s, n, m: -s * abs(np.arange(n)[:, None] - np.arange(m)),
    ),
    Case(
        r"y_i = x_i + p_i",
        "x[n,d] p[n,d]",
        lambda x, p: x + p,
    ),
    Case(r"y_i = a_i^2 a_{i2}", "a[n] a_2[n]", lambda a, b: a**2 * b),
    Case(r"B_{ij} = A_{ij}^2", "A[n,m]", lambda a: a**2),
)
def test_value(case: Case) -> None:
    check(case)
