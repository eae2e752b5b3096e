"""Costs and counts: all their letters are numbers."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # What is added to so many times the square of a width counts; so do the parts of a power law.
    Case(r"N = 12 L d^2 + V d", "L V d#", lambda n, v, d: 12 * n * d**2 + v * d),
    Case(r"N = G \cdot (C / 6)^a", "G C+ a", lambda g, c, a: g * (c / 6) ** a),
    Case(r"S = Q \cdot (K / 2)^T", "Q[n,d] K[m,d]", lambda q, k: q @ k.T / 2),
    # An exponential less 1 is scaled, and its ratio of probabilities is of numbers.
    Case(r"f(z) = a (e^z - 1)", "z[n] a", lambda z, a: a * np.expm1(z)),
    Case(
        r"k = \frac{q}{p} - \log \frac{q}{p} - 1", "q+ p+", lambda q, p: q / p - np.log(q / p) - 1
    ),
    # What the sums of a section go up to is how many there are.
    Case(
        r"N_u * N_v",
        "N_u N_v",
        lambda u, v: u * v,
        context=[r"c_i = \sum_{j=1}^{N_u} a_{ij} x_j", r"s = \sum_{i=1}^{N_v} c_i"],
    ),
    Case(r"N_u * N_v", "N_u[n,d] N_v[d,p]", np.matmul),
    Case(
        r"\Omega(W-MSA) = 4hwC^2 + 2M^2hwC",
        "h w C M",
        lambda h, w, c, m: 4 * h * w * c**2 + 2 * m**2 * h * w * c,
    ),
    Case(r"s = 4hwC^2 + 2M^2hwC", "h w C M", lambda h, w, c, m: h * w * c * (4 * c + 2 * m**2)),
    Case(r"\text{FLOPs} = 2 h w k^2 c", "h w k c", lambda h, w, k, c: 2 * h * w * k**2 * c),
    Case(r"\text{Cell Parameters} = 2 h (h + e + 1)", "h e", lambda h, e: 2 * h * (h + e + 1)),
    Case(r"N_w = M^2", "M", lambda m: m**2),
    # Sizes are multiplied by a number and their ratios.
    Case(
        r"M = u s h (8 + 3 \frac{a s}{h})",
        "u s h a",
        lambda u, s, h, a: u * s * h * (8 + 3 * a * s / h),
    ),
    Case(
        r"F = 6 B s h^2 L (1 + \frac{s}{2h})",
        "B s h L",
        lambda b, s, h, x: 6 * b * s * h**2 * x * (1 + s / 2 / h),
    ),
    # An area in squares, and in patches.
    Case(r"M = HW / p^2", "H W p", lambda h, w, p: h * w / p**2),
    Case(r"m = \frac{H \times W}{s^2} + 1", "H W s", lambda h, w, s: h * w / s**2 + 1),
    Case(r"m = (H/p)(W/p)", "H W p", lambda h, w, p: h * w / p**2),
    # Near misses.
    Case(r"y = 4 H w", "H[n,d] w[d]", lambda h, w: 4 * h @ w),
    Case(r"Y = A + O(X W)", "A[n,p] O[n,m] X[m,d] W[d,p]", lambda a, o, x, w: a + o @ x @ w),
    Case(r"H = 2 X W", "X[n,d] W[d,p]", lambda x, w: 2 * x @ w),
)
def test_values(case: Case) -> None:
    check(case)


def test_what_costs_is_one_name() -> None:
    assert compile_formula(r"\Omega(SW-MSA) = 4hwC^2").name == "Omega"
