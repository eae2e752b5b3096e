"""Indices that stand on the left alone: no one name of the right has them."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    # The value is the same along an index whose range is said.
    Case(
        r"A_{i,t} = \frac{r_i - \mu}{\sigma}, \quad t = 1, \dots, T",
        "r[n] mu sigma T#",
        lambda r, mu, s, t: np.repeat((r - mu)[:, None] / s, t, axis=1),
    ),
    # Near misses: several arrays have it, or it is what a product is made of.
    Case(r"h_{t,i} = o_t \odot \tanh(c_t)", "o[n,d] c[n,d]", lambda o, c: o * np.tanh(c)),
    Case(
        r"y_{ij} = \gamma \odot x_i + \beta",
        "gamma[d] x[n,d] beta[d]",
        lambda g, x, b: g * x + b,
    ),
    Case(r"h_{ij} = W_i x", "W[h,m,d] x[d]", lambda w, x: w @ x),
    Case(r"y_i = a x + c", "a x[d] c", lambda a, x, c: a * x + c),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"A_{i,t} = \frac{r_i - \mu}{\sigma}",
        r"A_{i,t} = \frac{r_i - \mathrm{mean}(\{R_i\}_{i=1}^G)}{\mathrm{std}(\{R_i\}_{i=1}^G)}",
        r"x_{ij} = 2 z_i",
    ],
)
def test_an_index_is_not_hung_on_one_name(latex: str) -> None:
    with pytest.raises(FormulaError, match="stands on the left alone"):
        compile_formula(latex)


def test_numbered_terms_of_a_sum_are_of_one_kind() -> None:
    f = compile_formula(
        r"c_t = 0.5 h_1 + 0.3 h_2 + 0.2 h_3", context="where $c_t$ is the context vector."
    )
    assert [len(given.shape) for given in f.inputs] == [1, 1, 1]


def test_several_names_that_have_it_by_custom_only_have_it_not() -> None:
    with pytest.raises(FormulaError, match="stands on the left alone"):
        compile_formula(r"A_{i,t} = r_i - b")


@table(
    # A standard score is taken of numbers; beside a gain and a bias, of vectors.
    Case(r"A_i = (r_i - \mu) / \sigma", "r[n] mu sigma", lambda r, m, s: (r - m) / s),
    Case(
        r"c_i = \frac{h_i - \mu_B}{\sqrt{\sigma_B^2 + \epsilon}}",
        "h[n] mu_B sigma_B epsilon+",
        lambda h, m, s, e: (h - m) / np.sqrt(s**2 + e),
    ),
    Case(r"c_i = h_i / \sigma", "h[n,d] sigma", lambda h, s: h / s),
)
def test_standard_scores(case: Case) -> None:
    check(case)


@table(
    # A layer that stands above the left alone is a label of what is defined.
    Case(r"h_i^{(l+1)} = \sum_j a_{ij} W x_j", "a[n,m] W[p,d] x[m,d]", lambda a, w, x: a @ x @ w.T),
    Case(r"h_i^{l+1} = W x_i", "W[p,d] x[n,d]", lambda w, x: x @ w.T),
    Case(r"H^{(l+1)} = \tanh(A X W)", "A[n,m] X[m,d] W[d,p]", lambda a, x, w: np.tanh(a @ x @ w)),
    # Near misses: below it is the place in a product, and on the right it is an index, too.
    Case(r"h_l = W x", "W[p,d] x[d]", lambda w, x: w @ x),
    Case(
        r"z_i^{(k)} = W^{(k)} x_i", "W[h,p,d] x[n,d]", lambda w, x: np.einsum("kpd,nd->knp", w, x)
    ),
)
def test_labels_of_layers(case: Case) -> None:
    check(case)
