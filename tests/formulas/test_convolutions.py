"""The sign of a convolution, which is no product."""

from __future__ import annotations

import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


@pytest.mark.parametrize(
    ("latex", "context", "fault"),
    [
        (r"g = A * u + b", "The $A$ of a convolutional layer.", "*"),
        (r"g = A * u", "状态空间模型可以写成卷积，$A$ 是核。", "*"),
        (r"(u * k)(s) = \sum_r u(r) k(s - r)", "", "(u * k)(s)"),
        (r"Z(a, b) = (P * F)(a, b) = \sum_r P(a + r, b) F(r)", "", "(P * F)(a, b)"),
        (r"g = A \star u", "", r"\star"),
    ],
)
def test_a_convolution_is_refused(latex: str, context: str, fault: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(latex, context=context)
    span = refused.value.diagnostics[-1].span
    assert latex[span.start : span.end] == fault


@table(
    Case(r"g = A * u", "A[p,d] u[d]", lambda a, u: a @ u),
    Case(
        r"g = 3 * u", "u[d]", lambda u: 3 * u, context="What a convolution gives, $u$, is scaled."
    ),
    Case(
        r"O = \mathrm{softmax}(Q * K^\top) V",
        "Q[n,d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context="Other than a convolution, $O$ reaches all tokens.",
    ),
    Case(r"g^{\star} = A u^\star", "A[p,d] u_star[d]", lambda a, u: a @ u),
)
def test_what_is_none(case: Case) -> None:
    check(case)
