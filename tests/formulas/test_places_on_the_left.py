"""Places in the tuple below a left-hand side, by whatever letters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


def _wave(even: int, odd: int, column: int, width: int) -> float:
    """What stands in a column, at the place that counts in even ones, and in odd ones."""
    rate = 10000 ** (-(column - column % 2) / width)
    return math.cos(odd * rate) if column % 2 else math.sin(even * rate)


@table(
    # A word that a set is summed over below the same name is an index.
    Case(
        r"P(y = w) = \frac{\exp(z_w)}{\sum_v \exp(z_v)}",
        "z[n]",
        lambda z: np.exp(z) / np.exp(z).sum(),
    ),
    Case(
        r"P(w) = \frac{\exp(\text{Logit}_w)}{\sum_{v} \exp(\text{Logit}_v)}",
        "Logit[n]",
        lambda z: np.exp(z) / np.exp(z).sum(),
    ),
    # What is of two nodes of a graph is one for every two.
    Case(
        r"e_{ij} = q_i^\top k_j + b_{\phi(v_i, v_j)}",
        "q[n,d] k[m,d] b_phi[n,m]",
        lambda q, k, b: q @ k.T + b,
    ),
    Case(
        r"PE_{(x,2i)} = \sin(x / 10000^{2i/d}), PE_{(x,2i+1)} = \cos(x / 10000^{2i/d})",
        "n# d#",
        lambda n, d: [[_wave(x, x, c, d) for c in range(d)] for x in range(n)],
    ),
    Case(
        r"G_{(x,y,2i)} = \sin(x / 10000^{2i/d}), G_{(x,y,2i+1)} = \cos(y / 10000^{2i/d})",
        "n# m# d#",
        lambda n, m, d: [
            [[_wave(x, y, c, d) for c in range(d)] for y in range(m)] for x in range(n)
        ],
    ),
)
def test_values(case: Case) -> None:
    check(case)


@table(
    # So is what stands above two that count, and alone below another name.
    Case(
        r"B_{ij}^{(h)} = m_h S_{ij}",
        "m[h] S[n,l]",
        lambda m, s: m[:, None, None] * s,
    ),
    # What is listed on both sides is an index, also a letter that elsewhere is a label.
    Case(
        r"B_{t,h} = G_{t,h} - c \cdot h",
        "G[n,m] c",
        lambda g, c: g - c * np.arange(g.shape[1]),
    ),
    Case(r"\tilde B_{t,h} = B_{t,h} - 3 M_{t,h}", "B[n,m] M[n,m]", lambda b, m: b - 3 * m),
    # Beside what is summed over, a letter counts with commas as without, and on the left alone.
    Case(r"C_{r,c} = \sum_k A_{r,k} B_{k,c}", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"C_{rc} = \sum_k A_{rk} B_{kc}", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"y_{o,p} = \sum_c w_{o,c} x_{c,p}", "w[n,d] x[d,m]", lambda w, x: w @ x),
    Case(r"w_{x,y} = a_{x,y} / \sum_y a_{x,y}", "a[n,m]", lambda a: a / a.sum(1, keepdims=True)),
    Case(r"s_{b,c} = \sum_{h,w} x_{b,c,h,w}", "x[h,m,n,d]", lambda x: x.sum((2, 3))),
    Case(r"s_c = \sum_{b,h,w} x_{b,c,h,w}", "x[h,m,n,d]", lambda x: x.sum((0, 2, 3))),
    Case(r"u_f = \sum_t a_{f,t} x_t", "a[m,n] x[n,d]", lambda a, x: a @ x),
    # Of more than two in a list all count; there is one mean for all of a channel.
    Case(
        r"\hat x_{b,c,h,w} = \frac{x_{b,c,h,w} - \mu_c}{\sigma_c}",
        "x[h,m,n,d] mu[m] sigma[m]",
        lambda x, mu, sigma: (x - mu[:, None, None]) / sigma[:, None, None],
    ),
    # What stands alone below two names on the right is an index of the left below both.
    Case(
        r"s_{i,b} = \sum_h \mathrm{ReLU}(q_i^{(h)} \cdot \bar k_b)",
        "q[h,n,d] k_bar[m,d]",
        lambda q, k: np.maximum(q @ k.T, 0).sum(0),
    ),
    Case(
        r"s_{t,u} = \sum_{j=1}^{g} w_{t,j} \mathrm{ReLU}(q_{t,j} \cdot k_u)",
        "w[n,g] q[n,g,d] k[m,d]",
        lambda w, q, k: np.einsum("tj,tju->tu", w, np.maximum(q @ k.T, 0)),
    ),
    Case(
        r"s_{ij} = \sum_a q_{ia} \cdot k_{ja} r_a",
        "q[n,d] k[m,d] r[d]",
        lambda q, k, r: (q * r) @ k.T,
    ),
    # So is a third one in a list beside two that count, where it stands alone below one name.
    Case(
        r"S_{h,i,j} = c_h x_i y_j",
        "c[h] x[n] y[m]",
        lambda c, x, y: np.einsum("h,i,j->hij", c, x, y),
    ),
    # Near misses: the label of a weight, and of what stands on the left alone.
    Case(r"q_{t,h} = W_h x_t", "W_h[p,d] x[n,d]", lambda w, x: x @ w.T),
    Case(
        r"z_{t,f} = W_f x_t + b_f",
        "W_f[p,d] x[n,d] b_f[p]",
        lambda w, x, b: x @ w.T + b,
    ),
)
def test_lists(case: Case) -> None:
    check(case)


@table(
    Case(
        r"L_i = -\log \frac{e^{s_{i,p}}}{\sum_j e^{s_{i,j}}}",
        "s_p[n] s[n,m]",
        lambda sp, s: np.log(np.exp(s).sum(1)) - sp,
    ),
    Case(
        r"L_i = -\log \frac{\exp(z_{iy})}{\sum_j \exp(z_{ij})}",
        "z_y[n] z[n,m]",
        lambda zy, z: np.log(np.exp(z).sum(1)) - zy,
    ),
)
def test_a_label_in_place_of_an_index_leaves_a_number(case: Case) -> None:
    check(case)
    (told,) = compile_formula(case.latex).diagnostics
    assert "is taken to be an input of its own, and no element of" in told.message


@table(
    *(
        Case(
            rf"{left} = \frac{{e^{{a_{{{one}}}}}}}{{\sum_u e^{{a_{{{other}}}}}}}",
            "a[n,m]",
            lambda a: (np.exp(a) / np.exp(a).sum(1, keepdims=True)).T,
        )
        for left in (r"p(w \mid h_t)", r"p(y = w \mid h_t)")
        for one, other in (("t,w", "t,u"), ("tw", "tu"))
    ),
    Case(
        r"g_r(w) = a_{r,w} - \log \sum_u e^{a_{r,u}}",
        "a[n,m]",
        lambda a: a - np.log(np.exp(a).sum(1, keepdims=True)),
    ),
)
def test_an_outcome_counts_where_a_sum_counts_in_its_place(case: Case) -> None:
    check(case)


def test_one_mean_for_a_channel_is_none_of_a_row() -> None:
    row, channel = (
        compile_formula(rf"y_{{b,c,i}} = \frac{{x_{{b,c,i}} - {mu}}}{{{sigma}}} \gamma_i + \beta_i")
        for mu, sigma in ((r"\mu_{b,c}", r"\sigma_{b,c}"), (r"\mu_c", r"\sigma_c"))
    )
    assert (row.component, channel.component) == ("layer_norm", None)


@pytest.mark.parametrize("letter", "nmj")
def test_an_index_may_have_the_letter_of_a_size(letter: str) -> None:
    made = rf"s_{letter} = \sum_k a_{{{letter},k}} b_k"
    formula = compile_formula(rf"t_{letter} = s_{letter} + \beta_{letter}", context=[made])
    assert [one.shape for one in formula.inputs] == [("d",), ("d",)]


def test_a_letter_that_the_right_has_not_is_a_label() -> None:
    assert compile_formula(r"q_{(h,2i)} = w^\top x_i").name == "q_h"


@pytest.mark.parametrize(
    ("latex", "component"),
    [
        (r"PE_{(x,2i)} = \sin(x / 10000^{2i/d})", "sinusoidal_positional_encoding"),
        (r"PE_{(x,y,2i)} = \sin(x / 10000^{2i/d})", None),
        (r"PE(x,y,2i) = \sin(x / 10000^{2i/d})", None),
    ],
)
def test_places_in_two_directions_are_no_sequence(latex: str, component: str | None) -> None:
    assert compile_formula(latex).component == component


@table(
    # Numbers at all indices of the left make numbers there, whatever a weight beside them could be.
    Case(
        r"z_{i,c} = W v_{i,c} + b",
        "W v[n,d] b",
        lambda w, v, b: w * v + b,
        context=[r"v_i \in \mathbb{R}^C"],
    ),
    Case(r"z_{ij} = u g_{ij} + c", "u g[n,m] c", lambda u, g, c: u * g + c),
    # Near misses: what is compared with each of a vector, and a vector at two places.
    Case(
        r"z_{ij} = \exp(-(g_{ij} - \mu)^2)",
        "g[n,m] mu[k]",
        lambda g, mu: np.exp(-((g[..., None] - mu) ** 2)),
        context=[r"\mu \in \mathbb{R}^k, g_{ij} \in \mathbb{R}"],
    ),
    Case(
        r"z_{ij} = W v_{ij} + b",
        "W[p,d] v[n,m,d] b[p]",
        lambda w, v, b: v @ w.T + b,
    ),
)
def test_numbers_stay_numbers(case: Case) -> None:
    check(case)


def _told(latex: str, *context: str) -> list[str]:
    return [one.message for one in compile_formula(latex, context=context).diagnostics]


def test_more_axes_than_the_left_has_indices_are_told() -> None:
    assert _told(r"z_{ij} = W v_{ij} + b") == ["each `z_{ij}` is taken to be a vector"]
    assert _told(r"g = \sigma(W v_t + c)") == ["`g` is taken to have one for each `t`"]
    assert _told(r"u = \sum_s a_{ts} v_s") == ["`u` is taken to have one for each `t`"]
    assert not _told(r"u_t = \sum_s a_{ts} v_s")
    for declared in (r"z_{ij} \in \mathbb{R}^p", r"z \in \mathbb{R}^{n \times m \times p}"):
        assert not _told(r"z_{ij} = W v_{ij} + b", declared)
    assert not _told(r"g_t = \sigma(W v_t + c)")
    assert not _told(r"G = \gamma_i = 2^{-2i/d}, i = 1, \dots, d/2")
    declared = r"\mu \in \mathbb{R}^k"
    assert _told(r"z_{ij} = \exp(-(g_{ij} - \mu)^2)", declared) == [
        "each `z_{ij}` is taken to be a vector"
    ]


def test_a_weight_that_must_be_a_number_is_told() -> None:
    (told,) = _told(r"z_{i,c} = W v_{i,c} + b", r"v \in \mathbb{R}^{n \times C}")
    assert told == "`W` is taken to be a number"
    assert not _told(r"z_{i,c} = W v_{i,c} + b", r"v \in \mathbb{R}^{n \times C}, W \in \mathbb{R}")


def test_rows_beside_elements_are_told() -> None:
    assert _told(r"h_i = \sum_j A_{ij} v_j + B A_i") == [
        "`A_i` is taken to be a row of the array whose elements stand here"
    ]
