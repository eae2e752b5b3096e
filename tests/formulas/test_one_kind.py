"""What is added, joined or multiplied element by element is of one kind; what is not, is told."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, softmax, table


@table(
    # A capital or a word that is added to an array is one.
    Case(r"Y = X W + \Delta", "X[n,d] W[d,e] Delta[n,e]", lambda x, w, d: x @ w + d),
    Case(r"X^{(l+1)} = X^{(l)} + \Delta^{(l)}", "X[n,d] Delta[n,d]", np.add),
    Case(r"z = v_x + PE_{pos}", "v_x[d] PE_pos[d]", np.add),
    # A location is a vector as its noise is; what is drawn off is a mean.
    Case(
        r"z = \mu + \sigma \odot \epsilon", "mu[d] sigma[d] epsilon[d]", lambda m, s, e: m + s * e
    ),
    Case(r"y = x - \mu", "x[d] mu", np.subtract),
    # Beside an array a small ε is a number; a deviation has noise of its own kind.
    Case(r"z = x + \epsilon \sqrt{v}", "x[d] epsilon v+[d]", lambda x, e, v: x + e * v**0.5),
    # A number in every score would change nothing; the logarithm of the number π neither.
    Case(
        r"z = \mathrm{softmax}((\log \pi + g) / \tau)",
        "pi+[d] g[d] tau+",
        lambda p, g, t: softmax((np.log(p) + g) / t),
    ),
    Case(r"z = \mathrm{softmax}(u - c)", "u[d] c", lambda u, c: softmax(u)),
    # What stands beside ⊙ has elements, whatever sizes are called.
    Case(r"y = C h + D \odot x", "C[d,n] h[n] D[d] x[d]", lambda c, h, d, x: c @ h + d * x),
    Case(
        r"\text{Out}_t = \text{Conv}_t + D \odot \text{Mem}_t",
        "Conv[n,d] D[d] Mem[n,d]",
        lambda c, d, m: c + d * m,
    ),
    Case(
        r"H(x) = (\gamma + (1 + e^{-\beta \odot x})^{-1} \odot (1 - \gamma)) \odot x",
        "x[d] gamma[d] beta[d]",
        lambda x, g, b: (g + sigmoid(b * x) * (1 - g)) * x,
    ),
    Case(
        r"Z = (1 - M) \odot X + M \odot \epsilon",
        "M[n,d] X[n,d] epsilon[n,d]",
        lambda m, x, e: (1 - m) * x + m * e,
    ),
    Case(r"Y = (1 + e^{-X W})^{-1}", "X[n,d] W[d,p]", lambda x, w: sigmoid(x @ w)),
    Case(r"a = \frac{1}{1 + e^{-W x}}", "W[n,d] x[d]", lambda w, x: sigmoid(w @ x)),
    # What bounds a matrix is a number; of what one layer loses there is one.
    Case(
        r"\mathrm{fit}(X, a, b) = \min(\max(X, a), b)",
        "X[n,d] a b",
        lambda x, a, b: np.minimum(np.maximum(x, a), b),
    ),
    Case(
        r"\mathcal{L}^{(l)} = c \sum_{i=1}^{E} f_i^{(l)} P_i^{(l)}",
        "c f[n,E] P[n,E]",
        lambda c, f, p: c * (f * p).sum(1),
    ),
    Case(r"L^{(l)} = D^{(l)} - A^{(l)}", "D[h,n,d] A[h,n,d]", np.subtract),
    # Angles are of the kind of what is turned.
    Case(
        r"\mathrm{turn}(x, m) = x \odot \cos(m \Theta) + (J x) \odot \sin(m \Theta)",
        "x[d] m Theta[d] J[d,d]",
        lambda x, m, t, j: x * np.cos(m * t) + j @ x * np.sin(m * t),
    ),
    Case(
        r"Y = X \odot \cos(\Theta) + (X J) \odot \sin(\Theta)",
        "X[n,d] Theta[n,d] J[d,d]",
        lambda x, t, j: x * np.cos(t) + x @ j * np.sin(t),
    ),
    # At a time words are vectors, of a head they are matrices, and scores are numbers.
    Case(r"\text{Mem}_t = \text{Mem}_{t-1} + \text{Read}_t", "Mem[d] Read[d]", np.add),
    Case(r"\text{Block}_i = X + \text{Head}_i", "X[n,d] Head[h,n,d]", np.add),
    Case(
        r"\text{Out} = \sum_i \text{Energy}_i \cdot \text{Value}_i",
        "Energy[n] Value[n,d]",
        lambda e, v: e @ v,
    ),
    # Parts that are told apart by a word are of the kind of the whole.
    Case(
        r"q_{t,i} = [q_{t,i}^{A}; q_{t,i}^{B}]",
        "q_A[n,h,d] q_B[n,h,e]",
        lambda a, b: np.concatenate([a, b], -1),
    ),
    Case(r"c = [e_{word}; e_{image}]", "e_word[d] e_image[e]", lambda a, b: np.concatenate([a, b])),
    # Heads are told apart above, and are vectors at each place; samples are told apart so, too.
    Case(
        r"y_i = W^O [z_i^{(1)}, z_i^{(2)}, \dots, z_i^{(h)}]",
        "W_O[e,h*d] z[h,n,d]",
        lambda w, z: np.concatenate(z, 1) @ w.T,
    ),
    Case(
        r"\mathbf{y}_i = \mathrm{Concat}(\mathbf{y}_i^{1}, \dots, \mathbf{y}_i^{h}) W^O",
        "y[n,h,d] W_O[h*d,e]",
        lambda y, w: y.reshape(len(y), -1) @ w,
    ),
    Case(r"y_j = W [x_j^{(1)}, \dots, x_j^{(m)}]", "W[e,m] x[m,d]", lambda w, x: (w @ x).T),
    # What a value is compared with is a number, as it is.
    Case(
        r"L(\theta) = (V_\theta(s_t) - V_t^{goal})^2",
        "V_theta() s[n] V_goal[n]",
        lambda f, s, v: (f(s) - v) ** 2,
        shapes={"s": ["n"]},
    ),
    # What is added to dot products is a number.
    Case(
        r"P = \sigma(u^\top h_t + w_s^\top s_t + b)",
        "u[d] h[n,d] w_s[e] s[n,e] b",
        lambda u, h, w, s, b: sigmoid(h @ u + s @ w + b),
    ),
    # Of weights and vectors the weights are the numbers, by head, too.
    Case(
        r"o_i = \sum_{h=1}^{H} W_o^{(h)} \sum_{j=1}^{m} \alpha_{i,j}^{(h)} v_{i,j}^{(h)}",
        "W_o[H,e,d] alpha[H,n,m] v[H,n,m,d]",
        lambda w, a, v: np.einsum("hed,hnm,hnmd->ne", w, a, v),
    ),
    # An indicator of a layer has its elements.
    Case(
        r"g = \mathbb{1}[W x + b > 0]",
        "W[m,d] x[d] b[m]",
        lambda w, x, b: (w @ x + b > 0).astype(float),
    ),
    # A function takes things of one kind, whatever their letters count elsewhere.
    Case(
        r"L = \|f(a) - f(n)\|^2",
        "f() a[d] n[d]",
        lambda f, a, n: ((f(a) - f(n)) ** 2).sum(),
    ),
    # Scores are elements of the matrix that stands beside what is made of their places.
    Case(
        r"S_{ij} = X W X^\top + m (j - i)",
        "X[n,d] W[d,d] m",
        lambda x, w, m: x @ w @ x.T + m * (np.arange(len(x)) - np.arange(len(x))[:, None]),
    ),
    Case(
        r"S_{ij} = Q K^\top + B_{ij}",
        "Q[n,d] K[m,d] B[n,m]",
        lambda q, k, b: q @ k.T + b,
    ),
    # A sum over the last index of what is defined as a vector is one over its elements; over
    # layers, and where the note has such vectors, it is not.
    Case(
        r"s_k = \sum_{d=1}^{D} w_d \hat{h}_{k,d}",
        "w[D] h_hat[n,D]",
        lambda u, h: h @ u,
        context=[r"\hat{h}_k = a_k h_k", r"h_k \in \mathbb{R}^D"],
    ),
    Case(
        r"y_i = \sum_l h_i^{(l)}",
        "h[n,l,d]",
        lambda h: h.sum(0),
        context=[r"h_i = W x_i"],
    ),
    Case(
        r"s_i = \sum_t a_{it} h_{it}",
        "a[n,t] h[n,t,d]",
        lambda a, h: np.einsum("it,itd->id", a, h),
        context=[r"h_{it} = \tanh(W x_{it})", r"h_i = \tanh(U s_i)"],
    ),
    # The word below a loss is no class.
    Case(
        r"L_{cls} = -\sum_c y_c \log p_c",
        "y[n] p+[n]",
        lambda y, p: -(y * np.log(p)).sum(),
    ),
)
def test_kinds(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("context", "axes"),
    [
        ([], 2),
        ([r"S_t = \gamma_t S_{t-1} + k_t v_t^\top"], 1),
        ([r"h_t = \gamma_t \odot h_{t-1} + W x_t"], 2),
        # What is used in both ways tells nothing.
        ([r"S_t = \gamma_t S_{t-1} + k_t v_t^\top", r"y_t = W \gamma_t + b"], 2),
    ],
)
def test_an_unknown_function_gives_what_its_name_is_in_the_section(
    context: list[str], axes: int
) -> None:
    assert len(compile_formula(r"\gamma_t = f(x_t)", context=context).shape) == axes


@pytest.mark.parametrize("function", [r"\epsilon_\theta", r"\phi"])
def test_a_function_is_given_what_it_is_given(function: str) -> None:
    formula = compile_formula(rf"\rho = {function}(x)", context=[r"s = 2 \rho"])
    assert [len(one.shape) for one in formula.inputs if one.name == "x"] == [1]


def told(latex: str, context: str | list[str] = "") -> list[str]:
    """What is said of a formula that is read."""
    return [d.message for d in compile_formula(latex, context=context).diagnostics]


def test_what_is_multiplied_into_each_row_or_added_to_each_part_is_told() -> None:
    gated = compile_formula(r"Y = g \odot X")
    assert [one.message for one in gated.diagnostics] == ["each row of `X` is multiplied by `g`"]
    added = compile_formula(r"B = A + P", context=[r"P \in \mathbb{R}^{a \times b \times c}"])
    assert [one.message for one in added.diagnostics] == ["`A` is added to each part of `P`"]
    biased = compile_formula(r"Y = P + b", context=[r"P \in \mathbb{R}^{a \times b \times c}"])
    assert not any("each part" in one.message for one in biased.diagnostics)


def test_a_number_that_is_added_to_an_array_is_told() -> None:
    found = told(r"Y = X W + P", context=[r"P = V d + L (4 d^2 + 2 d)"])
    assert any("`P` is taken for a number" in message for message in found)


def test_a_division_by_a_vector_is_told() -> None:
    found = told(r"y_i = \frac{S_i u}{Z_i}, \quad Z_i = \sum_{j \le i} W k_j")
    assert any("the division by the vector `Z_i` is element by element" in m for m in found)


@pytest.mark.parametrize(
    "latex",
    [r"y = \frac{x - \mu}{\sqrt{v + \epsilon}}", r"y = \frac{e^x}{1 + e^x}", r"y = x \oslash z"],
)
def test_a_plain_division_is_not_told(latex: str) -> None:
    assert not any("division" in message for message in told(latex))


def test_what_may_be_an_entry_of_a_softmax_is_told() -> None:
    assert any("one for each `i`" in m for m in told(r"p_i = \mathrm{softmax}(z_i / T)"))
    assert not any("one for each" in m for m in told(r"p_i = \mathrm{softmax}(\mathbf{z}_i)"))
    assert not any("one for each" in m for m in told(r"\alpha_i = \mathrm{softmax}(e_i)"))
    assert not any("one for each" in m for m in told(r"\alpha_{ij} = \mathrm{softmax}(e_{ij})"))


def test_weights_are_numbers() -> None:
    with pytest.raises(FormulaError, match="weights are numbers"):
        compile_formula(r"z_i \in \mathbb{R}^{d}, \quad p_i = \frac{\exp(z_i)}{\sum_j \exp(z_j)}")


@table(
    # A cell with a capital is a vector as its gates are, which `*` multiplies by element.
    Case(
        r"C_t = f_t * C_{t-1} + i_t * g_t",
        "f[d] C[d] i[d] g[d]",
        lambda f, c, i, g: f * c + i * g,
    ),
    Case(r"C_t = C_{t-1} + x_t", "C[d] x[d]", np.add),
    Case(
        r"h_t = o_t \odot \tanh(C_t)",
        "o[n,d] C[n,d]",
        lambda o, c: o * np.tanh(c),
        context=[r"C_t = C_{t-1} + x_t"],
    ),
    Case(r"H^{(l+1)} = H^{(l)} + B^{(l)}", "H[n,d] B[n,d]", np.add),
    # A gate that the notes define as a vector mixes vectors element by element, signs or none.
    Case(
        r"h_t = (1 - z_t) h_{t-1} + z_t \tilde{h}_t",
        "z[d] h[d] h_tilde[d]",
        lambda z, h, g: (1 - z) * h + z * g,
        context=[r"z_t = \sigma(W_z x_t)"],
    ),
    Case(
        r"h_t = (1 - z_t) h_{t-1} + z_t \tilde{h}_t",
        "z h[d] h_tilde[d]",
        lambda z, h, g: (1 - z) * h + z * g,
        context=[r"z_t = \sigma(w^\top x_t)"],
    ),
    # So does one whose opposite another formula defines; attention beside its own mixes rows.
    Case(
        r"y = g x + f z",
        "g[d] x[d] f[d] z[d]",
        lambda g, x, f, z: g * x + f * z,
        context=[r"g = \sigma(W u)", "f = 1 - g"],
    ),
    Case(
        r"Y = G X + F Z",
        "G[n,d] X[n,d] F[n,d] Z[n,d]",
        lambda g, x, f, z: g * x + f * z,
        context=[r"G = \sigma(U W)", "F = 1 - G"],
    ),
    Case(
        r"h_t = f_t h_{t-1} + z_t \tilde h_t",
        "f[d] h[d] z[d] h_tilde[d]",
        lambda f, h, z, g: f * h + z * g,
        context=[r"z_t = \sigma(W_z x_t + U_z h_{t-1})", "f_t = 1 - z_t"],
    ),
    Case(
        r"y = \alpha x + \beta z",
        "alpha x[d] beta z[d]",
        lambda a, x, b, z: a * x + b * z,
        context=[r"\alpha = \sigma(w^\top u)", r"\beta = 1 - \alpha"],
    ),
    Case(
        r"O = A V + B U",
        "A[n,m] V[m,d] B[n,k] U[k,d]",
        lambda a, v, b, u: a @ v + b @ u,
        context=[r"A = \mathrm{softmax}(Q K^\top)", "B = 1 - A"],
    ),
    # A state that is read is no state that goes on: the delta rule adds an outer product.
    Case(
        r"S_t = S_{t-1} + \beta_t (v_t - S_{t-1} k_t) k_t^\top",
        "S[d,e] beta v[d] k[e]",
        lambda s, b, v, k: s + b * np.outer(v - s @ k, k),
    ),
    # A vector beside ⊙ scales the columns of a matrix with a capital.
    Case(
        r"Y = s \odot X",
        "s[d] X[n,d]",
        lambda s, x: s * x,
        context=[r"s = \sigma(W z)"],
    ),
    # What is known to be a number makes no numbers of what it is added to.
    Case(
        r"z = \mu + \sigma \odot \epsilon",
        "mu sigma[d] epsilon[d]",
        lambda m, s, e: m + s * e,
        context=[r"\mu = 1"],
    ),
    # A cache has rows, and the weight of a term is a number.
    Case(
        r"\text{Cache}_t = [\text{Cache}_{t-1}; k_t]",
        "Cache[n,d] k[d]",
        lambda c, k: np.vstack([c, k]),
    ),
    Case(
        r"w_{t,j} = \mathrm{tf}_{t,j} \cdot \mathrm{idf}_t",
        "tf[n,m] idf[n]",
        lambda t, i: t * i[:, None],
    ),
    Case(r"f(x) = [x_1^p, x_2^p, \ldots, x_d^p]", "x+[d] p", np.power),
    # The N of each class counts.
    Case(r"\mathbf{c}_j = \frac{\mathbf{m}_j}{N_j}", "m[k,d] N+[k]", lambda m, n: m / n[:, None]),
)
def test_kinds_of_states(case: Case) -> None:
    check(case)


def test_what_acts_on_elements_tells_nothing_of_their_kind() -> None:
    """H_t is a row of states beside X_t, though H_t = O_t ⊙ tanh(C_t) may be of matrices."""
    state = [r"H_t = O_t \odot \tanh(C_t)"]
    found = compile_formula(r"F_t = \sigma(W_x X_t + W_h H_{t-1} + b)", context=state)
    assert {one.name: len(one.shape) for one in found.inputs}["H"] == 2
    assert len(found.shape) == 2


def test_a_state_stays_of_its_size() -> None:
    given = {one.name: one.shape for one in compile_formula(r"h_t = A h_{t-1} + B x_t").inputs}
    assert given["A"] == (*given["h"], *given["h"])
    grown = compile_formula(r"K_t = [K_{t-1}; k_t]")
    assert grown.shape[0] != {one.name: one.shape for one in grown.inputs}["K"][0]


def test_gates_act_on_elements_in_formulas_apart() -> None:
    gates = [r"i_t = \sigma(W_i x_t)", r"f_t = \sigma(W_f x_t)"]
    found = compile_formula(r"c_t = f_t c_{t-1} + i_t \tanh(W_c x_t)", context=gates)
    assert {one.name: len(one.shape) for one in found.inputs} == {
        "f": 1,
        "c": 1,
        "i": 1,
        "W_c": 2,
        "x": 1,
    }


def test_a_hidden_layer_is_no_gate() -> None:
    found = compile_formula(r"h = \sigma(W x + b), \quad y = V h + c")
    assert {one.name: len(one.shape) for one in found.inputs} == {
        "W": 2,
        "x": 1,
        "b": 1,
        "V": 2,
        "c": 1,
    }


def test_a_state_stays_of_its_kind() -> None:
    found = compile_formula(r"S_t = A_t \odot S_{t-1} + B_t x_t")
    assert {one.name: len(one.shape) for one in found.inputs}["S"] == len(found.shape)


def test_what_has_weights_behind_a_semicolon_is_called() -> None:
    f = compile_formula(r"y_t = \sum_j a_{t,j} f_{t,j}(x_j; \theta_t)")
    assert {given.name: given.kind for given in f.inputs}["f"] == "function"
    f = compile_formula(r"y = W (q; k)")
    assert {given.name: given.kind for given in f.inputs}["W"] == "array"
