"""Arrays that are cut into the parts of the heads, ``[Q_1, …, Q_h] = X W_Q``."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    Case(
        r"[Q_1, \dots, Q_h] = Z A",
        "Z[n,d] A[d,h*p] h# p#",
        lambda z, a, h, p: np.stack([z @ a[:, i * p : (i + 1) * p] for i in range(h)]),
    ),
    Case(
        r"[k_{s,1}; k_{s,2}; \dots; k_{s,n_h}] = A z_s",
        "A[n_h*d,n] z[m,n] n_h# d#",
        lambda a, z, h, p: (z @ a.T).reshape(len(z), h, p),
    ),
    Case(
        r"(V^{(1)}, \dots, V^{(h)}) = Z A",
        "Z[n,d] A[d,h*p] h# p#",
        lambda z, a, h, p: np.stack([z @ a[:, i * p : (i + 1) * p] for i in range(h)]),
    ),
    Case(
        r"[Q_1, \dots, Q_h] = Q",
        "Q[n,h*d] h# d#",
        lambda q, h, p: np.stack(np.split(q, h, axis=1)),
    ),
    Case(
        r"[q_{s,1}; q_{s,2}; \dots; q_{s,n_h}] = q_s",
        "q[n,n_h*d] n_h# d#",
        lambda q, h, p: q.reshape(len(q), h, p),
    ),
)
def test_each_head_has_its_own_features(case: Case) -> None:
    check(case)


def test_which_features_are_whose_is_told() -> None:
    (told,) = compile_formula(r"[Q_1, \dots, Q_h] = Z A").diagnostics
    assert told.code == "N2C039"
    assert told.message == "the features of `Z A` are taken to be those of the heads in turn"


@pytest.mark.parametrize(
    "latex",
    [
        r"[z_1, \dots, z_n] = Z",
        r"[g_1, \dots, g_h] = \sigma(z A)",
        r"[h_1, \dots, h_H] = \mathrm{LayerNorm}(Z)",
        r"[Q_1; \dots; Q_h] = A Z",
    ],
)
def test_what_is_no_part_of_heads_may_be_rows_or_columns_or_numbers(latex: str) -> None:
    """Nothing says which."""
    found = compile_formula(latex)
    assert all(given.kind != "size" for given in found.inputs)


def test_pieces_of_what_is_not_said_how_many_are_refused() -> None:
    with pytest.raises(FormulaError, match="into which pieces"):
        compile_formula(r"U = \mathrm{split}(Z)")
