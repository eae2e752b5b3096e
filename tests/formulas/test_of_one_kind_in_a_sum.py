"""Sums tell kinds, powers stand in parentheses, and a letter of several functions is one size."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # A P_i that a number stands beside is a probability where a loss is made of them.
    Case(
        r"\mathrm{aux} = \alpha N \sum_i f_i P_i",
        "alpha N f[n] P[n]",
        lambda a, count, f, p: a * count * (f * p).sum(),
    ),
    Case(
        r"M = \sum_i \lambda_i P_i",
        "lambda_[h] P[h,n,m]",
        lambda weights, p: np.tensordot(weights, p, 1),
    ),
    Case(
        r"\text{auxiliary loss} = \alpha \sum_i f_i P_i",
        "alpha f[n] P[n]",
        lambda a, f, p: a * (f * p).sum(),
    ),
    Case(
        r"W^Q = \sum_i \lambda_i P_i",
        "lambda_[h] P[h,n,m]",
        lambda weights, p: np.tensordot(weights, p, 1),
    ),
    Case(
        r"\mathrm{prompt} = \sum_i \alpha_i P_i",
        "alpha[h] P[h,n,m]",
        lambda weights, p: np.tensordot(weights, p, 1),
    ),
    Case(
        r"y = \sum_i \alpha_i P_i x",
        "alpha[h] P[h,n,m] x[m]",
        lambda weights, p, x: np.tensordot(weights, p, 1) @ x,
    ),
    Case(
        r"y_j = \sum_i \alpha_{ij} P_i",
        "alpha[n,d] P[n,m]",
        lambda weights, p: weights.T @ p,
    ),
    Case(
        r"\mathrm{loss} = \sum_i \alpha_i x^\top P_i x",
        "alpha[h] x[m] P[h,m,m]",
        lambda weights, x, p: x @ np.tensordot(weights, p, 1) @ x,
    ),
    # A mean beside what is made of its own count is one of numbers.
    Case(
        r"B_a = \bar{x}_a + c \sqrt{\frac{\ln(1 + t)}{n_a}}",
        "x_a_bar c t+ n_a+",
        lambda x, c, t, n: x + c * np.sqrt(np.log(1 + t) / n),
    ),
    # What is added to a place is a number, and so is an ε in a divisor.
    Case(
        r"p_i = i + T_{keys} - T_{queries}",
        "T_keys T_queries n#",
        lambda keys, queries, n: np.arange(n) + keys - queries,
    ),
    Case(
        r"D_{ij} = i - j + B",
        "B n# m#",
        lambda b, n, m: np.arange(n)[:, None] - np.arange(m) + b,
    ),
    Case(
        r"o_i = \frac{a_i}{z_i + \epsilon}",
        "a[n,d] z+[n,d] epsilon+",
        lambda a, z, eps: a / (z + eps),
        context=[r"a_i = u \odot a_{i-1} + k_i \odot v_i", r"z_i = u \odot z_{i-1} + k_i"],
    ),
    # A time of the warm-up is a number, and so is what it is taken off.
    Case(
        r"r(t) = \frac{t - T_{warmup}}{T_{fin} - T_{warmup}}",
        "t T_warmup T_fin",
        lambda t, warmup, end: (t - warmup) / (end - warmup),
    ),
    # So is the length of what is read.
    Case(
        r"p_t = T_x \cdot \sigma(u^\top h_t)",
        "T_x u[d] h[n,d]",
        lambda length, u, h: length / (1 + np.exp(-h @ u)),
    ),
    # The first state is what each is.
    Case(
        r"s_t = s_0 + \sum_{j=1}^t x_j y_j^\top",
        "s_0[p,q] x[n,p] y[n,q]",
        lambda s, x, y: s + np.cumsum(x[:, :, None] * y[:, None], axis=0),
        context=r"where $s_t \in \mathbb{R}^{p \times q}$",
    ),
    # The d of two functions is one.
    Case(
        r"P_{ij} = \phi(q_i)^\top \psi(k_j)",
        "q[n,p] k[m,p] d#",
        lambda q, k, d: np.exp(q / d**0.5) @ np.tanh(k / d**0.5).T,
        context=[r"\phi(q) = \exp(q / \sqrt{d})", r"\psi(k) = \tanh(k / \sqrt{d})"],
    ),
)
def test_kinds(case: Case) -> None:
    check(case)


@table(
    Case(r"y = x^{(1/2)}", "x+[d]", np.sqrt),
    Case(r"y = b^{(n/m)}", "b+[d] n m+", lambda b, n, m: b ** (n / m)),
    Case(
        r"w_i = \text{base}^{(-2i/d)}",
        "base+ n# d#",
        lambda base, n, d: base ** (-2 * np.arange(n) / d),
    ),
    # A mark over a letter leaves it a label where it would be one without.
    Case(
        r"H^{A} = H^{B} + H^{\tilde{B}}",
        "H_B[n,d] H_B_tilde[n,d]",
        lambda h, g: h + g,
    ),
)
def test_powers_and_labels(case: Case) -> None:
    check(case)


def test_a_first_state_of_another_kind_is_refused() -> None:
    context = r"where $h_0 \in \mathbb{R}$ and $x_j \in \mathbb{R}^d$"
    with pytest.raises(ValueError, match="would have other axes than"):
        compile_formula(r"h_t = h_0 + \sum_{j=1}^t x_j", context=context)
