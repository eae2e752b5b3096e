"""Formulas that have lost a sign on their way into the note: a backslash, an underscore, the end
of a line, the space between two words."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"p(x) = e^{frac{x}{2}}", r"left of `\\frac`"),
        (r"y = mathbf{W} x", r"left of `\\mathbf`"),
        (r"y = text{step}(x)", r"left of `\\text`"),
        (r"text{score}(p) = \sum_k w_k \log p_k", r"left of `\\text`"),
        (r"h_t = \tanh(W h{t-1} + U x_t)", "nobody sees these braces"),
        (r"y = a{b + 1}", "nobody sees these braces"),
        (r"r = \sqrt{\sum_{i=1}^{d} x_{i^2}}", "the power stands below"),
        (r"h^{(l+1)} = \tanh(W{(l)} h^{(l)})", "nobody sees these braces"),
        (r"\mathcal{J}{\text{aux}} = \sum_k q_k", "nobody sees these braces"),
        (r"h = U{2} x", "nobody sees these braces"),
        (r"J = \sum{i} q_i r_i", "have stood below it"),
        (r"J = \sum{t=1}^{T} q_t", "have stood below it"),
        (r"J = \sum{y_k} q(y_k) \log p(y_k)", "have stood below it"),
        (r"J = \sum{y_k} p(y_k)", "have stood below it"),
        (r"y = vec(X)", "`vec` may be a word"),
        (r"m = 2 \times abe", "`abe` may be a word"),
    ],
)
def test_refused(latex: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        compile_formula(latex)


@table(
    # The sign of a transpose that has slipped down from what it stands above is no factor.
    Case(r"u = a \top B", "a[d] B[d,n]", lambda a, b: a @ b),
    Case(r"u_{ij} = q_i\top k_j", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case(r"y = U \top x + c", "U[d,p] x[d] c[p]", lambda u, x, c: x @ u + c),
    Case(r"S = QK⊤", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    # Near misses: what is added up in braces, and a function that an old font names.
    Case(r"m = \frac{1}{n} \sum{x_i}", "x[n,d]", lambda x: x.mean(0)),
    Case(r"u = -\sum{q_k} \log(q_k)", "q+[n]", lambda q: -(q * np.log(q)).sum()),
    Case(
        r"r = \frac{\sum{u_k} \exp(u_k)}{m}", "u[n,d] m+", lambda u, m: (u * np.exp(u)).sum(0) / m
    ),
    Case(r"\mu = \sum{y_k} \cdot P(y_k)", "y[n] P[n]", lambda y, p: y @ p),
    Case(r"\mathbb{E}[Y] = \sum{y_k} p(y_k)", "Y[n,d] p[n]", lambda y, p: p @ y),
    Case(r"H = -\sum{p_i \log p_i}", "p+[n]", lambda p: -(p * np.log(p)).sum()),
    Case(r"u = A {\rm softmax}(z)", "A[n,d] z[d]", lambda a, z: a @ softmax(z)),
    # Near miss: above a name, beside its label.
    Case(r"S = X W^{Q\top}", "X[n,d] W_Q[p,d]", lambda x, w: x @ w.T),
    Case(
        r"X = Token\ Embedding + Position~Embedding",
        "Token_Embedding[n,d] Position_Embedding[n,d]",
        lambda t, p: t + p,
    ),
    Case(r"m = 2 \times seq \times dim", "seq dim#", lambda s, d: 2 * s * d),
    Case(
        r"\textbf{p} = xye^{2}",
        "x[n,d] y[d]",
        lambda x, y: x @ y * np.exp(2),
        shapes={"x": ("n", "d")},
    ),
    # What the renderer loads is nothing of the formula.
    Case(r"\require{cancel} q = W x", "W[p,d] x[d]", np.matmul),
    # What stands behind a wide space, and is an equation itself, is no factor.
    Case(r"q = W_Q x \; \; k = W_K x", "W_Q[p,d] x[d]", np.matmul),
    Case(r"q_i = W^\top \: x_i ~~ k_i = V^\top \: x_i", "W[d,p] x[n,d]", lambda w, x: x @ w),
    Case(r"\mathbf{q_i} = W x_i \; \; \mathbf{k_i} = V x_i", "W[p,d] x[n,d]", lambda w, x: x @ w.T),
    Case(r"Q = X W \hspace{1cm} K = X V", "X[n,d] W[d,p]", np.matmul),
    Case(r"y = W \, x = z", "W[p,d] x[d]", np.matmul),
    Case(r"y = W \; x = z", "W[p,d] x[d]", np.matmul),
    # Rows whose ends have lost a backslash have equally many cells, or one each.
    Case(
        r"R = \begin{pmatrix} \cos a & -\sin a \ \sin a & \cos a \end{pmatrix}",
        "a",
        lambda a: np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]),
    ),
    Case(r"u = \begin{bmatrix} a \ b \ c \end{bmatrix}", "a b c", lambda *abc: np.array(abc)),
    Case(
        r"u = \begin{bmatrix} a\ b & c \end{bmatrix}", "a b c", lambda a, b, c: np.array([a * b, c])
    ),
    Case(
        r"B_{ij} = \begin{cases} 1 & \text{if}\ j \le i \ 0 & \text{if}\ j > i \end{cases}",
        "n# m#",
        lambda n, m: np.tri(n, m),
    ),
    # The shape that is said behind a space is no factor.
    Case(
        r"A = \mathrm{softmax}(S) \; A \in \mathbb{R}^{n \times n}",
        "S[n,m]",
        softmax,
    ),
    # Braces around the whole, and a remark that has math inside.
    Case(
        r"{\displaystyle \begin{aligned} y = 2 x \quad (4) \end{aligned}}", "x[d]", lambda x: 2 * x
    ),
    Case(r"y = 2 x \quad \text{(twice } x \text{)}", "x[d]", lambda x: 2 * x),
    # A weight and its bias have one label.
    Case(
        r"f = \sigma(Wf x + bf)",
        "W_f[p,d] x[d] b_f[p]",
        lambda w, x, b: 1 / (1 + np.exp(-(w @ x + b))),
    ),
    Case(
        r"r = \tanh(Wf x + Uf g + bf)",
        "W_f[p,d] x[d] U_f[p,c] g[c] b_f[p]",
        lambda w, x, u, g, b: np.tanh(w @ x + u @ g + b),
    ),
    Case(
        r"h = \tanh(Wh h + Wx x + b)",
        "W_h[p,c] h[c] W_x[p,d] x[d] b[p]",
        lambda w, h, u, x, b: np.tanh(w @ h + u @ x + b),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_spaced_call() -> None:
    assert compile_formula(r"Y = Feed\ Forward(X)").component == "feed_forward"
    assert compile_formula(r"Y = Multi~Head\ Attention(Q, K, V)").component == (
        "multi_head_attention"
    )


def test_hyphen() -> None:
    """TeX sets the hyphen of a module's name as a minus."""
    formula = compile_formula(r"Z = SW-MSA(X) + X")
    assert {i.name for i in formula.inputs} == {"SW_MSA", "X"}
    assert compile_formula("O = Self-Attention(X)").component == "self_attention"
    assert {i.name for i in compile_formula(r"Z = X-LN(X)").inputs} >= {"X", "gamma"}


