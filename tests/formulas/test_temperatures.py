"""Probabilities at a temperature, which stands above them where others have a transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, softmax, table

DEFINED = r"p_i^T = \frac{\exp(z_i / T)}{\sum_k \exp(z_k / T)}"


def _heated(z: Any, t: float) -> Any:
    return softmax(z / t)


@table(
    Case(r"L = -\sum_i p_i^T \log q_i^T", "p_T+[d] q_T+[d]", lambda p, q: -(p * np.log(q)).sum()),
    Case(
        r"L = -\sum_{i=1}^{N} p_i^T \log(q_i^T)",
        "p_T+[N] q_T+[N]",
        lambda p, q: -(p * np.log(q)).sum(),
        context=[DEFINED],
    ),
    Case(
        r"L = \sum_i p_i^T \log \frac{p_i^T}{q_i^T}",
        "p_T+[d] q_T+[d]",
        lambda p, q: (p * np.log(p / q)).sum(),
        context=[r"p_i = \frac{\exp(z_i / T)}{\sum_j \exp(z_j / T)}"],
    ),
    Case(DEFINED, "z[d] T+", _heated),
    # A row is transposed before a column, and before a logarithm of one.
    Case(r"s = \sum_i p_i^T q_i", "p[n,d] q[n,d]", lambda p, q: (p * q).sum()),
    Case(r"L = -\sum_i p_i^T \log q_i", "p[n,d] q+[n,d]", lambda p, q: -(p * np.log(q)).sum()),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "heated"),
    [
        (r"L = -\sum_i p_i^T \log q_i^T", {"p", "q"}),
        (r"L_i = -\sum_j p_j^T \log q_j^T + x_i^T W x_i", {"p", "q"}),
        # A T between rows and columns, and one that is a length.
        (r"y = \log(q_i^T) W k_i^T", set()),
        (r"\mu_i^T = \frac1T \sum_t x_t^T W", set()),
        (r"m_i^T = \frac1T \sum_{t=1}^T h_t^T A_t", set()),
    ],
)
def test_only_what_a_logarithm_weighs_is_told_to_be_at_one(latex: str, heated: set[str]) -> None:
    formula = compile_formula(latex)
    said = "`%s^T` is taken to be at the temperature `T`: nothing is transposed"
    told = {problem.message for problem in formula.diagnostics if "temperature" in problem.message}
    assert told == {said % name for name in heated}
    named = {given.name for given in formula.inputs if given.name.endswith("_T")}
    assert named == {f"{name}_T" for name in heated}
