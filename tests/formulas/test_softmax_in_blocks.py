"""The softmax that goes over the keys block by block (Dao, FlashAttention-2, 2023): what it keeps
of each row is a vector, and its diagonal matrices scale rows."""

from __future__ import annotations

import numpy as np

from tables import Case, check, table

BLOCK = r"S_i^{(j)} \in \mathbb{R}^{B_r \times B_c}, \quad m_i^{(j)} \in \mathbb{R}^{B_r}"


@table(
    Case(r"m = \mathrm{rowmax}(S)", "S[n,m]", lambda s: s.max(1)),
    Case(r"\ell = \text{rowsum}(e^{S - m})", "S[n,m] m[n]", lambda s, m: np.exp(s.T - m).sum(0)),
    Case(
        r"m^{(2)} = \max(m^{(1)}, \mathrm{rowmax}(S^{(2)}))",
        "m_1[n] S_2[n,m]",
        lambda m, s: np.maximum(m, s.max(1)),
    ),
    Case(
        r"\ell_i^{(j)} = e^{m_i^{(j-1)} - m_i^{(j)}} \ell_i^{(j-1)} + \mathrm{rowsum}(P_i^{(j)})",
        "m_prev[h,n] m[h,n] ell[h,n] P[h,n,m]",
        lambda old, m, total, p: np.exp(old - m) * total + p.sum(-1),
    ),
    Case(
        r"O_i^{(j)} = \mathrm{diag}(e^{m_i^{(j-1)} - m_i^{(j)}}) O_i^{(j-1)} + P_i^{(j)} V_j",
        "m_prev[h,n] m[h,n] O[h,n,d] P[h,n,m] V[m,d]",
        lambda old, m, o, p, v: np.exp(old - m)[..., None] * o + p @ v,
    ),
    Case(
        r"O_i^{(j)} = \mathrm{diag}(e^{m_i^{(j-1)} - m_i^{(j)}}) O_i^{(j-1)}"
        r" + e^{S_i^{(j)} - m_i^{(j)}} V_j",
        "m_prev[h,n] m[h,n] O[h,n,d] S[h,n,m] V[m,d]",
        lambda old, m, o, s, v: np.exp(old - m)[..., None] * o + np.exp(s - m[..., None]) @ v,
    ),
    Case(
        r"O_i = \mathrm{diag}(\ell_i)^{-1} A_i",
        "ell[h,n] A[h,n,d]",
        lambda total, a: a / total[..., None],
    ),
    Case(
        r"m = \mathrm{rowmax}(S), \quad P = e^{S - m}, \quad \ell = \mathrm{rowsum}(P), \quad "
        r"O = \mathrm{diag}(\ell)^{-1} P V",
        "S[n,m] V[m,d]",
        lambda s, v: np.exp(s) @ v / np.exp(s).sum(1, keepdims=True),
    ),
    Case(
        r"P_i^{(j)} = \exp(S_i^{(j)} - m_i^{(j)})",
        "S[c,h,n,m] m[c,h,n]",
        lambda s, m: np.exp(s - m[..., None]),
        context=f"$$ {BLOCK} $$",
    ),
    Case(r"B = \mathrm{diag}(v)^{-1} A", "v[n] A[n,d]", lambda v, a: a / v[:, None]),
)
def test_blocks(case: Case) -> None:
    check(case)
