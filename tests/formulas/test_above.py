"""What stands above a name: numbers in brackets that round or drop the sign, and counting words."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    # An example, one like it and one unlike: the n beside two labels raises nothing.
    Case(
        r"s = \|x^a - x^p\|^2 - \|x^a - x^n\|^2",
        "x_a[d] x_p[d] x_n[d]",
        lambda a, p, n: ((a - p) ** 2).sum() - ((a - n) ** 2).sum(),
    ),
    Case(
        r"r = r_0 \cdot \gamma^{\lfloor t / s \rfloor}",
        "r_0 gamma+ t s",
        lambda r, g, t, s: r * g ** np.floor(t / s),
    ),
    Case(
        r"y = \lambda^{\left\lceil a / b \right\rceil}",
        "lambda_+ a b",
        lambda base, a, b: base ** np.ceil(a / b),
    ),
    Case(
        r"D_{ij} = \gamma^{|i - j|}, \quad Y = D X",
        "gamma+ X[n,d] m#",
        lambda g, x, m: g ** np.abs(np.arange(m)[:, None] - np.arange(len(x))) @ x,
    ),
    Case(r"\eta = \eta_0 \cdot \gamma^{epoch}", "eta_0 gamma+ epoch", lambda e, g, n: e * g**n),
    Case(
        r"lr = lr_0 \times decay^{step}",
        "lr_0 decay+ step",
        lambda r, d, n: r * d**n,
    ),
    # A letter above what is defined, and nowhere on the right, is a label.
    Case(
        r"x_i^l = \sum_{j=1}^n \gamma_{ij} h_{ij}^s",
        "gamma[m,n] h_s[m,n,d]",
        lambda g, h: np.einsum("mn,mnd->md", g, h),
    ),
    Case(r"x_i^t = \sum_j a_{ij} h_j", "a[m,n] h[n,d]", np.matmul),
    Case(r"z_i^k = x_i W_k", "x[n,d] W[m,d,p]", lambda x, w: np.einsum("nd,mdp->mnp", x, w)),
    Case(r"y = W^{step} x", "W_step[p,d] x[d]", lambda w, x: w @ x),
)
def test_power(case: Case) -> None:
    check(case)


def test_distance_is_no_difference() -> None:
    with pytest.raises(FormulaError, match="N2C032"):
        compile_formula(r"y_i = x_{|i - 1|}")


def test_mean() -> None:
    """Physicists write a mean so, and a group is not set in these brackets."""
    with pytest.raises(FormulaError, match=r"N2C037.*may be a mean"):
        compile_formula(r"y = \langle x \rangle")


@table(
    Case(r"y = h^m W", "h_m[d] W[d,p]", lambda h, w: h @ w),
    Case(r"s = K^{r\top} q", "K_r[d,n] q[d]", lambda k, q: k.T @ q),
    Case(r"f(x) = x^n", "x+ n", lambda x, n: x**n),
)
def test_letter(case: Case) -> None:
    """Nobody raises a vector or a matrix to a letter: it says which one is meant."""
    check(case)


def test_raised_vector() -> None:
    with pytest.raises(FormulaError, match="raised to a letter"):
        compile_formula(r"y = x^r W")


def test_at_a_temperature() -> None:
    """Where a section divides by T, the T above an element is no transpose, and hardly a power."""
    section = [r"p_i = \frac{\exp(z_i / T)}{\sum_j \exp(z_j / T)}"]
    with pytest.raises(FormulaError, match="may be a power, or what it is at `T`"):
        compile_formula(r"L = T^2 \sum_i p_i^T \log \frac{p_i^T}{q_i^T}", context=section)
    assert compile_formula(r"A = Q K^T", context=section).component is not None
