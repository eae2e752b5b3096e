"""Letters above bold vectors that are told apart below: labels, and never powers."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table

LISTED = r"\mathbf{x} = [\mathbf{x}_1^p, \mathbf{x}_2^p, \dots, \mathbf{x}_N^p]"
TOKENS = (
    r"\mathbf{t} = [\mathbf{x}_{cls}; \mathbf{x}_1^p \mathbf{E}; \dots; "
    r"\mathbf{x}_N^p \mathbf{E}] + \mathbf{E}_{pos}"
)


@table(
    Case(LISTED, "x_p[n,d]", np.ravel),
    Case(
        TOKENS,
        "x_cls[d] x_p[n,m] E[m,d] E_pos[n+1,d]",
        lambda c, x, e, at: np.concatenate([c[None], x @ e]) + at,
    ),
    Case(r"\mathbf{y}_i = 2 \mathbf{x}_i^p", "x_p[n,d]", lambda x: 2 * x),
    # A number of a list is raised.
    Case(r"m = \sum_{i=1}^n x_i^p", "x+[n] p", lambda x, p: np.sum(x**p)),
)
def test_values(case: Case) -> None:
    check(case)


def test_what_counts_above_a_vector_is_no_label() -> None:
    with pytest.raises(FormulaError, match="raised to a letter"):
        compile_formula(r"\mathbf{y} = \mathbf{x}_p^i \mathbf{E}")


def test_what_a_list_defines_may_stand_beside_its_elements() -> None:
    f = compile_formula(
        r"z = [c; x_1^p E; \dots; x_N^p E] + P", context=[r"x = [x_1^p, \dots, x_N^p]"]
    )
    assert {given.name for given in f.inputs} == {"c", "x_p", "E", "P"}


@table(
    # What stands above all of a list tells of what kind they are, also where they are not bold.
    Case(r"u = [x_1^p, x_2^p, \dots, x_N^p]", "x_p[n,d]", np.ravel),
    Case(
        r"t = [x_{cls}; x_1^p E; \dots; x_N^p E] + P",
        "x_cls[d] x_p[n,m] E[m,d] P[n+1,d]",
        lambda c, x, e, at: np.concatenate([c[None], x @ e]) + at,
    ),
    # Near misses: a sum of powers, and what is raised to a number that stands elsewhere, too.
    Case(r"u = x_1^p + x_2^p + \dots + x_n^p", "x+[n] p", lambda x, p: np.sum(x**p)),
    Case(
        r"u = [x_1^p, x_2^p, \dots, x_n^p] / p",
        "x+[n] p+",
        lambda x, p: x**p / p,
    ),
    # What is declared of x_p is the shape of each patch of it.
    Case(
        r"z = [x_{cls}; x_p^1 E; \dots; x_p^N E] + P",
        "x_cls[d] x_p[n,p] E[p,d] P[n+1,d]",
        lambda c, x, e, p: np.vstack([c, x @ e]) + p,
        context=[r"x_p \in \mathbb{R}^{c}"],
    ),
    # A list on the right of an equation may stand without brackets.
    # Two families are the rows of one matrix, or the numbers of one vector.
    Case(
        r"Z = [\underbrace{P_1, P_2, \dots, P_m}_{\text{prompt}}; \underbrace{x_1, \dots, x_n}]",
        "P[m,d] x[n,d]",
        lambda p, x: np.vstack([p, x]),
    ),
    Case(r"Z = (a_1, \dots, a_m, b_1, \dots, b_n)", "a[m] b[n]", lambda a, b: np.hstack([a, b])),
    Case(
        r"z = [e^{w_1^\top x - \|x\|^2 / 2}, \dots, e^{w_m^\top x - \|x\|^2 / 2}]",
        "w[m,d] x[d]",
        lambda w, x: np.exp(w @ x - x @ x / 2),
    ),
    Case(r"U = u_{-k}, \dots, u_{-1}", "u[k,d]", lambda u: u),
    Case(r"y = y_1, y_2, \dots, y_T", "y[n,d]", lambda y: y),
)
def test_lists_that_are_not_bold(case: Case) -> None:
    check(case)
