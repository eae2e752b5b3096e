"""The letter e: Euler's number where it is raised, beside π and among numbers; else a name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, table


@table(
    Case(r"u = \|x - e\|^2", "x[d] e[d]", lambda x, e: np.sum((x - e) ** 2)),
    Case(r"y = x + e", "x[d] e[d]", lambda x, e: x + e),
    Case(r"q = W e", "W[m,d] e[d]", lambda w, e: w @ e),
    Case(r"s = e^\top W h", "e[m] W[m,d] h[d]", lambda e, w, h: e @ w @ h),
    Case(r"y = e x", "e x[d]", lambda e, x: e * x),
    # Near misses.
    Case(
        r"H = \frac{1}{2} \log(2 \pi e \sigma^2)",
        "sigma",
        lambda s: 0.5 * math.log(2 * math.pi * s * s) + 0.5,
    ),
    Case(r"y = e^{-x} + e", "x[d]", lambda x: np.exp(-x) + math.e),
    Case(r"y = e^x", "x[d]", np.exp),
    # The logarithm of Euler's number is a number, too.
    Case(r"y = x \log_2 e", "x[d]", lambda x: x / np.log(2)),
    Case(
        r"z_{ij} = (\log_2 e) S_{ij} - \log_2 L_i",
        "S[n,m] L+[n]",
        lambda s, total: s / np.log(2) - np.log2(total)[:, None],
    ),
)
def test_values(case: Case) -> None:
    check(case)


def test_a_number_e_is_told() -> None:
    alone, raised = compile_formula(r"y = e^{-x} + e"), compile_formula(r"y = e^{-x}")
    assert any("Euler" in one.message for one in alone.diagnostics)
    assert not raised.diagnostics


@table(
    Case(r"\ell = \sum_j \exp(s_j - m)", "s[n] m", lambda s, m: np.exp(s - m).sum()),
    Case(r"Z = \sum_j e^{x_j / \tau}", "x[n] tau", lambda x, t: np.exp(x / t).sum()),
    Case(
        r"o = \sum_j \exp(s_j - m) v_j",
        "s[n] m v[n,d]",
        lambda s, m, v: np.exp(s - m) @ v,
    ),
    Case(r"y_i = \sigma(e^{A_i} z_i)", "A[n] z[n,d]", lambda a, z: sigmoid(np.exp(a)[:, None] * z)),
    Case(
        r"z_t = \sum_{j=1}^t \frac{e^{r_j - b_t}}{c_t} U[j,:]",
        "r[n] b[t] c[t] U[n,e]",
        lambda r, b, c, u: (
            np.where(
                np.arange(len(r)) <= np.arange(len(b))[:, None],
                np.exp(r - b[:, None]) / c[:, None],
                0,
            )
            @ u
        ),
    ),
    # Near misses: what is raised beside other vectors, or is bold.
    Case(r"y = \sum_j \exp(x_j) \odot v_j", "x[n,d] v[n,d]", lambda x, v: (np.exp(x) * v).sum(0)),
    Case(r"Z = \sum_j \exp(\mathbf{x}_j)", "x[n,d]", lambda x: np.exp(x).sum(0)),
    Case(r"O = e^{S} V", "S[n,m] V[m,d]", lambda s, v: np.exp(s) @ v),
)
def test_what_is_raised(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", [r"y = e^A x", r"h_t = \exp(A) h_{t-1} + B x_t", r"y = e^{-L} z"])
def test_the_exponential_of_a_matrix_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="exponential of a matrix"):
        compile_formula(latex)


@pytest.mark.parametrize(
    ("latex", "given"),
    [
        (r"r = \log \frac{\pi}{\pi_{ref}}", {"pi", "pi_ref"}),
        (r"l = -a \log \pi_\theta + \beta \pi", {"a", "pi_theta", "beta", "pi"}),
        (r"l = \log \pi_\theta - \frac{1}{2} \log 2\pi", {"pi_theta"}),
    ],
)
def test_a_policy_beside_one_with_a_label_is_no_number_of_the_circle(
    latex: str, given: set[str]
) -> None:
    assert {one.name for one in compile_formula(latex).inputs} == given


@pytest.mark.parametrize(
    "latex", [r"z = \|z\| e^{i \phi_z}", r"c_t = e^{j t \omega}", r"c_{t,k} = e^{j \phi_{t,k}}"]
)
def test_that_a_given_root_of_minus_one_is_no_number_is_told(latex: str) -> None:
    assert "N2C050" in {one.code for one in compile_formula(latex).diagnostics}