def test_lines() -> None:
    """A line that begins with a name and an equals sign is an equation, though TeX sets it beside
    the one before; one that begins with the sign goes on."""
    lines = compile_formula("k = x W^K\nv = x W^V")
    assert lines.inputs[0].name == "x"
    assert {i.name for i in lines.inputs} == {"x", "W_K"}
    assert [d.code for d in lines.diagnostics].count("N2C026") == 1
    x, w = np.arange(3.0), np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(lines.reference(x=x, W_K=w), x @ w)
    whole = compile_formula("y = a\n+ b\n= c")
    assert "N2C026" not in [d.code for d in whole.diagnostics]


def test_an_escaped_underscore_behind_a_sum() -> None:
    formula = compile_formula(r"s = \sum\_{j=1}^n z\_j^2")
    assert "N2C026" in [d.code for d in formula.diagnostics]
    np.testing.assert_allclose(formula.reference(z=np.arange(4.0)), 14)


@table(
    Case(
        r"R = Z \odot \cos\_tab + U \odot \sin\_tab",
        "Z[n,d] cos_tab[n,d] U[n,d] sin_tab[n,d]",
        lambda z, c, u, s: z * c + u * s,
    ),
    Case(r"r = s / \max\_len", "s[d] max_len+", lambda s, m: s / m),
    Case(
        r"u = \exp(\log\_pi\_new - \log\_pi\_old)",
        "log_pi_new[n,d] log_pi_old[n,d]",
        lambda new, old: np.exp(new - old),
    ),
    Case(r"a = \max\_seq\_len / 2 + 1", "max_seq_len+", lambda m: m / 2 + 1),
    # Near misses: one letter stands below.
    Case(r"r_i = \max\_k S\_{ik}", "S[n,m]", lambda s: s.max(1)),
    Case(r"r = \log\_b(w)", "w+[d] b+", lambda w, b: np.log(w) / np.log(b)),
)
def test_a_name_begins_with_the_command_of_a_function(case: Case) -> None:
    check(case)


