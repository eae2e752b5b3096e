"""Which of two things joined below each other is the matrix, and which is one row of it; what is
joined up to a step is rows."""

from __future__ import annotations

import pytest

from notes2code import compile_formula
from tables import Case, check, softmax, table

DECLARED = (r"P \in \mathbb{R}^{(N+1) \times D}",)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"z = [c_{first}; y E] + P", ["`c_{first}` is taken to be a matrix"]),
        # Near misses: a capital is a matrix by custom, and a small letter behind it one row.
        (r"z = [C; y E] + P", []),
        (r"z = [C; y] + P", []),
    ],
)
def test_a_small_letter_that_is_taken_for_the_matrix_is_told(latex: str, told: list[str]) -> None:
    compiled = compile_formula(latex, context=DECLARED)
    found = [p.message.partition(",")[0] for p in compiled.diagnostics if p.code == "N2C039"]
    assert found == told


@table(
    Case(
        r"Y_s = \text{softmax}(Q_s [K_1; \dots; K_s]^\top) [V_1; \dots; V_s]",
        "Q_s[n,d] K[s,d] V[s,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"Y_s = \text{Attention}(Q_s, [K_1, \dots, K_s], [V_1, \dots, V_s])",
        "Q_s[n,d] K[s,d] V[s,p]",
        lambda q, k, v: softmax(q @ k.T / k.shape[1] ** 0.5) @ v,
    ),
    # Near misses: small letters may be columns, too, and what no query counts is joined as before.
    Case(
        r"y_s = \text{softmax}(q_s^\top [k_1, \dots, k_s]) [v_1, \dots, v_s]^\top",
        "q_s[d] k[s,d] v[s,p]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    Case(
        r"Y = [A_1; \dots; A_h] W",
        "A[h,n,d] W[h*d,p]",
        lambda a, w: a.transpose(1, 0, 2).reshape(a.shape[1], -1) @ w,
    ),
)
def test_a_cache_holds_one_row_for_each_step(case: Case) -> None:
    check(case)
