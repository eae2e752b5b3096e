"""Formulas whose inputs the note defines: they have the ranks that their definitions give them."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from tables import Case, check, table

GATES = [
    r"f_t = \sigma(W_f [h_{t-1}, x_t] + b_f)",
    r"i_t = \sigma(W_i [h_{t-1}, x_t] + b_i)",
    r"\tilde{c}_t = \tanh(W_c [h_{t-1}, x_t] + b_c)",
    r"c_t = f_t * c_{t-1} + i_t * \tilde{c}_t",
    r"o_t = \sigma(W_o [h_{t-1}, x_t] + b_o)",
]
LARGE = [gate.replace("c}_t", "C}_t").replace("c_", "C_") for gate in GATES]
SUMS = [
    r"S_i = \sum_{j=1}^{i} \phi(k_j) v_j^\top",
    r"z_i = \sum_{j=1}^{i} \phi(k_j)",
]


# The u of one token: that the note has a g for each of several tells that there are more.
OF_TOKENS = [r"p = W_p x", r"g = W_g x", r"u = W_u x", r"s_{ij} = p_i^\top g_j"]


@table(
    # A number that the note defines makes no query of what it scales.
    Case(
        r"\hat x = s q",
        "x[n] q[d]",
        lambda x, q: np.max(np.abs(x)) / 127 * q,
        context=[r"s = \frac{\max |x|}{127}"],
    ),
    Case(r"N = \exp(H)", "H", np.exp, context=[r"H = -\sum_i p_i \log p_i"]),
    Case(
        r"y_i = \sum_j \beta_{ij} u_j",
        "beta[n,m] u[m,d]",
        np.matmul,
        context=OF_TOKENS,
    ),
    Case(
        r"y_i = \sum_j \beta_{ij} u_j",
        "beta[n,m] u[m]",
        np.matmul,
        context=[OF_TOKENS[2]],
    ),
)
def test_rows_and_entries_of_what_is_made_whole(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(("context", "told"), [(OF_TOKENS, False), (OF_TOKENS[2:3], True)])
def test_entries_of_what_is_made_whole_are_told(context: list[str], told: bool) -> None:
    found = compile_formula(r"y_i = \sum_j \beta_{ij} u_j", context=context).diagnostics
    assert any("makes `u` whole" in one.message for one in found) == told


@table(
    # A length is a number, though its letter counts features elsewhere.
    Case(
        r"k = \exp(-d^2 / (2 c^2))",
        "d c+",
        lambda d, c: np.exp(-(d**2) / (2 * c**2)),
        context=[r"d = \|u - w\|"],
    ),
    Case(
        r"z_i = x_i^p E",
        "a+ b+ p E[d]",
        lambda a, b, p, e: np.outer([a**p, b**p], e),
        context=r"x = [a; b]",
    ),
    Case(
        r"c_t = f_t * c_{t-1} + i_t * \tilde{c}_t",
        "f[d] c[d] i[d] c_tilde[d]",
        lambda f, c, i, new: f * c + i * new,
        context=GATES[:3],
    ),
    Case(
        r"C_t = f_t * C_{t-1} + i_t * \tilde{C}_t",
        "f[d] C[d] i[d] C_tilde[d]",
        lambda f, c, i, new: f * c + i * new,
        context=LARGE[:3],
    ),
    Case(
        r"h_t = o_t * \tanh(C_t)",
        "o[n,d] C[n,d]",
        lambda o, c: o * np.tanh(c),
        context=LARGE,
    ),
    Case(
        r"y = \sum_{m=1}^M w_m p_m",
        "w[m] p[m,v]",
        lambda w, p: w @ p,
        context=[r"p_m = \mathrm{softmax}(W_m x)"],
    ),
    Case(
        r"o_i = q_i^\top S_i",
        "q[n,d] S[n,d,v]",
        lambda q, s: np.einsum("nd,ndv->nv", q, s),
        context=SUMS,
    ),
    Case(
        r"Z = 2 \alpha V",
        "alpha[n,m] V[m,v]",
        lambda a, v: 2 * a @ v,
        context=[r"\alpha = \tanh(Q K^\top / \sqrt{d_k})"],
    ),
    Case(
        r"o_t = Q_t S_t",
        "Q[n,d] S[n,d,v]",
        lambda q, s: np.einsum("nd,ndv->nv", q, s),
        context=[r"S_t = \gamma S_{t-1} + K_t^\top V_t"],
    ),
    # Without a definition, custom decides: what weighs is a number.
    Case(r"Z = 2 \alpha V", "alpha V[m,v]", lambda a, v: 2 * a * v),
    Case(r"y = \sum_{m=1}^M w_m p_m", "w[m] p[m]", lambda w, p: w @ p),
    # One row of what its definition gives whole.
    Case(
        r"y = W_2 \tanh(W_1 h)",
        "W_2[d,p] W_1[p,e] h[e]",
        lambda w2, w1, h: w2 @ np.tanh(w1 @ h),
        context=[r"h = X + \mathrm{softmax}(X X^\top) X"],
    ),
    Case(
        r"y = w x + (1 - w) u",
        "w[d] x[d] u[d]",
        lambda w, x, u: w * x + (1 - w) * u,
        context=[r"w = \sigma(W x)"],
    ),
    Case(
        r"\mathbf{h}_t = (1 - \mathbf{z}_t) \mathbf{h}_{t-1} + \mathbf{z}_t \mathbf{c}_t",
        "z[d] h[d] c[d]",
        lambda z, h, c: (1 - z) * h + z * c,
        context=[r"\mathbf{z}_t = \sigma(\mathbf{W} \mathbf{x}_t)"],
    ),
    # It acts on all that stands behind it; a number scales, and attention is no gate.
    Case(
        r"Y = G X W + (1 - G) X",
        "G[n,d] X[n,d] W[d,d]",
        lambda g, x, w: g * (x @ w) + (1 - g) * x,
        context=[r"G = \sigma(X W_g)"],
    ),
    Case(
        r"H = G X + (1 - G) Y",
        "G[n,d] X[n,d] Y[n,d]",
        lambda g, x, y: g * x + (1 - g) * y,
    ),
    Case(
        r"y = 2 g W x + (1 - g) x",
        "g[d] W[d,d] x[d]",
        lambda g, w, x: 2 * g * (w @ x) + (1 - g) * x,
        context=[r"g = \sigma(W_g x)"],
    ),
    Case(
        r"Y = G^\top X + (1 - G)^\top Z",
        "G[n,m] X[n,d] Z[n,d]",
        lambda g, x, z: g.T @ x + (1 - g).T @ z,
        context=[r"G = \sigma(X W)"],
    ),
    Case(
        r"h = g W x + (1 - g) x",
        "g[d] W[d,d] x[d]",
        lambda g, w, x: g * (w @ x) + (1 - g) * x,
        context=[r"g = \sigma(W_g x)"],
    ),
    Case(
        r"Y = (G \odot X) W + (1 - G) \odot X",
        "G[n,d] X[n,d] W[d,d]",
        lambda g, x, w: (g * x) @ w + (1 - g) * x,
        context=[r"G = \sigma(X W_g)"],
    ),
    Case(
        r"O = \alpha A V + (1 - \alpha) V",
        "alpha A[n,n] V[n,d]",
        lambda c, a, v: c * a @ v + (1 - c) * v,
    ),
    Case(
        r"O = A V + (1 - A) V",
        "A[n,n] V[n,n]",
        lambda a, v: a @ v + (1 - a) * v,
        context=[r"A = \mathrm{softmax}(Q K^\top)"],
    ),
    # Dropout leaves what it is applied to as it was.
    Case(
        r"\text{output} = \text{p\_att} \cdot V",
        "p_att[n,m] V[m,d]",
        np.matmul,
        context=[
            r"\text{p\_att} = \mathrm{softmax}(G)",
            r"\text{p\_att} = \mathrm{Dropout}(\text{p\_att})",
        ],
    ),
    Case(
        r"p_{att} = \mathrm{Dropout}(p_{att})",
        "p_att[n,m]",
        lambda p: p,
        context=[r"p_{att} = \mathrm{softmax}(G)"],
    ),
    # A number that the note's function computes with is the note's.
    Case(
        r"y = s \cdot (q(x) - o)",
        "s x[d] o[d]",
        lambda s, x, o: s * (np.round(x / s) - o),
        context=[r"q(x) = \mathrm{round}\left(\frac{x}{s}\right)"],
    ),
    Case(
        r"y = c \, f(u) + f(v)",
        "c u[d] v[d]",
        lambda c, u, v: c * np.tanh(c * u) + np.tanh(c * v),
        context=[r"f(x) = \tanh(c x)"],
    ),
    Case(
        r"y_i = f(u_i) + c_i",
        "c_2 u[n,d] c[n,d]",
        lambda number, u, c: np.tanh(number * u) + c,
        context=[r"f(x) = \tanh(c x)"],
    ),
    Case(
        r"y = s^\top q(x)",
        "s[d] x[d] s_2",
        lambda s, x, number: s @ np.round(x / number),
        context=[r"q(x) = \mathrm{round}\left(\frac{x}{s}\right)"],
    ),
    # π is a number where    # π is a number where nothing says else.
    Case(r"v = \pi Q", "pi[n] Q[n,m]", np.matmul, context=[r"\pi = \sigma(W s)"]),
    Case(
        r"y = \sqrt{2 \pi} x",
        "x[d]",
        lambda x: np.sqrt(2 * np.pi) * x,
        context=[r"\pi = \sigma(W s)"],
    ),
    Case(
        r"y = \cos(\pi t)",
        "t",
        lambda t: np.cos(np.pi * t),
        context=[r"\pi = \sigma(W s)"],
    ),
    # A gate that is mixed with what it leaves acts on elements.
    Case(
        r"y_i = g_i x_i + (1 - g_i) c_i",
        "g[n,d] x[n,d] c[n,d]",
        lambda g, x, c: g * x + (1 - g) * c,
        context=[r"g_i = \sigma(W_g x_i)"],
    ),
    Case(
        r"G = Z \cdot G_s + (1 - Z) \cdot G_p",
        "Z[n,d] G_s[n,d] G_p[n,d]",
        lambda g, s, p: g * s + (1 - g) * p,
        context=[r"Z = \sigma(W_z [G_s; G_p])"],
    ),
    # What is defined without an index is one of those that have one.
    Case(
        r"y_t = g_t x_t",
        "g[n] x[n,d]",
        lambda g, x: g[:, None] * x,
        context=[r"g = \mathrm{softmax}(W x)"],
    ),
)
def test_values(case: Case) -> None:
    check(case)


def test_a_parameter_is_no_array_of_the_note() -> None:
    f = compile_formula(r"f(a) = a + 1", context=[r"a = W x"])
    assert [given.shape for given in f.inputs] == [()]


def test_what_cannot_be_read_as_defined_is_refused() -> None:
    context = [r"A \in \mathbb{R}^{b \times n \times d}", r"x_f = \mathrm{LayerNorm}(x_l)"]
    assert compile_formula(r"y = x_f A", context=context[:1]).inputs[0].shape == ()
    with pytest.raises(FormulaError, match="more than two axes"):
        compile_formula(r"y = x_f A", context=context)


def test_another_section_must_write_the_same_letters() -> None:
    mean = r"\mu = \frac{1}{d} \sum_{i=1}^d x_i, s = \sqrt{\frac{1}{d} \sum_{i=1}^d (x_i - \mu)^2}"
    step = r"x_{l+1} = \mathrm{LN}(x_l + F(x_l))"
    entries = [Entry(mean, "Note.md", ("Mean",), 0), Entry(step, "Note.md", ("Layers",), 1)]
    compiler = Compiler(Linker(entries, library().scope), library())
    equation = compiler.compiled(entries[0]).equation
    assert equation is not None
    assert [len(given.shape) for given in equation.inputs] == [1]


@pytest.mark.parametrize(
    ("scores", "status"),
    [(r"u^\top \tanh(G x_t)", "formula"), (r"U \tanh(G x_t)", "rejected")],
)
def test_what_weighs_vectors_is_a_number_for_each(scores: str, status: str) -> None:
    weights = rf"\beta_t = \mathrm{{softmax}}({scores})"
    latex = (weights, r"c = \sum_t \beta_t \cdot x_t")
    entries = [Entry(one, "Note.md", (), order) for order, one in enumerate(latex)]
    compiler = Compiler(Linker(entries, library().scope), library())
    made, sums = map(compiler.compiled, entries)
    assert made.status == status
    assert sums.equation is not None
    assert [len(given.shape) for given in sums.equation.inputs] == [1, 2]


def test_what_is_a_vector_by_itself_and_as_defined_stays_one() -> None:
    f = compile_formula(
        r"G_t = F_t \odot (1 + \alpha S_t)", context=[r"S_t = \sigma(\mathrm{Gaze}(F_t, M_t))"]
    )
    assert [(given.name, len(given.shape)) for given in f.inputs if given.name == "S"] == [("S", 2)]


def test_a_number_of_a_function_is_no_array_of_another_formula() -> None:
    context = [r"\sigma_\beta(x) = \frac{1}{1 + e^{-\beta x}}"]
    with pytest.raises(FormulaError, match="a number in one place and an array in another"):
        compile_formula(r"y_i = \beta_i \sigma_\beta(x_i)", context=context)


def test_an_equation_solved_for_its_function_defines_nothing() -> None:
    entries = [
        Entry(latex, order=at) for at, latex in enumerate((r"y = F(x) + x", r"F(x) = y - x"))
    ]
    (y, f) = map(Compiler(Linker(entries, library().scope), library()).compiled, entries)
    assert y.equation is not None and f.equation is not None
    kinds = {one.name: one.kind for one in y.equation.inputs}
    assert kinds == {"F": "function", "x": "array"}


def test_a_function_may_compute_with_a_state() -> None:
    formulas = (r"h_t = g(x_t)", r"g(x) = \tanh(W x + U h_{t-1})")
    entries = [Entry(latex, order=at) for at, latex in enumerate(formulas)]
    h = Compiler(Linker(entries, library().scope), library()).compiled(entries[0])
    assert h.equation is not None
    assert {one.name for one in h.equation.inputs} >= {"x", "W", "U"}
    assert len(h.equation.value.indices) == 2


@table(
    # The t of a function is that of what it is given.
    Case(
        r"y_t = F(x_t)",
        "x[n,d] A[n] B[n,d]",
        lambda x, a, b: a[:, None] * x + b,
        context=[r"F(x) = A_t x + B_t, \quad A_t \in \mathbb{R}, B_t \in \mathbb{R}^d"],
    ),
)
def test_what_a_function_has_one_for_each_of(case: Case) -> None:
    check(case)


def test_an_array_that_a_function_makes_for_itself_is_told() -> None:
    context = [r"F(x) = A_t x, \quad A_t = \tanh(u_t)"]
    (told,) = (
        one.message
        for one in compile_formula(r"y_t = F(x_t) + A_t", context=context).diagnostics
        if one.code == "N2C035"
    )
    assert told == "`A` is given here, and `F` makes its own"
    assert not [
        one
        for one in compile_formula(r"y_t = F(x_t) + u_t", context=context).diagnostics
        if one.code == "N2C035"
    ]


def test_a_function_between_two_transposes_is_called_twice() -> None:
    latex = r"s = f(x)^\top f(y), \quad f(x) = \tanh(W x)"
    rng = np.random.default_rng(0)
    w, x, y = rng.standard_normal((3, 4)), rng.standard_normal(4), rng.standard_normal(4)
    found = compile_formula(latex).reference(W=w, x=x, y=y)
    np.testing.assert_allclose(found, np.tanh(w @ x) @ np.tanh(w @ y))


# Where only what the note defines before holds what a function is given, it is made of that.
@table(
    Case(
        r"f(x) = g + c",
        "x[d] W[p,d] c",
        lambda x, w, c: np.tanh(w @ x) + c,
        context=[r"g = \tanh(W x)"],
    ),
    Case(
        r"f(x, y) = x + g",
        "x[d] y[d]",
        lambda x, y: x + np.tanh(y),
        context=[r"g = \tanh(y)"],
    ),
    Case(
        r"J(\theta) = \frac{1}{n} \sum_i (y_i - \hat y_i)^2",
        "theta[d] x[n,d] y[n]",
        lambda theta, x, y: np.mean((y - x @ theta) ** 2),
        context=[r"\hat y_i = \theta^\top x_i"],
    ),
)
def test_what_only_definitions_give_a_function(case: Case) -> None:
    check(case)


# What a note defines under the same letter and is something else.
@table(
    Case(
        r"o = \sum_{i=1}^{N} \alpha_i h_i",
        "alpha[N] h[N,d]",
        lambda alpha, h: alpha @ h,
        context=[r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_k \exp(e_{ik})}"],
    ),
    Case(
        r"y = \sigma(x W + b)",
        "x[d] W[d,p] b[p]",
        lambda x, w, b: 1 / (1 + np.exp(-(x @ w + b))),
        context=[
            r"\mu = \frac{1}{n} \sum_{i=1}^{n} a_i",
            r"\sigma_{r g}(x) = \sqrt{\frac{1}{C} \sum_{c=1}^{C} (x_{r g c} - \mu)^2 + \epsilon}",
        ],
    ),
    Case(
        r"g_t = \sigma(U h_{t-1} + W x_t + b)",
        "U[p,r] h[n,r] W[p,d] x[n,d] b[p]",
        lambda u, h, w, x, b: 1 / (1 + np.exp(-(h @ u.T + x @ w.T + b))),
        context=[r"h_l = \mathrm{TransformerBlock}(h_{l-1})", r"h_t = f(W_h h_{t-1} + W_x x_t)"],
    ),
)
def test_what_is_defined_otherwise_is_no_input(case: Case) -> None:
    check(case)


def test_a_function_may_have_the_name_of_what_it_gives() -> None:
    latex = r"s_{ij} = q_i^\top k_j, \quad q_i = q(x_i), \quad k_j = k(x_j)"
    x = np.random.default_rng(0).standard_normal((4, 3))
    found = compile_formula(latex).reference(x=x, q=np.sin, k=np.tanh)
    np.testing.assert_allclose(found, np.sin(x) @ np.tanh(x).T)
    moved = compile_formula(r"u_i = q_i + p_i", context=[r"q_i = q(x_i)"])
    assert [one.name for one in moved.inputs] == ["q", "p"]
