"""Four indices or more side by side: a row of letters that count is no word."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(
        r"u_i = \sum_{j,k,l} W_{ijkl} z_{jkl}",
        "W[p,q,r,s] z[q,r,s]",
        lambda a, z: np.einsum("pqrs,qrs->p", a, z),
    ),
    Case(r"s = \sum_{ijkl} a_{ijkl}^2", "a[m,n,p,q]", lambda a: (a**2).sum()),
    Case(r"s = \sum_{i,j,k,l,m} a_{i,j,k,l,m}", "a[m,n,p,q,r]", np.sum),
    Case(
        r"e_{bhij} = \sum_d u_{bhid} v_{bhjd}",
        "u[b,h,n,d] v[b,h,m,d]",
        lambda u, v: u @ v.swapaxes(-2, -1),
    ),
    # A letter that stands alone below another name counts in the row, too.
    Case(
        r"z_{nchw} = \gamma_c u_{nchw} + \beta_c",
        "gamma[c] u[n,c,h,w] beta[c]",
        lambda g, u, b: g[:, None, None] * u + b[:, None, None],
    ),
    Case(
        r"\mu_c = \frac{1}{N H W} \sum_{n,h,w} u_{nchw}",
        "u[n,c,h,w]",
        lambda u: u.mean(axis=(0, 2, 3)),
    ),
    # So it does in a row that could be spoken; i, j and k stand together in no word.
    Case(
        r"y_{tijk} = x_{tijk} - \mu_{ti}",
        "x[t,i,j,k] mu[t,i]",
        lambda x, mu: x - mu[..., None, None],
    ),
    Case(r"y_{tijk} = x_{tijk} + b_k", "x[t,i,j,k] b[k]", lambda x, b: x + b),
    # Letters that are declared one by one spell no word.
    Case(
        r"Y = C L S^\top",
        "C[n,m] L[m,d] S[p,d]",
        lambda one, two, s: one @ two @ s.T,
        context=[
            r"C \in \mathbb{R}^{n \times m}, L \in \mathbb{R}^{m \times d}",
            r"S \in \mathbb{R}^{p \times d}",
        ],
    ),
    # A letter and its label spell none, either.
    Case(r"y = M_{in} (x + z)", "M_in[n,d] x[d] z[d]", lambda m, x, z: m @ (x + z)),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"y = W_{proj} x + b_{proj}", "W_proj"),
        (r"y = W_{gate} x_t", "W_gate"),
        (r"y_d = W_{down} x_d", "W_down"),
        (r"h_{next} = \tanh(W h_{next})", "h_next"),
        (r"y = L_{rijk} x", "L_rijk"),
    ],
)
def test_words_stay_words(latex: str, name: str) -> None:
    assert name in {one.name for one in compile_formula(latex).inputs}
