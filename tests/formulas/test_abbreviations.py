"""Two capitals that a note defines as one name, and those that are a product."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


@table(
    Case(
        r"""\begin{align}
        AM &= \mathrm{softmax}(Q K^\top / \sqrt{d_k}) \\
        O &= AM \cdot V
        \end{align}""",
        "Q[n,d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"O = AM \, V",
        "Q[n,d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context=[r"AM = \text{softmax}(Q K^\top)"],
    ),
    Case(
        r"c_i = [HT_{i1}, HT_{i2}, \ldots, HT_{ik}]",
        "HT[n,k]",
        lambda t: t,
        context=r"Of $c_i$, each $HT_{ij}$ is the time from $i$ to $j$.",
    ),
    # Near misses: one of the two stands alone somewhere, or nothing is computed of them.
    Case(r"Y = AB \, V", "A[n,d] B[d,m] V[m,p]", lambda a, b, v: a @ b @ v, context="A = B^T"),
    Case(
        r"Y = AB \, V",
        "A[n,d] B[d,m] V[m,p]",
        lambda a, b, v: a @ b @ v,
        context=[r"AB = \mathrm{softmax}(A) B"],
    ),
    Case(r"Y = AB \, V", "A[n,d] B[d,m] V[m,p]", lambda a, b, v: a @ b @ v, context="AB = C"),
)
def test_value(case: Case) -> None:
    check(case)


def test_the_name_is_that_of_what_is_defined() -> None:
    assert compile_formula(r"AM = \tanh(Q K^\top)").name == "AM"
