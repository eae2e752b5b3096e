"""Names with numbers: those of layers and states, of tokens, and powers."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, softmax, table


@table(
    Case(r"h^1 = h^0 W", "h_0[d] W[d,p]", lambda h, w: h @ w),
    Case(r"h^2 = h^1 W", "h_1[d] W[d,p]", lambda h, w: h @ w),
    Case(r"y = z_L^0 W", "z_L_0[d] W[d,p]", lambda z, w: z @ w),
    Case(r"y_i = x_i^0 W", "x_0[n,d] W[d,p]", lambda x, w: x @ w),
    Case(r"Y = W^1 X + W^2 Z", "W_1[p,d] X[d,n] W_2[p,e] Z[e,n]", lambda w, x, v, z: w @ x + v @ z),
    Case(
        r"Y = \tanh(X U^1 + c^1) U^2 + c^2",
        "X[n,d] U_1[d,h] c_1[h] U_2[h,p] c_2[p]",
        lambda x, u, b, v, c: np.tanh(x @ u + b) @ v + c,
    ),
    Case(
        r"a^2 = \sigma(W^2 a^1 + b^2)",
        "W_2[p,d] a_1[d] b_2[p]",
        lambda w, a, b: sigmoid(w @ a + b),
    ),
    Case(
        r"\begin{aligned} h^0 &= x W \\ h^1 &= h^0 + \tanh(h^0 V) \end{aligned}",
        "x[d] W[d,p] V[p,p]",
        lambda x, w, v: x @ w + np.tanh(x @ w @ v),
    ),
    # What a left-hand side is of, two factors are: no one is raised.
    Case(r"a_{1,2} = q^1 \cdot k^2", "q_1[d] k_2[d]", np.dot),
    Case(r"a_{23} = \mathbf{q}^2 \cdot \mathbf{k}^3", "q_2[d] k_3[d]", np.dot),
    Case(r"y_2 = \mu^2 + 1", "mu", lambda m: m**2 + 1),
    # Rates, e and what stands without a number, too, are raised.
    Case(
        r"r = \gamma^0 r_0 + \gamma^1 r_1 + \gamma^2 r_2",
        "gamma r_0 r_1 r_2",
        lambda g, a, b, c: a + g * b + g**2 * c,
    ),
    Case(r"y = x \cdot e^1", "x[d]", lambda x: x * np.e),
    Case(r"y = p^1 (1 - p)^0", "p", lambda p: p),
    Case(r"y = x^2 + x", "x", lambda x: x**2 + x, context=[r"x \in \mathbb{R}"]),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", ["y = a x^0 + b x^1 + c x^2", "k = x^1 + x^3"])
def test_what_may_be_raised_or_numbered_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="may be a power here, or"):
        compile_formula(latex)


@table(
    # One query among many keys, and what a sum makes for it: 2j tells of no even entries.
    Case(r"t_{2j} = q_2 \cdot k_j", "q_2[d] k[n,d]", lambda q, k: k @ q),
    Case(
        r"t_{2j} = \frac{q_2^\top k_j}{\sqrt{d_k}}",
        "q_2[d] k[n,d]",
        lambda q, k: k @ q / np.sqrt(len(q)),
    ),
    Case(r"c_2 = \sum_j \beta_{2j} h_j", "beta_2[n] h[n,d]", lambda b, h: b @ h),
    # Beside the keys of all places, the query with a number is one row, whatever its letter.
    Case(r"e_{5j} = Q_5 \cdot K_j^\top", "Q_5[d] K[n,d]", lambda q, k: k @ q),
    Case(
        r"\beta_{3j} = \frac{\exp(Q_3 \cdot K_j)}{\sum_l \exp(Q_3 \cdot K_l)}",
        "Q_3[d] K[n,d]",
        lambda q, k: softmax(k @ q),
    ),
    Case(r"B_{4j} = \mathrm{softmax}(Q_4 K_j^\top)", "Q_4[d] K[n,d]", lambda q, k: softmax(k @ q)),
    # A capital on the left makes no outer product of them.
    Case(r"S_{3j} = Q_3 K_j^\top", "Q_3[d] K[n,d]", lambda q, k: k @ q),
    Case(
        r"A_j = \frac{\mathbf{Q}_2 \mathbf{K}_j^\top}{\sqrt{d_k}}",
        "Q_2[d] K[n,d]",
        lambda q, k: k @ q / np.sqrt(len(q)),
    ),
    # Near misses: every second entry, and the matrices of one head.
    Case(r"y_2 = \sum_i x_{2i}", "x[2*n]", lambda x: x[::2].sum()),
    Case(
        r"y_2 = \sum_{i=1}^{d/2} u_{2i} \sin\phi_i",
        "u[2*n] phi[n]",
        lambda u, phi: u[1::2] @ np.sin(phi),
    ),
    Case(
        r"h_1 = \mathrm{softmax}(Q_1 K_1^\top) V_1",
        "Q_1[n,d] K_1[m,d] V_1[m,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
)
def test_one_of_many_has_a_number_below(case: Case) -> None:
    check(case)


def test_weights_of_a_number_are_told_where_a_sum_makes_a_row() -> None:
    formula = compile_formula(r"O_2 = \sum_j \mathrm{softmax}(Q_2 K_j^\top) V_j")
    assert "N2C050" in [problem.code for problem in formula.diagnostics]
