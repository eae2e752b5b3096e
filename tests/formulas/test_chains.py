"""Chains of equalities: which side is computed, and what the others say of it."""

from __future__ import annotations

import numpy as np

from tables import Case, check, softmax, table


@table(
    # All sides have the same axes: what is mapped by a matrix is a vector on the other side too.
    Case(
        r"o_{t,i} = \sum_j a_{t,j,i} v^c_{j,i} = W_i^{uv} \sum_j a_{t,j,i} c_j^{kv}",
        "W_uv[h,d,r] a[t,j,h] c_kv[j,r]",
        lambda w, a, c: np.einsum("hdr,tjh,jr->thd", w, a, c),
    ),
    Case(
        r"m_t = \sum_i W_i^o y_{t,i} = \sum_i W_i^o W_i^u z_{t,i}",
        "W_o[h,d,p] W_u[h,p,r] z[t,h,r]",
        lambda w, u, z: np.einsum("hdp,hpr,thr->td", w, u, z),
    ),
    # A side with a function that nobody defines says less than one without.
    Case(
        r"y = \mathrm{softmax}(q K^\top) V = \sum_i \alpha(q, k_i) v_i",
        "q[d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    # The side that says most is computed, the last one of those that say as much.
    Case(
        r"W = W_0 + \Delta W = W_0 + B A",
        "W_0[d,k] B[d,r] A[r,k]",
        lambda w, b, a: w + b @ a,
    ),
    Case(
        r"h = W_0 x + \Delta W x = W_0 x + B A x",
        "W_0[d,k] x[k] B[d,r] A[r,k]",
        lambda w, x, b, a: w @ x + b @ (a @ x),
    ),
)
def test_side(case: Case) -> None:
    check(case)


@table(
    # An index of the weights as well as of the values counts heads, not features.
    Case(
        r"\bar o_{t,i} = \sum_j a_{t,j,i} c_j",
        "a[t,j,h] c[j,d]",
        lambda a, c: np.einsum("tjh,jd->thd", a, c),
    ),
    Case(
        r"o_{t,i} = \sum_j \alpha_{t,j,i} v_{j,i}",
        "alpha[t,j,h] v[j,h,d]",
        lambda a, v: np.einsum("tjh,jhd->thd", a, v),
    ),
    Case(
        r"o_{hid} = \sum_j a_{hij} v_{hjd}",
        "a[h,n,m] v[h,m,d]",
        lambda a, v: a @ v,
    ),
)
def test_average(case: Case) -> None:
    check(case)
