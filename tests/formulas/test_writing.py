"""The same mathematics written in other ways: fonts, spaces, Unicode, plain text, macros, OCR."""

from __future__ import annotations

from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, relu, softmax, table


def attention(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ v


QKV = "Q[n,d] K[m,d] V[m,v]"


@table(
    Case(r"\text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V", QKV, attention),
    Case(r"\textbf{softmax}\Bigl(\frac{QK^T}{\sqrt{d_k}}\Bigr)V", QKV, attention),
    Case(r"\operatorname{softmax}\!\left(\tfrac{QK^T}{\sqrt{d_k}}\right)\,V", QKV, attention),
    Case(r"\mathbf{softmax}\big[\dfrac{QK^T}{\sqrt{d_k}}\big]V", QKV, attention),
    Case(r"\operatorname*{Softmax}\bigg(\cfrac{Q K^T}{\sqrt{d_k}}\bigg) \; V", QKV, attention),
    Case(r"{\rm softmax}(\frac{QK^T}{\sqrt{d_k}})V", QKV, attention),
    Case(r"\mbox{softmax}({QK^T \over \sqrt{d_k}})V", QKV, attention),
    Case(
        r"\mathbf{s o f t m a x}(\frac{\mathbf{Q K}^{\top}}{\sqrt{d_k}})\mathbf{V}", QKV, attention
    ),
    Case(r"softmax(\frac{QK^T}{\sqrt{d_k}})V", QKV, attention),
    Case(r"softmax(QK^T/\sqrt{d_k})V", QKV, attention),
    Case(r"softmax(QK^T/√d_k)V", QKV, attention),
    Case(r"softmax(QKᵀ / √(d_k)) V", QKV, attention),
    Case(r"softmax(Q·Kᵀ/√dₖ)·V", QKV, attention),
    Case("softmax(Q @ K.T / sqrt(d_k)) @ V", QKV, attention),
    Case("softmax(Q @ K.transpose(-2, -1) * d_k**-0.5) @ V", QKV, attention),
    Case("softmax(Q @ K.transpose(-1, -2) / d_k ** (1/2)) @ V", QKV, attention),
    Case("y = att @ v", "att[n,m] v[m]", lambda a, v: a @ v),
    Case("y = wei @ v", "wei[n,m] v[m]", lambda w, v: w @ v),
    Case("F.softmax(torch.matmul(Q, K.T) / math.sqrt(d_k), dim=-1) @ V", QKV, attention),
    Case(
        r"\operatorname{softmax}\left(\frac{\mathrm{QK}^{\mathrm{T}}}{\sqrt{\mathrm{~d}_{\mathrm{k}}}}"
        r"\right) \mathrm{~V}",
        QKV,
        attention,
    ),
    Case(
        r"\operatorname{softmax}\left(\frac{Q K^{T}}{\sqrt{d_{k}}}\right) V (2)",
        QKV,
        attention,
    ),
    Case(r"Attention(Q, K, V) = softmax(QK^T / sqrt(d_k)) V", QKV, attention),
    Case(
        r"\mathit{softmax}\left( \frac{ Q \cdot K^{T} }{ \sqrt{ d_{k} } } \right) \cdot V",
        QKV,
        attention,
    ),
    Case(
        r"\mathsf{softmax}\left(\frac{\mathbf{Q}\mathbf{K}^\top}{\sqrt{d_k}}\right)\mathbf{V}",
        QKV,
        attention,
    ),
    Case(
        r"\mathrm{softmax}\left(\frac{\boldsymbol{Q}\boldsymbol{K}^\top}{\sqrt{d_k}}\right)\bm{V}",
        QKV,
        attention,
    ),
    Case(
        r"\mathrm{softmax}\left(\frac{\mathcal{Q}\mathcal{K}^\top}{\sqrt{d_k}}\right)\mathcal{V}",
        QKV,
        attention,
    ),
    Case(
        r"\operatorname { softmax } \left( \frac { Q K ^ { T } } { \sqrt { d _ { k } } } "
        r"\right) V",
        QKV,
        attention,
    ),
    Case(r"\mathrm{s o f t m a x}\left(\frac{Q K^{T}}{\sqrt{d_{k}}}\right) V", QKV, attention),
    Case(
        r"\operatorname{Attention}(Q, K, V)=\operatorname{softmax}\left(\frac{Q "
        r"K^{T}}{\sqrt{d_{k}}}\right) V \tag{1}",
        QKV,
        attention,
    ),
    Case(
        r"\operatorname{softmax}\left(\frac{Q K^{T}}{\sqrt{d_{k}}}\right) V \qquad (2)",
        QKV,
        attention,
    ),
    Case(
        r"\boxed{z = \mu + \sigma \odot \epsilon, \quad \epsilon \sim \mathcal{N}(0, I)}",
        "mu[d] sigma[d] epsilon[d]",
        lambda m, s, e: m + s * e,
    ),
    Case(r"\boxed{\operatorname{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V}", QKV, attention),
    # A colour around several statements groups nothing; what stands above a sign is a remark.
    Case(
        r"\textcolor{blue}{B = \tanh(A), \quad y = B x}",
        "A[n,d] x[d]",
        lambda a, x: np.tanh(a) @ x,
    ),
    Case(r"y = \textcolor{blue}{A} x", "A[n,d] x[d]", np.matmul),
    Case(r"y \stackrel{\mathrm{def}}{=} A x", "A[n,d] x[d]", np.matmul),
    # An array in brackets is a matrix in brackets.
    Case(
        r"y = \left[\begin{array}{cc} a & b \\ b & a \end{array}\right] x",
        "a b x[2]",
        lambda a, b, x: np.array([[a, b], [b, a]]) @ x,
    ),
    Case(
        r"\left[\begin{array}{l} y_{2i} \\ y_{2i+1} \end{array}\right] = "
        r"\left(\begin{matrix} c_i & -s_i \\ s_i & c_i \end{matrix}\right) "
        r"\left(\begin{matrix} x_{2i} \\ x_{2i+1} \end{matrix}\right)",
        "c[n] s[n] x[2*n]",
        lambda c, s, x: np.stack([c * x[::2] - s * x[1::2], s * x[::2] + c * x[1::2]], 1).ravel(),
    ),
    Case(r"= \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V,", QKV, attention),
    Case(
        r"\displaystyle \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V.", QKV, attention
    ),
    Case(
        r"\underbrace{\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)}_{\text{weights}}V",
        QKV,
        attention,
    ),
    Case(r"\mathrm{softmax}\left(\frac{\color{red}{QK^\top}}{\sqrt{d_k}}\right)V", QKV, attention),
    Case(
        r"\text{注意力}(Q,K,V) = \text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V",
        QKV,
        attention,
    ),
    Case(
        r"\newcommand{\attn}[3]{\mathrm{softmax}\left(\frac{#1 #2^\top}{\sqrt{d_k}}\right)#3} "
        r"\attn{Q}{K}{V}",
        QKV,
        attention,
    ),
    Case(
        r"\DeclareMathOperator{\sm}{softmax} \def\tr{^{\top}} \sm(QK\tr/\sqrt{d_k})V",
        QKV,
        attention,
    ),
    Case(
        r"\R\attn",
        QKV,
        attention,
        context=[r"\newcommand{\R}{} \newcommand{\attn}{\mathrm{softmax}(QK^\top/\sqrt{d_k})V}"],
    ),
    Case(
        r"\begin{equation} \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V "
        r"\end{equation}",
        QKV,
        attention,
    ),
    Case(
        r"\begin{aligned} O &= AV \\ A &= "
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) \end{aligned}",
        QKV,
        attention,
    ),
    # Names and logarithms with their numbers behind them, as programs write them.
    Case(
        "FFN(x) = max(0, x W1 + b1) W2 + b2",
        "x[d] W_1[d,p] b_1[p] W_2[p,r] b_2[r]",
        lambda x, w1, b1, w2, b2: relu(x @ w1 + b1) @ w2 + b2,
    ),
    Case(r"y = \max(0, xW12)", "x[d] W_12[d,p]", lambda x, w: relu(x @ w)),
    Case("H = log2(p) - log10(p)", "p+", lambda p: np.log2(p) - np.log10(p)),
    Case(r"y = \log_10(x)", "x+[d]", np.log10),
    Case(
        "x / sqrt(mean(x²) + ε) * γ",
        "x[d] epsilon+ gamma[d]",
        lambda x, eps, g: x / np.sqrt((x**2).mean() + eps) * g,
    ),
    Case(r"y = \sen(x) + \operatorname{tg} x", "x[d]", lambda x: np.sin(x) + np.tan(x)),
    Case("L = -Σ_i y_i log(p_i)", "y[d] p+[d]", lambda y, p: -np.sum(y * np.log(p))),
)
def test_attention(case: Case) -> None:
    check(case)


