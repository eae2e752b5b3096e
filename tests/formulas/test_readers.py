"""What a reader of a note sees at once: which letters count, which are apart, what belongs to
what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, rotated, sigmoid, softmax, table

COUNTS = [
    Case(
        r"\text{cost}_{a} = 2 \times B \times S \times d_{model} \times N_{units}",
        "B S N_units d_model#",
        lambda b, s, n, d: 2 * b * s * d * n,
    ),
    Case(
        r"m = 2 \times L \times h_{kv} \times d_h \times s \times b",
        "L h_kv s b d_h#",
        lambda layers, h, s, b, d: 2 * layers * h * d * s * b,
    ),
    Case(
        r"\text{KV cache} = 2 \times b \times s \times h \times d_{head} \times (\text{bytes})",
        "b s h bytes d_head#",
        lambda b, s, h, size, d: 2 * b * s * h * d * size,
    ),
    Case(
        r"m = 2 \cdot n_{layers} \cdot h \cdot d_{head} \cdot \text{seq\_len}",
        "n_layers h seq_len d_head#",
        lambda n, h, s, d: 2 * n * h * s * d,
    ),
    Case(
        r"c = 4 H W C^2 + 2 M^2 H W C",
        "H W C M",
        lambda h, w, c, m: 4 * h * w * c**2 + 2 * m**2 * h * w * c,
        context=[r"X \in \mathbb{R}^{H \times W \times C}"],
    ),
    Case(r"H = F + PE_{2D}", "F[n,d] PE_2D[n,d]", np.add),
    Case(r"N = H \times W", "H W", lambda h, w: h * w),
    Case(r"N = H \cdot W", "H W", lambda h, w: h * w),
    Case(r"L = HW", "H W", lambda h, w: h * w),
    Case(r"Y = HW", "H[n,d] W[d,p]", np.matmul),
    Case(r"m = b \cdot h \cdot n^2", "b h n", lambda b, h, n: b * h * n**2),
    Case(r"u = n^2 x", "n x[d]", lambda n, x: n**2 * x),
    Case(
        r"N = T \times \frac{H}{P} \times \frac{W}{P}",
        "T H P+ W",
        lambda t, h, p, w: t * h * w / p**2,
    ),
    Case(r"Y = X \times W", "X[n,d] W[d,p]", np.matmul),
    Case(
        r"L = \|H \times W - Y\|^2",
        "H[n,d] W[d,p] Y[n,p]",
        lambda h, w, y: ((h @ w - y) ** 2).sum(),
    ),
    Case(r"Y = H \times W + b", "H[n,d] W[d,p] b[p]", lambda h, w, b: h @ w + b),
    Case(
        r"y = T^2 x",
        "T x[n]",
        lambda t, x: t**2 * x,
        context=[r"u_i = \exp(z_i / T)"],
    ),
    Case(
        r"m = b N L (d_k + d_v)",
        "b N L d_k# d_v#",
        lambda b, n, layers, k, v: b * n * layers * (k + v),
    ),
    # All are sizes, as declared, or numbers, as the text says.
    Case(
        r"c = r d + r k = r (d + k)",
        "r k d#",
        lambda r, k, d: r * (d + k),
        context=[r"W \in \mathbb{R}^{d \times k}", r"A \in \mathbb{R}^{r \times k}"],
    ),
    Case(
        r"y = s h u",
        "s h u[d]",
        lambda s, h, u: s * h * u,
        context="Let $h = 32$ and $s = 4$.",
    ),
    Case(r"P = V \times d_{model}", "V d_model#", lambda v, d: v * d),
    Case(
        r"\Omega(\text{MSA}) = 4hwC^2 + 2(hw)^2C",
        "h w C",
        lambda h, w, c: 4 * h * w * c**2 + 2 * (h * w) ** 2 * c,
    ),
    Case(
        r"u = \frac{6 N D}{T \cdot peak} + \frac{FLOPs}{bytes}",
        "N D# T peak FLOPs bytes",
        lambda n, d, t, p, f, b: 6 * n * d / (t * p) + f / b,
    ),
    Case(
        r"a = \text{position} \times \text{frequency}",
        "position frequency",
        lambda p, f: p * f,
    ),
    Case(r"y = (x + b) * dequantScale", "x[d] b[d] dequantScale", lambda x, b, s: (x + b) * s),
    Case(r"Y = 0.5 \times X", "X[n,d]", lambda x: x / 2),
    Case(r"Y = X \times A \times B", "X[n,d] A[d,p] B[p,r]", lambda x, a, b: x @ a @ b),
    Case(
        r"M = W + \frac{\alpha}{r} B A",
        "W[d,k] alpha B[d,r] A[r,k]",
        lambda w, alpha, b, a: w + alpha / b.shape[1] * b @ a,
        context=[r"B \in \mathbb{R}^{d \times r}, A \in \mathbb{R}^{r \times k}"],
    ),
    Case(
        r"h = \frac{1}{r} V x",
        "r V[h,d] x[d]",
        lambda r, v, x: v @ x / r,
        context=[r"V \in \mathbb{R}^{h \times d}"],
    ),
]
"""``×`` beside a number or a size, and the rank r of what is declared as d×r."""

APART = [
    Case(
        r"r(x) = \max(0, p(x) - q(x))",
        "x[d] p() q()",
        lambda x, p, q: np.maximum(0, p(x) - q(x)),
    ),
    Case(
        r"s = \|\mu_a - \mu_{c(i)}\|",
        "mu_a[d] mu_ci[d]",
        lambda a, c: np.sqrt(((a - c) ** 2).sum()),
    ),
]

GATES = [
    Case(
        r"f(z) = z \cdot \sigma(\beta z)",
        "z[n,d] beta",
        lambda z, beta: z * sigmoid(beta * z),
    ),
    Case(
        r"Y = (X W + b_1) \cdot \sigma(\beta (X W + b_1)) \otimes (X V + b_2)",
        "X[n,d] W[d,p] b_1[p] beta V[d,p] b_2[p]",
        lambda x, w, a, beta, v, b: (x @ w + a) * sigmoid(beta * (x @ w + a)) * (x @ v + b),
    ),
]
"""A gate times the function of it that opens it, also where a number scales what is inside."""

ROWS = [
    Case(r"k_t = \mathrm{RoPE}(W h_t)", "W[p,d] h[n,d]", lambda w, h: rotated(h @ w.T)),
    Case(r"q_i = \mathrm{RoPE}(x_i W)", "x[n,d] W[d,p]", lambda x, w: rotated(x @ w)),
    Case(
        r"q_t = [A c_t; \mathrm{RoPE}(B c_t)]",
        "A[p,d] c[n,d] B[2*r,d]",
        lambda a, c, b: np.c_[c @ a.T, rotated(c @ b.T)],
    ),
]
"""What turns the rows of a matrix by their places, written at one of them."""

LABELS = [
    Case(r"K_t = A c_t^{KV}, \quad V_t = B c_t^{KV}", "A[p,d] c_KV[n,d]", lambda a, c: c @ a.T),
    Case(r"u = A x \space \text{and} \space y = 2 u", "A[n,d] x[d]", lambda a, x: 2 * a @ x),
]

OF_NOTES = [
    Case(
        r"o_t = q_t^\top S_t",
        "q[n,d] S[n,d,p]",
        lambda q, s: np.einsum("nd,ndp->np", q, s),
        context=[r"S_t = S_{t-1} + k_t v_t^\top"],
    ),
    Case(
        r"\text{cost}_{c} = \text{cost}_{a} + \text{cost}_{b}",
        "cost_a cost_b",
        lambda a, b: a + b,
        context=[
            r"\text{cost}_{a} = 2 \times d_k \times N",
            r"\text{cost}_{b} = 2 \times d_v \times N",
        ],
    ),
    Case(
        r"s_{mn} = (\mathbf{R}_m \mathbf{q}_m)^\top (\mathbf{R}_n \mathbf{k}_n)",
        "R[n,e,d] q[n,d] k[n,d]",
        lambda r, q, k: np.einsum("ned,nd->ne", r, q) @ np.einsum("ned,nd->ne", r, k).T,
        context=[r"\mathbf{q}, \mathbf{k} \in \mathbb{R}^d"],
    ),
    Case(
        r"\mathrm{head}_i = \mathrm{softmax}(Q_i K_i^\top) V_i",
        "Q[h,n,d] K[h,m,d] V[h,m,p]",
        lambda q, k, v: softmax(q @ k.swapaxes(1, 2)) @ v,
        context=[r"K_t = A c_t \in \mathbb{R}^{H \cdot d_h}"],
    ),
    Case(
        r"a = \tanh(W_e \cdot E + W_d \cdot D)",
        "W_e[n,d] E[d,p] W_d[n,e] D[e,p]",
        lambda w, e, v, d: np.tanh(w @ e + v @ d),
    ),
]
"""What a state, a word, a vector and a head are by what the note says elsewhere."""

FAMILIES = [
    Case(
        r"f(x) = \sum_{i \in \text{top}_k} g_i h_i",
        "top_k[n] g[n] h[n,d]",
        lambda top, g, h: (g * (top != 0)) @ h,
    ),
    Case(r"r = N / K", "N K", lambda n, k: n / k),
    Case(
        r"G_i = \mathrm{softmax}(x \cdot w_i + b_i), \quad b_i \leftarrow b_i + \gamma (c - f_i)",
        "x[d] w[n,d] b[n]",
        lambda x, w, b: softmax(w @ x + b),
    ),
]

DIAGONALS = [
    Case(r"D = \mathrm{diag}(a_1, \dots, a_n)", "a[n]", np.diag),
    Case(
        r"D = \mathrm{diag}(A_1, \dots, A_n)",
        "A[n,d,e]",
        lambda a: block_diagonal(list(a)),
    ),
]


def block_diagonal(blocks: list[Any]) -> Any:
    rows, columns = blocks[0].shape
    out = np.zeros((len(blocks) * rows, len(blocks) * columns))
    for at, block in enumerate(blocks):
        out[at * rows : (at + 1) * rows, at * columns : (at + 1) * columns] = block
    return out


@table(*COUNTS, *APART, *GATES, *ROWS, *LABELS, *OF_NOTES, *FAMILIES, *DIAGONALS)
def test_value(case: Case) -> None:
    check(case)


def test_a_query_is_apart_from_the_keys_of_its_letter() -> None:
    formula = compile_formula(r"y = \sum_{i=1}^{n} g(x, x_i) y_i")
    rng = np.random.default_rng(0)
    x, keys, values = rng.normal(size=3), rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    found = formula.reference(x=x, x_i=keys, g=lambda a, b: (a * b).sum(-1), y=values)
    np.testing.assert_allclose(found, keys @ x @ values)


@pytest.mark.parametrize(
    "latex",
    [
        r"D = \mathrm{diag}(a, b)",
        r"D = \mathrm{diag}(u, \dots, v)",
    ],
)
def test_a_diagonal_that_is_not_told_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_a_weight_is_no_number_beside_an_array_of_many_axes() -> None:
    with pytest.raises(FormulaError):
        compile_formula(r"q_t = W c_t", context=r"c_t \in \mathbb{R}^{B \times L \times d}")


def test_a_parameter_is_passed_on_to_functions_with_an_index() -> None:
    formula = compile_formula(r"f(x) = \sum_{i=1}^{n} g_i(x) \cdot E_i(x)")
    x = np.array([1.0, -2.0, 0.5])
    found = formula.reference(
        x=x, n=3, g=lambda x, i: x.sum(-1) + i, E=lambda x, i: (i + 1)[..., None] * x
    )
    np.testing.assert_allclose(found, sum((x.sum() + i) * (i + 1) * x for i in range(3)))


def test_functions_of_one_family_are_as_many_wherever_they_are_called() -> None:
    formula = compile_formula(r"p_i(x) = \frac{e^{h_i(x)}}{\sum_j e^{h_j(x)}}")
    assert [given.name for given in formula.inputs] == ["x", "h", "n"]


REFUSED = [
    (r"y = \mathrm{Concat}(a_1, \dots, a_n), W^O", "may be a factor"),
    (r"c_t = W^{D}, h_t \in \mathbb{R}^d", "may be a factor"),
    (r"S_t = S_{t-1} (1 - \beta_t k_t k_t^\top) + v_t k_t^\top", "a number or a matrix"),
    (r"y_k = C \bar{A}^k B", "may be a power"),
    (r"h_t = A^t h_0", "may be a power"),
    (r"y_k = C \bar{A}^{k-1} B", "by custom a matrix"),
    (r"y_k = (K * x)_k", "a convolution"),
    (r"y = x + SE(x)", "one name"),
]


@pytest.mark.parametrize(("latex", "message"), REFUSED)
def test_what_has_two_readings_is_refused(latex: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        compile_formula(latex)


@pytest.mark.parametrize(
    "latex",
    [
        r"y = W^O x, W^O",
        r"O^k = A^k V^k",
        r"y = c_1 * c_2",
        r"y = W E(x)",
        r"Q = X W, W \in \mathbb{R}^{d \times p}",
        r"s = 1 - k^\top k",
    ],
)
def test_what_has_one_reading_is_not(latex: str) -> None:
    assert compile_formula(latex).status in ("formula", "component")


def test_a_reward_that_is_defined_by_its_policy_is_refused() -> None:
    context = r"\pi_r(x) = \frac{1}{Z(x)} \exp(r(x))"
    with pytest.raises(FormulaError, match="defined here"):
        compile_formula(r"r(x) = \log \pi_r(x) + \log Z(x)", context=context)


@pytest.mark.parametrize(
    ("latex", "warned"),
    [
        (r"O = (QK^\top) V", True),
        (r"\mathrm{Attention}(Q, K, V) = (QK^\top + M) V", True),
        (r"O = (QK^\top \odot M) V", False),
        (r"o_t = \sum_{j=1}^{t} (q_t^\top k_j) v_j", False),
        (r"S_t = S_{t-1} + k_t v_t^\top, \quad y_t = q_t^\top S_t", False),
        (r"Y = \rho(QK^\top) V", False),
        (r"Y = Q (K^\top V)", False),
        (r"\mathrm{LinearAttention}(Q, K, V) = Q K^\top V", False),
    ],
)
def test_only_attention_lacks_a_softmax(latex: str, warned: bool) -> None:
    found = compile_formula(latex).diagnostics
    assert any("without a softmax" in problem.message for problem in found) == warned


MORE = [
    Case(
        r"C_a = 2 B H L d_h, \quad y = C_a x",
        "B H L d_h# x[n]",
        lambda b, h, layers, d, x: 2 * b * h * layers * d * x,
    ),
    Case(r"F = 4 H_q d_h N^2", "H_q d_h# N", lambda h, d, n: 4 * h * d * n**2),
    Case(
        r"N = \lfloor \frac{H}{P} \rfloor \cdot \lfloor \frac{W}{P} \rfloor",
        "H P+ W",
        lambda h, p, w: np.floor(h / p) * np.floor(w / p),
    ),
    Case(r"p = \frac{t - T_{a}}{T_{b}}", "t T_a T_b+", lambda t, a, b: (t - a) / b),
    Case(
        r"y = x \cdot (1 + \text{scale}) + \text{shift}",
        "x[d] scale shift",
        lambda x, scale, shift: x * (1 + scale) + shift,
    ),
    Case(
        r"M_t = \lambda_t M_{t-1} + e_t \otimes k_t",
        "lambda_ M[n,d] e[n] k[d]",
        lambda decay, m, e, k: decay * m + np.outer(e, k),
    ),
    Case(
        r"c_t = f_t \otimes c_{t-1} + i_t \otimes g_t",
        "f[d] c[d] i[d] g[d]",
        lambda f, c, i, g: f * c + i * g,
    ),
    Case(
        r"A_i = \frac{r_i - \text{mean}(\{r_1, \ldots, r_G\})}"
        r"{\text{std}(\{r_1, \ldots, r_G\}) + \epsilon}",
        "r[G] epsilon+",
        lambda r, epsilon: (r - r.mean()) / (r.std() + epsilon),
    ),
    Case(
        r"\mu_r = \frac{1}{G} \sum_{j=1}^{G} r_j, \quad "
        r"\sigma_r = \sqrt{\frac{1}{G} \sum_{j=1}^{G} (r_j - \mu_r)^2}",
        "r[G]",
        np.std,
    ),
    Case(r"y_j = W v_j^l", "W[n,d] v_l[m,d]", lambda w, v: v @ w.T),
    Case(
        r"o_t = \frac{\phi(q_t) S_t}{\phi(q_t) z_t}",
        "q[n,d] phi() S[n,d,p] z[n,d]",
        lambda q, phi, s, z: (
            np.einsum("nd,ndp->np", np.sin(q), s) / (np.sin(q) * z).sum(1, keepdims=True)
        ),
        context=[r"S_t = S_{t-1} + \phi(k_t)^\top v_t", r"z_t = z_{t-1} + \phi(k_t)^\top"],
    ),
]
"""Counts, words that modulate, memories, the moments of a group, layers above a name."""


@table(*MORE)
def test_more_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"L = \frac{1}{|y|} \sum_t \rho_t", "a number of tokens"),
        (r"L = \frac{1}{G} \sum_{i=1}^{G} \frac{1}{|y_i|} \sum_t \rho_{i,t}", "a number of tokens"),
    ],
)
def test_what_may_be_a_length_is_refused(latex: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        compile_formula(latex)


OF_ONE_KIND = [
    Case(r"q \cdot k = \sum_{i=1}^{d} q_i \cdot k_i", "q[d] k[d]", lambda q, k: (q * k).sum(-1)),
    Case(r"H_t = F_t \odot (1 + E_t)", "F[n,d] E[n,d]", lambda a, b: a * (1 + b)),
    Case(
        r"\mathcal{L} = -\sum_{i} u_t^{(i)} \log u_s^{(i)}",
        "u_t[n] u_s+[n]",
        lambda t, s: -(t * np.log(s)).sum(-1),
    ),
    Case(
        r"\mathcal{L} = -\alpha_t (1 - p_t)^2 \log p_t",
        "alpha_t p_t+",
        lambda a, p: -a * (1 - p) ** 2 * np.log(p),
    ),
    Case(
        r"O_i^{\text{new}} = \lambda_i O_i + P^{(b)} V^{(b)}",
        "lambda_[i] O[i,n,d] P_b[n,m] V_b[m,d]",
        lambda a, o, p, v: a[:, None, None] * o + p @ v,
    ),
]


@table(*OF_ONE_KIND)
def test_values_of_one_kind(case: Case) -> None:
    check(case)


def test_a_scale_before_a_normalisation_acts_on_its_elements() -> None:
    rng = np.random.default_rng(0)
    x, scale, shift = rng.normal(size=(3, 4))
    for latex in (
        r"y = \mathbf{e}_s \cdot \mathrm{GroupNorm}(\mathbf{x}) + \mathbf{e}_b",
        r"y = \mathbf{e}_s \, \mathrm{GroupNorm}(\mathbf{x}) + \mathbf{e}_b",
    ):
        formula = compile_formula(latex)
        found = formula.reference(x=x, e_s=scale, e_b=shift, GroupNorm=lambda x: x**2)
        np.testing.assert_allclose(found, scale * x**2 + shift)
    mapped = compile_formula(r"y = w \cdot \mathrm{GroupNorm}(x)")
    found = mapped.reference(x=x, w=scale, GroupNorm=lambda x: x**2)
    np.testing.assert_allclose(found, scale @ x**2)


def test_the_gain_and_bias_of_a_normalisation_are_not_those_beside_it() -> None:
    formula = compile_formula(r"y = \gamma \odot \mathrm{LN}(x) + \beta")
    x, gain, bias, inner, own = np.random.default_rng(0).normal(size=(5, 4))
    found = formula.reference(x=x, gamma=gain, beta=bias, gamma_2=inner, beta_2=own, epsilon=0.0)
    normal = (x - x.mean()) / x.std()
    np.testing.assert_allclose(found, gain * (inner * normal + own) + bias)


def test_a_similarity_of_two_vectors_is_a_number() -> None:
    formula = compile_formula(
        r"r = \sum_i \alpha_i m_i, \quad \alpha_i = \text{softmax}(\text{sim}(c, e_i))",
        context=r"c \in \mathbb{R}^d, e_i \in \mathbb{R}^d",
    )
    rng = np.random.default_rng(0)
    c, keys, values = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=5)
    found = formula.reference(c=c, e=keys, m=values, sim=lambda a, b: (a * b).sum(-1))
    np.testing.assert_allclose(found, softmax(keys @ c) @ values)


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"D = \sum_i p_i \log p_i / q_i", "logarithm of a quotient"),
        (r"y = x + \log 1/8", "logarithm of a quotient"),
        (r"y_n = \frac{1}{N} \sum_{i=0}^{N-1} x[n-i]", "looks a row up"),
        (r"s[i] = (1 - w_i) \cdot s[i] + w_i", "is not computed"),
        (r"y = \mathrm{linspace}(a, b, n)", "not said"),
    ],
)
def test_what_a_reader_may_take_for_something_else_is_refused(latex: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        compile_formula(latex)


@pytest.mark.parametrize("latex", [r"y = \log p_i / \log q_i", r"y = -\log p_i / T"])
def test_a_logarithm_over_something_else_is_a_quotient(latex: str) -> None:
    assert compile_formula(latex).status == "formula"


@pytest.mark.parametrize(
    "latex",
    [
        r"y = p_{\text{mix}} A + (1 - p_{\text{mix}}) B",
        r"\mathcal{L} = R [F_{g} \cdot G_{g} + (1 - F_{g}) \cdot (1 - G_{g})]",
    ],
)
def test_what_is_taken_off_one_is_a_number(latex: str) -> None:
    shapes = {given.name: given.shape for given in compile_formula(latex).inputs}
    assert all(shapes.get(name, ()) == () for name in ("p_mix", "F_g", "G_g"))


def test_a_weight_is_a_number_whatever_step_it_is_defined_at() -> None:
    formula = compile_formula(
        r"y = p_{g} A + (1 - p_{g}) B", context=r"p_{g} = \sigma(W_g [s_t; c_t] + b_g)"
    )
    assert {given.name: len(given.shape) for given in formula.inputs}["p_g"] == 0


@table(
    Case(
        r"r_i = \frac{F_i - Q_i}{\sqrt{\frac{1}{n} \sum_{j=1}^{n} (F_j - Q_j)^2}}",
        "F[n] Q[n]",
        lambda f, q: (f - q) / np.sqrt(((f - q) ** 2).mean(-1)),
    ),
    Case(
        r"s = \frac{w_{max} - w_{min}}{2^b - 1}",
        "w_max w_min b",
        lambda high, low, b: (high - low) / (2**b - 1),
    ),
    Case(
        r"\theta_i' = \theta_i \cdot (\alpha \cdot \frac{\text{new\_n}}{\text{old\_n}})^{-2i/d}",
        "theta[n] alpha+ new_n+ old_n+ d#",
        lambda t, a, new, old, d: t * (a * new / old) ** (-2 * np.arange(len(t)) / d),
    ),
    Case(
        r"k = \frac{n \cdot c}{e}",
        "n c e",
        lambda n, c, e: n * c / e,
        context=[r"S \in \mathbb{R}^{n \times e}"],
    ),
    Case(
        r"y = x + v \Delta t / \tau",
        "x[d] v[d] Delta_t tau",
        lambda x, v, dt, tau: x + v * dt / tau,
    ),
)
def test_numbers(case: Case) -> None:
    check(case)


def test_two_differences_are_two_names() -> None:
    formula = compile_formula(r"v = \frac{\Delta y}{\Delta x}")
    assert {given.name for given in formula.inputs} == {"Delta_y", "Delta_x"}


def test_what_is_attended_to_is_no_number() -> None:
    formula = compile_formula(r"z = x + \text{CrossAttn}(x, c)")
    assert {given.name: len(given.shape) for given in formula.inputs}["c"] > 0


def test_elements_of_what_a_gate_gives_are_numbers() -> None:
    def gate(x: Any, i: int) -> Any:
        return np.sin(i * x).sum(-1)

    def expert(x: Any, i: int) -> Any:
        return np.cos(i + x)

    x = np.random.default_rng(0).normal(size=(2, 3))
    mixed = compile_formula(r"y = \sum_{i=1}^{n} G(x)_i E_i(x)")
    expected = sum(gate(x[0], i) * expert(x[0], i) for i in range(4))
    np.testing.assert_allclose(mixed.reference(x=x[0], G=gate, E=expert, n=4), expected)
    shares = compile_formula(r"p_i = \frac{1}{N} \sum_{j=1}^N \mathrm{Gate}(x_j)_i")
    expected = [gate(x, i).mean() for i in range(4)]
    np.testing.assert_allclose(shares.reference(x=x, Gate=gate, n=4), expected)


def test_elements_of_what_an_unknown_function_gives_are_refused() -> None:
    with pytest.raises(FormulaError, match="how many elements"):
        compile_formula(r"y = \sum_{i=1}^{n} \mathrm{RNN}(x)_i v_i")
    known = compile_formula(r"y = \sum_i \mathrm{softmax}(W x)_i v_i")
    rng = np.random.default_rng(0)
    w, x, v = rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(3, 2))
    np.testing.assert_allclose(known.reference(W=w, x=x, v=v), softmax(w @ x) @ v)


@table(
    Case(
        r"S = \frac{X W_Q W_K^\top X^\top}{\sqrt{d_k}}",
        "X[n,d] W_Q[d,p] W_K[d,p]",
        lambda x, q, k: (x @ q) @ (x @ k).T / np.sqrt(q.shape[1]),
    ),
    Case(
        r"e_{ij} = \frac{x_i^\top W_Q^\top W_K x_j}{\sqrt{d_h}}",
        "x[n,d] W_Q[p,d] W_K[p,d]",
        lambda x, q, k: (x @ q.T) @ (x @ k.T).T / np.sqrt(len(q)),
    ),
    Case(
        r"\mathrm{norm}(x, w) = \frac{x}{\sqrt{\frac{1}{d} \sum_j x_j^2 + \epsilon}} \cdot (1 + w)",
        "x[d] w[d] epsilon+",
        lambda x, w, e: x / np.sqrt((x**2).mean(-1) + e) * (1 + w),
    ),
    Case(
        r"y = \hat{x} \cdot (1 + w)",
        "x_hat[d] w[d]",
        lambda x, w: x * (1 + w),
    ),
    Case(r"y = v^\top (1 + x)", "v[d] x[d]", lambda v, x: v @ (1 + x)),
)
def test_scales(case: Case) -> None:
    check(case)


def test_two_functions_of_one_vector_are_multiplied_element_by_element() -> None:
    formula = compile_formula(r"y = \tanh(x) \cdot \sigma(x)")
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_allclose(formula.reference(x=x), np.tanh(x) * sigmoid(x))


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"P(w) = \sum_{i: w_i = w} a_i", "condition"),
        (r"y_t = \sum_{j,r: I[j,r]=t} G_{jr} v_j", "condition"),
        (r"y = \sum_{j,r: A_{jr} > 0} G_{jr} v_j", "condition"),
        (r"y_i = N_q(E_q f_i)", "a call or a product"),
        (r"L = a \log P(\text{spam}) + b \log P(\text{ham})", "another event"),
    ],
)
def test_what_would_be_lost_is_refused(latex: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        compile_formula(latex)


@table(
    Case(
        r"c = C r_q + r_q H (d_n + d_v) + d_c + H d_v C",
        "C H r_q d_n# d_v# d_c#",
        lambda c, h, r, n, v, k: c * r + r * h * (n + v) + k + h * v * c,
    ),
    Case(r"c = N(N - 1) / 2", "N", lambda n: n * (n - 1) / 2),
    Case(r"L = -\log P(\text{spam})", "P+", lambda p: -np.log(p)),
    Case(
        r"s(x; \beta) = f(x; \beta) \cdot \sigma(x), \quad f(x; \beta) = \beta \tanh(x / \beta)",
        "x[n,d] beta+",
        lambda x, b: b * np.tanh(x / b) * sigmoid(x),
    ),
)
def test_more_numbers(case: Case) -> None:
    check(case)


def test_a_function_may_stand_before_braces() -> None:
    formula = compile_formula(r"Q = \text{HeadNorm}\left\{W_q x\right\}")
    assert [(given.name, given.kind) for given in formula.inputs][-1] == ("HeadNorm", "function")


def test_a_layer_is_of_the_kind_of_what_is_added_to_it() -> None:
    formula = compile_formula(
        r"\tilde{H}^{(l)} = \text{LayerNorm}(H^{(l-1)} + \text{MultiHead}(Q, K, V))",
        context=r"H^{(l)} = \text{LayerNorm}(\tilde{H}^{(l)} + \text{FFN}(\tilde{H}^{(l)}))",
    )
    assert {given.name: len(given.shape) for given in formula.inputs}["H"] == 2


@table(
    Case(
        r"o = \sum_i \text{weight}_i \cdot v_i",
        "weight[n] v[n,d]",
        lambda w, v: w @ v,
    ),
    Case(
        r"h = \tanh(W_1 \cdot \text{input} + b_1)",
        "W_1[p,d] input[d] b_1[p]",
        lambda w, x, b: np.tanh(w @ x + b),
    ),
    Case(
        r"o = \text{weights} \cdot \text{input} + \text{bias}",
        "weights[p,d] input[d] bias[p]",
        lambda w, x, b: w @ x + b,
    ),
    Case(
        r"S = Q K^\top + \text{bias}",
        "Q[n,d] K[m,d] bias[n,m]",
        lambda q, k, b: q @ k.T + b,
    ),
    Case(
        r"Y = W A + b",
        "W[p,d] A[d,n] b[p]",
        lambda w, a, b: w @ a + b[:, None],
    ),
    Case(
        r"z = (1 - t) x + t \epsilon",
        "t x[d] epsilon[d]",
        lambda t, x, e: (1 - t) * x + t * e,
    ),
    Case(
        r"y = (1 - \epsilon) u + \epsilon / K",
        "epsilon u[d] K+",
        lambda e, u, k: (1 - e) * u + e / k,
    ),
)
def test_kinds_of_factors(case: Case) -> None:
    check(case)


@table(
    # A letter in bold or below an arrow is a vector, also one that is a size elsewhere.
    Case(r"s = \mathbf{q} \cdot \mathbf{d}", "q[n] d[n]", np.dot),
    Case(r"s = \mathbf{q}^\top \mathbf{d}", "q[n] d[n]", np.dot),
    Case(r"\vec n = W \vec d", "W[p,n] d_vec[n]", np.matmul),
    Case(
        r"s = \frac{\vec q \cdot \vec d}{\|\vec q\| \|\vec d\|}",
        "q_vec[n] d_vec[n]",
        lambda q, d: q @ d / np.sqrt(q @ q) / np.sqrt(d @ d),
    ),
    Case(
        r"S = \frac{\mathbf{Q} \mathbf{K}^T}{\sqrt{\mathbf{d_k}}}",
        "Q[n,d_k] K[m,d_k]",
        lambda q, k: q @ k.T / np.sqrt(q.shape[1]),
    ),
    Case(
        r"S = \frac{\mathbf{Q} \mathbf{K}^T}{\sqrt{\mathbf{d}_k}}",
        "Q[n,d_k] K[m,d_k]",
        lambda q, k: q @ k.T / np.sqrt(q.shape[1]),
    ),
)
def test_vectors_by_their_font(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"\bar A = \exp(\Delta A)",
        r"\bar A = \exp(-\Delta A)",
        r"h_t = e^{\Delta_t A} h_{t-1} + B x_t",
        r"h_t = e^{A \Delta t} h_{t-1} + B x_t",
        r"x = e^{At} y",
    ],
)
def test_the_exponential_of_a_matrix_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="exponential of a matrix"):
        compile_formula(latex)


def test_a_star_between_vectors_is_told() -> None:
    formula = compile_formula(r"h = o * \tanh(x)")
    np.testing.assert_allclose(
        formula.reference(o=[1.0, 2.0], x=[0.5, 3]), np.tanh([0.5, 3]) * [1, 2]
    )
    assert any("element by element" in found.message for found in formula.diagnostics)
    assert not compile_formula(r"y = W * x").diagnostics


@pytest.mark.parametrize(
    "name", [r"\text{TopK}", r"\text{Top-k}", r"\text{KeepTopK}", r"\text{top}_k"]
)
def test_how_many_are_chosen_is_a_number(name: str) -> None:
    formula = compile_formula(rf"g = \text{{softmax}}({name}(W x, k))")
    assert {len(given.shape) for given in formula.inputs if given.name == "k"} == {0}


def test_how_many_keys_are_chosen_is_a_number() -> None:
    formula = compile_formula(r"S = \mathrm{TopK}(Q K^\top, k) V")
    assert {given.name: len(given.shape) for given in formula.inputs}["k"] == 0


def test_a_gate_of_chosen_weights_has_an_element_for_each_expert() -> None:
    context = r"G(x) = \text{TopK}(\text{softmax}(W x), k)"
    formula = compile_formula(r"y = \sum_i G_i(x) \cdot E_i(x)", context=context)
    assert len(formula.shape) == 1
    assert {g.name: len(g.shape) for g in formula.inputs if g.name in "Wk"} == {"W": 2, "k": 0}


def test_the_exponential_of_each_element_is_none_of_a_matrix() -> None:
    assert compile_formula(r"A' = \exp(\Delta \odot A)")
    assert compile_formula(r"A = \exp(Q K^\top / \tau)")


def test_an_index_below_e_is_refused() -> None:
    with pytest.raises(FormulaError, match="stands below `e`"):
        compile_formula(r"\text{softmax}(z) = \frac{e^z}{\sum_i e^z_i}")


def test_what_is_mixed_is_of_one_kind() -> None:
    formula = compile_formula(r"v_t = \beta v_{t-1} + (1 - \beta) g_t^2")
    ranks = {given.name: len(given.shape) for given in formula.inputs}
    assert ranks["v"] == ranks["g"]
    found = formula.reference(v=2.0, g=3.0, beta=0.25)
    np.testing.assert_allclose(found, 0.25 * 2 + 0.75 * 9)
