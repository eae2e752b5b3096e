"""Lists in brackets whose items nothing parts but spaces or dots."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, table


@table(
    Case(
        r"Y = [H_1\ H_2] W",
        "H_1[n,d] H_2[n,m] W[d+m,p]",
        lambda a, b, w: np.concatenate([a, b], axis=1) @ w,
    ),
    Case(
        r"g_t = \sigma(W_g [\bar{u}_t \; x_t])",
        "W_g[p,d+m] u_bar[n,d] x[n,m]",
        lambda w, u, x: sigmoid(np.concatenate([u, x], axis=1) @ w.T),
    ),
    Case(r"X = [x_1\ x_2\ \cdots\ x_n]", "x[n,d]", lambda x: x.T),
    Case(r"X = [x_1 x_2 \dots x_n]", "x[n,d]", lambda x: x.T),
    Case(r"z = (x_1 \ x_2 \ \cdots \ x_n)^\top", "x[n,d]", lambda x: x.T),
    Case(r"y = \tanh(W \ u)", "W[p,d] u[d]", lambda w, u: np.tanh(w @ u)),
    # Near misses: a thin space, and what is added, multiply.
    Case(r"Y = [A \, B] W", "A[n,d] B[d,m] W[m,p]", lambda a, b, w: a @ b @ w),
    Case(r"Y = [A \; B + C] W", "A[n,d] B[d,m] C[n,m] W[m,p]", lambda a, b, c, w: (a @ b + c) @ w),
)
def test_value(case: Case) -> None:
    check(case)


def test_a_list_that_nothing_parts_is_told() -> None:
    told = compile_formula(r"Y = [H_1\ H_2] W").diagnostics
    assert any("taken for a list" in one.message for one in told)


def test_what_is_never_closed_is_refused() -> None:
    with pytest.raises(FormulaError, match="never closed"):
        compile_formula(r"Y = [H_1\ H_2")
