"""Formulas that have a second reading, which looks as good at first sight and is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table

STACKED = [
    Case(r"Z = \begin{bmatrix} A \\ B \end{bmatrix}", "A[n,d] B[m,d]", lambda a, b: np.r_[a, b]),
    Case(r"Z = [A; B]", "A[n,d] B[m,d]", lambda a, b: np.r_[a, b]),
    Case(
        r"Z = [A; B]",
        "A[n,d] B[n,d]",
        lambda a, b: np.r_[a, b],
        context=r"A, B \in \mathbb{R}^{n \times d}",
    ),
    Case(
        r"Z = [A; B]",
        "A[n,d] B[n,p]",
        lambda a, b: np.c_[a, b],
        context=r"A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{n \times p}",
    ),
    Case(
        r"Z = \mathrm{Concat}(A, B)",
        "A[n,d] B[m,d]",
        lambda a, b: np.r_[a, b],
        context=r"A \in \mathbb{R}^{n \times d}, B \in \mathbb{R}^{m \times d}",
    ),
    Case(r"Z = \begin{bmatrix} A & B \end{bmatrix}", "A[n,d] B[n,p]", lambda a, b: np.c_[a, b]),
    Case(
        r"Z = \begin{bmatrix} A & B \\ C & D \end{bmatrix}",
        "A[n,d] B[n,p] C[m,d] D[m,p]",
        lambda a, b, c, d: np.block([[a, b], [c, d]]),
    ),
    Case(
        r"Z = \begin{bmatrix} A & 0 \\ 0 & B \end{bmatrix}",
        "A[n,d] B[m,p]",
        lambda a, b: np.block(
            [[a, np.zeros((len(a), b.shape[1]))], [np.zeros((len(b), a.shape[1])), b]]
        ),
    ),
    Case(
        r"H = [\overrightarrow{H}; \overleftarrow{H}]",
        "H_vec[n,d] H_back[n,p]",
        lambda a, b: np.c_[a, b],
    ),
    Case(r"Z = \begin{bmatrix} x^\top \\ y^\top \end{bmatrix}", "x[d] y[d]", lambda x, y: [x, y]),
    Case(r"Z = \begin{bmatrix} x & y \end{bmatrix}", "x y", lambda x, y: [x, y]),
    Case(
        r"Z = \begin{bmatrix} H_1 \\ \vdots \\ H_n \end{bmatrix}",
        "H[n,m,d]",
        lambda h: h.reshape(-1, h.shape[-1]),
        context=r"H_i \in \mathbb{R}^{m \times d}",
    ),
    Case(
        r"S = Q \begin{bmatrix} K \\ P \end{bmatrix}^\top",
        "Q[n,d] K[m,d] P[p,d]",
        lambda q, k, p: q @ np.r_[k, p].T,
    ),
    Case(
        r"O = \mathrm{softmax}\left(\frac{Q [P_k; K]^\top}{\sqrt{d}}\right) [P_v; V]",
        "Q[n,d] P_k[p,d] K[m,d] P_v[p,v] V[m,v]",
        lambda q, a, k, b, v: softmax(q @ np.r_[a, k].T / np.sqrt(q.shape[1])) @ np.r_[b, v],
    ),
    Case(
        r"z_{ij} = [h_i; s_j]",
        "h[n,d] s[m,p]",
        lambda h, s: np.array([[np.r_[a, b] for b in s] for a in h]),
    ),
]
"""Matrices below each other and side by side; vectors are joined end to end."""

OUTER = [
    Case(
        r"M = q k^\top", "q[d] k[d]", lambda q, k: np.outer(q, k), context=r"q, k \in \mathbb{R}^d"
    ),
    Case(r"M = h s^\top", "h[n] s[m]", lambda h, s: np.outer(h, s)),
    Case(r"\Delta W = x y^\top", "x[n] y[m]", lambda x, y: np.outer(x, y)),
    Case(r"s = h k^\top", "h[d] k[d]", lambda h, k: h @ k),
    Case(r"M = (x - y) (x - y)^\top", "x[d] y[d]", lambda x, y: np.outer(x - y, x - y)),
    Case(r"d_{ij} = (x_i - x_j) (x_i - x_j)^\top", "x[n,d]", lambda x: squared_distances(x, x)),
    Case(r"C = \sum_i x_i y_i^\top", "x[n,d] y[n,p]", lambda x, y: x.T @ y),
    Case(r"s = \sum_i x_i y_i^\top", "x[n,d] y[n,d]", lambda x, y: (x * y).sum()),
    Case(
        r"C = \frac{1}{n} \sum_{i=1}^n (x_i - \mu) (x_i - \mu)^\top",
        "x[n,d] mu[d]",
        lambda x, mu: (x - mu).T @ (x - mu) / len(x),
    ),
    Case(
        r"e_{ij} = \frac{q_i k_j^\top}{\sqrt{d}}",
        "q[n,d] k[m,d]",
        lambda q, k: q @ k.T / np.sqrt(q.shape[1]),
        context=r"q_i, k_j \in \mathbb{R}^d",
    ),
    Case(
        r"o = \mathrm{softmax}\left(\frac{q k^\top}{\sqrt{d}}\right) v",
        "q[n,d] k[m,d] v[m,v]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
]
"""``u v^\\top`` by what the left-hand side, the sum and the declarations say."""

NUMBERS = [
    Case(r"\|x\|_2 = \sqrt{\sum_i x_i^2}", "x[d]", np.linalg.norm),
    Case(r"\|x\|_1 = \sum_i |x_i|", "x[d]", lambda x: np.abs(x).sum()),
    Case(r"s = \sum_i x_i y_i", "x[d] y[d]", lambda x, y: x @ y),
    Case(r"\langle x, y \rangle = \sum_i x_i y_i", "x[d] y[d]", lambda x, y: x @ y),
    Case(r"c = \sum_i \alpha_i x_i", "alpha[n] x[n,d]", lambda a, x: a @ x),
    Case(
        r"\frac{e^{x_i - x_{\max}}}{\sum_j e^{x_j - x_{\max}}}",
        "x[d] x_max",
        lambda x, _: softmax(x),
    ),
    Case(
        r"\mathrm{LSE}(x) = x_{\max} + \log \sum_i \exp(x_i - x_{\max})",
        "x[d] x_max",
        lambda x, _: np.log(np.exp(x).sum()),
    ),
    Case(r"y = \prod_i x_i", "x[d]", np.prod),
    Case(r"y_i = x_i - \max_j x_j", "x[d]", lambda x: x - x.max()),
]
"""Elements x_i that are numbers as the formula itself says, and rows where it does not."""

WRITTEN = [
    Case(r"y = 0,5 x", "x[d]", lambda x: x / 2),
    Case(r"y = (a + 0,5) c", "a c", lambda a, c: (a + 0.5) * c),
    Case(r"y = \frac{0,5}{a} + 10^{-0,5} c", "a c", lambda a, c: 0.5 / a + c / np.sqrt(10)),
    Case(r"y = a^{0,75}", "a", lambda a: a**0.75),
    Case(r"y = \max(0, 1,5 a)", "a", lambda a: max(0, 1.5 * a)),
    Case(r"y = \max(0,a)", "a", lambda a: max(0, a)),
    Case(r"y = 1,5 \cdot x", "x[d]", lambda x: 1.5 * x),
    Case(r"y = 0{,}5 x + 0{,}125", "x[d]", lambda x: x / 2 + 0.125),
    Case(r"y = x / 10\,000", "x[d]", lambda x: x / 1e4),
    Case(r"y = x / 10{,}000", "x[d]", lambda x: x / 1e4),
    Case(r"y = \sin(x / 10,000) + 1,5", "x[d]", lambda x: np.sin(x / 1e4) + 1.5),
    Case(r"y = 2 \cdot 1,250,125 \cdot x", "x[d]", lambda x: 2500250 * x),
    Case(r"y = 3,250,125 x", "x[d]", lambda x: 3250125 * x),
    Case(r"y = [1,250,125]", "", lambda: [1.0, 250.0, 125.0]),
    Case(r"y = [1,5]", "", lambda: [1.0, 5.0]),
    Case(r"y = \cos^{-1}(\tanh x)", "x[d]", lambda x: np.arccos(np.tanh(x))),
    Case(r"y = \sin^{-1}(\tanh x)", "x[d]", lambda x: np.arcsin(np.tanh(x))),
    Case(r"y = \tan^{-1} x", "x[d]", np.arctan),
    Case(
        r"y = \arctan x + \arccos(\tanh x)", "x[d]", lambda x: np.arctan(x) + np.arccos(np.tanh(x))
    ),
    Case(r"y = \sigma^{-1} (x - \mu)", "sigma x[d] mu", lambda s, x, mu: (x - mu) / s),
]
"""Numbers with a decimal comma, and functions to the power of minus one."""

POWERS = [
    Case(r"y = \|W\|_F", "W[n,d]", np.linalg.norm),
    Case(r"y = \|W\|_2^2", "W[n,d]", lambda w: (w**2).sum()),
    Case(r"b' = b \cdot s^{d/(d-2)}", "b s+ d#", lambda b, s, d: b * s ** (d / (d - 2))),
]


LISTED = [
    Case(
        rf"X = {opened} x_1, x_2, \ldots, x_N {closed} \in \mathbb{{R}}^{{{axes}}}",
        "x[N,d]",
        lambda x, turned=axes == r"d \times N": x.T if turned else x,
    )
    for opened, closed in ("[]", "()")
    for axes in (r"N \times d", r"d \times N")
]
LISTED += [
    Case(
        r"\mathbf{Z} = [\mathbf{z}^{(0)}, \mathbf{z}^{(1)}, \ldots, \mathbf{z}^{(N)}] + \mathbf{E}",
        "z[N+1,d] E[N+1,d]",
        lambda z, e: z + e,
        context=r"\mathbf{E} \in \mathbb{R}^{(N+1) \times d}",
    )
]
"""Vectors in a list are the rows of a matrix or its columns, as its shape says."""

CALLED = [
    Case(
        r"a(x) = \min\left(1, \frac{p_\theta(x)}{q_\phi(x)}\right)",
        "x p_theta() q_phi()",
        lambda x, p, q: min(1, p(x) / q(x)),
        shapes={"x": []},
    ),
    Case(r"y = x + m(x)", "x[d] m()", lambda x, m: x + m(x)),
    Case(r"y = x + J(x)", "x[d] J()", lambda x, j: x + j(x)),
    Case(r"y = x + a(n(x))", "x[d] n() a()", lambda x, n, a: x + a(n(x))),
    Case(
        r"H = X + \mathrm{CrossAttn}(Q, K, V)",
        "X[n,v] Q[n,d] K[m,d] V[m,v]",
        lambda x, q, k, v: x + softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v,
    ),
]
"""A letter before another in parentheses is called, if it is no weight: no factor is written so."""


ABOVE = [
    Case(r"y = x W^1 + x W^2", "x[d] W_1[d,p] W_2[d,p]", lambda x, a, b: x @ a + x @ b),
    Case(r"y = 2 z_L^0", "z_L_0[d]", lambda z: 2 * z),
    Case(r"Z = X_t^1 + X_t^2", "X_1[n,d] X_2[n,d]", lambda a, b: a + b),
    Case(r"f(x) = \sum_{k=0}^{n} a_k x^k", "x a[n+1]", lambda x, a: np.polyval(a[::-1], x)),
    Case(r"f(x) = \sum_i w^i x^i", "x[d] w[d]", lambda x, w: w @ x),
    Case(
        r"y = \sum_k \lambda^k x_k",
        "lambda_ x[n,d]",
        lambda rate, x: rate ** np.arange(len(x)) @ x,
    ),
    Case(r"y = (1 - \beta) / (1 - \beta^{n_y})", "beta+ n_y+", lambda b, n: (1 - b) / (1 - b**n)),
    Case(
        "D_nm = γ^(n−m)",
        "gamma+ n# m#",
        lambda g, n, m: g ** np.subtract.outer(np.arange(n), np.arange(m)),
    ),
    Case(
        r"x^{t+1} = A x^t + B u^t",
        "A[n,n] x[n] B[n,m] u[m]",
        lambda a, x, b, u: a @ x + b @ u,
    ),
    Case(r"q_n^l = h_n^{l-1} W", "h[n,d] W[d,p]", lambda h, w: h @ w),
    Case(
        r"z^l = W^l a^{l-1} + b^l",
        "W[l,m,d] a[l,d] b[l,m]",
        lambda w, a, b: (w @ a[..., None])[..., 0] + b,
    ),
    Case(
        r"h_u^{(k)} = \sum_v A_{uv} W h_v^{(k-1)}",
        "A[n,m] W[p,d] h[m,d]",
        lambda a, w, h: a @ h @ w.T,
    ),
    Case(
        r"y_t = t^\alpha x_t",
        "alpha+ x+[n,d]",
        lambda a, x: np.arange(len(x))[:, None] ** abs(a) * x,
    ),
    Case(r"a = (2N)^{1/4}", "N+", lambda n: (2 * n) ** 0.25),
    Case(r"y^{n+1} = y^n \cdot y", "y+ n+", lambda y, n: y ** (n + 1)),
]
"""What stands above a letter: a power, a version of it, a step, or an index."""

MATRICES = [
    Case(r"y = x^\top \Sigma x", "x[d] Sigma[d,d]", lambda x, s: x @ s @ x),
    Case(
        r"s_k = x^\top \Sigma_k^{-1} x",
        "x[d] Sigma[k,d,d]",
        lambda x, s: np.array([x @ np.linalg.inv(one) @ x for one in s]),
    ),
    Case(r"s = \Sigma^{n}_{i=1} a_i b_i", "a[n] b[n]", np.dot),
    Case(r"W = U \Sigma V^\top", "U[m,d] Sigma[d,n] V[p,n]", lambda u, s, v: u @ s @ v.T),
    Case(
        r"L = \|W^\top W - I\|_F^2",
        "W[n,d]",
        lambda w: np.square(w.T @ w - np.eye(w.shape[1])).sum(),
    ),
    Case(
        r"y_t = C x_t + D u_t",
        "C[p,d] x[n,d] D[p,m] u[n,m]",
        lambda c, x, d, u: x @ c.T + u @ d.T,
    ),
    Case(r"p_i = x_i w + b", "x[n,d] w[d] b", lambda x, w, b: x @ w + b),
    Case(r"c = \lceil M / (4 d) \rceil", "M+ d#", lambda m, d: np.ceil(m / (4 * d))),
    Case(r"y = \mathrm{round}(x)", "x[d]", np.round),
    Case(
        r"C = \text{CF} \times \frac{\text{tokens per batch}}{\text{number of experts}}",
        "CF tokens_per_batch number_of_experts",
        lambda factor, tokens, experts: factor * tokens / experts,
    ),
    Case(
        r"o_t = q_t^\top S_t",
        "q[n,d] S[n,d,m]",
        lambda q, s: np.einsum("nd,ndm->nm", q, s),
    ),
    Case(
        r"o_t = \frac{\phi(q_t)^\top S_t}{\phi(q_t)^\top z_t}",
        "q[n,d] phi() S[n,d,m] z[n,d]",
        lambda q, f, s, z: np.einsum("nd,ndm->nm", f(q), s) / (f(q) * z).sum(-1, keepdims=True),
    ),
    Case(r"s = L' / L", "L_prime L", lambda new, old: new / old),
    Case(r"r_i = \frac{L}{\lambda_i}", "L lambda_[d]", lambda length, waves: length / waves),
    Case(
        r"\text{new\_base} = \text{base} \times \alpha^{d / (d - 2)}",
        "base alpha+ d#",
        lambda base, alpha, d: base * alpha ** (d / (d - 2)),
    ),
    Case(r"L = \sum_t r_t A_t", "r[n] A[n]", lambda r, a: r @ a),
    Case(r"L = X W", "X[n,d] W[d,p]", lambda x, w: x @ w),
]
"""What is a matrix beside what, and what is a number."""

PLAIN = [
    Case(
        r"num_t = \sum_{i=1}^{t} e^{u + k_i} v_i",
        "u[d] k[n,d] v[n,d]",
        lambda u, k, v: np.cumsum(np.exp(u + k) * v, axis=0),
    ),
    Case(r"y = x^{+} - x^{-}", "x_plus[d] x_minus[d]", lambda a, b: a - b),
    Case(
        r"\text{grad} = \text{grad} \cdot \frac{\text{threshold}}{\|\text{grad}\|}",
        "grad[n,d] threshold",
        lambda g, t: g * t / np.linalg.norm(g),
    ),
    Case("Ā = tanh(Δ A)", "Delta A[n,d]", lambda delta, a: np.tanh(delta * a)),
    Case("Z = Γ Ṽ", "Gamma V_tilde[n,d]", lambda g, v: g * v),
    Case(
        "o_t = Σ_c g_t^c x_c",
        "g[m,n] x[m,d]",
        lambda g, x: g.T @ x,
    ),
    Case("TopThree(u)_j = max(u_j − τ, 0)", "u[d] tau", lambda u, t: np.maximum(u - t, 0)),
]
"""Letters with accents, signs of sums and names of functions in text without TeX."""

RANGES = [
    Case(r"L = \sum_k a_{kc} x_k", "a_c[d] x[d]", lambda a, x: a @ x),
    Case(
        r"r = \sqrt{\frac{1}{d_{in}} \sum_{i=1}^{d_{in}} x_i^2}",
        "x[d]",
        lambda x: np.sqrt(np.mean(x**2)),
        context=r"x \in \mathbb{R}^{d_{in}}",
    ),
    Case(r"J_{ij} = s_i (\delta_{ij} - s_j)", "s[d]", lambda s: np.diag(s) - np.outer(s, s)),
    Case(
        r"D_{ij} = \sum_{l=j+1}^{i} f_l",
        "f[d]",
        lambda f: [[f[j + 1 : i + 1].sum() for j in range(len(f))] for i in range(len(f))],
    ),
]
"""What indices count, and from where."""


def squared_distances(x: Any, y: Any) -> Any:
    return np.square(x[:, None] - y[None]).sum(-1)


@table(
    *STACKED,
    *OUTER,
    *NUMBERS,
    *WRITTEN,
    *POWERS,
    *LISTED,
    *CALLED,
    *ABOVE,
    *MATRICES,
    *PLAIN,
    *RANGES,
)
def test_value(case: Case) -> None:
    check(case)


def test_a_matrix_that_comes_out_turned_is_refused() -> None:
    shapes = [
        rf"{name} \in \mathbb{{R}}^{{{rows} \times {columns}}}"
        for name, rows, columns in ("Snm", "Qnd", "Kmd")
    ]
    assert compile_formula("S = Q K^T", context=shapes)
    with pytest.raises(FormulaError, match="comes out turned"):
        compile_formula("S = K Q^T", context=shapes)


@pytest.mark.parametrize("shapes", [r"u \in \mathbb{R}^r", r"u_t \in \mathbb{R}^r"])
def test_a_vector_that_comes_out_as_the_other_size_of_its_weight_is_refused(shapes: str) -> None:
    context = r"G \in \mathbb{R}^{d \times r}", shapes
    left, right = ("u_t", "x_t") if "_" in shapes else ("u", "x")
    assert compile_formula(rf"{left} = G^\top {right}", context=context)
    with pytest.raises(FormulaError, match="comes out d, as `G` has it"):
        compile_formula(f"{left} = G {right}", context=context)


def test_a_left_side_that_comes_out_as_another_kind_than_declared_is_refused() -> None:
    context = r"r_t \in \mathbb{R}", r"G \in \mathbb{R}^{d \times p}"
    assert compile_formula(r"r_t = u^\top G x_t", context=context)
    with pytest.raises(FormulaError, match="declared as a number, and comes out as a vector"):
        compile_formula(r"r_t = G x_t", context=context)


def test_a_score_that_comes_out_as_an_array_is_refused() -> None:
    with pytest.raises(FormulaError, match="scores are numbers"):
        compile_formula(r"s_{ij} = Q_i K_j = Q_i W_K^T K_j")
    assert len(compile_formula(r"s_{t,i} = \tanh(W h_t + U h_i)").shape) == 3


def test_a_softmax_of_an_outer_product_is_refused() -> None:
    latex = r"o = \mathrm{softmax}\left(\frac{q k^\top}{\sqrt{d}}\right) v"
    with pytest.raises(FormulaError, match="outer product"):
        compile_formula(latex, context=r"q, k, v \in \mathbb{R}^d")


def test_a_dot_product_of_declared_vectors_as_rows_is_told() -> None:
    formula = compile_formula(r"s = q k^\top", context=r"q, k \in \mathbb{R}^d")
    assert any("dot product of two rows" in found.message for found in formula.diagnostics)


@pytest.mark.parametrize(
    "latex", [r"y = f^{-1}(p)", r"y = \tanh^{-1}(x)", r"y = \Phi^{-1}(p)", r"y = \sigma^{-1}(p)"]
)
def test_an_inverse_function_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="inverse function"):
        compile_formula(latex)


def test_an_upper_bound_that_lost_its_sign_is_refused() -> None:
    with pytest.raises(FormulaError, match="not above it"):
        compile_formula(r"s = \sum_{i=1}{N} x_i")


def test_the_largest_singular_value_is_refused() -> None:
    with pytest.raises(FormulaError, match="singular value"):
        compile_formula(r"y = W / \|W\|_2")


def test_a_number_of_tokens_in_bars_is_refused() -> None:
    with pytest.raises(FormulaError, match="number of tokens"):
        compile_formula(r"y = \frac{(5 + |y|)^\alpha}{(5 + 1)^\alpha}")


def test_bars_of_a_vector_are_told_to_be_its_norm() -> None:
    formula = compile_formula(r"y = x / |x|")
    assert any("Euclidean norm" in found.message for found in formula.diagnostics)


def test_a_parameter_in_an_exponent_occurs() -> None:
    formula = compile_formula(r"\mathrm{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}")
    assert not formula.diagnostics
