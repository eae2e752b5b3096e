"""What formulas mean among the others of a whole note, which alone they would not, or would."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table

STATE = r"h_t = \bar A h_{t-1} + \bar B x_t"


@table(
    # The gates of a state, and the weight beside 1 less that, act on each element, however written.
    Case(
        r"c_t = f_t \cdot c_{t-1} + i_t \cdot g_t",
        "f[d] c[d] i[d] g[d]",
        lambda f, c, i, g: f * c + i * g,
        context=[rf"{x}_t = \sigma(W_{x} x_t + b_{x})" for x in "fig"],
    ),
    Case(
        r"y = g \cdot x + (1 - g) \cdot z",
        "g[d] x[d] z[d]",
        lambda g, x, z: g * x + (1 - g) * z,
        context=[r"g = \sigma(W x + b)"],
    ),
    Case(r"y = g \cdot x + (1 - g) \cdot z", "g x[d] z[d]", lambda g, x, z: g * x + (1 - g) * z),
    # What tells the weights of gates apart tells the gates apart, and counts none.
    Case(
        r"u_r = \sigma(W_r x_t + U_r h_{t-1} + b_r)",
        "W_r[d,k] x[n,k] U_r[d,e] h[n,e] b_r[d]",
        lambda w, x, u, h, b: 1 / (1 + np.exp(-(x @ w.T + h @ u.T + b))),
    ),
    Case(
        r"u_h = \tanh(W_h (v_t + (u_r * h_{t-1})))",
        "W_h[e,d] v[n,d] u_r[d] h[n,d]",
        lambda w, v, u, h: np.tanh((v + u * h) @ w.T),
    ),
    Case(
        r"y_i = W_i x_i + b_i",
        "W[m,e,d] x[m,d] b[m,e]",
        lambda w, x, b: np.einsum("med,md->me", w, x) + b,
    ),
    # Numbers for X, W or M are an example: they are matrices all the same, as x is a vector.
    Case(
        r"Q = X W",
        "X[n,d] W[d,p]",
        np.matmul,
        context=[
            r"X = \begin{bmatrix} 1 & 0 \\ 0 & 2 \end{bmatrix}",
            r"W = \begin{bmatrix} 3 & 1 \\ 0 & 2 \end{bmatrix}",
        ],
    ),
    # What another call of the same counts is counted here, too.
    Case(
        r"\text{weight}(i, j) = \frac{\exp(\text{score}(i, j))}{\sum_k \exp(\text{score}(i, k))}",
        "Q[n,d_k] K[m,d_k]",
        lambda q, k: softmax(q @ k.T),
        context=[r"\text{score}(i, j) = Q_i \cdot K_j"],
    ),
    # What a matrix is at first is not what it stays.
    Case(
        r"U = W + B A",
        "W[p,d] B[p,k] A[k,d]",
        lambda w, b, a: w + b @ a,
        context=[r"B = \mathbf{0}"],
    ),
    Case(
        r"\mathrm{softmax}\left(\frac{QK^\top + M}{\sqrt{d_k}}\right)V",
        "Q[n,d_k] K[m,d_k] M[n,m] V[m,p]",
        lambda q, k, m, v: softmax((q @ k.T + m) / np.sqrt(q.shape[1])) @ v,
        context=[r"M = \begin{pmatrix} 0 & -\infty \\ 0 & 0 \end{pmatrix}"],
    ),
    Case(
        r"y = W x + b",
        "W[p,d] x[d] b[p]",
        lambda w, x, b: w @ x + b,
        context="With $x = [2, 4, 6]$ and $b = (1, 1)^T$ it is easy.",
    ),
    Case(
        r"y = c x",
        "c x[d]",
        lambda c, x: c * x,
        context="With $c = 3$ and $x = [2, 4]$ it is easy.",
    ),
    # The mean of the squares of x_j is a number, wherever its root is taken.
    Case(
        r"y = w \odot \hat x",
        "w[d] x[d] epsilon+",
        lambda w, x, e: w * x / np.sqrt((x**2).mean() + e),
        context=[
            r"r = \left(\frac{1}{d} \sum_j x_j^2 + \epsilon\right)^{-1/2}",
            r"\hat x = x \cdot r",
        ],
    ),
    # What H_{t-1} is, H_t is.
    Case(
        r"S_t = \tanh(H_t U)",
        "H[s,n,d] U[d,p]",
        lambda h, u: np.tanh(h @ u),
        context=[r"H_{t-1} \in \mathbb{R}^{n \times d}, \quad U \in \mathbb{R}^{d \times p}"],
    ),
    # What stands below a softmax of scores that it counts is what it runs over.
    Case(
        r"y_i = \sum_j \mathrm{softmax}(q_i^\top k_j)_j v_j",
        "q[n,d] k[m,d] v[m,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(r"p_i = \mathrm{softmax}(W x)_i", "W[n,d] x[d]", lambda w, x: softmax(w @ x)),
    Case(r"y = \sum_i a_i \cdot \text{Value}_i", "a[n] Value[n,d]", np.matmul),
    Case(
        r"h_{it} = W x_{it} + b",
        "W[p,d] x[m,n,d] b[p]",
        lambda w, x, b: x @ w.T + b,
    ),
    # A function with a letter for a name has one set of weights, whatever it is called with.
    Case(
        r"s_{ij} = f(q_i)^\top f(k_j)",
        "q[n,d] W[p,d] k[m,d]",
        lambda q, w, k: np.tanh(q @ w.T) @ np.tanh(k @ w.T).T,
        context=[r"f(x) = \tanh(W x)"],
    ),
    Case(
        r"f(x) = W x + b, \quad y = f(u) - f(v)",
        "u[d] W[p,d] b[p] v[d]",
        lambda u, w, b, v: w @ u + b - (w @ v + b),
    ),
    # The x_i beside a measure of x is an element of it.
    Case(r"y_i = \frac{x_i}{\|x\|}", "x[d]", lambda x: x / np.linalg.norm(x)),
    Case(
        r"y_i = \frac{x_i - \mathrm{mean}(x)}{\mathrm{std}(x)}",
        "x[d]",
        lambda x: (x - x.mean()) / x.std(),
    ),
    Case(
        r"y = f^2(x)",
        "x[d] W[p,d]",
        lambda x, w: np.tanh(w @ x) ** 2,
        context=[r"f(x) = \tanh(W x)"],
    ),
    # An index above a name counts its first axis: the α_i^t are the elements of α^t.
    Case(
        r"u_t = \sum_{i=1}^N \alpha_i^t h_i",
        "alpha[T,N] h[N,d]",
        np.matmul,
        context=[r"z_i^t = r_t^\top h_i", r"\alpha^t = \mathrm{softmax}(z^t)"],
    ),
    Case(r"y_t = \sum_i \alpha_i^t h_i", "alpha[T,N] h[N,d]", np.matmul),
    Case(r"s_{ij} = \sum_c A_i^c B_j^c", "A[c,n] B[c,m]", lambda a, b: a.T @ b),
    Case(
        r"f(A_i, B_j) = \sum_c A_i^c B_j^c",
        "A[n,c] B[m,c]",
        lambda a, b: a @ b.T,
    ),
    Case(r"\bar A_{ij} = \frac{1}{H} \sum_h A_{ij}^{(h)}", "A[H,n,m]", lambda a: a.mean(0)),
    # Gradients are names of their own, and d counts features only where it stands alone.
    Case(r"dV = P^\top dO", "P[n,m] dO[n,d]", lambda p, g: p.T @ g),
    Case(
        r"dS_{ij} = P_{ij} (dP_{ij} - \sum_k P_{ik} dP_{ik})",
        "P[n,m] dP[n,m]",
        lambda p, g: p * (g - (p * g).sum(-1, keepdims=True)),
    ),
    Case(
        r"dQ = \frac{1}{\sqrt{d}} dS \, K",
        "dS[n,m] K[m,d]",
        lambda s, k: s @ k / np.sqrt(k.shape[-1]),
    ),
    Case(r"d\mathbf{X} \leftarrow d\mathbf{Y} \, W^\top", "dY[n,p] W[d,p]", lambda y, w: y @ w.T),
    Case(
        r"dK = \frac{1}{\sqrt{d_k}} dS^\top Q",
        "dS[n,m] Q[n,d]",
        lambda s, q: s.T @ q / np.sqrt(q.shape[-1]),
    ),
    Case(r"dx_i = \gamma \, dy_i", "gamma dy[n,d]", lambda g, y: g * y),
    # The first state of a recursion is no power.
    Case(r"p = h^0 W", "h_0[d] W[d,p]", lambda h, w: h @ w),
    Case(r"y = \beta^0 x", "beta x[d]", lambda b, x: x),
    Case(r"S = Q (K^\top)", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    Case(
        r"S = Q (K^\top)",
        "Q[n,d] K[m,d]",
        lambda q, k: q @ k.T,
        context=[r"Q = X W_Q"],
    ),
    # A state x_t of steps is one of all times, too.
    Case(
        r"y(t) = C h(t)",
        "C[n,m] h[l,m]",
        lambda c, h: h @ c.T,
        context=[STATE],
    ),
    # The i of a declared x^i tells several apart, and raises none.
    Case(
        r"z_0 = [x_{class}; x_p^1 E; x_p^2 E; \cdots; x_p^N E] + E_{pos}",
        "x_class[d] x_p[N,p] E[p,d] E_pos[N+1,d]",
        lambda c, x, e, p: np.r_[c[None], x @ e] + p,
        context=[r"x_p^i \in \mathbb{R}^p", r"E \in \mathbb{R}^{p \times d}"],
    ),
    # Each layer has weights of its own, though the formula tells their range.
    Case(
        r"z_\ell = W z'_\ell + z'_\ell, \quad \ell = 1, \dots, L",
        "W[d,d] z_prime[d]",
        lambda w, z: w @ z + z,
    ),
    # A function with a power is called, and what it gives is raised.
    Case(
        r"y = \mathrm{ReLU}^2(x W)",
        "x[d] W[d,p]",
        lambda x, w: np.maximum(x @ w, 0) ** 2,
    ),
    Case(r"y = \frac\pi2 x", "x[d]", lambda x: np.pi / 2 * x),
    # What is multiplied element by element has elements, and so have those of one function.
    Case(
        r"z = \mu + \sigma \odot \epsilon",
        "mu[d] sigma[d] epsilon[d]",
        lambda m, s, e: m + s * e,
    ),
    Case(
        r"L = \|f(a) - f(p)\|^2",
        "a[d] f() p[d]",
        lambda a, f, p: ((f(a) - f(p)) ** 2).sum(),
    ),
    # All rows of a matrix are divided by one number, and by what is defined as one.
    Case(
        r"S = \frac{Q K^\top}{\sqrt{s}}",
        "Q[n,d] K[m,d] s+",
        lambda q, k, s: q @ k.T / np.sqrt(s),
    ),
    Case(
        r"\hat X = s (X_q - z)",
        "s X_q[n,d] z[d]",
        lambda s, x, z: s * (x - z),
        context=[r"X_q = \mathrm{round}(X / s), \quad s = \frac{\max(X)}{2^b - 1}"],
    ),
    # Euler's number is no array that the note calls e.
    Case(
        r"p_i = \frac{e^{s \cdot t_i}}{\sum_j e^{s \cdot t_j}}",
        "s[d] t[n,d]",
        lambda s, t: softmax(t @ s),
        context=[r"e^t = [s_t^\top h_1, \dots, s_t^\top h_N] \in \mathbb{R}^N"],
    ),
    # Beside a number and sizes all letters count; so do those of a rest.
    Case(r"N = 4 h d_k d", "h d_k# d#", lambda h, k, d: 4 * h * k * d),
    Case(r"P = 4 d^2 \cdot L", "L d#", lambda n, d: 4 * d**2 * n),
    Case(r"r = i \bmod W", "i+ W+", np.mod),
    Case(
        r"P = V d + L(4d^2 + 2 d \, d_{ff})",
        "V L d# d_ff#",
        lambda v, n, d, f: v * d + n * (4 * d**2 + 2 * d * f),
    ),
    Case(
        r"E = \frac{1}{2} x^\top x + \frac{1}{\beta} \ln N",
        "x[d] beta N+",
        lambda x, b, n: x @ x / 2 + np.log(n) / b,
    ),
    # What is added to a memory is an outer product; a bar in brackets joins.
    Case(
        r"W_t = W_{t-1} + v_t \otimes \tanh(k_t)",
        "W[v,k] v[v] k[k]",
        lambda w, v, k: w + np.outer(v, np.tanh(k)),
    ),
    Case(r"Z = [A | B]", "A[n,d] B[n,p]", lambda a, b: np.c_[a, b]),
    # What an equation costs is only remarked behind it.
    Case(
        r"O = \mathrm{softmax}(Q K^\top) V \implies O(n^2 d)",
        "Q[n,d] K[m,d] V[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    # A gate between 0 and 1 is a vector of such numbers.
    Case(
        r"c_t = f_t \odot c_{t-1} + i_t \odot g_t",
        "f[d] c[d] i[d] g[d]",
        lambda f, c, i, g: f * c + i * g,
        context=[r"i_t, f_t \in [0, 1]"],
    ),
    # A letter twice, which counts nowhere else, is a label.
    Case(
        r"F = G \odot F_a + (1 - G) \odot F_{mm}",
        "G[n,d] F_a[n,d] F_mm[n,d]",
        lambda g, a, m: g * a + (1 - g) * m,
    ),
    # What weights stand behind in another formula has its tokens as rows.
    Case(r"X = [x_1, \dots, x_n]", "x[n,d]", lambda x: x, context=[r"Q = X W^Q"]),
    Case(r"X = [x_1, \dots, x_n]", "x[n,d]", lambda x: x.T, context=[r"Q = W^Q X"]),
    # Letters above one name of which some tell parts apart all do.
    Case(
        r"a_i = \alpha s_i^f + \beta s_i^m + \gamma s_i^c",
        "alpha s_f[n,d] beta s_m[n,d] gamma s_c[n,d]",
        lambda a, f, b, m, c, s: a * f + b * m + c * s,
    ),
)
def test_what_is_computed(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "elsewhere", "called"),
    [
        (r"y = \frac{p(x)}{q(x)}", r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}", "p"),
        (r"s_i = f(s_{i-1}, y_{i-1}, c_i)", r"f_t = \sigma(W_f x_t + b_f)", "f"),
        (r"y = H(x) \odot T(x)", r"H = \tanh(X W)", "H"),
    ],
)
def test_what_is_an_array_elsewhere_is_called(latex: str, elsewhere: str, called: str) -> None:
    """Nobody multiplies a letter by a list, or writes a factor in parentheses."""
    formula = compile_formula(latex, context=[elsewhere])
    assert called in [given.name for given in formula.inputs if given.kind == "function"]


def test_what_the_text_calls_with_a_dot_is_a_function() -> None:
    given = compile_formula(r"d = \gamma(x - y)", context=[r"\gamma(\cdot)"])
    assert {one.name: one.kind for one in given.inputs}["gamma"] == "function"
    alone = compile_formula(r"d = \gamma(x - y)")
    assert {one.name: one.kind for one in alone.inputs}["gamma"] == "array"


def test_a_letter_before_a_call_in_parentheses_is_a_function() -> None:
    formula = compile_formula(r"\hat x_m = D_m(\mathrm{Proj}(h))")
    assert {one.name for one in formula.inputs if one.kind == "function"} == {"D", "Proj"}


def test_an_expectation_of_what_is_no_loss_is_refused() -> None:
    with pytest.raises(FormulaError, match="an expectation"):
        compile_formula(r"g = \hat{\mathbb{E}}_t [ r_t A_t ]")


@pytest.mark.parametrize("sign", [r"\approx", r"\propto", r"\iff"])
def test_what_defines_nothing_is_said(sign: str) -> None:
    with pytest.raises(FormulaError) as raised:
        compile_formula(rf"\mathrm{{Mix}}(Q) {sign} Q K^\top")
    assert [problem.code for problem in raised.value.diagnostics] == ["N2C038"]


def test_a_derivative_beside_what_is_computed_is_told() -> None:
    latex = r"\begin{cases} \frac{dh}{dt} = A h + B x \\ y = C h + D x \end{cases}"
    found = compile_formula(latex)
    assert found.name == "y"
    assert "N2C038" in [one.code for one in found.diagnostics]


def test_what_comes_close_is_computed_where_its_parts_are_defined() -> None:
    found = compile_formula(r"\mathrm{Mix}(u, v) \approx W a + v, \quad a = \exp(u)")
    assert {one.name for one in found.inputs} == {"u", "v", "W"}
    assert found.name == "Mix"
    assert [one.code for one in found.diagnostics] == ["N2C039"]
    found = compile_formula(r"\mathrm{Mix}(u, v) \approx W a + v, \quad b = \exp(u)")
    assert found.name == "b"
    assert [one.code for one in found.diagnostics] == ["N2C038"]


def test_what_comes_close_is_computed_where_it_is_made_of_all_that_is_given() -> None:
    found = compile_formula(r"\mathrm{Attend}(Q, K, V) \approx \exp(Q) \exp(K)^\top V")
    assert [given.name for given in found.inputs] == ["Q", "K", "V"]
    assert [(one.code, one.message) for one in found.diagnostics if one.code == "N2C039"] == [
        ("N2C039", r"`\mathrm{Attend}(Q, K, V)` is taken to be what it comes close to")
    ]
    q, k, v = np.eye(2), np.ones((3, 2)), np.arange(6.0).reshape(3, 2)
    assert np.allclose(found.reference(Q=q, K=k, V=v), np.exp(q) @ np.exp(k).T @ v)


def test_a_result_that_another_does_not_use_is_said() -> None:
    latex = r"z_\ell = g(z_{\ell-1}) + z_{\ell-1}, \quad y = \mathrm{LN}(z_L^0)"
    said = [found.message for found in compile_formula(latex).diagnostics]
    assert "of several results `y` is the value" in said


def test_what_says_a_result_again_is_none() -> None:
    latex = r"G = c \exp(\sum_j w_j \log r_j), \log G = \log c + \sum_j w_j \log r_j"
    found = compile_formula(latex)
    assert {one.name for one in found.inputs} == {"c", "w", "r"}
    assert found.name == "G"
    assert [one.message for one in found.diagnostics] == ["of several results `G` is the value"]


def test_a_result_without_a_name_is_said_as_it_stands() -> None:
    found = compile_formula(r"\cos(a + b) = r r, \quad \sin(a + b) = r + r")
    assert found.reference(r=3.0) == 9
    assert [one.message for one in found.diagnostics] == [
        r"of several results `\cos(a + b)` is the value"
    ]


def test_a_product_on_each_row_is_said() -> None:
    said = [found.message for found in compile_formula(r"S = Q K^\top + u^\top K^\top").diagnostics]
    assert any("adds a vector to each row" in message for message in said)
    assert not compile_formula(r"Y = X W + b").diagnostics


def test_a_sum_over_the_rows_of_a_state_is_no_next_state() -> None:
    with pytest.raises(FormulaError, match="each row of an outer"):
        compile_formula(r"S_n = \gamma S_{n-1} + K_n^\top V_n", context=r"\gamma \in \mathbb{R}^h")


@pytest.mark.parametrize("activation", [r"x \sigma(\beta x)", r"\sigma(\beta x) x"])
def test_swish_is_the_gate_of_swiglu_in_either_order(activation: str) -> None:
    for gated in (r"f(x W + b) \odot (x V + c)", r"(f(x W) \odot x V) W_2"):
        formula = compile_formula(
            rf"\mathrm{{SwiGLU}}(x) = {gated}", context=rf"f(x) = {activation}"
        )
        assert formula.component == "gated_feed_forward"
        assert formula.settings["activation"] == "sigmoid(beta*x)*x"
        assert not formula.diagnostics


@pytest.mark.parametrize(
    ("scale", "scaled"),
    [
        (r"\beta = 1/\sqrt{d}", r"\beta Q K^\top"),
        (r"\beta = D^{-1/2}", r"Q K^\top \beta"),
        (r"\tau = \sqrt{d}", r"Q K^\top / \tau"),
    ],
)
def test_a_scale_under_a_name_counts_the_features(scale: str, scaled: str) -> None:
    formula = compile_formula(rf"\mathrm{{softmax}}({scaled}) V", context=scale)
    assert [given.name for given in formula.inputs] == ["Q", "K", "V"]
    assert formula.settings["scale"] == "d_k**-0.5"
    assert not formula.diagnostics


def test_an_element_of_a_mask_is_a_number() -> None:
    mask = r"D_{nm} = \gamma^{n-m}"
    assert len(compile_formula(mask).shape) == 2
    with pytest.raises(FormulaError, match="scores are numbers"):
        compile_formula(mask, context=r"\gamma \in \mathbb{R}^h")


@pytest.mark.parametrize("name", ["Aufmerksamkeit", "Atención", "Attenzione", "Внимание", "注意力"])
def test_attention_by_its_name_in_other_languages(name: str) -> None:
    formula = compile_formula(rf"O = \text{{{name}}}(X W_Q, X W_K, X W_V)")
    assert formula.component == "self_attention"


def test_a_square_between_a_name_and_parentheses_is_no_factor() -> None:
    with pytest.raises(FormulaError, match="may be a call or a product"):
        compile_formula(r"y_i = x_i / \sigma^2(x)")
    assert compile_formula(r"y = \sigma^2 (x + z)").status == "formula"


def test_entries_of_a_parameter_are_its_own() -> None:
    assert not compile_formula(r"f(x) = [-x_2, x_1, -x_4, x_3, \dots, -x_d, x_{d-1}]").diagnostics


def test_a_product_that_is_nothing_at_first_is_no_word() -> None:
    formula = compile_formula(r"y = W x + B A x", context=r"$BAx = 0$ at first.")
    assert [given.name for given in formula.inputs] == ["W", "x", "B", "A"]
    assert not formula.diagnostics


@pytest.mark.parametrize("latex", [r"z = \mathrm{Encoder}(x)", r"y_t = \mathrm{Decoder}(h_t, c_t)"])
def test_an_encoder_of_vectors_is_none_of_a_transformer(latex: str) -> None:
    of_a_sequence = compile_formula(r"Z = \mathrm{Encoder}(X)")
    assert "function" in [one.kind for one in compile_formula(latex).inputs]
    assert "function" not in [one.kind for one in of_a_sequence.inputs]


@pytest.mark.parametrize("latex", [r"x = \sum_k d_k b", r"s = \sum_k e^{-(d_k)^2}"])
def test_a_size_that_may_be_an_element_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="an element here, or a size"):
        compile_formula(latex)
