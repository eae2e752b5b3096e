"""States of a layer between one layer and the next."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # Layers are of different widths, as many names as these have.
    Case(
        r"h^{(\ell)} = \tanh(W^{(\ell)} h^{(\ell-1)} + b^{(\ell)})",
        "W[e,d] h[d] b[e]",
        lambda w, h, b: np.tanh(w @ h + b),
        context=r"W^{(\ell)} \in \mathbb{R}^{d_\ell \times d_{\ell-1}}, \quad "
        r"b^{(\ell)} \in \mathbb{R}^{d_\ell}",
    ),
    Case(
        r"h_l = \tanh(W_l h_{l-1}) \quad \text{where } W_l \in \mathbb{R}^{n_{l+1} \times n_{l-1}}",
        "W[e,d] h[d]",
        lambda w, h: np.tanh(w @ h),
    ),
)
def test_widths(case: Case) -> None:
    check(case)


@table(
    # Nothing is defined by one of its powers: what stands so on the left counts layers.
    Case(
        r"\tilde{u}_i^{n-1} = W u_i^{n-1} + c",
        "W[e,d] u[m,d] c[e]",
        lambda w, u, c: u @ w.T + c,
    ),
    Case(r"u_i^{n-1} = v_i^{n-1} - \beta z_i^{n-1}", "v[m] beta z[m]", lambda v, b, z: v - b * z),
    # Near misses: what stands there without it, too, is raised to a power.
    Case(
        r"\hat{p}_i^{n-1} = p_i^{n-1} (2 - p_i)",
        "p+[m] n",
        lambda p, n: p ** (n - 1) * (2 - p),
    ),
    # What is at the step of the left-hand side is not raised to it either.
    Case(r"a^{l+1} = \sigma(u^{l+1})", "u[d]", lambda u: 1 / (1 + np.exp(-u))),
    Case(
        r"x^{l+1} = \tilde{x}^{l+1} + \tanh(\tilde{x}^{l+1})",
        "x_tilde[d]",
        lambda x: x + np.tanh(x),
    ),
    Case(r"q^{k+1} = \max(v^{k+1}, 0)", "v[d]", lambda v: np.maximum(v, 0)),
    # But what also stands without it is, and any other letter may be an exponent.
    Case(r"y^{p+1} = c x^{p+1}", "c x+[d] p", lambda c, x, p: c * x ** (p + 1)),
    Case(r"s^{n+1} = \frac{1 - r^{n+1}}{1 - r}", "r+ n", lambda r, n: (1 - r ** (n + 1)) / (1 - r)),
    # So is a letter that counts below, too.
    Case(r"v_n = \frac{x^{n-1}}{2}, n \ge 1", "x n#", lambda x, n: x ** np.arange(n) / 2),
    # The s of a state that others move towards is a label.
    Case(
        r"p_i^{(k+1)} = p_i^{(k)} + \beta (p_s^{(k)} - p_i^{(k)})",
        "p[m] beta p_s",
        lambda p, b, s: p + b * (s - p),
    ),
)
def test_the_layer_above_the_left_hand_side(case: Case) -> None:
    check(case)


def test_a_prime_behind_the_number_of_a_layer_is_one_of_the_state() -> None:
    assert compile_formula(r"z^{(l)'} = \tanh(W_1 z^{(l-1)})").name == "z_prime"
    formula = compile_formula(r"z^{(l)} = z^{(l)'} + W_2 z^{(l)'}")
    assert [given.name for given in formula.inputs] == ["z_prime", "W_2"]
    rng = np.random.default_rng(3)
    w, z = rng.standard_normal((5, 5)), rng.standard_normal((3, 5))  # of three layers
    np.testing.assert_allclose(formula.reference(z_prime=z, W_2=w), z + z @ w.T)


def test_what_a_layer_makes_of_its_input_is_no_definition_of_that_input() -> None:
    heads = r"\mathrm{head}_j = \mathrm{Attention}(X W_Q^{(j)}, X W_K^{(j)}, X W_V^{(j)})"
    joined = r"\mathrm{MHA}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W_O"
    inner = r"X'_l = X_l + \mathrm{MHA}(\mathrm{LayerNorm}(X_l))"
    outer = r"X_{l+1} = X'_l + \mathrm{FFN}(\mathrm{LayerNorm}(X'_l))"
    formula = compile_formula(joined, context=f"$${heads}$$\n$${inner}$$\n$${outer}$$")
    assert formula.inputs[0].name == "X"
    formula = compile_formula(inner, context=f"$${heads}$$\n$${joined}$$\n$${outer}$$")
    assert formula.component == "add_norm"


@table(
    # What a layer adds to its input is that of one layer, though the sum has another name.
    Case(
        r"y_l = v_{l-1} + \mathrm{ReLU}(v_{l-1})",
        "v[d]",
        lambda v: v + np.maximum(v, 0),
    ),
    Case(
        r"\mathbf{V}^{(\ell)} = \mathrm{ReLU}(\mathbf{Y}^{(\ell)}) + \mathbf{Y}^{(\ell)}",
        "Y[n,d]",
        lambda y: np.maximum(y, 0) + y,
    ),
    # Near misses: a sum runs over the l, or what is added is made of another thing.
    Case(
        r"y = \sum_{l=1}^{L} (v_l + \mathrm{ReLU}(v_l))",
        "v[L,d]",
        lambda v: (v + np.maximum(v, 0)).sum(0),
    ),
    Case(
        r"v_l = y_l + \mathrm{ReLU}(u_l)",
        "y[n,d] u[n,d]",
        lambda y, u: y + np.maximum(u, 0),
    ),
)
def test_what_a_layer_adds(case: Case) -> None:
    check(case)


def test_a_function_keeps_its_component_beside_the_step_that_calls_it() -> None:
    latex = r"F(x) = \max(0, x W_1 + b_1) W_2 + b_2, \quad x = x + F(x)"
    assert compile_formula(latex).component == "feed_forward"


def test_a_loss_is_computed_beside_the_step_of_its_gradient() -> None:
    latex = r"J(w) = \|X w - y\|^2, \quad w = w - \eta \nabla J(w)"
    assert compile_formula(latex).name == "J"
