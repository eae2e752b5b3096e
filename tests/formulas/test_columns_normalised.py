"""Layer norms of what is declared with a column for each token."""

from __future__ import annotations

from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, relu, table

COLUMNS = [r"X \in \mathbb{R}^{d \times n}"]


def _normed(x: Any, e: float, g: Any, b: Any) -> Any:
    centred = x - x.mean(0)
    return g[:, None] * centred / np.sqrt(x.var(0) + e) + b[:, None]


@table(
    Case(
        r"Z = \mathrm{LayerNorm}(X)",
        "X[d,n] gamma[d] epsilon+ beta[d]",
        lambda x, g, e, b: _normed(x, e, g, b),
        context=COLUMNS,
    ),
    Case(
        r"Y = X + W_2 \mathrm{ReLU}(W_1 \mathrm{LN}[X])",
        "X[d,n] W_2[d,p] W_1[p,d] gamma[d] epsilon+ beta[d]",
        lambda x, w, v, g, e, b: x + w @ relu(v @ _normed(x, e, g, b)),
        context=COLUMNS,
    ),
    Case(
        r"Z = \mathrm{LayerNorm}(X)",
        "X[n,d] gamma[d] epsilon+ beta[d]",
        lambda x, g, e, b: _normed(x.T, e, g, b).T,
        context=[r"X \in \mathbb{R}^{n \times d}"],
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_it_is_told() -> None:
    (told,) = compile_formula(r"Y = X + \mathrm{LN}(X)", context=COLUMNS).diagnostics
    assert told.message == "`LN` is taken to normalise each column, which is one token"
