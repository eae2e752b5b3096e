"""Where a product over an index ends, and what is multiplied in it."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    # What does not count behind the last factor that does is multiplied once.
    Case(r"w = \prod_{j=1}^t \alpha_j \cdot \beta", "alpha[t] beta", lambda a, b: a.prod() * b),
    Case(r"w = \prod_{j=1}^n (1 - \alpha_j) x", "alpha[n] x[d]", lambda a, x: (1 - a).prod() * x),
    Case(
        r"w = \prod_j \alpha_j \gamma \cdot 2 \beta",
        "alpha[n] gamma beta",
        lambda a, g, b: a.prod() * g * 2 * b,
    ),
    # What stands before it is a part of it.
    Case(r"w = \prod_{j=1}^n 2 \alpha_j", "alpha[n]", lambda a: (2 * a).prod()),
    Case(r"w = \prod_{j=1}^n \beta \alpha_j", "beta alpha[n]", lambda b, a: (b * a).prod()),
    Case(r"w = \prod_{j=1}^n \alpha_j \beta_j", "alpha[n] beta[n]", lambda a, b: (a * b).prod()),
    Case(
        r"w = \prod_{j=1}^n \sigma(\alpha_j)", "alpha[n]", lambda s: (1 / (1 + np.exp(-s))).prod()
    ),
    # In a sum it does not matter.
    Case(r"w = \sum_{j=1}^n \alpha_j \cdot \beta", "alpha[n] beta", lambda a, b: a.sum() * b),
    # Numbers that are declared, sizes and probabilities are multiplied.
    Case(
        r"y = \prod_{k=1}^n T_k x",
        "T[n] x[d]",
        lambda t, x: t.prod() * x,
        context=r"Let $T_k \in \mathbb{R}$.",
    ),
    Case(r"N = \prod_i N_i", "N[n]", np.prod),
    Case(r"L = \prod_i P_i", "P[n]", np.prod),
)
def test_products(case: Case) -> None:
    check(case)


def _grown(k: np.ndarray, s: np.ndarray) -> float:
    return 1 + sum((width - 1) * s[:at].prod() for at, width in enumerate(k))


# What runs to an index that a sum counts has as many elements as this does.
@table(
    Case(r"r_M = 1 + \sum_{m=1}^M (k_m - 1) \prod_{j=1}^{m-1} s_j", "k[M] s[M]", _grown),
    Case(
        r"r = \sum_{m=1}^M a_m \sum_{j=1}^m w_j",
        "a[M] w[M]",
        lambda a, w: a @ np.cumsum(w),
    ),
)
def test_an_index_that_runs_to_another(case: Case) -> None:
    check(case)


def test_what_runs_beyond_another_index_has_its_own_size() -> None:
    longer = compile_formula(r"r = \sum_{m=1}^M a_m \prod_{j=1}^{m+1} s_j")
    sizes = {given.name: given.shape for given in longer.inputs}
    assert sizes["a"] != sizes["s"]


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (r"W = M \left( \prod_{k=1}^n T_k \right) U", ()),
        (r"y = \prod_{j=1}^i A_j x", ()),
        (r"y = \prod_{j=1}^i \bar{A}_j x", ()),
        (r"W = \prod_{k=1}^n R_k", r"The matrices $R_k \in \mathbb{R}^{d \times d}$ turn."),
    ],
)
def test_matrices_in_a_product_are_refused(latex: str, context: str) -> None:
    with pytest.raises(FormulaError, match="may be a matrix") as refused:
        compile_formula(latex, context=context)
    problem = refused.value.diagnostics[-1]
    assert problem.code == "N2C037"
    assert latex[problem.span.start :].startswith(r"\prod")
