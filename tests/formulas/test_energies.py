"""Probabilities that are told by what they are proportional to are numbers."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, softmax, table


@pytest.mark.parametrize(
    ("latex", "axes"),
    [
        (r"P(x | \theta) = \frac{1}{Z} \exp(-E_\theta(x))", 0),
        (r"p(x) = \frac{e^{-E(x)}}{Z}", 0),
        (r"p(y | x) = \frac{\exp(f(x, y))}{Z(x)}", 0),
        # So are those of states that an index counts, and what adds up to the Z of them.
        (r"p_i = \frac{1}{Z} e^{-\beta E_i}", 1),
        (r"q_s = \frac{\exp(-H_s / T)}{Z}", 1),
        (r"Z = \sum_i e^{-\beta E_i}", 0),
        (r"Z = \sum_i e^{-H_i / T}", 0),
        # Near misses: the values of all outcomes, and what is no probability.
        (r"P_i = \frac{1}{Z} e^{-S_i}", 2),
        (r"K_i = e^{-\beta X_i}", 2),
        (r"p(x) = \mathrm{softmax}(f(x))", 1),
        (r"w(x) = \exp(-E(x))", 1),
    ],
)
def test_an_energy_is_a_number(latex: str, axes: int) -> None:
    equation = compile_formula(latex).equation
    assert equation is not None
    assert len(equation.value.indices) == axes


@table(
    # A sign between them makes what is written so the dot product of two vectors.
    Case(
        r"q_j = \frac{1}{Z} \exp(\theta \cdot h_j)",
        "Z theta[d] h[n,d]",
        lambda z, w, h: np.exp(h @ w) / z,
    ),
    Case(
        r"p_s = \frac{e^{-\theta \cdot x_s}}{Z}",
        "theta[d] x[n,d] Z",
        lambda w, x, z: np.exp(-x @ w) / z,
    ),
)
def test_a_dot_product_is_an_energy(case: Case) -> None:
    check(case)


@table(
    # So is what a softmax compares, one of each for a place of its own.
    Case(
        r"P = \frac{e^{h_n \cdot e_i}}{\sum_j e^{h_n \cdot e_j}}",
        "h[n,d] e[m,d]",
        lambda h, e: softmax(h @ e.T),
    ),
    Case(
        r"p_{ij} = \frac{\exp(a_i \cdot b_j / \tau)}{\sum_k \exp(a_i \cdot b_k / \tau)}",
        "a[n,d] b[m,d] tau",
        lambda a, b, tau: softmax(a @ b.T / tau),
    ),
    # Near misses: what the note defines as a number; rates and times, and nothing is divided by
    # their sum.
    Case(
        r"p_{ij} = \frac{\exp(a_i \cdot r_j)}{\sum_k \exp(a_i \cdot r_k)}",
        "a[n] r[m]",
        lambda a, r: softmax(np.outer(a, r)),
        context=r"r_j = u^\top g_j",
    ),
    Case(r"f_{ij} = \exp(a_i \cdot t_j)", "a[n] t[m]", lambda a, t: np.exp(np.outer(a, t))),
    Case(
        r"f_i = \sum_j \exp(a_i \cdot t_j)",
        "a[n] t[m]",
        lambda a, t: np.exp(np.outer(a, t)).sum(1),
    ),
)
def test_what_a_softmax_compares_is_a_vector(case: Case) -> None:
    check(case)
