"""Gates, noise and dot products written out: what acts on each element."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, sigmoid, table


@table(
    # A gate of one step scales what takes something from the state, and is not called with it.
    Case(
        r"S_t = g_t (I - \beta_t k_t k_t^\top) S_{t-1} + \beta_t k_t v_t^\top",
        "S[d,r] g beta k[d] v[r]",
        lambda s, g, b, k, v: g * (np.eye(len(k)) - b * np.outer(k, k)) @ s + b * np.outer(k, v),
    ),
    Case(
        r"M_t = M_{t-1} f_t (I - u_t u_t^\top)",
        "M[r,d] f u[d]",
        lambda m, f, u: f * m @ (np.eye(len(u)) - np.outer(u, u)),
    ),
    # A bias is raised to nothing that tells its weights apart.
    Case(
        r"g_t = \sigma(W^r x_t + U^r u_t + b^r)",
        "W_r[p,d] x[n,d] U_r[p,q] u[n,q] b_r[p]",
        lambda w, x, u, y, b: sigmoid(x @ w.T + y @ u.T + b),
    ),
    Case(
        r"z_i = \sum_j W_{ij}^s x_j + b_i^s",
        "W_s[p,d] x[d] b_s[p]",
        lambda w, x, b: w @ x + b,
    ),
    # What a note makes with a sigmoid opens each element of what it stands before.
    Case(
        r"u_i = h_i + g_i \cdot c_i",
        "h[n,d] g[n,d] c[n,d]",
        lambda h, g, c: h + g * c,
        context=[r"g_i = \sigma(W [h_i; c_i])"],
    ),
    Case(
        r"Y = g_{out} \cdot M",
        "g_out[n,d] M[n,d]",
        np.multiply,
        context=[r"g_{out} = \sigma(E W)"],
    ),
    Case(
        r"g = \sigma(W x), \quad y = g \cdot x",
        "W[d,d] x[d]",
        lambda w, x: sigmoid(w @ x) * x,
    ),
    # Excitation: what a note defines as a sigmoid, beside features.
    Case(r"z = e \cdot x", "e[d] x[d]", np.multiply, context=[r"e = \sigma(A \mathrm{ReLU}(B u))"]),
    Case(r"\tilde{x} = e x", "e[d] x[d]", np.multiply, context=[r"e = \sigma(A u)"]),
    Case(
        r"z = \sigma(A u) \cdot x",
        "A[d,p] u[p] x[d]",
        lambda a, u, x: sigmoid(a @ u) * x,
    ),
    # Near misses: weights and scores made so, and a gate that is a number.
    Case(r"O = A \cdot V", "A[n,m] V[m,d]", np.matmul, context=[r"A = \sigma(Q K^\top)"]),
    Case(r"O = A X", "A[n,m] X[m,d]", np.matmul, context=[r"A = \sigma(Q K^\top)"]),
    Case(r"y = w \cdot h", "w[d] h[d]", np.dot, context=[r"h = \sigma(W x)"]),
    Case(r"c = p \cdot x", "p[d] x[d]", np.dot, context=[r"p = \sigma(W x)"]),
    Case(
        r"y = g \cdot u",
        "g u[d]",
        lambda g, u: g * u,
        context=[r"g = \sigma(w^\top x)", r"u = A x"],
    ),
    # What a function gates is of one kind with the gate, whatever it is given.
    Case(
        r"\mathrm{G}(a, b) = \tanh(a) \cdot b, \quad y = \mathrm{G}(A x, B x)",
        "A[p,d] x[d] B[p,d]",
        lambda a, x, b: np.tanh(a @ x) * (b @ x),
    ),
    # Dots in a row that multiply gates and what they let through are all of one kind.
    Case(
        r"h_t = o_t \cdot r_t \cdot \tanh(c_t)",
        "o[n,d] r[n,d] c[n,d]",
        lambda o, r, c: o * r * np.tanh(c),
        context=[
            r"o_t = \sigma(W_o \cdot [h_{t-1}, x_t] + b_o)",
            r"r_t = \sigma(W_r \cdot [h_{t-1}, x_t] + b_r)",
        ],
    ),
    Case(
        r"o_t = \sigma(W_o \cdot [h_{t-1}, x_t])",
        "W_o[p,m+d] h[n,m] x[n,d]",
        lambda w, h, x: sigmoid(np.concatenate([h, x], 1) @ w.T),
        context=[r"h_t = o_t \cdot r_t \cdot \tanh(C_t)"],
    ),
    Case(
        r"y = z \cdot x \cdot h",
        "z[d] x[d] h[d]",
        lambda z, x, h: z * x * h,
        context=[r"z = \sigma(W_z u + b)"],
    ),
    Case(r"y = a \cdot u \cdot x", "a u[d] x[d]", lambda a, u, x: a * (u @ x)),
    Case(r"r(a, b) = a \cdot b", "a[d] b[d]", np.dot),
    Case(r"s(x, p) = x \cdot p", "x[d] p", np.multiply),
    Case(r"f(a, b) = a b", "a b", np.multiply),
)
def test_gates(case: Case) -> None:
    check(case)


@table(
    # Noise is drawn for each element, whatever scales it.
    Case(
        r"x_t = (1 - \beta) x_{t-1} + \sqrt{\beta} \epsilon",
        "beta+ x[d] epsilon[d]",
        lambda b, x, e: (1 - b) * x + np.sqrt(b) * e,
    ),
    Case(r"y = x + \sigma \epsilon", "x[d] sigma epsilon[d]", lambda x, s, e: x + s * e),
    Case(r"A = W + \sigma \epsilon", "W[n,d] sigma epsilon[n,d]", lambda w, s, e: w + s * e),
    # … but for the small number below a line.
    Case(
        r"\theta_{t+1} = \theta_t - \eta \frac{m_t}{\sqrt{v_t} + \epsilon}",
        "theta eta m v+ epsilon+",
        lambda t, eta, m, v, e: t - eta * m / (np.sqrt(v) + e),
    ),
    Case(r"y = x + \epsilon", "x[d] epsilon", lambda x, e: x + e),
)
def test_noise(case: Case) -> None:
    check(case)


@table(
    # Elements with one last index, which a sum counts, are those of a dot product.
    Case(r"s_{ti} = \sum_{j=1}^d z_{tj} \cdot h_{ij}", "z[n,d] h[m,d]", lambda z, h: z @ h.T),
    Case(
        r"f(z_t, h_i) = z_t^\top h_i = \sum_{j=1}^d z_{t,j} \cdot h_{i,j}",
        "z[n,d] h[m,d]",
        lambda z, h: z @ h.T,
    ),
    # Near misses: layers that are weighed.
    Case(
        r"c_k = \sum_j s_j h_{k,j}",
        "s[m] h[n,m,d]",
        lambda s, h: np.einsum("m,nmd->nd", s, h),
    ),
)
def test_dot_products_written_out(case: Case) -> None:
    check(case)


def test_a_gate_that_is_a_number_is_told() -> None:
    alone = compile_formula(r"h_t = (1 - z_t) h_{t-1} + z_t \tilde h_t")
    assert sum("no vector of gates" in one.message for one in alone.diagnostics) == 2
    said = compile_formula(r"h_t = f_t h_{t-1} + x_t", context=[r"f_t = \sigma(w^\top x_t)"])
    assert not any("no vector of gates" in one.message for one in said.diagnostics)


def test_what_opens_what_it_is_given_is_a_function() -> None:
    kinds = {one.name: one.kind for one in compile_formula(r"G = M_c(F) \odot F").inputs}
    assert kinds == {"F": "array", "M_c": "function"}


@table(
    # A gate is as what it acts on: neither of them is a number where the other is a vector.
    Case(r"y_t = (g_t \odot h_t) W", "g[n,d] h[n,d] W[d,p]", lambda g, h, w: (g * h) @ w),
    Case(r"y_t = (g_t \odot p_t) W_o", "g[n,d] p[n,d] W_o[d,p]", lambda g, p, w: (g * p) @ w),
    Case(r"y_t = g_t \odot p_t", "g[n,d] p[n,d]", np.multiply),
    Case(r"z = \sum_i r_i \odot a_i", "r[n,d] a[n,d]", lambda r, a: (r * a).sum(0)),
    # Weights of attention are numbers.
    Case(r"y_i = \alpha_i \odot v_i", "alpha[n] v[n,d]", lambda a, v: a[:, None] * v),
)
def test_a_gate_and_what_it_acts_on_are_of_one_kind(case: Case) -> None:
    check(case)


@table(
    # What is added to the state of linear attention is a matrix, keys or values first.
    Case(
        r"S_t = S_{t-1} + v_t^T k_t",
        "S[p,d] v[p] k[d]",
        lambda s, v, k: s + np.outer(v, k),
    ),
    Case(
        r"\boldsymbol{wkv}_t = \boldsymbol{wkv}_{t-1} \text{diag}(w_t) + v_t^\top k_t",
        "wkv[p,d] w[d] v[p] k[d]",
        lambda s, w, v, k: s * w + np.outer(v, k),
    ),
    Case(r"s = v^T k", "v[d] k[d]", np.dot),
    Case(r"a_{ij} = v_i^T k_j", "v[n,d] k[m,d]", lambda v, k: v @ k.T),
)
def test_states_of_values_and_keys(case: Case) -> None:
    check(case)


def test_what_is_transposed_is_no_number_whatever_the_gate() -> None:
    gate = r"$$f_t = \sigma(U x_t)$$"
    with pytest.raises(FormulaError, match="outer product"):
        compile_formula(r"C_t = f_t C_{t-1} + v_t k_t^\top", context=gate)


def test_the_rate_of_a_step_is_no_matrix() -> None:
    """What writes to a state is a number, or told to be one."""
    formula = compile_formula(
        r"\beta_t = \sigma(W_\beta x_t), \quad "
        r"S_t = S_{t-1} + \beta_t (v_t - S_{t-1} k_t) k_t^\top"
    )
    assert {one.name: len(one.shape) for one in formula.inputs}["x"] < 2
    assert [one.message for one in formula.diagnostics] == ["`W_\\beta` is taken to be a number"]