@table(
    Case(
        r"Y = \mathrm{Concat}(h_1, · · · , h_n) W",
        "h[n,d] W[n*d,p]",
        lambda h, w: h.reshape(-1) @ w,
    ),
    Case(r"z = [x_1 A; \cdot \cdot \cdot ; x_n A]", "x[n,d] A[d,p]", lambda x, a: x @ a),
    Case(r"z = \max{x} - \min{|x|}", "x[n]", lambda x: x.max() - np.abs(x).min()),
    Case(r"z = \max{x, 0}", "x[n]", lambda x: np.maximum(x, 0)),
    Case(
        r"y = q [K_{past}, K_{new}]^\top \quad \square",
        "q[d] K_past[n,d] K_new[m,d]",
        lambda q, past, new: np.concatenate([past, new]) @ q,
    ),
    Case(
        r"z = [A_1 x; A_2 x; \dots; A_h x]",
        "A[h,p,d] x[d]",
        lambda a, x: (a @ x).reshape(-1),
    ),
    Case(
        r"z = z + E_{pos}",
        "z[n,d] E_pos[n,d]",
        lambda z, e: z + e,
        context=r"E_{pos} \in \mathbb{R}^{n \times d}",
    ),
    Case(
        r"[q; p] = X A, \quad B = X C, \quad y = \tanh(p B)",
        "p[n] X[n,d] C[d,k]",
        lambda p, x, c: np.tanh(p @ x @ c),
    ),
    Case(
        r"\begin{aligned} h &= x W && (B, T, d) \\ y &= h U && \text{logits} \end{aligned}",
        "x[d] W[d,p] U[p,r]",
        lambda x, w, u: x @ w @ u,
    ),
    Case(
        r"\begin{aligned} h &= \tanh(x W) && x \in \mathbb{R}^{n \times d} \end{aligned}",
        "x[n,d] W[d,p]",
        lambda x, w: np.tanh(x @ w),
    ),
    Case("y = α·x + β", "alpha x[d] beta", lambda a, x, b: a * x + b, shapes={"beta": ()}),
    Case("σ(x) = 1/(1 + e^{−x})", "x", lambda x: 1 / (1 + np.exp(-x))),
    Case("y = x² + x³", "x[d]", lambda x: x**2 + x**3),
    Case("s = ∑_i a_i b_i", "a[n] b[n]", lambda a, b: a @ b),
    Case("s = Σ_{i=1}^{n} a_i", "a[n]", np.sum),
    Case("p = ∏_{i=1}^n a_i", "a[n]", np.prod),
    Case(r"p = \Pi_{i=1}^{n} a_i", "a[n]", np.prod),
    Case(r"p = \Pi x", "Pi[m,d] x[d]", lambda p, x: p @ x, shapes={"Pi": ("m", "d")}),
    Case(
        r"D(p \mid\mid q) = \sum_i p_i \log \frac{p_i}{q_i}",
        "p+[n] q+[n]",
        lambda p, q: np.sum(p * np.log(p / q)),
    ),
    Case("y = A × B", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case("Y = A ⊙ B", "A[n,d] B[n,d]", lambda a, b: a * b),
    Case("a_ij = exp(e_ij) / Σ_k exp(e_ik)", "e[n,m]", softmax),
    Case(r"Q = \text{{tokens}} W \quad \eqref{a}", "tokens[n,d] W[d,p]", np.matmul),
    # An arrow above tells vectors, whatever their letter.
    Case(r"\vec{Q}_1 \cdot \vec{K}_2", "Q_1_vec[d] K_2_vec[d]", np.dot),
    Case(r"s_n = \vec{Q}_n \cdot \vec{K}_1", "Q_vec[n,d] K_1_vec[d]", np.matmul),
    # A formula in text without TeX is so beside one in TeX, too, and all its digits are lowered.
    Case(
        "b_ij = exp(u_ij) / Σ_k exp(u_ik)",
        "x[n,d] z[m,d]",
        lambda x, z: softmax(x @ z.T),
        context=[r"u_{ij} = x_i^\top z_j"],
    ),
    Case("C = Concat(h_1, ..., h_12)", "h[12,d]", np.ravel),
    Case("y = x^10", "x[d]", lambda x: x**10),
    Case("m = (1/n)Σ x_i", "x[n,d]", lambda x: x.mean(0)),
    # Short names of Greek letters, spelt out as in programs.
    Case("y = (x - mu) / tau", "x[d] mu tau", lambda x, m, t: (x - m) / t),
    Case("y = psi(x) / eta, psi(z) = z^2", "x[d] eta", lambda x, e: x**2 / e),
    # As in programs, names have two letters where @ multiplies, and only matrices are transposed.
    Case("k = x @ Wk + bk", "x[d] W_k[d,p] b_k[p]", lambda x, w, b: x @ w + b),
    Case("v = x Wv", "x[d] W_v[d,p]", np.matmul),
    Case("K = XWk", "X[n,d] W_k[d,p]", np.matmul),
    Case("s = q @ k.T", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case("s_ij = q_i · k_j", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case("p = TP / (TP + FP)", "TP+ FP+", lambda t, f: t / (t + f)),
    Case(
        r"\text { where head }_{\mathrm{i}} = X W_{i}^{Q}",
        "X[n,d] W_Q[h,d,e]",
        lambda x, w: np.einsum("nd,hde->hne", x, w),
    ),
    # Numbers of formulas that dots lead to, and fractions without braces.
    Case(r"z = \sigma(W u) \cdots (3)", "W[p,d] u[d]", lambda w, u: 1 / (1 + np.exp(-w @ u))),
    Case(r"z = W u + b \ldots(12)", "W[p,d] u[d] b[p]", lambda w, u, b: w @ u + b),
    Case(r"z = \dfrac d2 u", "u[n] d#", lambda u, d: d / 2 * u),
    # What is only for the look, and brackets of names whose indices stand outside.
    Case(r"z = W \mathopen{}\left( u \right)\mathclose{} \phantom{+ b}", "W[p,d] u[d]", np.matmul),
    Case(r"[S]_{ji} = u_i^\top v_j", "u[n,d] v[m,d]", lambda u, v: v @ u.T),
    Case(
        r"\begin{equation}[C]_{ij} = \sum_r [A]_{ir} [B]_{rj}\end{equation}",
        "A[n,r] B[r,m]",
        np.matmul,
    ),
    Case("s = ‖x‖₂", "x[d]", np.linalg.norm),
    Case("s = ‖x‖²", "x[d]", lambda x: x @ x),
    Case("e_{ij} = q_i ⋅ k_j", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case(
        "y = max(0, xW₁ + b₁)W₂ + b₂",
        "x[d] W_1[d,h] b_1[h] W_2[h,e] b_2[e]",
        lambda x, w1, b1, w2, b2: relu(x @ w1 + b1) @ w2 + b2,
    ),
    Case(
        r"y = \hat x + \tilde{x} - \bar{x}",
        "x_hat[d] x_tilde[d] x_bar[d]",
        lambda a, b, c: a + b - c,
    ),
    Case(r"z = x' - x''", "x_prime[d] x_prime_prime[d]", np.subtract),
    Case(r"y = \mathbf{w}^{\mathrm T} \mathbf{x}", "w[d] x[d]", np.dot),
    Case(r"y = \vec{u} \cdot \vec{v}", "u_vec[d] v_vec[d]", np.dot),
    Case(r"loss = -\log(p)", "p+", lambda p: -np.log(p)),
    Case(
        r"lr = d_{model}^{-0.5} \cdot \min(step^{-0.5}, step \cdot warmup^{-1.5})",
        "step+ warmup+ d_model#",
        lambda s, w, d: d**-0.5 * min(s**-0.5, s * w**-1.5),
    ),
    Case(r"y = \lambda x", "lambda_ x[d]", lambda s, x: s * x),
    Case(r"y = {a}_{0} {b}^{2}", "a_0 b", lambda a, b: a * b**2, shapes={"b": ()}),
    Case(r"y = a\quad\text{(scaled)}", "a", lambda a: a),
    Case(r"y = a + b % c", "a b", lambda a, b: a + b, shapes={"b": ()}),
    Case(r"y = c \sin\theta", "c theta", lambda c, t: c * np.sin(t)),
    # Elements as programs write them.
    # A d in brackets alone counts; it is a size where it stands elsewhere, too.
    Case(
        r"X_{out}[l, d] = \sum_{i=1}^{e} \sum_{j=1}^{k} P[i, j, l] G[i, j] X_e[i, j, d]",
        "P[e,k,n] G[e,k] X_e[e,k,d]",
        lambda p, g, x: np.einsum("ijl,ij,ijd->ld", p, g, x),
    ),
    Case(r"s[i, j] = q[i]^\top k[j]", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case(
        r"e_{ij} = u^\top \tanh(A [s_i; h_j])",
        "u[r] A[r,d+e] s[n,d] h[m,e]",
        lambda u, a, s, h: (
            np.tanh((s @ a[:, : s.shape[1]].T)[:, None] + h @ a[:, s.shape[1] :].T) @ u
        ),
    ),
    Case(r"h_i = x_i + P[i]", "x[n,d] P[n,d]", lambda x, p: x + p),
    Case(r"c = \sum_i w[i] z'[i]", "w[d] z_prime[d,n]", np.dot),
    Case(
        r"M[i][j] = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        "n# m#",
        lambda n, m: np.where(np.arange(m) <= np.arange(n)[:, None], 0, -np.inf),
    ),
)
def test_signs(case: Case) -> None:
    check(case)


@table(
    # Big signs between two factors run over nothing.
    Case(r"Y = G \bigotimes X", "G[n,d] X[n,d]", lambda g, x: g * x),
    Case(r"Y = A_{1} \bigodot X", "A_1[n,d] X[n,d]", lambda a, x: a * x),
    Case(r"Y = X \bigoplus A_1", "X[n,d] A_1[n,d]", lambda x, a: x + a),
    Case(r"y = a \bigotimes_{i=1}^{d} u_i", "a u[d]", lambda a, u: a * np.prod(u)),
    Case(r"c = \bigoplus u_i", "u[n,d]", lambda u: u.reshape(-1)),
    # What plain text holds together above a name, where no label can stand.
    Case(
        r"Y = B^(-1) · X",
        "B[n,n] X[n,d]",
        lambda b, x: np.linalg.solve(b, x),
        shapes={"B": ("n", "n")},
    ),
    Case(r"y = u^(-2)", "u", lambda u: 1 / u**2),
)
def test_signs_out_of_place(case: Case) -> None:
    check(case)


def test_the_letter_that_one_of_two_layers_has_is_a_part_of_its_name() -> None:
    formula = compile_formula(r"Y = (\text{R})\text{P-MSA}(X) + X")
    assert [one.name for one in formula.inputs if one.kind == "function"] == ["RP_MSA"]
    assert "`(R)P-MSA` is taken to be `RP-MSA`" in [one.message for one in formula.diagnostics]


def test_in_italics_or_behind_a_function_it_is_a_factor() -> None:
    for latex in (r"Y = (R)\text{P-MSA}(X)", r"Y = g(\text{R})\text{P-MSA}(X)"):
        formula = compile_formula(latex)
        assert "R" in [one.name for one in formula.inputs]
        assert not any("is taken to be `RP" in one.message for one in formula.diagnostics)
