"""What a function is declared to be given by a name is not what formulas that call it call so."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table

ATTEND = [
    r"\mathrm{Attend}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{a}}\right) V",
    r"Q \in \mathbb{R}^{n \times a}",
    r"K \in \mathbb{R}^{m \times a}",
    r"V \in \mathbb{R}^{m \times b}",
]
HEADS = [rf"W_i^{x} \in \mathbb{{R}}^{{c \times {n}}}" for x, n in zip("QKV", "aab", strict=True)]
MAP = [r"f(u) = \tanh(A u)", r"u \in \mathbb{R}^{d}", r"A \in \mathbb{R}^{p \times d}"]
OTHER = r"B \in \mathbb{R}^{p \times e}"


@table(
    Case(
        r"\mathrm{head}_i = \mathrm{Attend}(Q W_i^Q, K W_i^K, V W_i^V)",
        "Q[n,c] W_Q[h,c,a] K[m,c] W_K[h,c,a] V[m,c] W_V[h,c,b]",
        lambda q, a, k, b, v, c: softmax((q @ a) @ (k @ b).mT / np.sqrt(a.shape[-1])) @ (v @ c),
        context=[*ATTEND, *HEADS],
    ),
    Case(
        r"z = f(C u) + B u",
        "C[d,e] u[e] A[p,d] B[p,e]",
        lambda c, u, a, b: np.tanh(a @ c @ u) + b @ u,
        context=[*MAP, OTHER],
    ),
)
def test_arguments_are_of_their_own_where_they_do_not_fit(case: Case) -> None:
    check(case)


def test_it_is_told() -> None:
    told = [
        d.message for d in compile_formula(r"z = f(C u) + B u", context=[*MAP, OTHER]).diagnostics
    ]
    assert told == ["`u` is taken to be another than what is declared so"]


def test_what_the_function_is_given_as_it_is_is_what_is_declared() -> None:
    with pytest.raises(FormulaError, match="shapes do not meet"):
        compile_formula(r"z = f(u) + B u", context=[*MAP, OTHER])


ONE_SEQUENCE = [
    r"\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, \quad "
    r"\mathrm{head}_i = \mathrm{softmax}(X W_i^Q (X W_i^K)^\top) X W_i^V"
]


def _joined(
    y: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, o: np.ndarray
) -> np.ndarray:
    """A residual around the heads of one sequence."""
    return y + np.concatenate([*(softmax((y @ q) @ (y @ k).mT) @ (y @ v))], axis=1) @ o


def test_three_times_one_sequence_is_the_heads_of_one() -> None:
    check(
        Case(
            r"Z = Y + \mathrm{MultiHead}(Y, Y, Y)",
            "Y[n,d] W_Q[h,d,k] W_K[h,d,k] W_V[h,d,v] W_O[h*v,d]",
            _joined,
            context=ONE_SEQUENCE,
        )
    )


def test_a_memory_is_not_one_sequence() -> None:
    with pytest.raises(FormulaError, match="takes 1 arguments, not 3"):
        compile_formula(r"Z = Y + \mathrm{MultiHead}(Y, M, M)", context=ONE_SEQUENCE)