def test_a_letter_below_the_command_of_a_function_is_none_that_it_is_given() -> None:
    assert compile_formula(r"u = \ln\_1(x)").component == "layer_norm"
    with pytest.raises(FormulaError, match="subscript on `exp`"):
        compile_formula(r"u = \exp\_a(x)")


@pytest.mark.parametrize("latex", [r"r = \min\_theta \theta^2 c", r"r = \max\_len z"])
def test_a_least_value_over_a_letter_is_no_name(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_that_a_transpose_stands_beside_its_array_is_told() -> None:
    (told,) = compile_formula(r"u = a \top B").diagnostics
    assert (told.code, told.severity) == ("N2C026", "warning")
    assert told.message == r"`\top` stands beside what is transposed, and not above it"


def test_a_letter_that_is_lowered_behind_a_name_of_words_counts() -> None:
    found = compile_formula(r"L = -\sum_i \log\_prob\_i r_i")
    assert {one.name for one in found.inputs} == {"log_prob", "r"}


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"z = tilde{h} + c", r"left of `\\tilde`"),
        (r"z = overline{x} U", r"left of `\\overline`"),
        (r"z = mathcal{L}", r"left of `\\mathcal`"),
        (r"z = \tanh left( U x right)", r"left of `\\left`"),
        (r"P = \text{softmax}left(U x\right)", r"left of `\\left`"),
    ],
)
def test_lost_backslash(latex: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        compile_formula(latex)


@table(
    # Signs that a converter to Markdown has escaped.
    Case(r"u \= W\^\top x \+ c", "W[d,p] x[d] c[p]", lambda w, x, c: x @ w + c),
    Case(r"u = a \* x \- b", "a x[d] b[d]", lambda a, x, b: a * x - b),
    # A root that has lost its backslash; in parentheses it is written as in programs.
    Case(r"S = QK^\top / sqrt{d}", "Q[n,d] K[m,d]", lambda q, k: q @ k.T / q.shape[1] ** 0.5),
    # An equals sign that the next row begins with, too.
    Case(r"y = \\ = W x", "W[p,d] x[d]", np.matmul),
    Case(r"\begin{aligned} y &= \\ &= W x \end{aligned}", "W[p,d] x[d]", np.matmul),
    # Near miss: a function called left.
    Case(r"left(i) = 2i + 1", "i", lambda i: 2 * i + 1),
)
def test_escaped_or_bare(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"u \= W x", [r"the backslash of `\=` belongs to Markdown, not to the formula"]),
        (r"u = x / sqrt{3}", ["TeX shows `sqrt` as letters"]),
        (r"u = x / sqrt(3)", []),
    ],
)
def test_bare_or_escaped_is_told(latex: str, told: list[str]) -> None:
    assert [problem.message for problem in compile_formula(latex).diagnostics] == told
