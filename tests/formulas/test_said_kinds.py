"""Formulas whose letters are of the kinds that the prose beside them states."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.meaning.prose.kinds import Passage
from tables import Case, check, sigmoid, softmax, table

SCALED = r"y = \gamma x + \beta"
STATE = r"h_t = A_t h_{t-1} + B_t x_t"


@table(
    # A score is a number for each of several things, and what has no index may be all of them.
    Case(
        r"t = \sum_{i=1}^n s_i",
        "s[n]",
        np.sum,
        context="Let $s_i$ be the score of word $i$.",
    ),
    Case(
        r"t = \sum_{i=1}^n s_i",
        "s[n]",
        np.sum,
        context="设单词 $i$ 的得分为 $s_i$：",
    ),
    # So is a capital, where it is the one with its index that is spoken of.
    Case(
        r"L = c \sum_{e=1}^n F_e \cdot G_e",
        "c F[n] G[n]",
        lambda c, f, g: c * f @ g,
        context="- $F_e$: fraction of the tokens that expert $e$ gets\n"
        "- $G_e$: mean probability of expert $e$",
    ),
    Case(
        r"L = c \sum_{e=1}^n F_e \cdot G_e",
        "c F[n,d] G[n,d]",
        lambda c, f, g: c * np.sum(f * g),
    ),
    Case(
        r"y = W s",
        "W[n,d] s[d]",
        np.matmul,
        context="the score $s$ of each word",
    ),
    Case(
        r"S = QK^\top V",
        "Q[n,d] K[m,d] V[m,p]",
        lambda q, k, v: q @ k.T @ v,
        context="where $V$ is the size of the vocabulary",
    ),
    Case(
        r"p_t = S \cdot \sigma(v^\top \tanh(W h_t))",
        "S v[p] W[p,d] h[n,d]",
        lambda s, v, w, h: s / (1 + np.exp(-np.tanh(h @ w.T) @ v)),
        context="where $S$ is the length of the source",
    ),
    *(
        Case(r"R = \frac{H}{4}", "H", lambda h: h / 4, context=text)
        for text in ("Let $H$ be the number of heads.", "- $H$：注意力头数")
    ),
    Case(
        r"Y = P \cdot H",
        "P[n,m] H[m,d]",
        np.matmul,
        context="Let $H$ be the number of heads.",
    ),
    # The weights of each head are others than that of all.
    Case(
        r"Q = X \cdot W_Q",
        "X[n,d] W_Q[d,p]",
        lambda x, w: x @ w,
        context=r"Each head has learned weight matrices $W_i^Q$.",
    ),
    # The matrix that a text calls S_{ij} is S.
    Case(
        r"a_{ij} = \frac{\exp(S_{ij})}{\sum_k \exp(S_{ik})}",
        "S[n,m]",
        softmax,
        context=r"where $S_{ij}$ is the matrix of scores.",
    ),
    # What makes value vectors is called one.
    Case(
        r"y_i = \sum_{j=1}^n \alpha_{ij} (x_j W^V)",
        "alpha[i,n] x[n,d] W_V[d,v]",
        lambda a, x, w: a @ x @ w,
        context=r"where $W^V$ is a learnable value vector.",
    ),
    # What weighs vectors is a number for each two of them.
    Case(
        r"z_i = \sum_{j=1}^n w_{ij} u_j",
        "w[m,n] u[n,d]",
        lambda w, u: w @ u,
        context=r"of the vectors $u_1, \dots, u_n$",
    ),
    Case(
        r"z_i = \sum_{j=1}^n w_{ij} x_j",
        "w[m,n] x[n,d]",
        lambda w, x: w @ x,
        context=r"Given the embeddings $x_1, \dots, x_n$ of some words,",
    ),
    Case(r"z_i = \sum_{j=1}^n w_{ij} x_j", "w[m,n] x[n]", lambda w, x: w @ x),
    # A formula for one of the rows that a text tells the shape of, and one for those of a batch.
    Case(
        r"y = W x + b",
        "W[p,d] x[d] b[p]",
        lambda w, x, b: w @ x + b,
        context="The input $x$ has shape (B, N, D), and $W$ has shape (H, D).",
    ),
    Case(
        r"y = x M + b",
        "x[n,d] M[d,p] b[p]",
        lambda x, m, b: x @ m + b,
        context="- $x$: (batch, seq_len, d_model)\n- `M`: (d_model, d_out)",
    ),
    Case(
        r"L = \frac{1}{B} \sum_{i=1}^B \|x_i - z_i\|^2",
        "x[n,d] z[n,d]",
        lambda x, z: np.mean(np.sum((x - z) ** 2, axis=1)),
        context="Both $x$ and $z$ are $B \\times D$ matrices.",
    ),
    Case(
        r"\mathbf{z} = \mathbf{X} \mathbf{w} + b",
        "X[n,d] w[d] b",
        lambda x, w, b: x @ w + b,
        context=r"$\mathbf{w}$ has shape (n, 1), $\mathbf{X}$ has shape (m, n), $b$ is a scalar.",
    ),
    Case(
        r"y = W x",
        "W[p,d] x[d,n]",
        lambda w, x: w @ x,
        context="$W$ has shape (H, D) and $x$ has shape (D, N).",
    ),
    # A capital has all examples of a batch, and a kernel of 3 × 3 is 3 wide.
    Case(
        r"Y = X W^\top",
        "X[n,d] W[p,d]",
        lambda x, w: x @ w.T,
        context="$X$ has shape $(B, n)$.",
    ),
    Case(
        r"y = \lfloor (H + 2p - k) / s \rfloor",
        "H p k s",
        lambda h, p, k, s: np.floor((h + 2 * p - k) / s),
        context="with a kernel $k$ of size $3 \\times 3$",
    ),
    Case(
        r"s = c^\top M k",
        "c[d] M[d,p] k[p]",
        lambda c, m, k: c @ m @ k,
        context="where $M$ is a $d \\times r$ matrix and $k$ an $r$-dimensional vector",
    ),
    # By custom Greek letters are numbers.
    Case(SCALED, "gamma x[d] beta", lambda g, x, b: g * x + b),
    Case(
        r"y = \gamma \odot x + \beta",
        "gamma[d] x[d] beta[d]",
        lambda g, x, b: g * x + b,
        context=r"where $\gamma$ and $\beta$ are learnable vectors.",
    ),
    Case(
        SCALED,
        "gamma x[n,d] beta",
        lambda g, x, b: g * x + b,
        context=r"Here $\gamma$, $\beta$ are learnable scalars and $x$ is the feature matrix.",
    ),
    Case(
        r"x' = x + \lambda \odot F",
        "x[n,d] lambda_[d] F[n,d]",
        lambda x, a, f: x + a * f,
        context=r"with a learnable vector $\lambda$; $x$ and $F$ are matrices.",
    ),
    Case(
        r"z = \mu + \sigma \odot \epsilon",
        "mu[d] sigma[d] epsilon[d]",
        lambda m, s, e: m + s * e,
        context="- $\\mu$: mean vector\n- $\\sigma$ — a vector\n- $\\epsilon$ (noise vector)",
    ),
    Case(
        r"z = \mu + \sigma \odot \epsilon",
        "mu[d] sigma epsilon[d]",
        lambda m, s, e: m + s * e,
        context=r"$\mu$ и $\epsilon$ — векторы, $\sigma$ — скаляр.",
    ),
    Case(
        r"\theta_{t+1} = \theta_t - \eta \frac{m}{\sqrt{v} + \epsilon}",
        "theta[d] eta m[d] v+[d] epsilon+",
        lambda p, eta, m, v, e: p - eta * m / (np.sqrt(v) + e),
        context=r"$\theta$ 是参数向量，$m$ 和 $v$ 是向量，$\eta$ 是标量。",
    ),
    Case(
        r"\cos\theta = \frac{A \cdot B}{\|A\| \|B\|}",
        "A[d] B[d]",
        lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
        context="For two vectors $A$ and $B$:",
    ),
    Case(
        r"h_t = (1 - z_t) h_{t-1} + z_t \tilde{h}_t",
        "z h[d] h_tilde[d]",
        lambda z, h, new: (1 - z) * h + z * new,
        context="where $z_t$ is a scalar gate and $h_t$ is the state vector",
    ),
    # What is said of one element is said of each of them.
    Case(
        r"s = \sum_i \alpha_i h_i",
        "alpha[n] h[n,d]",
        lambda a, h: a @ h,
        context=r"the scalars $\alpha_i$ and the hidden vectors $h_j$",
    ),
    Case(
        r"\mu = \frac{1}{d} \sum_{i=1}^d x_i",
        "x[d]",
        lambda x: x.mean(),
        context="for a vector $x$",
    ),
    Case(
        r"L = -\log \frac{\exp(f \cdot g / \tau)}{\sum_j \exp(f \cdot g_j / \tau)}",
        "f[d] g[d] tau+ g_j[n,d]",
        lambda f, g, tau, others: -np.log(np.exp(f @ g / tau) / np.exp(others @ f / tau).sum()),
        context="$f$ 是查询向量，$g$ 是正样本向量，$g_j$ 是负样本向量，$\\tau$ 是标量。",
    ),
    Case(
        r"z = \frac{x - \mu_B}{\sqrt{\sigma_B^2 + \epsilon}}",
        "x[d] mu_B[d] sigma_B+[d] epsilon+",
        lambda x, m, s, e: (x - m) / np.sqrt(s**2 + e),
        context=r"$\mu_B$ and $\sigma_B^2$ are the mean and variance vectors.",
    ),
    Case(
        r"y = b \odot (B (d \odot (A x)))",
        "b[n] B[n,p] d[p] A[p,m] x[m]",
        lambda b, up, d, down, x: b * (up @ (d * (down @ x))),
        context="where $b$ and $d$ are scaling vectors",
    ),
    Case(
        r"\hat y_i = \sigma(w^\top x_i + b)",
        "w[d] x[n,d] b",
        lambda w, x, b: sigmoid(x @ w + b),
        context="$x$ is a vector, $w$ is the weight vector",
    ),
    Case(
        r"m_t = \beta m_{t-1} + (1 - \beta) g_t",
        "beta m[d] g[d]",
        lambda b, m, g: b * m + (1 - b) * g,
        context="$g_t$ is the gradient vector",
    ),
    # Without a word of it, the x of a self-attention is a matrix as X is.
    Case(
        r"\mathrm{softmax}(x W_Q (x W_K)^\top) x W_V",
        "x[n,d] W_Q[d,p] W_K[d,p] W_V[d,q]",
        lambda x, q, k, v: softmax(x @ q @ (x @ k).T) @ x @ v,
    ),
    Case(
        r"y = \gamma \odot x + \beta",
        "gamma[d] x[n,d] beta",
        lambda g, x, b: g * x + b,
        context="| $\\gamma$ | a vector |\n|---|---|\n| $x$ | a matrix |\n| $\\beta$ | a scalar |",
    ),
    Case(
        r"s = \sum_{i=1}^n x_i",
        "x[n]",
        lambda x: x.sum(),
        context="where $x_i$ are the elements of the vector $x$",
    ),
    Case(
        r"O = \sum_{h=1}^H \alpha_h O_h",
        "alpha[h] O[h,n,d]",
        lambda a, o: np.einsum("h,hnd->nd", a, o),
        context=r"$\alpha_h$ are scalars and $O_h$ are matrices",
    ),
    Case(
        r"z = \sigma_y \frac{x - \mu_x}{\sigma_x} + \mu_y",
        "sigma_y[d] x[n,d] mu_x[d] sigma_x+[d] mu_y[d]",
        lambda s, x, m, t, n: s * (x - m) / t + n,
        context=r"$\mu_x$, $\sigma_x$, $\mu_y$ and $\sigma_y$ are vectors, $x$ is a matrix",
    ),
    # What is said of m holds in what is made of it.
    Case(
        r"\theta_t = \theta_{t-1} - \alpha \hat{m}_t",
        "theta[d] alpha m_hat[d]",
        lambda p, a, m: p - a * m,
        context=r"$\theta_t$ and $m_t$ are vectors. $$\hat{m}_t = \frac{m_t}{1 - \beta_1^t}$$",
    ),
    # A scale and a shift act element by element.
    Case(
        r"y = \gamma \cdot \hat{x} + \beta",
        "gamma[d] x_hat[d] beta[d]",
        lambda g, x, b: g * x + b,
        context=r"where $\gamma$ and $\beta$ are learnable vectors",
    ),
    Case(
        r"h' = \gamma_c h + \beta_c",
        "gamma_c[d] h[d] beta_c[d]",
        lambda g, h, b: g * h + b,
        context=r"$\gamma_c$, $\beta_c$ are vectors",
    ),
    # Queries that are called vectors are rows.
    Case(
        r"S = 2 Q K^\top",
        "Q[n,d] K[m,d]",
        lambda q, k: 2 * q @ k.T,
        context="where $Q$ is the query vector and $K$ are the key vectors",
    ),
    # Where a step is counted, what is said holds at each.
    Case(
        STATE,
        "A h[d] B[d] x",
        lambda a, h, b, x: a * h + b * x,
        context="Here $A_t$ is a scalar, $B_t$ is a vector and $x_t$ is a scalar.",
    ),
    Case(
        STATE,
        "A[d,d] h[d] B[d] x",
        lambda a, h, b, x: a @ h + b * x,
        context=[r"A_t \in \mathbb{R}^{d \times d}, B_t \in \mathbb{R}^d"],
    ),
    Case(
        r"S_t = \gamma S_{t-1} + k_t v_t^\top",
        "gamma S[d,p] k[d] v[p]",
        lambda g, s, k, v: g * s + np.outer(k, v),
        context=[r"S \in \mathbb{R}^{d \times p}"],
    ),
    # A shape is more than a kind, and what is said nearer counts before what is said farther.
    Case(
        r"z = \gamma \odot x",
        "gamma[n,d] x[d]",
        lambda g, x: g * x,
        context=r"The vector $\gamma$, $\gamma \in \mathbb{R}^{n \times d}$, scales.",
    ),
    Case(
        r"y = x + \gamma",
        "x[d] gamma[d]",
        lambda x, g: x + g,
        context="A scalar $\\gamma$. $$z = 2 a$$ Now $\\gamma$ is a vector:",
    ),
    # Size names, identities and functions are none of what is said to be of a kind.
    Case(
        r"S = q \cdot k / \sqrt{d_k}",
        "q[d] k[d]",
        lambda q, k: q @ k / np.sqrt(len(q)),
        context="the query and key vectors $d_k$",
    ),
    Case(
        r"y = (I - A) x",
        "A[n,n] x[n]",
        lambda a, x: x - a @ x,
        context="where $I$ is a matrix and $A$ is the adjacency matrix",
    ),
)
def test_values(case: Case) -> None:
    check(case)


def ranks(*formulas: str, text: str, section: tuple[str, ...] = ()) -> dict[str, int]:
    """The ranks of the inputs of the first formula, with a text in a section of its note."""
    entries = [Entry(latex, "Note.md", ("Top", "A"), at) for at, latex in enumerate(formulas)]
    passages = [Passage(text, "Note.md", section, len(formulas))]
    linker = Linker(entries, library().scope, passages=passages)
    equation = Compiler(linker, library()).compiled(entries[0]).equation
    assert equation is not None
    return {given.name: len(given.shape) for given in equation.inputs}


@pytest.mark.parametrize(
    ("section", "rank"),
    [(("Top", "A"), 1), (("Top",), 1), (("Top", "B"), 0), (("Top", "A", "Below"), 0)],
)
def test_a_kind_holds_in_its_section(section: tuple[str, ...], rank: int) -> None:
    found = ranks(r"y = x + \gamma", text=r"a vector $\gamma$", section=section)
    assert found == {"gamma": rank, "x": 1}


def test_a_definition_counts_before_a_kind_and_this_is_said() -> None:
    context = r"The scalar $g$ weighs: $$g = \sigma(W x)$$"
    f = compile_formula(r"y = g \odot z", context=context)
    assert {given.name: len(given.shape) for given in f.inputs} == {"g": 1, "z": 1}
    assert any("says that `g` is a number" in d.message for d in f.diagnostics)
    defined = compile_formula(r"g = \sigma(W x)", context="The scalar $g$ weighs:")
    assert [d.code for d in defined.diagnostics] == ["N2C035"]


@pytest.mark.parametrize(
    ("latex", "text", "component"),
    [
        (
            r"\mathrm{softmax}(q k^\top / \sqrt{d_k}) v",
            "where $q$, $k$, $v$ are the query, key and value vectors",
            "scaled_dot_product_attention",
        ),
        (
            r"\mathrm{softmax}(x W_Q (x W_K)^\top / \sqrt{d_k}) x W_V",
            "where $x$ is the input vector",
            "self_attention",
        ),
        (
            "h_0 = U W_e + W_p",
            "$U$ is the context vector of tokens, $W_e$ is the token embedding matrix",
            "learned_positional_embedding",
        ),
        (r"y = w^\top x + b", "the weight vector $w$ and the bias vector $b$", None),
    ],
)
def test_vectors_that_are_none(latex: str, text: str, component: str | None) -> None:
    f = compile_formula(latex, context=text)
    assert f.component == component
    assert [d.code for d in f.diagnostics] == ["N2C035"]
    assert "is a vector" in f.diagnostics[0].message


def test_what_cannot_be_computed_as_the_text_says_is_refused() -> None:
    latex = r"S_t = \alpha_t S_{t-1} + k_t v_t^\top"
    with pytest.raises(FormulaError, match="outer product"):
        compile_formula(latex, context=r"where $\alpha_t$ is a vector")


def test_a_definition_of_another_section_is_farther_than_a_kind() -> None:
    entries = [
        Entry(r"y = \alpha x", "Note.md", ("A",), 0),
        Entry(r"\alpha = \mathrm{softmax}(H w)", "Note.md", ("B",), 1),
    ]
    passages = [Passage(r"a scalar $\alpha$", "Note.md", ("A",), 0)]
    linker = Linker(entries, library().scope, passages=passages)
    equation = Compiler(linker, library()).compiled(entries[0]).equation
    assert equation is not None
    assert [len(given.shape) for given in equation.inputs] == [0, 1]


@pytest.mark.parametrize("latex", ["y = w x + b", r"y = x w", "y = w h"])
def test_two_vectors_side_by_side_are_no_number_times_a_vector(latex: str) -> None:
    with pytest.raises(FormulaError, match="two vectors side by side"):
        compile_formula(latex, context="with the weight vector $w$")


@pytest.mark.parametrize(
    "said",
    ["$h$ is the step size.", "mit Schrittweite $h$", "其中 $h$ 是步长", "the temperature $h$"],
)
def test_a_step_is_a_number(said: str) -> None:
    formula = compile_formula("y = x + h v", context=said)
    assert [len(given.shape) for given in formula.inputs] == [1, 0, 1]


def test_sizes_that_do_not_fit() -> None:
    """They are told of, and computed without: the text may speak of another thing."""
    text = "Here $A$ is an $n \\times d$ matrix, and $B$ an $m \\times r$ matrix."
    formula = compile_formula("Y = A B", context=text)
    assert [len(one.shape) for one in formula.inputs] == [2, 2]
    assert [one.code for one in formula.diagnostics] == ["N2C035"]
    assert "is n×d" in formula.diagnostics[0].message
