"""Capitals that count, letters that scale, and settings, as what stands beside them shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def _share(r: Any, c: float) -> Any:
    return np.mean(r > c)


@table(
    # What has a greatest value is one number, or one for each t.
    Case(
        r"c_t = \min(\alpha \cdot \log(L_t), c_{\max})",
        "alpha L+[n] c_max",
        lambda alpha, length, bound: np.minimum(alpha * np.log(length), bound),
    ),
    Case(r"m_n = \frac{1}{n} \sum_i x_i", "x[n,d]", lambda x: x.cumsum(0) / np.c_[1 : len(x) + 1]),
    # What stands below the end of a sum alone tells how many there are, and counts none.
    Case(r"u_t = \frac{1}{L_n} \sum_{i=1}^{L_n} \mathbb{1}(r_i > c)", "r[L] c", _share),
    Case(r"m = \frac{1}{G} \sum_g r_g", "r[G,d]", lambda r: r.mean(0)),
    Case(r"m = \frac{1}{n} \sum_j r_j", "r[n,d]", lambda r: r.mean(0)),
    Case(r"L = -\frac{1}{N} \sum_j \log p_j", "p+[N]", lambda p: -np.log(p).mean()),
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
    # How many there are of each is no part of how many there are, in whatever order it is said.
    Case(
        r"m_k = \frac{1}{n_k} \sum_{i=1}^n z_{ik} x_i, \quad n_k = \sum_{i=1}^n z_{ik}",
        "z[n,k] x[n,d]",
        lambda z, x: z.T @ x / z.sum(0)[:, None],
    ),
    Case(
        r"p_k = \frac{N_k}{N}, \quad N_k = \sum_{i=1}^N z_{ik}",
        "z[N,k]",
        lambda z: z.mean(0),
    ),
    # Near misses: a mask, weights, and products of matrices.
    Case(r"Y = X \odot (1 - M)", "X[n,d] M[n,d]", lambda x, m: x * (1 - m)),
    Case(r"Y = W + 1", "W[a,b]", lambda w: w + 1),
    Case(r"Y = W \times W", "W[a,a]", lambda w: w @ w),
    # The patches of an image.
    Case(r"N = \frac{H}{14} \times \frac{W}{14}", "H W", lambda h, w: h * w / 196),
    Case(r"N = (H_f / p) \cdot (W_f / p)", "H_f p W_f", lambda h, p, w: h * w / p**2),
    # What is rounded up is made of numbers, whatever their labels.
    Case(
        r"n_{c} = \left\lceil \frac{n_m - N_m}{c} \right\rceil",
        "n_m N_m c",
        lambda n, m, c: np.ceil((n - m) / c),
    ),
    # What goes in where the same goes out has no two indices, whatever counts beside it.
    Case(
        r"\text{Params} = n \cdot C_{in} \cdot C_{out}", "C_in C_out n", lambda c, k, n: n * c * k
    ),
    Case(r"I = C_{in} \times k_H \times k_W", "C_in k_H k_W", lambda c, h, w: c * h * w),
    # How far an image is, is made of numbers.
    Case(
        r"H_{out} = H_{in} \times \text{upscale\_factor}", "H_in upscale_factor", lambda h, f: h * f
    ),
    Case(
        r"W_{out} = W_{in} + 2 \times \text{padding}",
        "W_in padding",
        lambda w, p: w + 2 * p,
    ),
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
    # … but what is rounded with counts is a number.
    Case(
        r"C = \left\lceil c \cdot \frac{k T}{E} \right\rceil",
        "c k T E",
        lambda c, k, t, e: np.ceil(c * k * t / e),
    ),
    Case(
        r"\hat x = s \left\lfloor \frac{x}{s} \right\rceil",
        "s x[d]",
        lambda s, x: s * np.round(x / s),
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


@table(
    # What multiplies a width counts, and so does what is added to it.
    Case(
        r"P = (d_{model} \cdot N) + (N \cdot P_{ff})",
        "N P_ff d_model#",
        lambda n, p, d: d * n + n * p,
    ),
    Case(r"F = B L k d_{model}", "B L k d_model#", lambda b, n, k, d: b * n * k * d),
    Case(
        r"C = 2 \times B \times L \times N_{layers} \times \mathbf{G} \times d_k",
        "B L N_layers G[n,d] d_k#",
        lambda b, n, layers, g, d: 2 * b * n * layers * g * d,
    ),
    # The extents of a volume are no matrices; three letters may be.
    Case(r"M_{bias} = B\,H\,L\,S\,P", "B H L S P", lambda b, h, n, s, p: b * h * n * s * p),
    Case(r"M = B H L", "B[n,d] H[d,p] L[p,q]", lambda b, h, n: b @ h @ n),
    # What an array is declared to have so many of is a number.
    Case(
        r"P = a N + N P_{ff}",
        "a N P_ff[n,d]",
        lambda a, n, p: a * n + n * p,
        context=r"The router is $G \in \mathbb{R}^{d \times N}$.",
    ),
    # But for what maps a vector, or is bold: an image has a width, and is mapped by a W.
    Case(
        r"y = W x + b",
        "W[p,d] x[d] b[p]",
        lambda w, x, b: w @ x + b,
        context=r"An image is $I \in \mathbb{R}^{H \times W \times C}$.",
    ),
    Case(
        r"Z = X W",
        "X[n,d] W[d,p]",
        np.matmul,
        context=r"An image is $I \in \mathbb{R}^{H \times W \times C}$.",
    ),
    Case(
        r"\mathbf{u} = \mathbf{H} \mathbf{x}",
        "H[n,d] x[d]",
        np.matmul,
        context=r"An image is $I \in \mathbb{R}^{H \times W \times C}$.",
    ),
    Case(
        r"N = \frac{H W}{P^2}",
        "H W P",
        lambda h, w, p: h * w / p**2,
        context=r"An image is $I \in \mathbb{R}^{H \times W \times C}$.",
    ),
    # A matrix that is declared too stays one.
    Case(
        r"Y = N X",
        "N[n,m] X[m,d]",
        np.matmul,
        context=r"Let $G \in \mathbb{R}^{d \times N}$ and $N \in \mathbb{R}^{n \times m}$.",
    ),
)
def test_numbers_beside_widths_and_axes(case: Case) -> None:
    check(case)


@table(
    # Units say what is counted, and are no factors.
    Case(
        r"\text{cache} = 2 \times n_h \times d_h \text{ values}", "n_h d_h#", lambda n, d: 2 * n * d
    ),
    Case(r"M = 2 n_h d_h L \text{ bytes}", "n_h L d_h#", lambda n, m, d: 2 * n * m * d),
    Case(r"M = 2 n_h L \times 4 \text{ bytes/value}", "n_h L", lambda n, m: 8 * n * m),
    Case(r"M = 2 N L = 3.5\text{M params}", "N L", lambda n, m: 2 * n * m),
    Case(r"M = 2 N \times \text{sizeof(half)}", "N sizeof_half", lambda n, s: 2 * n * s),
    Case(r"M = B\,H\,N\times 4\ \text{字节}.", "B H N", lambda b, h, n: 4 * b * h * n),
    Case(r"M = 2 N L\ \mathrm{GB} = 3 \text{ GB}", "N L", lambda n, m: 2 * n * m),
    Case(r"C = 12 L d^2 \text{ parameters per block}", "L d#", lambda n, d: 12 * n * d**2),
    # Elsewhere such a word is a name.
    Case(r"y = W \text{ tokens} + b", "W[p,d] tokens[d] b[p]", lambda w, t, b: w @ t + b),
    Case(
        r"O = \text{softmax}(\text{scores})\ \text{values}",
        "scores[n,m] values[m,d]",
        lambda s, v: softmax(s) @ v,
    ),
)
def test_units(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"2 \times 4096^2 = 33{,}554{,}432\ \text{bytes} = 32\ \text{MiB}",
        r"M = 16 \text{ GB}",
        r"M = 18 \cdot 128 \cdot 2048 = 4.5\ \text{MiB}",
        r"(n \times d_k) \times (d_k \times n) = (n \times n)",
    ],
)
def test_amounts_and_shapes_compute_nothing(latex: str) -> None:
    with pytest.raises(FormulaError) as refused:
        compile_formula(latex)
    assert refused.value.status in ("text", "definition") and not refused.value.diagnostics


@table(
    *(
        Case(
            r"M = S \cdot \sigma(B \cdot T)",
            "S B T",
            lambda s, b, t: s / (1 + np.exp(-b * t)),
            context=said,
        )
        for said in (
            "The states $h$ (`B`: batch size, `T`: sequence length, `S`: state size) are kept.",
            "где $B$ — размер батча, $T$ — длина, $S$ — размер состояния",
        )
    ),
)
def test_amounts_of_a_legend(case: Case) -> None:
    check(case)


@table(
    # Labels in other scripts tell names apart as any do.
    Case(
        r"L = L_{\text{迁移}} + 2 L_{\text{对抗}}",
        "L_迁移 L_对抗",
        lambda first, second: first + 2 * second,
    ),
    Case(
        r"y = \frac{x - x_{최소}}{x_{최대} - x_{최소}}",
        "x[d] x_최소[d] x_최대[d]",
        lambda x, least, most: (x - least) / (most - least),
    ),
    Case(
        r"h = W_{\text{вх}} x + W_{\text{сост}} s",
        "W_вх[d,p] x[p] W_сост[d,q] s[q]",
        lambda w, x, u, s: w @ x + u @ s,
    ),
)
def test_labels_in_other_scripts(case: Case) -> None:
    check(case)


@table(
    # A range may be written with signs.
    Case(
        r"\gamma_i = 1 - 2^{-4-i}, \quad 0 < i \leq h",
        "h#",
        lambda h: 1 - 2.0 ** (-4 - np.r_[1 : h + 1]),
    ),
    Case(
        r"m_i = 2^{-8 i / n} \quad (0 < i \le n)", "n#", lambda n: 2 ** (-8 * np.r_[1 : n + 1] / n)
    ),
    Case(r"m_i = 2^{-i} \quad \text{for } n \ge i > 0", "n#", lambda n: 2.0 ** -np.r_[1 : n + 1]),
    Case(r"m_i = 2^{-i}, \quad 0 \le i < n", "n#", lambda n: 2.0 ** -np.r_[0:n]),
    Case(r"y_i = x_i^2, \quad 1 \le i \le n", "x[n,d]", np.square),
    # The weight of guidance, and the N that undoes a mean.
    Case(
        r"v = v_0 + w \cdot (v_c - v_0)",
        "v_0[d] w v_c[d]",
        lambda u, w, c: u + w * (c - u),
        context=r"Let $v_c, v_0$ be $v_c = f(x, c), v_0 = f(x, 0)$.",
    ),
    Case(
        r"L = \alpha \cdot N \cdot \sum_i f_i P_i",
        "alpha N f[n] P[n]",
        lambda a, n, f, p: a * n * (f * p).sum(),
    ),
    # Signs tell names apart as letters do.
    Case(r"z = z_{U} + 2 z_{U^{\perp}}", "z_U[d] z_U_perp[d]", lambda z, p: z + 2 * p),
    Case(r"z = x_\perp + 2 x_{\parallel}", "x_perp[d] x_parallel[d]", lambda p, q: p + 2 * q),
)
def test_ranges_and_numbers(case: Case) -> None:
    check(case)


@table(
    # What amounts to something, as its name says, is made of numbers.
    Case(r"T_{total} = T_a + N \cdot T_b", "T_a N T_b", lambda a, n, b: a + n * b),
    Case(r"\text{FLOPs} = 2 M N + K", "M N K", lambda m, n, k: 2 * m * n + k),
    Case(
        r"\text{throughput} = \frac{\text{batch} \cdot S}{T}",
        "batch S T+",
        lambda b, s, t: b * s / t,
    ),
    # N of something counts, and so do two lengths of a product with signs.
    Case(r"B = \text{micro} \times G \times N_{gpu}", "micro G N_gpu", lambda m, g, n: m * g * n),
    Case(r"C = B \cdot T \cdot V", "B T V", lambda b, t, v: b * t * v),
    # What is computed with more than plain names may be anything.
    Case(r"L_{total} = \|X W\|^2", "X[n,d] W[d,p]", lambda x, w: ((x @ w) ** 2).sum()),
    Case(
        r"H_{total} = H_a W_a + H_b W_b",
        "H_a[n,d] W_a[d,p] H_b[n,q] W_b[q,p]",
        lambda h, w, k, u: h @ w + k @ u,
    ),
)
def test_costs(case: Case) -> None:
    check(case)


@table(
    Case(r"PQ = SQ \cdot RQ", "SQ RQ", lambda s, r: s * r),
    Case(
        r"g = \lfloor a \cdot G / H \rfloor",
        "a G H+",
        lambda a, g, h: np.floor(a * g / h),
        context="- $G$ is the number of groups\n- $H$ is the number of heads",
    ),
    Case(
        r"y = \sin(A + B) - \sin(A) \cos(B)",
        "A B",
        lambda a, b: np.cos(a) * np.sin(b),
    ),
)
def test_measures_groups_and_angles(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"y = C \frac{g}{\|g\|}", ["`C` is taken to be a number"]),
        (r"C_{total} = A B", ["`A` and `B` are taken to be numbers"]),
        (r"\text{memory} = H W", ["`H` and `W` are taken to be numbers"]),
        (r"\text{total} = W x + b", ["`W`, `x` and `b` are taken to be numbers"]),
        (r"\text{cost} = B \cdot L", []),
    ],
)
def test_capitals_that_would_give_another_value_as_matrices_are_told(
    latex: str, told: list[str]
) -> None:
    assert [problem.message for problem in compile_formula(latex).diagnostics] == told


def test_what_the_note_says_to_be_a_number_is_not_told() -> None:
    said = r"where $C$ is a scalar and $g \in \mathbb{R}^d$"
    assert compile_formula(r"y = C \frac{g}{\|g\|}", context=said).diagnostics == ()


@table(
    # The d_i of a place i is a state of the decoder and no width, whatever it is added to.
    Case(
        r"u^i_j = v^\top \tanh(W_1 e_j + W_2 d_i)",
        "v[a] W_1[a,b] e[n,b] W_2[a,c] d[m,c]",
        lambda v, w, e, u, d: np.tanh((e @ w.T)[None] + (d @ u.T)[:, None]) @ v,
    ),
    Case(r"h_i = \tanh(W d_i + b)", "W[a,b] d[n,b] b[a]", lambda w, d, b: np.tanh(d @ w.T + b)),
    # It is the width of a layer where it is squared, or so many of it are counted.
    Case(r"P_i = N d_i^2 + 4 d_i", "N d[n]", lambda n, d: n * d**2 + 4 * d),
    Case(r"y_i = N d_i", "N d[n,m]", lambda n, d: n * d),
    # What a probability is of has tokens, and they are counted where it is shared out.
    Case(
        r"s = \frac{\log P(y \mid x)}{|y|^\alpha}", "P+ y+ alpha", lambda p, y, a: np.log(p) / y**a
    ),
    Case(
        r"L = -\log \sigma\left(\frac{\beta}{|y_w|} \log \pi(y_w|x) - \frac{\beta}{|y_l|} "
        r"\log \pi(y_l|x) - m\right)",
        "beta pi_y_w+ y_w+ pi_y_l+ y_l+ m",
        lambda b, p, n, q, k, m: np.log1p(np.exp(m - b * np.log(p) / n + b * np.log(q) / k)),
    ),
)
def test_what_a_letter_counts(case: Case) -> None:
    check(case)


def test_a_number_of_tokens_is_told() -> None:
    (told,) = compile_formula(r"s = \frac{1}{|y|} \log P(y|x)").diagnostics
    assert told.message == "`|y|` is taken to be a number of tokens, the input `y`"


def test_one_of_several_responses_has_no_number_of_tokens() -> None:
    with pytest.raises(FormulaError, match="number of tokens"):
        compile_formula(r"s_i = \frac{1}{|y_i|} \log P(y_i | x)")
