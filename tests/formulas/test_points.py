"""Vectors by where they stand: in norms, joined to vectors, behind x^⊤ M."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


def _norm(x: np.ndarray) -> np.floating:
    return np.linalg.norm(x)


def _all_pairs(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.array([[np.concatenate([row, other]) for other in others] for row in rows])


@table(
    # What a function is given is no number that the note calls so.
    Case(
        r"g(x, y) = (x - y)^\top A (x - y)",
        "x[d] y[d] A[d,d]",
        lambda x, y, a: (x - y) @ a @ (x - y),
        context=r"Each pair has a label $y \in \{0, 1\}$.",
    ),
    # The d of E_d(d) is a document as the q of E_q(q) is a query.
    Case(
        r"s(q, d) = \frac{E_q(q) \cdot E_d(d)}{\|E_q(q)\| \|E_d(d)\|}",
        "q[n] E_q() E_d() d[n]",
        lambda q, e, f, d: e(q) @ f(d) / _norm(e(q)) / _norm(f(d)),
    ),
    # Nobody transposes a vector for a number; two with one label are of one kind.
    Case(r"s = u^\top p + c", "u[d] p[d] c", lambda u, p, c: u @ p + c),
    # Rows make a matrix that a diagonal one is added to, or taken from.
    Case(
        r"M_t = M_{t-1} (I - \beta_t u_t^\top u_t) + v_t^\top k_t",
        "M[m,d] beta u[d] v[m] k[d]",
        lambda m, b, u, v, k: m @ (np.eye(len(u)) - b * np.outer(u, u)) + np.outer(v, k),
    ),
    Case(
        r"M_t = M_{t-1} (\mathrm{diag}(w_t) + u_t^\top b_t) + v_t^\top k_t",
        "M[m,d] w[d] u[d] b[d] v[m] k[d]",
        lambda m, w, u, b, v, k: m @ (np.diag(w) + np.outer(u, b)) + np.outer(v, k),
    ),
    Case(r"s = u_{\text{out}} \cdot i_{\text{out}}", "u_out[d] i_out[d]", np.dot),
    Case(r"s = u_{out}^\top i_{out}", "u_out[d] i_out[d]", np.dot),
    # What is added to a vector in a norm is one, whatever its letter counts elsewhere.
    Case(r"f = \| h + r - t \|", "h[d] r[d] t[d]", lambda h, r, t: _norm(h + r - t)),
    Case(
        r"L = \max(0, \|a - p\|^2 - \|a - n\|^2 + \alpha)",
        "a[d] p[d] n[d] alpha",
        lambda a, p, n, m: max(0, _norm(a - p) ** 2 - _norm(a - n) ** 2 + m),
    ),
    # The letter of a term is below other terms their label.
    Case(r"f = \|h_r + r - t_r\|", "h_r[d] r[d] t_r[d]", lambda h, r, t: _norm(h + r - t)),
    # So is what stands behind a transposed matrix, which Φ is when it is transposed.
    Case(
        r"g_t = X^\top X w_t - X^\top y",
        "X[n,d] w[m,d] y[n]",
        lambda x, w, y: w @ x.T @ x - y @ x,
    ),
    Case(
        r"E = \frac{1}{2} \|\Phi^\top u - s\|^2",
        "Phi[d,n] u[d] s[n]",
        lambda phi, u, s: np.sum((phi.T @ u - s) ** 2) / 2,
    ),
    Case(
        r"g = \Phi^\top \Phi u - \Phi^\top s",
        "Phi[n,d] u[d] s[n]",
        lambda phi, u, s: phi.T @ phi @ u - phi.T @ s,
    ),
    # Near misses: small Greek letters are vectors, and rows times numbers stay rows.
    Case(r"s = \phi^\top u", "phi[d] u[d]", np.dot),
    # So is what stands behind x^⊤ M.
    Case(r"s = h^\top \mathrm{diag}(r) t", "h[d] r[d] t[d]", lambda h, r, t: h @ (r * t)),
    Case(
        r"s = e_s^\top R_r e_o",
        "e_s[d] R[k,d,p] e_o[p]",
        lambda s, r, o: np.array([s @ m @ o for m in r]),
    ),
    Case(r"s = x^\top A x", "x[d] A[d,d]", lambda x, a: x @ a @ x),
    # And what is joined to a vector; a time may be a number.
    Case(r"y = W [h; m]", "W[p,d+e] h[d] m[e]", lambda w, h, m: w @ np.concatenate([h, m])),
    # A column of unlike things is such a list: each is a vector, whatever counts it.
    Case(
        r"a_{tj} = u^\top \tanh\left(A \begin{pmatrix} z_t \\ h_j \end{pmatrix}\right)",
        "u[p] A[p,d+e] z[n,d] h[m,e]",
        lambda u, a, z, h: np.tanh(_all_pairs(z, h) @ a.T) @ u,
    ),
    Case(
        r"r_t = \tanh\left(W_r \cdot \begin{bmatrix} c_t \\ o_t \end{bmatrix} + b\right)",
        "W_r[p,d+e] c[n,d] o[n,e] b[p]",
        lambda w, c, o, b: np.tanh(np.hstack([c, o]) @ w.T + b),
    ),
    # Near misses: two numbers of one vector, and two that a matrix of numbers turns.
    Case(
        r"y = W \begin{bmatrix} h_1 \\ h_2 \end{bmatrix}",
        "W[p,2] h_1 h_2",
        lambda w, g, h: w @ np.array([g, h]),
    ),
    Case(
        r"p_i = \begin{bmatrix} \cos a & -\sin a \\ \sin a & \cos a \end{bmatrix}"
        r"\begin{bmatrix} x_i \\ y_i \end{bmatrix}",
        "a x[n] y[n]",
        lambda a, x, y: np.stack([np.cos(a) * x - np.sin(a) * y, np.sin(a) * x + np.cos(a) * y], 1),
    ),
    # Weights with the number of what they weigh are numbers, and a WQ is one name.
    # The dot of what two indices count is that of vectors, beside a logarithm too.
    Case(
        r"L = -\sum_i \sum_j \log \frac{1}{1 + e^{z_{ij} (-t x_i \cdot y_j + b)}}",
        "z[n,m] t x[n,d] y[m,d] b",
        lambda z, t, x, y, b: np.log1p(np.exp(z * (b - t * x @ y.T))).sum(),
    ),
    # The first of two letters is as the second is.
    Case(r"m = \frac{p + q}{2}", "p[d] q[d]", lambda p, q: (p + q) / 2),
    # What a matrix makes of a vector is divided by its own length.
    Case(
        r"e = \frac{x W}{\|x W\|}",
        "x[p] W[p,d]",
        lambda x, w: x @ w / np.linalg.norm(x @ w),
    ),
    # A letter before what is mapped is an activation, given here.
    Case(
        r"s = W_2 \delta(W_1 z)", "W_2[r,p] delta() W_1[p,d] z[d]", lambda v, f, w, z: v @ f(w @ z)
    ),
    # A parameter called e is no Euler's number, and what is compared is the size of a number.
    Case(
        r"L_\delta(e) = \begin{cases} \frac12 e^2 & |e| \le \delta \\ "
        r"\delta (|e| - \frac12 \delta) & \text{otherwise} \end{cases}",
        "e delta+",
        lambda e, d: e**2 / 2 if abs(e) <= d else d * (abs(e) - d / 2),
    ),
    # An indicator of a whole vector is one of each element.
    Case(
        r"d = W^\top g \odot \mathbb{1}[z > 0]",
        "W[p,d] g[p] z[d]",
        lambda w, g, z: w.T @ g * (z > 0),
    ),
    # How far a step goes is a number, and so are what a penalty and a ratio are made of.
    Case(
        r"J = \frac{1}{2} \|w\|^2 + C \sum_i \max(0, 1 - y_i (w^\top x_i + b))",
        "w[d] C y[n] x[n,d] b",
        lambda w, c, y, x, b: w @ w / 2 + c * np.maximum(0, 1 - y * (x @ w + b)).sum(),
    ),
    Case(r"r = H / G", "H G", lambda h, g: h / g),
    # The letters of three are indices where two of them are.
    Case(
        r"y_{btc} = x_{btc} - \mu_{bt}",
        "x[b,t,c] mu[b,t]",
        lambda x, mean: x - mean[..., None],
    ),
    # A mean over the members of a set is divided by their number.
    Case(
        r"z = \frac{1}{m} \sum_{k \in S} x_k",
        "S[n] x[n,d] m+",
        lambda s, x, m: (s != 0) @ x / m,
    ),
    # Behind a matrix stands a vector.
    Case(
        r"e_{tj} = w^\top \tanh(V h_j + U f_{tj})",
        "w[d] V[d,p] h[m,p] U[d,r] f[n,m,r]",
        lambda w, v, h, u, f: np.tanh(h @ v.T + f @ u.T) @ w,
    ),
    # Two weights of a step are numbers, whatever noise is by custom.
    Case(
        r"v_t = \alpha_t \epsilon - \sigma_t x",
        "alpha[n] epsilon[d] sigma[n] x[d]",
        lambda a, e, s, x: np.outer(a, e) - np.outer(s, x),
    ),
    Case(
        r"q_n = \beta_q + \Omega_q x_n",
        "beta_q[p] Omega_q[p,d] x[n,d]",
        lambda b, w, x: x @ w.T + b,
    ),
    # What is added to two linear maps is a vector, and the bias of a linear model is a number.
    Case(
        r"x_t = A x_{t-1} + B u_t + w_t",
        "A[d,d] x[d] B[d,p] u[p] w[d]",
        lambda a, x, b, u, w: a @ x + b @ u + w,
    ),
    Case(r"\hat y = X w + b", "X[n,d] w[d] b", lambda x, w, b: x @ w + b),
    # Letters of a total are numbers, and what an activation is given is one, too.
    Case(r"B = b \cdot g \cdot n", "b g n", lambda b, g, n: b * g * n),
    Case(
        r"\text{JumpReLU}_\theta(z) = z \cdot H(z - \theta)",
        "z theta H()",
        lambda z, t, f: z * f(z - t),
    ),
    # The variance of a difference, whose terms have one axis.
    Case(
        r"r = 1 - \frac{\text{Var}(x - y)}{\text{Var}(x)}",
        "x[d] y[d]",
        lambda x, y: 1 - np.var(x - y) / np.var(x),
    ),
    # A linear model of a few features, and vectors that weights stand before as rows.
    Case(
        r"z = w_1 x_1 + w_2 x_2 + b",
        "w_1 x_1 w_2 x_2 b",
        lambda w, x, u, y, b: w * x + u * y + b,
    ),
    Case(
        r"z = \beta_0 + \beta_1 \cdot area - \beta_2 \cdot rooms",
        "beta_0 beta_1 area beta_2 rooms",
        lambda b, w, x, u, y: b + w * x - u * y,
    ),
    Case(
        r"z = w_1^\top x_1 + w_2^\top x_2 + b",
        "w_1[d] x_1[d] w_2[p] x_2[p] b",
        lambda w, x, u, y, b: w @ x + u @ y + b,
    ),
    Case(
        r"v = w_1 x_1 + w_2 x_2",
        "w_1 x_1[d] w_2 x_2[d]",
        lambda w, x, u, y: w * x + u * y,
    ),
    Case(
        r"o = w_1 h_1 + w_2 h_2",
        "w_1 h_1[d] w_2 h_2[d]",
        lambda v, g, w, h: v * g + w * h,
    ),
    Case(
        r"y_i = \sum_k a_i^{(k)} H_i^{(k)}",
        "a[k,n] H[k,n,d]",
        lambda a, h: np.einsum("kn,knd->nd", a, h),
        context=[r"H_{i,j}^{(k)} = \sum_m B_{i,m} X_{m,j}^{(k)}"],
    ),
    Case(
        r"y_i = \sum_k a_i^{(k)} H_i^{(k)}",
        "a[k,n] H[k,n]",
        lambda a, h: (a * h).sum(0),
        context=[r"H_i^{(k)} = \sum_m B_{i,m} X_m^{(k)}"],
    ),
    Case(r"S = \text{WQ}^T K", "WQ[n,d] K[n,m]", lambda w, k: w.T @ k),
    # A neuron has one bias, and gives a number.
    Case(
        r"a = \mathrm{ReLU}(\sum_j w_j x_j + b)", "w[d] x[d] b", lambda w, x, b: max(0, w @ x + b)
    ),
    Case(r"y_i = \sum_j W_{ij} x_j + b", "W[p,d] x[d] b", lambda w, x, b: w @ x + b),
    Case(r"y = \sum_j w_j h_j", "w[n] h[n,d]", lambda w, h: w @ h),
    # Near misses: a number in a sum that no norm is of, and a matrix.
    Case(r"y = x + c", "x[d] c", np.add),
    Case(
        r"f = \sum_{i,j} \|G_i - G_j\|_F",
        "G[n,d,m]",
        lambda g: np.sqrt(((g[:, None] - g) ** 2).sum((2, 3))).sum(),
    ),
    Case(r"f = \|X - A\|_F", "X[n,d] A[n,d]", lambda x, a: _norm(x - a)),
    # What a second matrix stands before in a sum is a vector, as what the first one turns is.
    Case(
        r"s = \tanh(W x + U r)",
        "W[e,d] x[d] U[e,p] r[p]",
        lambda w, x, u, r: np.tanh(w @ x + u @ r),
    ),
    # With a mean of its own at each place, x_i has an entry for each feature.
    Case(
        r"y_i = \gamma \frac{x_i - \mu_i}{\sqrt{\sigma_i^2 + \epsilon}} + \beta",
        "gamma[d] x[n,d] epsilon+ beta[d]",
        lambda g, x, e, b: (
            g * (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + e) + b
        ),
    ),
    # The error of an example is a number, by which the example moves the weights.
    Case(
        r"w \leftarrow w + \eta (y_i - \hat y_i) x_i",
        "w[d] eta y y_hat x[d]",
        lambda w, eta, y, p, x: w + eta * (y - p) * x,
    ),
    Case(
        r"\theta_j = \theta_j + \alpha (y^{(i)} - h^{(i)}) x_j^{(i)}",
        "theta[d] alpha y_i h_i x_i[d]",
        lambda t, a, y, h, x: t + a * (y - h) * x,
    ),
    # Without a gain all of it may be of the feature i.
    Case(
        r"z_i = \frac{x_i - \mu_i}{\sigma_i}",
        "x[d] mu[d] sigma+[d]",
        lambda x, m, s: (x - m) / s,
    ),
    # A row alone is taken off each row.
    Case(r"Y = X - \mu^\top", "X[n,d] mu[d]", lambda x, m: x - m),
    # What is as far from a small letter as it is one of its kind.
    Case(
        r"a(y) = \sum_j \exp(-\|y - R_j\|_2^2) R_j",
        "y[d] R[n,d]",
        lambda y, r: np.exp(-np.square(y - r).sum(-1)) @ r,
    ),
    # What is likely beside two things is a vector, as they are, whatever its letter.
    Case(
        r"L = -\log \sigma(b_1 \cdot w) - \log \sigma(-b_2 \cdot w)",
        "b_1[d] w[d] b_2[d]",
        lambda b, w, c: np.log1p(np.exp(-b @ w)) + np.log1p(np.exp(c @ w)),
    ),
    Case(
        r"b_{pos}^{t+1} = b_{pos}^t - \eta [\sigma(b_{pos}^t \cdot w^t) - 1] w^t",
        "b[n,d] eta w[d]",
        lambda b, r, w: b - r * np.outer(1 / (1 + np.exp(-b @ w)) - 1, w),
    ),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("made", "used"),
    [
        (r"m = [h; q]", r"y = W m"),
        (r"c = [c_s; c_t]", r"y = v^\top c"),
        (r"c = [a; b]", r"y = W c"),
    ],
)
def test_what_a_formula_joins_is_a_vector_in_the_next(made: str, used: str) -> None:
    formula = compile_formula(used, context=[made])
    assert [len(one.shape) for one in formula.inputs if one.name == made[0]] == [1]


@pytest.mark.parametrize(("weights", "axes"), [("G", 0), ("g", 0), ("W", 2)])
def test_gates_numbered_as_their_experts_are_numbers(weights: str, axes: int) -> None:
    formula = compile_formula(f"y = {weights}_1 E_1(x) + {weights}_2 E_2(x)")
    given = {one.name: len(one.shape) for one in formula.inputs}
    assert (given[f"{weights}_1"], given[f"{weights}_2"]) == (axes, axes)


def test_an_entry_of_an_example_moves_an_entry_of_the_weights() -> None:
    compiled = compile_formula(
        r"\theta_j := \theta_j - \alpha \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)}) x_j^{(i)}"
    )
    axes = {one.name: len(one.shape) for one in compiled.inputs if one.kind == "array"}
    assert axes == {"theta": 1, "alpha": 0, "x": 2, "y": 1}


def test_all_that_something_is_divided_by_is_called() -> None:
    """A factor would need no parentheses."""
    compiled = compile_formula(r"p = \frac{1}{C(x)} \exp(w^\top x)")
    kinds = {one.name: one.kind for one in compiled.inputs}
    assert kinds == {"x": "array", "C": "function", "w": "array"}


def test_how_far_a_step_goes_is_a_number() -> None:
    compiled = compile_formula(r"x_{t+h} = x_t + h v_\theta(x_t, t)")
    axes = {one.name: len(one.shape) for one in compiled.inputs if one.kind == "array"}
    assert axes == {"x": 2, "h": 0}


def test_the_logarithm_before_a_mean_is_one_of_it() -> None:
    mean = compile_formula(r"u = \log \frac{1}{n} \sum_i \exp(z_i)")
    z = np.random.default_rng(0).standard_normal(5)
    np.testing.assert_allclose(mean.reference(z=z), np.log(np.exp(z).mean()))
    product = compile_formula(r"u = \log (1/c) \sum_i z_i", shapes={"z": ("n",)})
    np.testing.assert_allclose(product.reference(z=z, c=3.0), -np.log(3) * z.sum())
