"""What stands above a name: numbers in brackets that round or drop the sign, and counting words."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, softmax, table


@table(
    # No list is defined by a power: what stands above it says which of several it is.
    Case(
        r"u^{i} = [a_{i}^\top b_{1}, \dots, a_{i}^\top b_{N}]",
        "a[n,d] b[N,d]",
        lambda a, b: a @ b.T,
    ),
    Case(
        r"\alpha^i = \mathrm{softmax}(e^i)",
        "s[n,d] h[N,d]",
        lambda s, h: softmax(s @ h.T),
        context=[r"e^i = [s_i^\top h_1, \dots, s_i^\top h_N]"],
    ),
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
    # What stands above where a sum counts elsewhere counts, too.
    Case(
        r"p^c_k = \frac{\exp(z^c_k)}{\sum_{u=1}^{C} \exp(z^u_k)}",
        "z[C,n]",
        lambda z: np.exp(z) / np.exp(z).sum(0),
    ),
    # Beside the f of a gate the i is that of another gate, in the formula or in its section.
    Case(
        r"c^t = g^f \odot c^{t-1} + g^i \odot u",
        "g_f[d] c[d] g_i[d] u[d]",
        lambda f, c, i, u: f * c + i * u,
    ),
    Case(
        r"g^i = \sigma(U^i [x^t; h^{t-1}])",
        "U_i[e,d+p] x[d] h[p]",
        lambda w, x, s: sigmoid(w @ np.concatenate([x, s])),
        context=[r"g^f = \sigma(U^f [x^t; h^{t-1}])", r"g^o = \sigma(U^o [x^t; s^{t-1}])"],
    ),
    Case(
        r"g_i = \sigma(U_i [x_t; s_{t-1}])",
        "U_i[e,d+p] x[n,d] s[n,p]",
        lambda w, x, s: sigmoid(np.concatenate([x, s], 1) @ w.T),
        context=[r"g_f = \sigma(U_f [x_t; s_{t-1}])", r"g_o = \sigma(U_o [x_t; s_{t-1}])"],
    ),
    Case(
        r"h_i = \tanh(W_i x)",
        "W[n,e,d] x[d]",
        lambda w, x: np.tanh(np.einsum("ned,d->ne", w, x)),
        context=r"y = W_o z",
    ),
    # The number of a token stands on all that is made of it, in its section too.
    Case(r"q^2 = W^q a^2", "W_q[e,d] a_2[d]", np.matmul),
    Case(
        r"k^1 = W^k a^1, \quad k^2 = W^k a^2, \quad s = k^1 \cdot k^2",
        "W_k[e,d] a_1[d] a_2[d]",
        lambda w, a, b: (w @ a) @ (w @ b),
    ),
    Case(
        r"s = u \cdot x^2",
        "u[d] x_2[d]",
        np.dot,
        context=r"q^1 = W^q x^1",
    ),
    Case(r"y = u \cdot a^2", "u[d] a", lambda u, a: u * a**2, context="c = W a"),
    Case(r"k^2 = k_x^2 + k_y^2", "k_x[d] k_y[d]", lambda x, y: x**2 + y**2),
    # A letter above what is defined, and nowhere on the right, is a label.
    Case(
        r"x_i^l = \sum_{j=1}^n \gamma_{ij} h_{ij}^s",
        "gamma[m,n] h_s[m,n,d]",
        lambda g, h: np.einsum("mn,mnd->md", g, h),
    ),
    Case(r"x_i^t = \sum_j a_{ij} h_j", "a[m,n] h[n,d]", np.matmul),
    Case(r"z_i^k = x_i W_k", "x[n,d] W[m,d,p]", lambda x, w: np.einsum("nd,mdp->mnp", x, w)),
    # The weights of a layer are those of one, also behind the first of a sequence.
    Case(
        r"h_l = h_0 W^l",
        "h_0[d] W[n,d,d]",
        lambda h, w: np.einsum("d,nde->ne", h, w),
        context=[r"W^l \in \mathbb{R}^{d \times d}"],
    ),
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
        compile_formula(r"L = T^2 \sum_i p_i^T \log q_i", context=section)
    assert compile_formula(r"A = Q K^T", context=section).component is not None


def test_what_is_defined_of_the_second_has_its_number() -> None:
    made = compile_formula(r"b^2 = \sum_i w_i v_i", context=r"b^1 = \sum_i u_i v_i").source
    assert "b_2" in made
    assert "squared" not in made


def test_a_list_of_numbered_things_is_no_power() -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula("a^1, a^2, a^3")
    assert not refused.value.diagnostics
