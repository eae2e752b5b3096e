"""Capitals that count, letters that scale, and settings, as what stands beside them shows."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # What has a greatest value is one number, or one for each t.
    Case(
        r"c_t = \min(\alpha \cdot \log(L_t), c_{\max})",
        "alpha L+[n] c_max",
        lambda alpha, length, bound: np.minimum(alpha * np.log(length), bound),
    ),
    Case(r"m_n = \frac{1}{n} \sum_i x_i", "x[n,d]", lambda x: x.cumsum(0) / np.c_[1 : len(x) + 1]),
    Case(r"m = \frac{1}{G} \sum_g r_g", "r[G,d]", lambda r: r.mean(0)),
    Case(r"L = \frac{1}{NK} \sum_k \sum_i y_{ik}", "y[N,K]", lambda y: y.mean()),
    Case(r"L = \sum_{h,w}^{HW} x_{hw}^2", "x[H,W]", lambda x: (x**2).sum()),
    Case(r"P = \frac{K - 1}{2}", "K", lambda k: (k - 1) / 2),
    # There are as many heads as of keys and values for them.
    Case(r"G = h / h_{kv}", "h h_kv+", lambda h, kv: h / kv),
    Case(r"g = \frac{h_q}{h_{\text{kv}}}", "h_q h_kv+", lambda h, kv: h / kv),
    Case(r"h_{kv} = h", "h", lambda h: h),
    Case(
        r"\text{Cache}_B = 2 \cdot n_l \cdot n_{kv} \cdot d_{head} = "
        r"\frac{n_{kv}}{n_q} \cdot \text{Cache}_A",
        "n_l n_kv d_head#",
        lambda layers, n, d: 2 * layers * n * d,
    ),
    Case(r"z_h = h / h_0", "h[n] h_0+[n]", lambda h, first: h / first),
    Case(r"P = (F - 1) / 2", "F", lambda f: (f - 1) / 2),
    Case(r"s = \log \frac{1 + N}{1 + c}", "N+ c+", lambda n, c: np.log((1 + n) / (1 + c))),
    Case(r"s = \log \frac{N}{c}", "N+ c+", lambda n, c: np.log(n / c)),
    Case(r"v = F \times F \times C_{in}", "F C_in", lambda f, c: f * f * c),
    # A Greek letter raises a length.
    Case(
        r"s = \frac{1}{t^\alpha} \sum_{i=1}^{t} \log p_i",
        "alpha p+[t]",
        lambda a, p: np.log(p).sum() / len(p) ** a,
    ),
    # Near misses: a mask, weights, and products of matrices.
    Case(r"Y = X \odot (1 - M)", "X[n,d] M[n,d]", lambda x, m: x * (1 - m)),
    Case(r"Y = W + 1", "W[a,b]", lambda w: w + 1),
    Case(r"Y = W \times W", "W[a,a]", lambda w: w @ w),
    # The patches of an image.
    Case(r"N = \frac{H}{14} \times \frac{W}{14}", "H W", lambda h, w: h * w / 196),
    Case(r"N = (H_f / p) \cdot (W_f / p)", "H_f p W_f", lambda h, p, w: h * w / p**2),
)
def test_counts(case: Case) -> None:
    check(case)


def test_a_relevance_is_made_of_numbers() -> None:
    f = compile_formula(
        r"\text{BM25}(D, Q) = \sum_{i=1}^{n} \text{IDF}(q_i) \cdot \frac{f(q_i, D) (k_1 + 1)}"
        r"{f(q_i, D) + k_1 (1 - b + b \cdot \frac{|D|}{L})}"
    )
    assert f.equation is not None
    assert not f.equation.value.indices
    given = {one.name: len(one.shape) for one in f.equation.inputs if one.kind == "array"}
    assert given["k_1"] == given["b"] == 0


@table(
    Case(r"x_{k+1} = x_k + \alpha_k d_k", "x[n] alpha d[n]", lambda x, a, d: x + a * d),
    Case(
        r"\hat x = \mathrm{round}(x / s) \cdot s",
        "x[d] s",
        lambda x, s: np.round(x / s) * s,
    ),
)
def test_what_is_made_of_x_is_of_its_kind(case: Case) -> None:
    check(case)


@table(
    # What many share, and what numbers are added to, counts.
    Case(r"w_i = \log \frac{N}{n_i}", "N+ n+[m]", lambda N, n: np.log(N / n)),
    Case(
        r"w_i = \log \frac{1 + N}{1 + n_i} + 1",
        "N+ n+[m]",
        lambda N, n: np.log((1 + N) / (1 + n)) + 1,
    ),
    Case(r"r = \frac{M}{N}", "M N", lambda m, n: m / n),
    Case(r"y = \sqrt{N} + 1", "N+", lambda n: np.sqrt(n) + 1),
    # … and arrays are complements, and fed through what rounds.
    Case(r"D = 1 - C", "C[n,d]", lambda c: 1 - c),
    Case(r"S = \frac{C + 1}{2}", "C[n,d]", lambda c: (c + 1) / 2),
    Case(r"E = X - \mathrm{round}(X)", "X[n,d]", lambda x: x - np.round(x)),
    Case(r"A_2 = A \times A", "A[n,n]", lambda a: a @ a),
    Case(r"y = x_1 + 1", "x_1[d]", lambda x: x + 1),
    # A scale multiplies and divides each element.
    Case(r"\hat{x} = s (q - z)", "s q[d] z[d]", lambda s, q, z: s * (q - z)),
    Case(r"\hat{x} = s \cdot (q - z)", "s q[d] z[d]", lambda s, q, z: s * (q - z)),
    # Settings: a letter with a number, to which 1 is added, and what is taken from 1 and weighs.
    Case(
        r"s_i = \frac{f_i (k_1 + 1)}{f_i + k_1 (1 - b + b \frac{L_i}{a})}",
        "f+[n] k_1+ b+ L+[n] a+",
        lambda f, k, b, length, a: f * (k + 1) / (f + k * (1 - b + b * length / a)),
    ),
    # Guidance, near to one and far from the other.
    Case(r"y = (1 + w) x_c - w x_u", "w x_c[d] x_u[d]", lambda w, c, u: (1 + w) * c - w * u),
    Case(r"y = h + w (x - h)", "h[d] w x[d]", lambda h, w, x: h + w * (x - h)),
    Case(r"x = q^\top k", "q[d] k[d]", np.dot),
    # Counts are raised to Greek letters.
    Case(r"p = \frac{1}{t^\alpha}", "t+ alpha", lambda t, a: t**-a),
    Case(
        r"r = 1 - \frac{B \cdot \bar{n} + T}{B \cdot T}",
        "B n_bar T",
        lambda b, n, t: 1 - (b * n + t) / (b * t),
    ),
)
def test_numbers(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", [r"e_{ij} = a(i - j)", r"h = a(W x + b)"])
def test_what_is_no_scale_is_a_function(latex: str) -> None:
    kinds = {one.name: one.kind for one in compile_formula(latex).inputs}
    assert kinds["a"] == "function"


@pytest.mark.parametrize("said", ["At $x = 0$ it is flat.", "$b = 0$ works, too."])
def test_a_value_at_a_point_makes_no_number(said: str) -> None:
    found = compile_formula(r"y = W x + b", context=said)
    assert {one.name: len(one.shape) for one in found.inputs} == {"W": 2, "x": 1, "b": 1}


def test_a_value_that_is_set_makes_one() -> None:
    found = compile_formula(r"y = x + c", context="with $c = 0$")
    assert {one.name: len(one.shape) for one in found.inputs} == {"x": 1, "c": 0}


@pytest.mark.parametrize("call", [r"\text{sim}(a, p)", r"\text{dist}(v_i, t_i)"])
def test_what_is_compared_is_of_one_kind(call: str) -> None:
    found = compile_formula(rf"L = {call}" if "_" not in call else rf"L_i = {call}")
    ranks = {len(one.shape) for one in found.inputs if one.kind == "array"}
    assert len(ranks) == 1 and ranks <= {1, 2}


@table(
    # What sums in a row are divided by is how many terms they have.
    Case(r"s = \frac{1}{N^2} \sum_{i,j} A_{ij}^2", "A[n,n]", lambda a: (a**2).mean()),
    Case(r"s = \frac{1}{N^2} \sum_i \sum_j A_{ij}", "A[n,n]", np.mean),
    Case(r"s = \frac{1}{N M} \sum_i \sum_j A_{ij}", "A[n,m]", np.mean),
    Case(r"s = \frac{1}{N} \frac{1}{M} \sum_i \sum_j A_{ij}", "A[n,m]", np.mean),
    Case(r"s = \frac{1}{H \times W} \sum_{i,j} A_{ij}", "A[h,w]", np.mean),
    Case(r"s = \frac{1}{B T} \sum_t \sum_b A_{tb}", "A[t,b]", np.mean),
    Case(
        r"s = \frac{1}{2m} \sum_i (\alpha_i - \beta_i)^2",
        "alpha[m] beta[m]",
        lambda a, b: ((a - b) ** 2).mean() / 2,
    ),
    Case(
        r"v = \frac{1}{N \rho} \sum_i \alpha_i",
        "rho alpha[n]",
        lambda r, a: a.mean() / r,
    ),
    # What counts something else stays a number.
    Case(r"s = \frac{1}{2m} \sum_{ij} A_{ij}", "A[n,d] m", lambda a, m: a.sum() / (2 * m)),
)
def test_means_over_several_indices(case: Case) -> None:
    check(case)


def test_a_divisor_that_may_count_the_terms_is_told() -> None:
    (told,) = compile_formula(r"s = \frac{1}{K} \sum_j \alpha_j").diagnostics
    assert "`K` is taken to be a number, and not how many terms" in told.message
    for latex in (r"s = \frac{1}{K} \sum_{j=1}^K \alpha_j", r"s = \frac{1}{\tau} \sum_j \alpha_j"):
        assert not compile_formula(latex).diagnostics
