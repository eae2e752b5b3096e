"""Sizes that the note declares, before parentheses."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, sigmoid, softmax, table

SHAPES = [r"B \in \mathbb{R}^{d \times r}", r"A \in \mathbb{R}^{r \times k}"]


@table(
    # A vector of 6 numbers multiplies two of 3 that are joined.
    Case(
        r"s_{ij} = a^\top [W h_i \| W h_j]",
        "a[6] W[3,3] h[n,3]",
        lambda a, w, h: (h @ w.T @ a[:3])[:, None] + h @ w.T @ a[3:],
        context=[r"a \in \mathbb{R}^6", r"W \in \mathbb{R}^{3 \times 3}"],
    ),
    # Crosses part axes, and dots do not.
    Case(
        r"Y = X W",
        "X[n,h*d] W[h*d,m] h# d#",
        lambda x, w, h, d: x @ w,
        context=[r"X \in \mathbb{R}^{n \times h \cdot d}"],
    ),
    # An index that runs as far as there are columns tells one of them.
    Case(
        r"u_i = z_i + p_i, \quad i = 1, \dots, m",
        "z[d,m] p[m,d]",
        lambda z, p: z.T + p,
        context=[r"z \in \mathbb{R}^{d \times m}, p_i \in \mathbb{R}^d"],
    ),
    Case(
        r"u = \sum_{i=1}^m c_i Z_i",
        "c[m] Z[d,m]",
        lambda c, z: z @ c,
        context=[r"Z \in \mathbb{R}^{d \times m}, c \in \mathbb{R}^m"],
    ),
    Case(
        r"u = \sum_{i=1}^m c_i Z_i",
        "c[m] Z[m,d]",
        lambda c, z: c @ z,
        context=[r"Z \in \mathbb{R}^{m \times d}, c \in \mathbb{R}^m"],
    ),
    # What is declared behind a wide space is declared of the left side.
    Case(
        r"s_i = g_i u_i \quad \in \mathbb{R}^{a \times b}",
        "g[n] u[n,a,b]",
        lambda g, u: g[:, None, None] * u,
    ),
    # The letter x stands for the sign × in a shape.
    Case(
        r"y = X \theta",
        "X[n,d] theta[d]",
        np.matmul,
        context=[r"X \in \mathbb{R}^{n x d}, \theta \in \mathbb{R}^{d}"],
    ),
    # What is in ℝ^1 is a number, where no weight has one row for it.
    Case(r"y = w^\top x + b, b \in \mathbb{R}^1", "w[d] x[d] b", lambda w, x, b: w @ x + b),
    Case(
        r"y = g \odot x, \quad g \in \mathbb{R}^1, x \in \mathbb{R}^{n \times d}",
        "g x[n,d]",
        lambda g, x: g * x,
    ),
    Case(
        r"y = W x + b, \quad W \in \mathbb{R}^{1 \times d}, b \in \mathbb{R}^1",
        "W[one,d] x[d] b[one]",
        lambda w, x, b: w @ x + b,
    ),
    Case(
        r"s = q K^\top, \quad q \in \mathbb{R}^{1 \times d}, s \in \mathbb{R}^n",
        "q[one,d] K[n,d]",
        lambda q, k: k @ q[0],
        context=[r"K \in \mathbb{R}^{n \times d}"],
    ),
    # The letter x between two sizes is a ×.
    Case(r"y = X \theta, \quad X \in \mathbb{R}^{N x D}", "X[N,D] theta[D]", np.matmul),
    Case(
        r"y = z W, \quad z \in \mathbb{R}^{N+1 X D}, W \in \mathbb{R}^{DxC}",
        "z[N+1,D] W[D,C]",
        np.matmul,
    ),
    # What is said to be a number is the one element of its axis.
    Case(
        r"y = C h, \quad C \in \mathbb{R}^{1 \times n}, y \in \mathbb{R}",
        "C[one,n] h[n]",
        lambda c, h: c[0] @ h,
    ),
    Case(
        r"s_i = \sigma(w x_i + b), \quad w \in \mathbb{R}^{1 \times d}",
        "w[one,d] x[n,d] b",
        lambda w, x, b: sigmoid(x @ w[0] + b),
        context=[r"s_i \in \mathbb{R}", r"b \in \mathbb{R}"],
    ),
    # Blocks of a declared shape stand below each other.
    Case(
        r"W_O = \begin{bmatrix} W_O^{(1)} \\ \vdots \\ W_O^{(h)} \end{bmatrix}, "
        r"\quad W_O^{(i)} \in \mathbb{R}^{a \times b}",
        "W_O[h,a,b]",
        lambda w: w.reshape(-1, w.shape[2]),
    ),
    Case(
        r"W_O = \begin{bmatrix} W_O^{(1)} \\ \vdots \\ W_O^{(H)} \end{bmatrix}, "
        r"\quad W_O^{(h)} \in \mathbb{R}^{a \times b}",
        "W_O[H,a,b]",
        lambda w: w.reshape(-1, w.shape[2]),
    ),
    Case(r"N = 2r(d + k)", "r k d#", lambda r, k, d: 2 * r * d + 2 * r * k, context=SHAPES),
    Case(
        r"N = r(d_{\text{in}} + d_{\text{out}})",
        "r d_in# d_out#",
        lambda r, given, made: r * (given + made),
        context=[
            r"A \in \mathbb{R}^{r \times d_{\text{in}}}",
            r"B \in \mathbb{R}^{d_{\text{out}} \times r}",
        ],
    ),
    # What is joined is as long as it is said to be.
    Case(r"q = [q_1, q_2]^\top \in \mathbb{R}^2", "q_1 q_2", lambda a, b: np.array([a, b])),
    Case(
        r"X = [x_1, \dots, x_T] \in \mathbb{R}^{T \times d}",
        "x[T,one,d]",
        lambda x: x[:, 0],
        context=[r"x_t \in \mathbb{R}^{1 \times d}"],
    ),
    # A product in parentheses is one axis; the sizes of two layers are two.
    Case(
        r"y = x E, \quad E \in \mathbb{R}^{(P^2 \times C) \times D}",
        "x[P*P*C] E[P*P*C,D] P# C#",
        lambda x, e, p, c: x @ e,
    ),
    Case(
        r"h_l = \tanh(W_l h_{l-1}), \quad W_l \in \mathbb{R}^{d_l \times d_{l-1}}",
        "W[e,d] h[d]",
        lambda w, h: np.tanh(w @ h),
    ),
    # A column of scores is normalised over its rows.
    Case(
        r"\alpha = \mathrm{softmax}(H w)",
        "H[n,d] w[d,1]",
        lambda h, w: softmax(h @ w, 0),
        context=[r"w \in \mathbb{R}^{d \times 1}"],
    ),
    Case(
        r"p = \mathrm{softmax}(W x + b)",
        "W[k,d] x[d,1] b[k]",
        lambda w, x, b: softmax(w @ x + b[:, None], 0),
        context=[r"x \in \mathbb{R}^{d \times 1}", r"W \in \mathbb{R}^{k \times d}"],
    ),
    Case(
        r"N = d \times r + r \times k = r(d + k)",
        "r k d#",
        lambda r, k, d: d * r + r * k,
        context=SHAPES,
    ),
    # A bias that is declared as one row is added to each row.
    Case(
        r"Y = X W + b, \quad X \in \mathbb{R}^{n \times d}, b \in \mathbb{R}^{1 \times h}",
        "X[n,d] W[d,h] b[h]",
        lambda x, w, b: x @ w + b,
    ),
    Case(
        r"y = x W + b, \quad x \in \mathbb{R}^{1 \times d}, b \in \mathbb{R}^{1 \times h}",
        "x[1,d] W[d,h] b[1,h]",
        lambda x, w, b: x @ w + b,
    ),
    Case(
        r"y = x + z, \quad x, z \in \mathbb{R}^{1 \times d}",
        "x[1,d] z[1,d]",
        lambda x, z: x + z,
    ),
    Case(
        r"Y = b^\top X, \quad b \in \mathbb{R}^{1 \times h}",
        "b[1,h] X[1,d]",
        lambda b, x: b.T @ x,
    ),
    # Vectors that are declared as rows, or as columns, of matrices are multiplied as vectors are.
    Case(
        r"s_{ij} = \frac{q_i k_j^\top}{\sqrt{d}}",
        "q[n,d] k[m,d]",
        lambda q, k: q @ k.T / np.sqrt(q.shape[1]),
        context=[r"q_i, k_j \in \mathbb{R}^{1 \times d}"],
    ),
    Case(
        r"g_{ij} = u_i^\top B h_j, \quad u_i \in \mathbb{R}^{a \times 1}",
        "u[n,a] B[a,b] h[m,b]",
        lambda u, b, h: u @ b @ h.T,
        context=[r"h_j \in \mathbb{R}^{b \times 1}"],
    ),
    Case(
        r"z_t = x_t W, \quad x_t \in \mathbb{R}^{1 \times a}",
        "x[n,a] W[a,b]",
        np.matmul,
    ),
    Case(
        r"S = \sum_t k_t^\top v_t, \quad k_t, v_t \in \mathbb{R}^{1 \times d}",
        "k[n,1,d] v[n,1,d]",
        lambda k, v: k[:, 0].T @ v[:, 0],
    ),
    # d / h is the size that is declared so, and d_k is the width that the keys are declared with.
    Case(
        r"A = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d / h}}\right)",
        "Q[n,d] K[n,d]",
        lambda q, k: softmax(q @ k.T / np.sqrt(q.shape[1])),
        context=[r"Q, K \in \mathbb{R}^{n \times \frac{d}{h}}"],
    ),
    # What is made of them may be as wide, which says nothing of the d of X.
    Case(
        r"Y = \mathrm{softmax}\left(\frac{X B X^\top}{\sqrt{d / h}}\right) X C"
        r" \in \mathbb{R}^{n \times d / h}",
        "X[n,d] B[d,d] C[d,e] h+",
        lambda x, b, c, h: softmax(x @ b @ x.T / np.sqrt(x.shape[1] / h)) @ x @ c,
    ),
    Case(
        r"A = \mathrm{softmax}(Q K^\top / \sqrt{d_k})",
        "Q[n,d] K[m,d]",
        lambda q, k: softmax(q @ k.T / np.sqrt(q.shape[1])),
        context=[r"Q \in \mathbb{R}^{n \times d}, K \in \mathbb{R}^{m \times d}"],
    ),
    Case(
        r"A = \mathrm{softmax}(Q K^\top / \sqrt{d_k})",
        "Q[n,d] K[m,d] d_k#",
        lambda q, k, d: softmax(q @ k.T / np.sqrt(d)),
        context=[r"Q \in \mathbb{R}^{n \times d}, K \in \mathbb{R}^{m \times d}", "d_k = d / h"],
    ),
)
def test_values(case: Case) -> None:
    check(case)


def test_a_letter_of_a_size_may_be_a_function() -> None:
    f = compile_formula(r"s = d(x, y)", context=SHAPES)
    assert [one.name for one in f.inputs if one.kind == "function"] == ["d"]
    f = compile_formula(r"g(x) = r(x + d)", context=SHAPES)
    assert [one.name for one in f.inputs if one.kind == "function"] == ["r"]


def test_what_is_joined_to_more_than_it_is_said_to_be_is_told() -> None:
    longer = compile_formula(r"z = [x; y] \in \mathbb{R}^d", context=[r"x \in \mathbb{R}^d"])
    assert any("comes out longer" in d.message for d in longer.diagnostics)
    said = compile_formula(r"z = [x; y] \in \mathbb{R}^{2d}", context=[r"x \in \mathbb{R}^d"])
    assert not any("comes out longer" in d.message for d in said.diagnostics)


def test_a_matrix_that_comes_out_in_other_sizes_than_it_is_declared_is_told() -> None:
    context = [r"X \in \mathbb{R}^{n \times d}", r"Y \in \mathbb{R}^{n \times p}"]
    (told,) = compile_formula(r"Y = U X", context=context).diagnostics
    assert told.severity == "warning" and "declared n × p, and comes out … × d" in told.message
    assert not compile_formula(r"Y = X U", context=context).diagnostics


def test_the_elements_of_a_declared_vector_are_numbers() -> None:
    check(
        Case(
            r"s = \sum_i w_i x_i + b",
            "w[n] x[n] b",
            lambda w, x, b: w @ x + b,
            context=[r"x \in \mathbb{R}^n"],
        )
    )


@table(
    Case(
        r"y = w x",
        "w[p,d] x[d]",
        np.matmul,
        context=[r"w = \mathbb{R}^{p \times d}"],
    ),
)
def test_a_space_behind_an_equals_sign_is_the_shape(case: Case) -> None:
    check(case)
