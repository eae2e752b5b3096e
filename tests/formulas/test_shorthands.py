"""What notes leave out: the index of a mean, the dots of a list, the sizes that follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def cosine(u: Any, v: Any) -> Any:
    return u @ v / np.sqrt((u @ u) * (v @ v))


@table(
    # Layers and activations may stand before what they are of without parentheses; what a layer
    # gives may have its name.
    Case(
        r"y = W \,\mathrm{LN}\, x",
        "W[c,d] x[d] gamma[d] epsilon+ beta[d]",
        lambda w, x, g, e, b: w @ (g * (x - x.mean()) / np.sqrt(x.var() + e) + b),
    ),
    Case(r"y = b + \operatorname{ReLU} x", "b[d] x[d]", lambda b, x: b + np.maximum(0, x)),
    Case(r"Y = \text{Attention} W^O", "Attention[n,d] W_O[d,p]", np.matmul),
    # The mean of tokens is that of their rows; the greatest of all is a number.
    Case(r"c = W \mathrm{mean}(X)", "W[e,d] X[n,d]", lambda w, x: w @ x.mean(0)),
    Case(r"k_i = \mathrm{mean}(K_i)", "K[h,n,d]", lambda k: k.mean(1)),
    Case(
        r"v = [\mathrm{Mean}(H) \parallel \mathrm{Max}(H)]",
        "H[n,d]",
        lambda h: np.concatenate([h.mean(0), h.max(0)]),
    ),
    Case(r"s = \max(X)", "X[n]", lambda x: x.max()),
    Case(r"z_i = x_i - \mathrm{mean}(x_i)", "x[d]", lambda x: x - x.mean()),
    Case(r"m_i = \max(s_{ij})", "s[n,m]", lambda s: s.max(axis=1)),
    Case(
        r"y = g \cdot \frac{x}{\sqrt{\mathrm{mean}(x_i^2) + \epsilon}}",
        "g[d] x[d] epsilon+",
        lambda g, x, e: g * x / np.sqrt((x**2).mean() + e),
    ),
    Case(
        r"y = \frac{x}{\sqrt{\mathbb{E}[x^2] + \epsilon}} \cdot \gamma",
        "x[d] epsilon+ gamma[d]",
        lambda x, e, g: g * x / np.sqrt((x**2).mean() + e),
    ),
    Case(r"Y = \mathrm{Concat}(Z_i)", "Z[h,n,d]", lambda z: np.concatenate(list(z), axis=-1)),
    Case(r"Y = XW \cdot \sigma(XW)", "X[n,d] W[d,p]", lambda x, w: x @ w * sigmoid(x @ w)),
    Case(r"Y = X W * \tanh(XW)", "X[n,d] W[d,p]", lambda x, w: x @ w * np.tanh(x @ w)),
    Case(r"a_{ij} = \mathrm{softmax}(e_i)", "e[n,m]", softmax),
    Case(
        r"O = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}}) V, \quad d_k = d_{model} / h",
        "Q[n,k] K[m,k] V[m,v]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(
        r"L = -\sum_{i=1}^{C} y_i \log P(y = i)", "y[C] P+[C]", lambda y, p: -(y * np.log(p)).sum()
    ),
    Case(
        r"y_i = \sum_j A_{ij}(x) x_j, A_{ij}(x) = \frac{e^{x_i^\top x_j}}{\sum_k e^{x_i^\top x_k}}",
        "x[n,d]",
        lambda x: softmax(x @ x.T) @ x,
    ),
    Case(
        r"\mathrm{CE}(u, y) = -\sum_{c=1}^{C} q_c \log \mathrm{softmax}(u)_c",
        "u[C] q[C]",
        lambda u, q: -(q * np.log(softmax(u))).sum(),
    ),
    Case(
        r"y = x + \mathrm{LN}_2(x)",
        "x[d] gamma[d] epsilon+ beta[d]",
        lambda x, g, e, b: x + g * (x - x.mean()) / np.sqrt(x.var() + e) + b,
    ),
    Case(
        r"\mathrm{score}(h_t, g_s) = h_t^\top W g_s, a_{ts} = "
        r"\frac{\exp(\mathrm{score}(h_t, g_s))}{\sum_r \exp(\mathrm{score}(h_t, g_r))}",
        "h[n,d] W[d,p] g[m,p]",
        lambda h, w, g: softmax(h @ w @ g.T),
        context=[r"g_s \in \mathbb{R}^p"],
    ),
    Case(
        r"y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}(x) + \epsilon}} * w + b",
        "x[d] epsilon+ w[d] b[d]",
        lambda x, e, w, b: (x - x.mean()) / np.sqrt(x.var() + e) * w + b,
    ),
    Case(
        r"y = \max(0, x W_1) W_2",
        "x[d] W_1[d,h] W_2[h,d]",
        lambda x, u, w: np.maximum(0, x @ u) @ w,
        context=[r"W_1 \in \mathbb{R}^{d \times 4d}, W_2 \in \mathbb{R}^{4d \times d}"],
    ),
    Case(
        r"O = \mathrm{Concat}(O^{(1)}, \dots, O^{(h)}) \in \mathbb{R}^{n \times (h \cdot d_v)}",
        "O[h,n,d]",
        lambda o: np.concatenate(list(o), axis=-1),
    ),
    Case(
        r"Y = \mathrm{softmax}(XQ (XK)^\top) XV",
        "X[n,d] Q[d,k] K[d,k] V[d,v]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).T) @ x @ v,
    ),
    Case(
        r"A(X_q, X_k, X_v) = \mathrm{softmax}(X_q X_k^\top) X_v",
        "X_q[n,d] X_k[m,d] X_v[m,v]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"Y = \mathrm{Attention}(V = A, K = B, Q = C)",
        "C[n,k] B[m,k] A[m,v]",
        lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v,
    ),
    Case(r"s = \cos(q, k)", "q[d] k[d]", cosine),
    Case(r"s = \cos\langle q, k \rangle / \tau", "q[d] k[d] tau", lambda q, k, t: cosine(q, k) / t),
    Case(
        r"c_i = \sum_j \mathrm{softmax}_j(\beta \cos(q_i, k_j)) v_j",
        "beta q[n,d] k[m,d] v[m,e]",
        lambda b, q, k, v: softmax(b * np.array([[cosine(x, y) for y in k] for x in q])) @ v,
    ),
    Case(r"s = \mathrm{cos\_sim}(u, v)", "u[d] v[d]", cosine),
    Case(
        r"c_t = \sum_{s=1}^{S} a_t(s) h_s, \quad a_t(s) = "
        r"\frac{\exp(q_t^\top W h_s)}{\sum_{r=1}^{S} \exp(q_t^\top W h_r)}",
        "h[m,p] q[n,d] W[d,p]",
        lambda h, q, w: softmax(q @ w @ h.T) @ h,
    ),
    Case(r"c_t = \sum_s \alpha_t(s) h_s", "alpha[n,m] h[m,d]", lambda a, h: a @ h),
    Case(r"b_t(s) = \frac{\exp(g_t(s))}{\sum_{s'} \exp(g_t(s'))}", "g[n,m]", softmax),
    # So is what the left-hand side has in parentheses, and nothing else: beside other labels, an
    # accent or a prime, and below an exponent.
    Case(
        r"u_t(i) = \frac{\tilde{u}_t(i)^{\rho_t}}{\sum_j \tilde{u}_t(j)^{\rho_t}}",
        "u_tilde+[n,m] rho[n]",
        lambda u, r: u ** r[:, None] / (u ** r[:, None]).sum(1, keepdims=True),
    ),
    Case(
        r"u_t^c(k) = \frac{\exp(\rho_t z_t(k))}{\sum_j \exp(\rho_t z_t(j))}",
        "rho[n] z[n,m]",
        lambda r, z: softmax(r[:, None] * z),
    ),
    Case(r"z_i(t) = \sum_j a_{ij} y_j(t)", "a[n,m] y[m,s]", np.matmul),
    # Near miss: what a function is given is computed with.
    Case(r"z_i(t) = \cos(\omega_i t)", "t omega[n]", lambda t, w: np.cos(w * t)),
    Case(
        r"c_t = \sum_s \alpha_t(s) v_s",
        "q[n,d] k[m,d] v[m,e]",
        lambda q, k, v: softmax(q @ k.T) @ v,
        context=[r"\alpha_t(s) = \frac{\exp(q_t^\top k_s)}{\sum_{r} \exp(q_t^\top k_r)}"],
    ),
    Case(
        r"y = \sum_{i=1}^{N} g_i(x) E_i(x)",
        "x[d] G[N,d] U[N,d,p] W[N,p,d]",
        lambda x, g, u, w: (
            softmax(g @ x)
            @ np.array(
                [second @ np.maximum(first @ x, 0) for second, first in zip(u, w, strict=True)]
            )
        ),
        context=[
            r"E_i(x) = U_i \mathrm{ReLU}(W_i x)",
            r"g(x) = \mathrm{softmax}(G x)",
            r"U_i \in \mathbb{R}^{d \times p}, W_i \in \mathbb{R}^{p \times d}",
            r"G \in \mathbb{R}^{N \times d}",
        ],
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_numbered_norms_have_weights_of_their_own() -> None:
    formula = compile_formula(r"y = \mathrm{LN}_1(x) + \mathrm{LN}_2(x)")
    assert sum(given.name.startswith("gamma") for given in formula.inputs) == 2


def test_phi_of_queries_is_a_feature_map() -> None:
    formula = compile_formula(r"O = \Phi(Q) (\Phi(K)^\top V)")
    assert [given.name for given in formula.inputs if given.kind == "function"] == ["Phi"]
    assert formula.component == "linear_attention"


def test_a_probability_beside_a_function_of_its_name() -> None:
    formula = compile_formula(
        r"L = -\sum_{i=1}^n \log P(x_i \mid x_{<i}; \theta)",
        context=[r"P(x) = \mathrm{softmax}(W x)"],
    )
    assert [(given.name, len(given.shape)) for given in formula.inputs] == [("P", 1)]


def test_truth_in_brackets() -> None:
    formula = compile_formula(r"q_j = (1 - \epsilon) [j = y] + \frac{\epsilon}{5}, j = 1, \dots, 5")
    found = formula.reference(epsilon=0.5, y=2.0)
    np.testing.assert_allclose(found, [0.1, 0.6, 0.1, 0.1, 0.1])


def test_items_with_their_number_inside_the_command() -> None:
    formula = compile_formula(
        r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head_1}, ..., \mathrm{head_h}) W, "
        r"\mathrm{head_i} = \mathrm{Attention}(Q W^Q_i, K W^K_i, V W^V_i)"
    )
    assert formula.component == "multi_head_attention"


@pytest.mark.parametrize(
    "latex",
    [
        r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_i) W^O, "
        r"\mathrm{head}_i = \mathrm{Attention}(Q W^Q_i, K W^K_i, V W^V_i)",
        r"\mathrm{RMSNorm}(x) = \gamma \frac{x}{\sqrt{\mathrm{mean}(x_i^2) + \epsilon}}",
        r"\mathrm{PPL} = 2^{-\frac{1}{N} \sum_t \log_2 \Pr(w_t \mid w_{<t})}",
        r"\mathrm{PPL} = 2^{H}",
        r"x' = x + \mathrm{FFN}(\mathrm{RMSNorm}_2(x))",
    ],
)
def test_component(latex: str) -> None:
    assert compile_formula(latex).component is not None


@pytest.mark.parametrize(
    "item",
    [
        r"\mathrm{head}_h = \mathrm{Attention}(Q W_h^Q, K W_h^K, V W_h^V)",
        r"\mathrm{head}_h = \mathrm{Attention}(Q W_Q^{(h)}, K W_K^{(h)}, V W_V^{(h)})",
        r"\mathrm{head}_h = \mathrm{Attention}(Q W_Q^{(h)\top}, K W_K^{(h)\top}, V W_V^{(h)\top})",
        r"\mathrm{head}^{(h)} = \mathrm{Attention}(Q W_Q^{(h)}, K W_K^{(h)}, V W_V^{(h)})",
    ],
)
def test_heads_counted_by_h(item: str) -> None:
    latex = r"M = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H) W, " + item
    formula = compile_formula(latex)
    assert formula.component == "multi_head_attention"
    assert {given.name: len(given.shape) for given in formula.inputs}["W_Q"] == 3


@pytest.mark.parametrize("latex", [r"Q_h = XW_h^Q", r"Q^h = X W_Q^h", r"Q_h = X W_{Q,h}"])
def test_projections_counted_by_h(latex: str) -> None:
    assert compile_formula(latex).shape == ("h", "n", "p")


@pytest.mark.parametrize(
    "shapes",
    [
        r"W_i^Q, W_i^K \in \mathbb{R}^{d \times d_k/h}",
        r"W_i^V \in \mathbb{R}^{d \times \frac{d}{h}}, W^O \in \mathbb{R}^{d \times d}",
        r"W_i^Q, W_i^K, W_i^V \in \mathbb{R}^{d_{model} \times d_{model}/h}",
    ],
)
def test_the_size_of_a_head_is_a_part(shapes: str) -> None:
    formula = compile_formula(
        r"M(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O, "
        r"\mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
        context=[shapes],
    )
    assert formula.component == "multi_head_attention"


def test_a_score_at_other_keys_has_the_same_weights() -> None:
    formula = compile_formula(
        r"a_{ts} = \frac{\exp(\mathrm{score}(h_t, g_s))}{\sum_r \exp(\mathrm{score}(h_t, g_r))}",
        context=[r"\mathrm{score}(h_t, g_s) = v^\top \tanh(W h_t + U g_s), g_s \in \mathbb{R}^p"],
    )
    assert sum(given.name.startswith("W") for given in formula.inputs) == 1
    assert formula.component == "additive_attention"


def test_scores_of_heads_are_no_call() -> None:
    formula = compile_formula(r"S^{(h)} = \frac{Q^{(h)} (K^{(h)})^\top}{\sqrt{d_h}}")
    q, k = np.ones((3, 2, 4)), np.ones((3, 5, 4))
    np.testing.assert_allclose(formula.reference(Q=q, K=k), np.full((3, 2, 5), 2.0))


def test_queries_and_keys_of_two_names_are_of_one_size() -> None:
    formula = compile_formula(
        r"S = X W_Q (X W_K)^\top",
        context=[
            r"W_Q \in \mathbb{R}^{d \times d_q}",
            r"W_K \in \mathbb{R}^{d \times d_k}",
        ],
    )
    shapes = {given.name: given.shape for given in formula.inputs}
    assert shapes["W_Q"] == shapes["W_K"]
    assert any("one size" in problem.message for problem in formula.diagnostics)


@pytest.mark.parametrize(
    "loss, perplexity, is_one",
    [
        (r"H = -\frac{1}{N} \sum_{t=1}^N \log_2 p_t", r"\mathrm{PPL} = 2^H", True),
        (r"H = -\frac{1}{N} \sum_{t=1}^N \log p_t", r"\mathrm{PPL} = e^H", True),
        (r"H = -\frac{1}{N} \sum_{t=1}^N \log p_t", r"\mathrm{PPL} = 2^H", False),
        (r"H = -\frac{1}{N} \sum_{t=1}^N \log_2 p_t", r"\mathrm{PPL} = e^H", False),
        (r"H = -\sum_{t=1}^N \log p_t", r"\mathrm{PPL} = e^H", False),
    ],
)
def test_what_a_perplexity_is_made_of_counts(loss: str, perplexity: str, is_one: bool) -> None:
    formula = compile_formula(perplexity, context=[loss])
    assert (formula.component == "perplexity") == is_one
    assert any(problem.code == "N2C056" for problem in formula.diagnostics) != is_one


def test_a_size_beside_attention_is_an_example() -> None:
    formula = compile_formula(r"O = \mathrm{softmax}(QK^\top / \sqrt{d_k}) V, \quad d_k = 64")
    assert formula.settings["scale"] == "d_k**-0.5"
    assert [p.message for p in formula.diagnostics] == [
        "this size is taken from the shapes of the inputs"
    ]


@pytest.mark.parametrize(
    "latex, message",
    [
        (r"Y = \mathrm{Attention}(A = X, K = Z, V = Z)", "takes (Q, K, V), not (A, K, V)"),
        (r"m = \max(1)", "over what this runs is not said"),
        (r"y = xW \cdot \sigma(xW), x \in \mathbb{R}^d", "element by element"),
    ],
)
def test_refused(latex: str, message: str) -> None:
    with pytest.raises(FormulaError) as raised:
        compile_formula(latex)
    assert message in str(raised.value)


def test_a_cosine_is_a_usual_score() -> None:
    latex = r"a_{ij} = \mathrm{softmax}_j(\cos(q_i, k_j) / \tau)"
    formula = compile_formula(latex)
    assert formula.component == "cosine_attention"
    assert not any(problem.code == "N2C050" for problem in formula.diagnostics)
    with pytest.raises(FormulaError, match="a cosine stands between vectors"):
        compile_formula(r"a = \cos(q, \alpha)", shapes={"alpha": ()})


def test_a_softmax_over_ranges_of_other_lengths() -> None:
    latex = r"a_k(t) = \mathrm{softmax}(w^\top A_k(t)), \quad z_k = \sum_{t=1}^{T_k} a_k(t) A_k(t)"
    with pytest.raises(FormulaError, match="N2C036"):
        compile_formula(latex)


def test_an_indexed_function_of_a_vector() -> None:
    with pytest.raises(FormulaError, match="may be an element of `f`"):
        compile_formula(r"y = \sum_{i=1}^{N} f_i(x)", context=[r"f(x) = W x + b"])


@table(
    # What is multiplied by a size is a number, and so is what that is multiplied by.
    Case(r"N = (d \times r) + (r \times k)", "d# r k", lambda d, r, k: d * r + r * k),
    Case(
        r"N = 2 \times \hat{L}_{LoRA} \times d_{model} \times r",
        "L_LoRA_hat d_model# r",
        lambda n, d, r: 2 * n * d * r,
    ),
    # Near misses: nothing says that these count.
    Case(r"y = a \times b", "a b[d]", lambda a, b: a * b),
    Case(r"y = 2 \times \hat x", "x_hat[d]", lambda x: 2 * x),
)
def test_products_of_sizes(case: Case) -> None:
    check(case)


@table(
    # Three capitals above a name are a word, whose T is no transpose.
    Case(r"Y = X^{TAV} W", "X_TAV[n,d] W[d,p]", lambda x, w: x @ w),
    Case(r"Y = X^{AVT} W", "X_A_V[d,n] W[d,p]", lambda x, w: x.T @ w),
    Case(r"Y = W^{QT} x", "W_Q[d,p] x[d]", lambda w, x: w.T @ x),
)
def test_words_of_capitals(case: Case) -> None:
    check(case)
