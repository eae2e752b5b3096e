"""Probabilities at a temperature, which stands above them where others have a transpose."""

from __future__ import annotations

from typing import Any

import numpy as np

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
