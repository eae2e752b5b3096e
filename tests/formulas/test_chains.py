"""Chains of equalities: which side is computed, and what the others say of it."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


@table(
    # All sides have the same axes: what is mapped by a matrix is a vector on the other side too.
    Case(
        r"o_{t,i} = \sum_j a_{t,j,i} v^c_{j,i} = W_i^{uv} \sum_j a_{t,j,i} c_j^{kv}",
        "W_uv[h,d,r] a[t,j,h] c_kv[j,r]",
        lambda w, a, c: np.einsum("hdr,tjh,jr->thd", w, a, c),
    ),
    Case(
        r"m_t = \sum_i W_i^o y_{t,i} = \sum_i W_i^o W_i^u z_{t,i}",
        "W_o[h,d,p] W_u[h,p,r] z[t,h,r]",
        lambda w, u, z: np.einsum("hdp,hpr,thr->td", w, u, z),
    ),
    # A side with a function that nobody defines says less than one without.
    Case(
        r"y = \mathrm{softmax}(q K^\top) V = \sum_i \alpha(q, k_i) v_i",
        "q[d] K[m,d] V[m,p]",
        lambda q, k, v: softmax(k @ q) @ v,
    ),
    # So does one with a function of another formula, whatever that is.
    Case(
        r"g(u) = \sum_i \beta(u, r_i) z_i = \sum_i \mathrm{softmax}(u^\top r_i) z_i",
        "u[d] r[m,d] z[m,e]",
        lambda u, r, z: softmax(r @ u) @ z,
        context=[r"\beta(q, k) = a^\top \tanh(A q + B k)"],
    ),
    # So does one that calls what is defined for two things with one.
    Case(
        r"R(u) = -\sum_i u_i \log u_i = D(u) + \log n",
        "u+[n]",
        lambda u: -(u * np.log(u)).sum(),
        context=[r"D(u, w) = \sum_i u_i \log \frac{u_i}{w_i}"],
    ),
    # A probability on the way says what the others are, and is not given.
    Case(
        r"\beta_j = P(c = j \mid Z) = \mathrm{softmax}(g(z_j, u))",
        "z[n,d] u[d]",
        lambda z, u: softmax(z @ u),
        context=[r"g(z, u) = z^\top u"],
    ),
    # Names in a row are all what the last side is.
    Case(
        r"Z = U = X W, \quad S = \tanh(Z + U)",
        "X[n,d] W[d,k]",
        lambda x, w: np.tanh(2 * x @ w),
    ),
    Case(r"y = h = W x + c", "W[h,d] x[d] c[h]", lambda w, x, c: w @ x + c),
    # The side that says most is computed, the last one of those that say as much.
    Case(
        r"W = W_0 + \Delta W = W_0 + B A",
        "W_0[d,k] B[d,r] A[r,k]",
        lambda w, b, a: w + b @ a,
    ),
    Case(
        r"h = W_0 x + \Delta W x = W_0 x + B A x",
        "W_0[d,k] x[k] B[d,r] A[r,k]",
        lambda w, x, b, a: w @ x + b @ (a @ x),
    ),
    # Of what a function is given, the side says all that names nothing else.
    Case(
        r"\mathrm{sim}(u, v) = u^\top v = \|u\| \|v\| \cos\varphi",
        "u[d] v[d]",
        np.dot,
    ),
    Case(
        r"K(x, y) = \phi(x)^\top \phi(y) = \exp(-g \|x - y\|^2)",
        "x[d] y[d] g",
        lambda x, y, g: np.exp(-g * ((x - y) ** 2).sum()),
    ),
    # What writes out what is defined says nothing of it.
    Case(r"H = [h_1; \dots; h_n] = A E", "A[n,d] E[d,p]", np.matmul),
    Case(r"y = [h_1; \dots; h_n] = W x", "h[n,d]", lambda h: h.reshape(-1)),
    # Nor does a matrix of numbers that are only called something, on either side.
    Case(
        r"\tanh(U C^\top) = \begin{bmatrix} s_{11} & s_{12} \\ s_{21} & s_{22} \end{bmatrix}",
        "U[n,d] C[m,d]",
        lambda u, c: np.tanh(u @ c.T),
    ),
    Case(
        r"S = \begin{bmatrix} p_{11} & \cdots & p_{1m} \\ \vdots & & \vdots \\"
        r" p_{n1} & \cdots & p_{nm} \end{bmatrix} = U C^\top",
        "U[n,d] C[m,d]",
        lambda u, c: u @ c.T,
    ),
    # A side that names a list which is longer at each place takes no part.
    Case(
        r"o_t = \sum_{i=1}^t c_{t,i} x_i = \sum_{i=1}^t x_i W g(\{x_j\}_{j=1}^t, t, i)",
        "c[m,n] x[n,d]",
        lambda c, x: np.tril(c) @ x,
    ),
    # Lengths beside the cosine of an angle are those of vectors; bars close before others open.
    Case(
        r"s = |A||B| \cos\theta",
        "A[n] B[m] theta",
        lambda a, b, t: np.linalg.norm(a) * np.linalg.norm(b) * np.cos(t),
    ),
    Case(r"J = \frac{c}{|A||B|}", "A B c", lambda a, b, c: c / (a * b)),
    Case(
        r"s_t = \mid 1 - \alpha \mid \mid x_t \mid",
        "alpha x[n]",
        lambda a, x: abs(1 - a) * abs(x),
        shapes={"x": ("n",)},
    ),
)
def test_side(case: Case) -> None:
    check(case)


@table(
    # An index of the weights as well as of the values counts heads, not features.
    Case(
        r"\bar o_{t,i} = \sum_j a_{t,j,i} c_j",
        "a[t,j,h] c[j,d]",
        lambda a, c: np.einsum("tjh,jd->thd", a, c),
    ),
    Case(
        r"o_{t,i} = \sum_j \alpha_{t,j,i} v_{j,i}",
        "alpha[t,j,h] v[j,h,d]",
        lambda a, v: np.einsum("tjh,jhd->thd", a, v),
    ),
    Case(
        r"o_{hid} = \sum_j a_{hij} v_{hjd}",
        "a[h,n,m] v[h,m,d]",
        lambda a, v: a @ v,
    ),
)
def test_average(case: Case) -> None:
    check(case)


@table(
    # A dot product written out makes numbers of the elements, whatever else they are by custom.
    Case(
        r"u_i = \sum_a x_{ia} w_a + b = x_i^\top w + b",
        "x[n,d] w[d] b",
        lambda x, w, b: x @ w + b,
    ),
    Case(
        r"u^{(i)} = \sum_a x_a^{(i)} w_a + b = \mathbf x^{(i)T} \mathbf w + b",
        "x[n,d] w[d] b",
        lambda x, w, b: x @ w + b,
    ),
    Case(r"u = \sum_a w_a x_a + b = w^\top x + b", "w[d] x[d] b", lambda w, x, b: w @ x + b),
    Case(r"u = \sum_a w_a x_a + b = w \cdot x + b", "w[d] x[d] b", lambda w, x, b: w @ x + b),
    # So does one with dots, on either side of the sign and whatever the font of what is whole.
    Case(r"u = a^\top g = a_1 g_1 + \dots + a_n g_n", "a[n] g[n]", np.dot),
    Case(r"u = v_1 x_1 + v_2 x_2 + \dots + v_n x_n = v^\top x", "v[n] x[n]", np.dot),
    Case(
        r"u = \mathbf w^\top \mathbf x + c = w_1 x_1 + \dots + w_n x_n + c",
        "w[n] x[n] c",
        lambda w, x, c: w @ x + c,
    ),
    Case(r"u = \theta^\top x = \theta_0 x_0 + \dots + \theta_n x_n", "theta[n] x[n]", np.dot),
    # Near misses: a sum of vectors; a transposed vector that has no elements beside it.
    Case(r"u = \sum_a w_a x_a", "w[m] x[m,d]", lambda w, x: w @ x),
    Case(r"u = a_1 x_1 + \dots + a_n x_n", "a[n] x[n,d]", lambda a, x: a @ x),
    Case(
        r"\mathbf u = M \mathbf x = x_1 \mathbf m_1 + \dots + x_n \mathbf m_n",
        "x[n] m[n,d]",
        lambda x, m: x @ m,
    ),
    Case(r"s_{ij} = q_i^\top k_j", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
)
def test_dot_product(case: Case) -> None:
    check(case)


def test_a_side_that_is_left_out_is_told() -> None:
    latex = (
        r"Y = \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{c}{Q K^\top}\right) W_3 V"
    )
    (told,) = (p for p in compile_formula(latex).diagnostics if "not understood" in p.message)
    assert "Attention" in told.message
    assert latex[told.span.start : told.span.end].startswith(r"\mathrm{softmax}")


def test_the_function_of_the_field_is_taken_and_told() -> None:
    """The largest of all entries is no H, and FFN is what it usually is."""
    found = compile_formula(r"H = \mathrm{FFN}(H) = \max(\tanh(W H + b))")
    assert found.component == "feed_forward"
    assert any("not understood" in problem.message for problem in found.diagnostics)
    other = compile_formula(r"Y = \mathrm{FFN}(H) = \tanh(H W + b)")
    assert other.component is None
    assert not other.diagnostics


def test_names_in_a_row_are_one_result() -> None:
    assert not compile_formula(r"Q = K = V = X W").diagnostics
    (told,) = compile_formula(r"Q = X W, \quad K = V = X U").diagnostics
    assert told.message == "of several results `Q` is the value"
