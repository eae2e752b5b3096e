"""Letters that tell arrays apart and stand for no axis of them, and what names say of kinds."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def _grouped(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = np.einsum("gind,gmd->ginm", q, k) / np.sqrt(q.shape[-1])
    return np.einsum("ginm,gme->gine", softmax(scores), v)


def _averaged(k: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
    weights = np.exp(k + w[..., None])
    return (weights * v).sum(1) / weights.sum(1)


@table(
    # One softmax has one temperature: what stands above it is a vector.
    Case(
        r"p_i = \mathrm{softmax}((z_i - c) / \tau_i)",
        "z[n,d] c[d] tau[n]",
        lambda z, c, t: softmax((z - c) / t[:, None]),
    ),
    Case(
        r"p_i = \mathrm{softmax}((z_i - c) / \tau)",
        "z[n] c tau",
        lambda z, c, t: softmax((z - c) / t),
    ),
    # An array of the letter that an index has is another thing, also where it is turned.
    Case(r"e_{ts} = s_t^\top g_s", "s[n,d] g[m,d]", lambda s, g: s @ g.T),
    Case(
        r"\text{score}(s_t, g_s) = s_t^\top W g_s",
        "s[n,d] g[m,p] W[d,p]",
        lambda s, g, w: s @ w @ g.T,
    ),
    # The letters of two that are made differently count none.
    Case(
        r"h_s = \mathrm{ReLU}(x_s), \quad h_t = \tanh(x_t), \quad y = h_s^\top h_t",
        "x_s[d] x_t[d]",
        lambda s, t: np.maximum(s, 0) @ np.tanh(t),
    ),
    # The I of what is given alone is a function; the counts of parts and of all are numbers.
    Case(
        r"g = I(a) - \frac{N_a}{N} I(b) - \frac{N_c}{N} I(c)",
        "a I() N_a b N_c c N",
        lambda a, f, na, b, nc, c, n: f(a) - na / n * f(b) - nc / n * f(c),
    ),
    Case(r"y = I(W x)", "W[n,d] x[d] I()", lambda w, x, f: f(w @ x)),
    Case(r"s = \sum_c \frac{N_c}{N} a_c", "N_c[n] N a[n]", lambda c, n, a: c @ a / n),
    # A row of numbers is transposed and no power.
    Case(r"s = [1, 2]^T x", "x[2]", lambda x: x[0] + 2 * x[1]),
    # The weight of group g and head i is a matrix, as the queries that it makes are.
    Case(
        r"Q_{g,i} = X W_{g,i}^Q",
        "X[n,d] W_Q[g,h,d,p]",
        lambda x, w: np.einsum("nd,ghdp->ghnp", x, w),
    ),
    Case(
        r"Q_{g,i} = Q W_{g,i}^Q",
        "Q[n,d] W_Q[g,h,d,p]",
        lambda q, w: np.einsum("nd,ghdp->ghnp", q, w),
    ),
    Case(r"s_i = \sum_j W^Q_{ij} x_j", "W_Q[n,m] x[m,d]", np.matmul),
    Case(
        r"head_{g,i} = \mathrm{softmax}(\frac{Q_{g,i} K_g^\top}{\sqrt{d_k}}) V_g",
        "Q[g,h,n,d] K[g,m,d] V[g,m,e]",
        _grouped,
    ),
    Case(r"S_{ij} = \sum_k Q_{ik} K_{jk}", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    # A weight with a size of its own is no weight of several; what is summed up is.
    Case(r"u_t = c_t W_t, \quad W_t \in \mathbb{R}^{d_t \times d}", "c_t[e] W_t[e,d]", np.matmul),
    Case(r"Z_m = X_m W_m, \quad W_m \in \mathbb{R}^{d_m \times d}", "X_m[n,e] W_m[e,d]", np.matmul),
    Case(
        r"z_t = W_t x, \quad W_t \in \mathbb{R}^{d_k \times d}",
        "W[n,k,d] x[d]",
        lambda w, x: w @ x,
    ),
    # What a name is made of by arithmetic, under its own letter, is another thing; not so what a
    # function takes as a whole.
    Case(r"G = \lceil n / G_r \rceil", "G_r+ n", lambda r, n: np.ceil(n / r)),
    Case(r"h = \max(h_p)", "h[n,d]", lambda h: h.max(0)),
    # The p of x_p^1, …, x_p^9 says which x these are.
    Case(
        r"z = [c; x_p^1 E; x_p^2 E; \dots; x_p^{9} E] + P",
        "c[d] x_p[9,k] E[k,d] P[10,d]",
        lambda c, x, e, p: np.vstack([c, x @ e]) + p,
    ),
    # What is added to the embedding of a token is one of its place.
    Case(r"h_i = e_i + p_i", "e[n,d] p[n,d]", np.add),
    Case(r"X = [e_1 + p_1, \dots, e_n + p_n]", "e[n,d] p[n,d]", lambda e, p: (e + p).T),
    Case(r"\text{Tokens} = [x_1 + p_1, \dots, x_n + p_n]", "x[n,d] p[n,d]", lambda x, p: (x + p).T),
    Case(r"c = \sum_i e_i p_i", "e[n] p[n]", np.dot),
    # The W of one head and kind is a matrix, where it shares no index with what it maps; an arrow
    # and bold letters are vectors, of whatever head.
    Case(
        r"{g_s}^k_i = W_s^k h_i", "W[s,k,c,d] h[n,d]", lambda w, h: np.einsum("skcd,nd->sknc", w, h)
    ),
    Case(
        r"\vec{h}^k_i = \sum_j \alpha^k_{ij} \vec{g}^k_j",
        "alpha[k,n,m] g_vec[k,m,d]",
        np.matmul,
    ),
    Case(
        r"\mathbf{h}^k_i = \sum_j \alpha^k_{ij} \mathbf{g}^k_j",
        "alpha[k,n,m] g[k,m,d]",
        np.matmul,
    ),
    # A bold weight of a pair is a number all the same.
    Case(r"\mathbf{c}_i = \sum_j \mathbf{a}_{ij} \mathbf{h}_j", "a[n,m] h[m,d]", np.matmul),
    Case(r"c_i = \sum_j \boldsymbol{\alpha}_{ij} \mathbf{h}_j", "alpha[n,m] h[m,d]", np.matmul),
    # The features of all images are a matrix, and so is what goes into a layer.
    Case(
        r"S = \text{image\_features} \cdot \text{text\_features}^\top",
        "image_features[n,d] text_features[m,d]",
        lambda x, y: x @ y.T,
    ),
    Case(r"C_{out} = C_{in} W + b", "C_in[n,d] W[d,p] b[p]", lambda c, w, b: c @ w + b),
    Case(
        r"\theta_t = \theta_{t-1} - \eta \, \text{momentum}_t",
        "theta[d] eta momentum[d]",
        lambda p, e, m: p - e * m,
    ),
)
def test_letters(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"\langle q_m, k_n \rangle = g(x_m, x_n, m - n)",
        r"\langle f(q, m), f(k, n) \rangle = g(q, k)",
    ],
)
def test_what_an_inner_product_equals_is_a_number(latex: str) -> None:
    found = [one.message for one in compile_formula(latex).diagnostics]
    assert any("`g`" in text and text.endswith("taken to give a number") for text in found)


def test_the_value_at_one_place_defines_no_function() -> None:
    with pytest.raises(FormulaError, match="nothing to compute"):
        compile_formula(r"f(x, 0) = x")
    formula = compile_formula(r"y = f(x, m)", context=[r"f(x, 0) = x"])
    assert "f" in [given.name for given in formula.inputs]


@table(
    # The s and t of weights before h_s and h_t tell the two sides apart.
    Case(
        r"e_{ts} = v^\top \tanh(W_t h_t + W_s h_s)",
        "v[p] W_t[p,d] h[n,d] W_s[p,d]",
        lambda v, a, h, b: np.tanh((h @ a.T)[:, None] + (h @ b.T)[None]) @ v,
    ),
    Case(
        r"h_{ts} = \tanh(x_t^\top W_t + x_s^\top W_x)",
        "x[n,d] W_t[d,p] W_x[d,p]",
        lambda x, a, b: np.tanh((x @ a)[:, None] + (x @ b)[None]),
    ),
    Case(
        r"y_i = W_i x_i + W_o z",
        "W[n,p,d] x[n,d] W_o[p,e] z[e]",
        lambda w, x, o, z: np.einsum("npd,nd->np", w, x) + o @ z,
    ),
    Case(
        r"e = \sum_s \sum_t (W_s h_s + W_t h_t)",
        "W[n,p,d] h[n,d]",
        lambda w, h: 2 * len(h) * np.einsum("npd,nd->p", w, h),
    ),
    # What is added above and below is a number; f(t) has a parameter, though α_t counts its t.
    Case(r"y = \frac{x + s}{1 + s}", "x[d] s", lambda x, s: (x + s) / (1 + s)),
    Case(
        r"\alpha_t = \frac{f(t)}{f(0)}, \quad f(t) = \cos(\frac{t / T + s}{1 + s})",
        "T s n#",
        lambda T, s, n: np.cos((np.arange(n) / T + s) / (1 + s)) / np.cos(s / (1 + s)),
    ),
    # How many parameters there are is made of numbers.
    Case(r"\text{GRU Parameters} = 3h(h + d + 1)", "h d#", lambda h, d: 3 * h * (h + d + 1)),
    Case(r"\text{New Parameters} = W - G", "W[n,d] G[n,d]", np.subtract),
    # The m below R is an index, as it is below the left-hand side; that of W_ih is a part of it.
    Case("y_m = R_mx", "R[m,n,d] x[d]", lambda r, x: r @ x),
    Case("h_i = W_ih x_i", "W_ih[p,d] x[n,d]", lambda r, x: x @ r.T),
    # Of the tokens, and what is given them, the function is the value.
    Case(
        r"\begin{aligned} Q &= X W_Q \\ K &= X W_K \\ A(Q, K) &= \mathrm{softmax}(Q K^\top)"
        r"\end{aligned}",
        "Q[n,d] K[m,d]",
        lambda q, k: softmax(q @ k.T),
    ),
    Case(
        r"Q = X W, \quad A(Q, K) = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}})",
        "Q[n,d] K[m,d]",
        lambda q, k: softmax(q @ k.T / np.sqrt(q.shape[-1])),
        context=r"W \in \mathbb{R}^{d \times d_k}, X \in \mathbb{R}^{n \times d}",
    ),
)
def test_kinds_and_values(case: Case) -> None:
    check(case)


def test_an_embedding_is_a_vector() -> None:
    formula = compile_formula(r"z = \mathrm{TokenEmbed}(x) + \mathrm{PosEmbed}(pos)")
    given = {one.name: len(one.shape) for one in formula.inputs if one.kind == "array"}
    assert given == {"x": 1, "pos": 1} and len(formula.shape) == 1


def test_queries_and_keys_without_a_transpose_are_told() -> None:
    formula = compile_formula(r"S = \mathrm{softmax}(Q K)", context=[r"Q = X W", r"K = X U"])
    assert any("without a transpose" in one.message for one in formula.diagnostics)
    turned = compile_formula(r"S = \mathrm{softmax}(Q K)", context=[r"Q = X W", r"K = U X^\top"])
    assert not any("without a transpose" in one.message for one in turned.diagnostics)


def test_a_definition_that_makes_more_is_linked_all_the_same() -> None:
    made = r"Q = X W_q, \quad K = X W_k, \quad V = X W_v"
    sized = r"W_q, W_k \in \mathbb{R}^{d \times d_k}"
    formula = compile_formula(
        r"A = \mathrm{softmax}(S / \sqrt{d_k})", context=[sized, made, r"S = Q K^\top"]
    )
    assert formula.component == "self_attention"
    assert [one.name for one in formula.inputs] == ["X", "W_q", "W_k"]


@table(
    # A vector of n ones is no row n of anything.
    Case(r"s = \mathbf{1}_n^\top A \mathbf{1}_m", "A[n,m]", np.sum),
    Case(r"m = \frac{1}{N} \mathbf{1}_N^\top X", "X[n,d]", lambda x: x.mean(axis=0)),
    Case(
        r"z = (1 - \epsilon) \mathbf{1}_y + \frac{\epsilon}{V}",
        "epsilon ones_y[d] V",
        lambda e, y, v: (1 - e) * y + e / v,
    ),
    # Below a sum a range may have a condition behind it, and what it compares counts alike.
    Case(
        r"y_i = \sum_{j=1, j \ne i}^{n} a_{ij}",
        "a[m,n]",
        lambda a: (a * (1 - np.eye(*a.shape))).sum(axis=1),
    ),
    Case(
        r"y_i = \sum_{1 \le j \le n, j \ne i} a_{ij}",
        "a[m,n]",
        lambda a: (a * (1 - np.eye(*a.shape))).sum(axis=1),
    ),
    # A row of a matrix with one is a vector; one column is one, too.
    Case(r"y = x W \in \mathbb{R}^{1 \times d}", "x[n] W[n,d]", np.matmul),
    Case(r"y = W x \in \mathbb{R}^{d \times 1}", "W[d,n] x[n]", np.matmul),
    Case(r"s = x^\top y \in \mathbb{R}^{1 \times 1}", "x[n] y[n]", np.dot),
    # What is declared of the keys up to t is of a part of all.
    Case(
        r"o_t = \mathrm{softmax}(q_t K_{\le t}^\top) V_{\le t}, "
        r"K_{\le t} \in \mathbb{R}^{t \times d}",
        "q[n,d] K[m,d] V[m,e]",
        lambda q, k, v: softmax(np.where(np.tri(len(q), len(k)) > 0, q @ k.T, -np.inf)) @ v,
    ),
)
def test_parts_and_rows(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "functions"),
    [
        (r"y = S(W x) + b", {"S"}),
        (r"p = S(N(\Theta))", {"S", "N"}),
        (r"L = \mathrm{CE}(\pi, a)", {"CE"}),
        # Near misses: products, of which one says what is multiplied first.
        (r"O = S (Q K^\top) V", set()),
        (r"y = V (W x)", set()),
        (r"y = S (x - u)", set()),
    ],
)
def test_capitals_before_one_product_bend_it(latex: str, functions: set[str]) -> None:
    inputs = compile_formula(latex).inputs
    assert {one.name for one in inputs if one.kind == "function"} == functions
    assert ("pi" in {one.name for one in inputs}) == ("pi" in latex)


@pytest.mark.parametrize(
    ("latex", "function"),
    [
        (r"A(s, a) = Q(s, a) - V(s)", "V"),
        (r"R(x, y) = r_\theta(x, y) - \beta \log(a / b)", "r_theta"),
        (r"\ell_i = C_\phi(h_i) \in \mathbb{R}", "C_phi"),
        (r"g(u) = \sum_k e^{u_k - c(u)}", "c"),
        (r"g(u)_k = u_k / r(u)", "r"),
    ],
)
def test_a_value_is_a_number(latex: str, function: str) -> None:
    told = f"`{function}` is not defined in the notes: it is an input, taken to give a number"
    assert told in [one.message for one in compile_formula(latex).diagnostics]


@pytest.mark.parametrize(
    "latex",
    [
        r"f_k(k, n) = e^{in\theta} k",
        r"y = \mathrm{Linear}_2(\mathrm{SiLU}(\mathrm{Linear}_1(x)))",
        r"s = \sum_{i = 1, \dots, n} e^{y_i}",
        r"y_i = \sum_{j=1, j \ne i}^{n} x_j",
    ],
)
def test_nothing_is_warned_of(latex: str) -> None:
    assert not [one for one in compile_formula(latex).diagnostics if one.severity != "note"]


def test_a_sum_from_below_zero_is_refused_for_that() -> None:
    with pytest.raises(FormulaError, match="counts from below zero"):
        compile_formula(r"y_t = \sum_{-m \le j \le m, j \ne 0} x_{t+j}")


def test_a_batch_may_be_declared_before_the_axes() -> None:
    formula = compile_formula(r"Q = X W \in \mathbb{R}^{B \times L \times d}")
    assert [len(one.shape) for one in formula.inputs] == [2, 2] and len(formula.shape) == 2
    assert any("those of a batch" in one.message for one in formula.diagnostics)
    with pytest.raises(FormulaError, match="not of the declared shape"):
        compile_formula(r"Q = X W \in \mathbb{R}^{h \times L \times d}")


def _crossed(t: np.ndarray, i: np.ndarray) -> np.ndarray:
    return softmax(t @ i.T) @ i


@table(
    # An identity matrix is scaled by one number, whatever the letter below that.
    Case(
        r"\mu = k^\top (K + \sigma_n^2 I)^{-1} y",
        "k[n] K[n,n] sigma_n y[n]",
        lambda k, m, s, y: k @ np.linalg.inv(m + s**2 * np.eye(len(m))) @ y,
        context=r"The kernel has $K \in \mathbb{R}^{n \times n}$.",
    ),
    # Two letters below one capital, of which nothing counts by either, name a text and an image.
    Case(
        r"F = U_i G_i + U_t G_t",
        "U_i[p,d] G_i[d,n] U_t[p,e] G_t[e,n]",
        lambda u, g, v, h: u @ g + v @ h,
    ),
    Case(r"F = \mathrm{softmax}(G_t G_i^\top) G_i", "G_t[n,d] G_i[m,d]", _crossed),
    Case(r"f(G_t, G_i) = \mathrm{softmax}(G_t G_i^\top) G_i", "G_t[n,d] G_i[m,d]", _crossed),
    Case(
        r"f = \tanh(W_i g_i + W_t g_t)",
        "W_i[p,d] g_i[d] W_t[p,e] g_t[e]",
        lambda w, g, v, h: np.tanh(w @ g + v @ h),
    ),
    Case(
        r"O = \mathrm{softmax}(Q K^\top) V",
        "G_t[n,d] W_Q[d,p] G_i[m,e] W_K[e,p] W_V[e,r]",
        lambda t, wq, i, wk, wv: softmax(t @ wq @ (i @ wk).T) @ (i @ wv),
        context=[r"Q = G_t W_Q", r"K = G_i W_K", r"V = G_i W_V"],
    ),
    # … and a letter beside a word.
    Case(r"u = A x_p + x_{class}", "A[m,d] x_p[d] x_class[m]", lambda a, x, c: a @ x + c),
    Case(
        r"F = G_{ts} + G_{text}",
        "G_ts[n,d] G_text[n,d]",
        lambda a, b: a + b,
    ),
    # Near misses: two places, what a sum or another formula counts, and scores of vectors.
    Case(r"S = u_i^\top G u_j", "u[n,d] G[d,d]", lambda u, g: u @ g @ u.T),
    Case(
        r"y = \sum_t G_t W + \sum_i G_i U",
        "G[n,d] W[d,p] U[d,p]",
        lambda g, w, u: (g @ w + g @ u).sum(0),
    ),
    Case(
        r"P = G_t W",
        "G[n,d] W[d,p]",
        lambda g, w: g @ w,
        context=[r"r_t = G_t U", r"R = G_i U"],
    ),
    Case(
        r"\alpha = \mathrm{softmax}(v^\top \tanh(W g_t + U g_i))",
        "v[p] W[p,d] g[n,d] U[p,d]",
        lambda v, w, g, u: softmax(np.tanh((g @ w.T)[:, None] + (g @ u.T)[None]) @ v),
    ),
    Case(r"H = F + \mathbf{PE}_{2D}", "F[n,d] PE_2D[n,d]", lambda f, p: f + p),
    # A vector by itself counts nothing below another.
    Case(r"\mathbf{a} + \mathbf{p} = \mathbf{a_p}", "a[d] p[d]", lambda a, p: a + p),
    Case(r"\mathbf{w}_p = W \mathbf{p}", "W[r,d] p[d]", lambda w, p: w @ p),
    # Two letters that never part tell of what the whole u is made into; i and j count.
    Case(
        r"u_{ls} = (1 - \epsilon_{ls}) u + \epsilon_{ls} / K",
        "epsilon_ls u[d] K",
        lambda e, u, k: (1 - e) * u + e / k,
    ),
    Case(
        r"u_{ij} = (1 - \epsilon_{ij}) u",
        "epsilon[n,m] u[d]",
        lambda e, u: (1 - e)[..., None] * u,
    ),
    # A letter below a number that the note gives tells which number that is.
    Case(
        r"w_{ij} = \exp(-\frac{\|y_i - y_j\|_2^2}{2\sigma_r^2}), \quad \sigma_r = 1.5",
        "y[n,d]",
        lambda y: np.exp(-np.square(y[:, None] - y[None]).sum(-1) / 4.5),
    ),
    Case(
        r"w_i = \exp(-s_i / \tau_p)",
        "s[n,d] tau_p",
        lambda x, tau: np.exp(-x / tau),
        context=[r"\tau_p = 0.1"],
    ),
    Case(
        r"a = \sum_j \mathrm{softmax}_j(s_j / \tau_k) v_j",
        "s[n] tau_k v[n,d]",
        lambda s, tau, v: softmax(s / tau) @ v,
    ),
)
def test_letters_that_count_nothing(case: Case) -> None:
    check(case)


def test_an_array_of_all_pairs_is_told() -> None:
    (told,) = compile_formula(r"f = A [g_i; g_t]").diagnostics
    assert "`f` is taken to have one for each `i` and `t`" in told.message
    assert not compile_formula(r"f_{it} = A [g_i; g_t]").diagnostics


@table(
    # A vector before a matrix is its first row.
    Case(r"Z = [c; X W]", "c[p] X[n,d] W[d,p]", lambda c, x, w: np.vstack([c, x @ w])),
    Case(r"Z = [X; c]", "X[n,d] c[d]", lambda x, c: np.vstack([x, c])),
    Case(
        r"Z = [x_{class}; x_p E] + P",
        "x_class[d] x_p[N,k] E[k,d] P[N+1,d]",
        lambda c, x, e, p: np.vstack([c, x @ e]) + p,
        context=[r"x_p \in \mathbb{R}^{N \times k}"],
    ),
)
def test_vectors_before_matrices(case: Case) -> None:
    check(case)


@table(
    # Beside what a sum counts, all letters of a list of three are indices.
    Case(
        r"\mu = \frac{1}{D} \sum_{d=1}^D x_{b,l,d}",
        "x[B,L,D]",
        lambda x: x.mean(-1),
    ),
    Case(
        r"\mu_B = \frac{1}{B \cdot L} \sum_b \sum_l x_{b,l,d}",
        "x[B,L,D]",
        lambda x: x.mean((0, 1)),
        context=[r"x \in \mathbb{R}^{B \times L \times D}"],
    ),
    # The letter of a loss that stands nowhere else says which one it is.
    Case(
        r"\mathcal{L}_p = \sum_i \frac{r_i - \mu}{\sigma}",
        "r[n] mu sigma",
        lambda r, mu, sigma: ((r - mu) / sigma).sum(),
    ),
    # What a logarithm is taken of has been counted, and has a letter for each time.
    Case(
        r"c_t = \min(\alpha \log L_t, c_{max})",
        "alpha L+[n] c_max",
        lambda a, n, c: np.minimum(a * np.log(n), c),
    ),
)
def test_letters_of_lists_losses_and_logarithms(case: Case) -> None:
    check(case)


def test_an_outcome_with_a_label_is_no_number() -> None:
    with pytest.raises(FormulaError, match="N2C032"):
        compile_formula(r"z = \sum_{k_-} \exp(q \cdot k_- / \tau)")


def test_what_is_drawn_from_an_interval_has_no_shape() -> None:
    formula = compile_formula(r"n_e \sim \mathrm{Uniform}[0, m - n], \quad b = n + n_e")
    assert {one.name: one.shape for one in formula.inputs} == {"n": (), "n_e": ()}


def test_weights_of_different_sizes_are_several_names() -> None:
    own = r"%s' = %s W_%s, \quad W_%s \in \mathbb{R}^{d_%s \times d_h}"
    several = r" ;\quad ".join(own % (f"c_{x}", f"c_{x}", x, x, x) for x in "atl")
    assert {one.name for one in compile_formula(several).inputs} <= {
        "c_a",
        "c_t",
        "c_l",
        "W_a",
        "W_t",
        "W_l",
    }


def test_the_scale_of_joined_keys_and_of_declared_ones_is_usual() -> None:
    joined = compile_formula(
        r"\mathrm{softmax}_j\left(\frac{q_i^\top k_j}{\sqrt{d_h + d_h^R}}\right)"
    )
    said = [r"Q \in \mathbb{R}^{n \times m}", r"m = \frac{d}{h}"]
    named = compile_formula(r"\mathrm{softmax}(Q K^\top / \sqrt{m}) V", context=said)
    for formula in (joined, named):
        assert formula.component == "scaled_dot_product_attention"
        assert not formula.diagnostics


def test_what_may_be_a_convolution_is_told() -> None:
    formula = compile_formula(r"\mathbf{y} = \mathbf{x} * \bar{\mathbf{K}}")
    assert [one.code for one in formula.diagnostics] == ["N2C050"]
    assert "convolution" in formula.diagnostics[0].message


def test_one_letter_for_two_things_is_told() -> None:
    formula = compile_formula(r"dx_i = dy_i * g_i - \frac{1}{n} \sum_{j=1}^n (dy * g_j)")
    assert any("no part of" in one.message for one in formula.diagnostics)


def test_letters_in_brackets_beside_those_that_count_count_too() -> None:
    formula = compile_formula(r"Y[l, c] = \sum_{i} P[i, l] X[i, c]")
    p, x = np.arange(6.0).reshape(3, 2), np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(formula.reference(P=p, X=x), p.T @ x)


def test_a_word_in_small_letters_is_the_one_in_capitals_beside() -> None:
    formula = compile_formula(r"o_t = r_t \odot wkv_t", context=[r"WKV_t = \sum_i k_i \odot v_i"])
    assert {one.name for one in formula.inputs} == {"r", "wkv"}


def test_two_forms_of_phi_beside_each_other_are_two_functions() -> None:
    both = compile_formula(r"s_{ij} = \phi(q_i)^\top \varphi(k_j)")
    assert {one.name for one in both.inputs if one.kind == "function"} == {"phi", "varphi"}
    assert "phi" in {one.name for one in compile_formula(r"y = \varphi(x)").inputs}


def test_what_lies_beside_the_diagonal_is_refused() -> None:
    with pytest.raises(FormulaError, match="beside the diagonal"):
        compile_formula(r"s = \sum_i E_{i,i+1}")


def test_what_a_mean_is_said_to_go_over_is_no_label() -> None:
    norm = r"Y = \gamma \frac{X - E[X]}{\sqrt{\mathrm{Var}[X] + \epsilon}} + \beta"
    assert not compile_formula(norm).diagnostics
    (told,) = compile_formula(norm.replace("E[", "E_m[")).diagnostics
    assert told.severity == "warning" and "whatever `m` says" in told.message


@pytest.mark.parametrize(
    ("latex", "told", "plain"),
    [
        (
            r"c_{ti} = \sum_j a_{tji} v_{ji}",
            "each `v_{ji}` is taken for a vector, which the weights average",
            r"v_{ji} \in \mathbb{R}^d",
        ),
        (
            r"s = \tanh(\sum_i w_i x_i + b)",
            "each `x_i` is taken to be a number, as what a neuron with one bias is given",
            r"x \in \mathbb{R}^n",
        ),
        (
            r"S = A + (1 - M) \cdot (-\infty)",
            "∞ times 0 is taken to be 0, as a mask means it",
            "",
        ),
    ],
)
def test_what_letters_alone_say_is_told(latex: str, told: str, plain: str) -> None:
    assert told in [one.message for one in compile_formula(latex).diagnostics]
    if plain:
        assert not compile_formula(latex, context=[plain]).diagnostics


@pytest.mark.parametrize("latex", [r"q = \sigma(z / T)", r"L = -\sum_i y_i \log \sigma(z)_i"])
def test_a_sigmoid_that_may_be_a_softmax_is_told(latex: str) -> None:
    found = compile_formula(latex).diagnostics
    assert any("taken for the sigmoid" in one.message for one in found)
    assert not compile_formula(r"y = \sigma(z / c)").diagnostics


def test_no_condition_is_an_input_like_any_other() -> None:
    formula = compile_formula(r"g = (1 + w) \, f(z, c) - w f(z, \varnothing)")
    sizes = {one.name: len(one.shape) for one in formula.inputs if one.kind == "array"}
    given = {name: np.full((2,) * rank, 0.5 + at) for at, (name, rank) in enumerate(sizes.items())}
    assert {*given} == {"w", "z", "c", "empty"}

    def less(z: np.ndarray, other: np.ndarray) -> np.ndarray:
        return z - 3 * other.sum()

    w, z = given["w"], given["z"]
    expected = (1 + w) * less(z, given["c"]) - w * less(z, given["empty"])
    np.testing.assert_allclose(formula.reference(f=less, **given), expected)


@table(
    # The weights of keys follow those of queries, and are no rows of theirs.
    Case(
        r"\theta_k \leftarrow m \theta_k + (1 - m) \theta_q",
        "theta_k theta_q m",
        lambda k, q, m: m * k + (1 - m) * q,
    ),
    Case(
        r"W_k \leftarrow m W_k + (1 - m) W_q",
        "W_k[d,p] W_q[d,p] m",
        lambda k, q, m: m * k + (1 - m) * q,
    ),
    # So many places there are, of which a share is one.
    Case(
        r"p_t = S \cdot \sigma(v^\top \tanh(W h_t))",
        "S v[d] W[d,p] h[n,p]",
        lambda s, v, w, h: s / (1 + np.exp(-np.tanh(h @ w.T) @ v)),
    ),
    Case(
        r"g_t = X \sigma(v^\top h_t)",
        "X[p] v[d] h[n,d]",
        lambda x, v, h: x / (1 + np.exp(-(h @ v)))[:, None],
    ),
    # What is added for a pair where e is raised is a number, and beside keys a vector.
    Case(
        r"y_t = \frac{\sum_j \exp(K_j + w_{t,j}) \odot V_j}{\sum_j \exp(K_j + w_{t,j})}",
        "K[m,d] w[n,m] V[m,d]",
        _averaged,
    ),
    # What has a norm stands in brackets as in parentheses.
    Case(
        r"K[u, v] = \frac{u \cdot v}{\|u\| \|v\|}",
        "u[d] v[d]",
        lambda u, v: u @ v / np.linalg.norm(u) / np.linalg.norm(v),
    ),
)
def test_what_one_of_several_is(case: Case) -> None:
    check(case)
