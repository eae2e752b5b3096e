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


@pytest.mark.parametrize(
    ("latex", "filters"),
    [
        (r"A = \sigma(g^{5 \times 5}(B)) \odot B", ["g_5x5"]),
        (r"A = \text{Conv}_{1\times1}(B) + \text{Conv}_{5 \times 5}(B)", ["Conv_1x1", "Conv_5x5"]),
        (r"A = \mathrm{DWConv}^{3×3}(B)", ["DWConv_3x3"]),
    ],
)
def test_the_size_of_a_filter_is_a_part_of_its_name(latex: str, filters: list[str]) -> None:
    given = compile_formula(latex).inputs
    assert [one.name for one in given if one.kind == "function"] == filters


@pytest.mark.parametrize("latex", [r"y = I_{2 \times 2} u", r"y = W_{2 \times 5} u"])
def test_that_of_a_matrix_is_none(latex: str) -> None:
    with pytest.raises(FormulaError, match="not understood"):
        compile_formula(latex)


@table(Case(r"y = u^{2 \times 2} + \gamma^{2 \times 2}", "u[d] gamma", lambda u, c: u**4 + c**4))
def test_an_array_is_raised_to_a_product(case: Case) -> None:
    check(case)
