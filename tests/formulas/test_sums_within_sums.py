"""Sums over several indices below one sign, and bounds on both sides of an index."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


def _pairs_of(members: np.ndarray) -> np.ndarray:
    """Ones for two members that are not one."""
    inside = (members != 0).astype(float)
    return np.outer(inside, inside) - np.diag(inside)


@table(
    # Both letters of a pair count, where the first stands nowhere but in what is added up.
    Case(
        r"u = \sum_{a \neq c \in G} r_{ac} h_a h_c",
        "G[n] r[n,n] h[n]",
        lambda g, r, h: (_pairs_of(g) * r * np.outer(h, h)).sum(),
    ),
    Case(
        r"u = \sum_{i > j \in G} r_{ij}",
        "G[n] r[n,n]",
        lambda g, r: (np.tril(_pairs_of(g)) * r).sum(),
    ),
    Case(r"u = \sum_{i < j \le n} r_{ij}", "r[n,n]", lambda r: np.triu(r, 1).sum()),
    Case(
        r"u = \sum_{i \in G} \alpha_i^2 + \sum_{i \neq j \in G} r_{ij} \alpha_i \alpha_j",
        "G[n] alpha[n] r[n,n]",
        lambda g, a, r: (a[g != 0] ** 2).sum() + (_pairs_of(g) * r * np.outer(a, a)).sum(),
    ),
    Case(r"u = \sum_{i \ne j \in \{1, \dots, n\}} r_{ij}", "r[n,n]", lambda r: r.sum() - r.trace()),
    # Near misses: what the left-hand side or another sum counts, and what only bounds the second.
    Case(
        r"u_i = \sum_{i \neq j \in G} r_{ij} \alpha_j",
        "G[m] r[n,m] alpha[m]",
        lambda g, r, h: (r * (1 - np.eye(*r.shape))) @ ((g != 0) * h),
    ),
    Case(
        r"u = \sum_{i \in G} \sum_{i \neq j \in G} r_{ij}",
        "G[n] r[n,n]",
        lambda g, r: (_pairs_of(g) * r).sum(),
    ),
    Case(r"u_i = \sum_{i < j \le n} r_{ij}", "r[m,n]", lambda r: np.triu(r, 1).sum(1)),
    Case(
        r"u = \sum_{b < j \le n} \alpha_j",
        "alpha[n] b",
        lambda r, b: r[np.arange(len(r)) >= b].sum(),
    ),
    Case(
        r"u = \sum_{s \le j \le n} \zeta^{j-s} \alpha_j",
        "zeta alpha[n] s",
        lambda z, a, s: sum(z ** (j - s) * r for j, r in enumerate(a, 1) if j >= s),
    ),
    Case(
        r"u = \sum_{b < j \le n} (\alpha_j - b)^2",
        "alpha[n] b",
        lambda r, b: ((r - b) ** 2)[np.arange(len(r)) >= b].sum(),
    ),
)
def test_pairs(case: Case) -> None:
    check(case)


@table(
    Case(
        r"y_t = \sum_{i, j = 1}^t A_{ij}",
        "A[n,m]",
        lambda a: [a[: t + 1, : t + 1].sum() for t in range(len(a))],
    ),
    Case(r"s = \sum_{i, j, k = 1}^n A_{ij} B_{jk}", "A[n,n] B[n,n]", lambda a, b: (a @ b).sum()),
    Case(r"s = \sum_{i = 1, j = 1}^{n, m} X_{ij}", "X[n,m]", np.sum),
    Case(r"s = \sum_{(i, j) = (1, 1)}^{(n, m)} X_{ij}", "X[n,m]", np.sum),
    Case(r"s = \sum_{1 \le i, j \le n} X_{ij}", "X[n,n]", np.sum),
    Case(r"s = \sum_{1 \le i < j \le n} A_{ij}", "A[n,n]", lambda a: np.triu(a, 1).sum()),
    Case(r"s = \sum_{i=1, j=i+1}^n A_{ij}", "A[n,n]", lambda a: np.triu(a, 1).sum()),
    Case(r"m = \max_{1 \le i, j \le n} A_{ij}", "A[n,n]", np.max),
    # What is below an index and what is above it each say whether it is meant, too.
    Case(
        r"y_i = \sum_{1 \le j < i} \alpha_j",
        "alpha[n]",
        lambda r: np.cumsum(r) - r,
    ),
    Case(r"y_i = \sum_{1 \le j \le i} \alpha_j", "alpha[n]", np.cumsum),
    Case(r"y_i = \sum_{i < j \le n} A_{ij}", "A[m,n]", lambda a: np.triu(a, 1).sum(1)),
    # Two places that a range goes from and to are places of what it adds up or multiplies.
    Case(
        r"c_{ij} = \sum_{l=j+1}^i \alpha_l",
        "alpha[n]",
        lambda r: [[r[j + 1 : i + 1].sum() for j in range(len(r))] for i in range(len(r))],
    ),
    Case(
        r"c_{ij} = \prod_{k=i}^j \alpha_k",
        "alpha[n]",
        lambda r: [[r[i : j + 1].prod() for j in range(len(r))] for i in range(len(r))],
    ),
    Case(r"s = \sum_{0 \le j < n} \alpha_j", "alpha[n]", np.sum),
    # A range that only says how far it goes counts from 1.
    Case(
        r"y_t = \sum_{s}^{t} a_{ts} v_s",
        "a[n,m] v[m,d]",
        lambda a, v: np.tril(a) @ v,
    ),
    Case(
        r"u_t = \sum_{s}^{t-1} v_s",
        "v[n,d]",
        lambda v: np.cumsum(v, 0) - v,
    ),
    Case(r"s = \sum_i^n i \alpha_i", "alpha[n]", lambda a: np.arange(1, len(a) + 1) @ a),
    # One that ends one before how many there are counts from 0, but not to what is one further.
    Case(r"s = \sum_k^{K-1} \rho^k u_k", "rho u[K,d]", lambda r, u: r ** np.arange(len(u)) @ u),
    Case(r"s = \sum_t^{T-1} (u_{t+1} - u_t)^2", "u[T]", lambda u: (np.diff(u) ** 2).sum()),
    Case(r"s = \sum_i^2 \alpha_i", "alpha[2]", np.sum),
    Case(r"s = \sum_{i,j}^{n,m} X_{ij}", "X[n,m]", np.sum),
    Case(r"s = \sum_{i,j}^n X_{ij}", "X[n,n]", np.sum),
    Case(
        r"s = \sum_i^n \sum_{j'}^n X_{ij'} \alpha_{j'}",
        "X[n,n] alpha[n]",
        lambda x, a: (x @ a).sum(),
    ),
    # What is said behind several letters is said of each.
    Case(
        r"y_t = \sum_{i, j < t} A_{ij}",
        "A[n,m]",
        lambda a: [a[:t, :t].sum() for t in range(len(a))],
    ),
    Case(
        r"s = \sum_{i, j \in S} A_{ij}",
        "S[n] A[n,n]",
        lambda s, a: a[s != 0][:, s != 0].sum(),
    ),
    Case(r"s = \sum_{i, j \le n} c_{ij}", "c[n,m]", np.sum),
)
def test_values(case: Case) -> None:
    check(case)


def test_both_indices_of_a_square_have_its_size() -> None:
    f = compile_formula(r"s = \sum_{i, j = 1}^V X_{ij}^2")
    assert [(one.name, one.shape) for one in f.inputs] == [("X", ("V", "V"))]
    assert not f.diagnostics


def test_the_members_of_a_list_are_no_condition() -> None:
    with pytest.raises(FormulaError, match="N2C037"):
        compile_formula(r"s = \sum_{i, j \in \{1, 2\}} A_{ij}")


def test_a_start_that_counts_and_is_not_written_is_told() -> None:
    (told,) = compile_formula(r"z = \sum_k^K \rho^k u_k").diagnostics
    assert "`k` is taken to count from 1" in told.message
    assert not compile_formula(r"z = \sum_{k=1}^K \rho^k u_k").diagnostics
    assert not compile_formula(r"z = \sum_k^K \rho u^{(k)}").diagnostics
    (told,) = compile_formula(r"z = \sum_k^{K-1} w_k u_k").diagnostics
    assert "`k` is taken to count from 0" in told.message


def test_what_stands_above_a_sign_as_a_mark_ends_nothing() -> None:
    f = compile_formula(r"z = \max_j^{(l)} u_j")
    assert [one.name for one in f.inputs] == ["u"]
