"""Recursions over layers and steps."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, sigmoid, softmax, table


@table(
    # A matrix and its transpose make one, of which an L, too, is a state.
    Case(
        r"L_n = L_{n-1} + G_n G_n^\top, \quad y = L_n x",
        "L[p,p] G[p,r] x[p]",
        lambda s, g, x: (s + g @ g.T) @ x,
    ),
    # What repeats a vector is a row of ones, and a column of them beside rows.
    Case(
        r"Z_n = (\alpha_n \mathbf{1}^\top) \odot Z_{n-1} + k_n v_n^\top",
        "alpha[d] Z[d,e] k[d] v[e]",
        lambda a, z, k, v: a[:, None] * z + np.outer(k, v),
    ),
    Case(
        r"Z_n = (\alpha_n^\top \mathbf{1}) \odot Z_{n-1} + k_n^\top v_n",
        "alpha[d] Z[d,e] k[d] v[e]",
        lambda a, z, k, v: a[:, None] * z + np.outer(k, v),
    ),
    # Of keys and values that are made with their weights each step adds the outer product.
    Case(
        r"s_n = s_{n-1} + \phi(x_n W_K)^\top (x_n W_V)",
        "s[p,r] x[d] W_K[d,p] W_V[d,r] phi()",
        lambda s, x, k, v, f: s + np.outer(f(x @ k), x @ v),
    ),
    Case(
        r"s_n = s_{n-1} + \phi(x_n W_K) (x_n W_V)^\top",
        "s[p,r] x[d] W_K[d,p] W_V[d,r] phi()",
        lambda s, x, k, v, f: s + np.outer(f(x @ k), x @ v),
    ),
    # So do those that are rows, to a state with a small letter, too.
    Case(
        r"z_t = \beta z_{t-1} + k_t^\top v_t, \quad y_t = q_t z_t",
        "beta z[d,p] k[d] v[p] q[d]",
        lambda b, z, k, v, q: q @ (b * z + np.outer(k, v)),
    ),
    Case(
        r"z_t = \sum_{j=1}^t \beta^{t-j} K_j^\top V_j",
        "beta K[t,d] V[t,p]",
        lambda b, k, v: np.array(
            [sum(b ** (t - j) * np.outer(k[j], v[j]) for j in range(t + 1)) for t in range(len(k))]
        ),
    ),
    # Near misses: blocks, what is said to be a number, and a key with another one's value.
    Case(
        r"Z_j = K_{[j]}^\top V_{[j]} + \beta Z_{j-1}",
        "K[n,d] V[n,p] beta Z[d,p]",
        lambda k, v, b, z: k.T @ v + b * z,
    ),
    Case(
        r"z_t = \beta z_{t-1} + k_t^\top v_t \in \mathbb{R}",
        "beta z k[d] v[d]",
        lambda b, z, k, v: b * z + k @ v,
    ),
    Case(r"s_i = \sum_j k_i^\top v_j", "k[m,d] v[n,d]", lambda k, v: (k @ v.T).sum(1)),
    # What a step makes on its way is another in every step.
    Case(
        r"s_0 = u, \quad a_k = A_k s_{k-1}, \quad s_k = s_{k-1} - \tanh(a_k)",
        "u[d] A[N,d,d]",
        lambda u, a: reduce(lambda s, one: s - np.tanh(one @ s), a, u),
    ),
    Case(
        r"s_0 = 0, \quad g_t = \sigma(U x_t + V s_{t-1}), "
        r"\quad s_t = g_t \odot s_{t-1} + (1 - g_t) \odot x_t",
        "U[d,d] x[N,d] V[d,d]",
        lambda u, x, v: reduce(
            lambda s, row: sigmoid(u @ row + v @ s) * (s - row) + row, x, np.zeros(len(u))
        ),
    ),
    Case(
        r"s_0 = u, \quad a_l = B s_l, \quad c_l = \tanh(a_l), \quad s_{l+1} = s_l + c_l, "
        r"\quad l = 0, \dots, 2",
        "u[d] B[d,d]",
        lambda u, b: reduce(lambda s, _: s + np.tanh(b @ s), range(3), u),
    ),
    # A range in parentheses right behind a formula says what its letter counts.
    Case(
        r"h_0 = x, \quad h_l = \tanh(W_l h_{l-1})\ (l = 1, \dots, N), \quad y = c h_N",
        "x[d] W[N,d,d] c",
        lambda x, w, c: c * reduce(lambda h, a: np.tanh(a @ h), w, x),
    ),
    Case(
        r"y_i = x_i^2 + a_i (1 \le i \le n)",
        "x[n] a[n]",
        lambda x, a: x**2 + a,
    ),
    # Keys and values of a step are vectors, beside a normaliser too.
    # The 0 that it begins with has the axes of the state.
    Case(
        r"h_0 = 0, \quad h_t = \tanh(W x_t + U h_{t-1})",
        "W[e,d] x[N,d] U[e,e]",
        lambda w, x, u: reduce(lambda h, row: np.tanh(w @ row + u @ h), x, np.zeros(len(w))),
    ),
    # Where a chain says what comes out of all steps, it steps in nothing.
    Case(
        r"S_t = S_{t-1} + k_t v_t^\top = \sum_{i=1}^{t} k_i v_i^\top",
        "k[n,d] v[n,e]",
        lambda k, v: np.cumsum(k[:, :, None] * v[:, None], axis=0),
    ),
    Case(
        r"v_t = (1 - \beta) \sum_{i=1}^{t} \beta^{t-i} g_i = \beta v_{t-1} + (1 - \beta) g_t",
        "beta g[n]",
        lambda b, g: np.array(
            [sum((1 - b) * b ** (t - i) * g[i] for i in range(t + 1)) for t in range(len(g))]
        ),
    ),
    Case(
        r"h_t = f(h_{t-1}, x_t) = \tanh(U h_{t-1} + V x_t)",
        "U[e,e] h[e] V[e,d] x[d]",
        lambda u, h, v, x: np.tanh(u @ h + v @ x),
    ),
    # An M that goes from step to step is a memory, and no mask.
    Case(
        r"M_n = M_{n-1} + k_n^\top v_n, \quad y_n = q_n M_n",
        "M[d,e] k[d] v[e] q[d]",
        lambda m, k, v, q: q @ (m + np.outer(k, v)),
    ),
    Case(
        r"S_0 = 0, \quad S_t = S_{t-1} + k_t v_t^\top",
        "k[N,d] v[N,e]",
        lambda k, v: k.T @ v,
    ),
    Case(
        r"c_0 = 0, \quad c_t = f_t \odot c_{t-1} + i_t \odot g_t",
        "f[N,d] i[N,d] g[N,d]",
        lambda f, i, g: reduce(
            lambda c, at: at[0] * c + at[1], zip(f, i * g, strict=True), 0 * g[0]
        ),
    ),
    Case(
        r"S_i = S_{i-1} + \phi(K_i) V_i^\top, \quad Z_i = Z_{i-1} + \phi(K_i)",
        "S[d,p] phi() K[d] V[p]",
        lambda s, phi, k, v: s + np.outer(phi(k), v),
    ),
    Case(
        r"S_i = S_{i-1} + \phi(K_i) \otimes V_i",
        "S[d,p] phi() K[d] V[p]",
        lambda s, phi, k, v: s + np.outer(phi(k), v),
    ),
    Case(
        r"P_t = (I - K_t H) P_{t-1}",
        "K[n,m] H[m,n] P[n,p]",
        lambda k, h, p: p - k @ h @ p,
    ),
    Case(r"H^{(l)} = H^{(l-1)} W", "H[n,d] W[d,p]", np.matmul),
    Case(r"h_l = x_l + \tanh(x_l), \quad x_{l+1} = 2 h_l", "x[d]", lambda x: 2 * (x + np.tanh(x))),
    Case(
        r"g_t = \sigma(a \odot h_{t-1}), h_t = g_t \odot h_{t-1}",
        "a[d] h[d]",
        lambda a, h: sigmoid(a * h) * h,
    ),
    # A step goes on from the last one by way of what it makes on its way.
    Case(
        r"g_t = \sigma(U s_{t-1} + W u_t), \quad s_t = g_t \odot \tanh(m_t)",
        "U[d,d] s[d] W[d,p] u[p] m[d]",
        lambda weight, s, w, u, m: sigmoid(weight @ s + w @ u) * np.tanh(m),
    ),
    Case(
        r"a^{(t)} = W s^{(t-1)}, \quad b^{(t)} = \tanh(a^{(t)}), \quad s^{(t)} = b^{(t)} + u^{(t)}",
        "W[d,d] s[d] u[d]",
        lambda w, s, u: np.tanh(w @ s) + u,
    ),
    Case(
        r"\theta_{new} = \theta_{old} - \eta \frac{\hat m_t}{\sqrt{\hat v_t} + \epsilon}",
        "theta_old eta m_hat v_hat epsilon",
        lambda theta, eta, m, v, epsilon: theta - eta * m / (np.sqrt(v) + epsilon),
    ),
    Case(
        r"z^{(l)}_i = \sum_j \sum_k W_{ijk} z^{(l-1)}_{jk} + b_i",
        "W[c,n,m] z[n,m] b[c]",
        lambda w, z, b: np.einsum("cnm,nm->c", w, z) + b,
    ),
    Case(
        r"h_l = f(h_{l-1}), \quad h_0 = x, \quad l = 1, \dots, 3",
        "x[d] f()",
        lambda x, f: f(f(f(x))),
    ),
    Case(
        r"y = h_2, \quad h_l = h_{l-1} + f(h_{l-1}), \quad h_0 = x",
        "x[d] f()",
        lambda x, f: x + f(x) + f(x + f(x)),
    ),
    Case(
        r"y = h_3, \quad h_l = \tanh(W_l h_{l-1}), \quad h_0 = x",
        "W[3,d,d] x[d]",
        lambda w, x: np.tanh(w[2] @ np.tanh(w[1] @ np.tanh(w[0] @ x))),
    ),
    # What is defined one step ahead makes one state more than its letter counts to.
    Case(
        r"s_0 = x, \quad s_{l+1} = \tanh(W_l s_l), \quad l = 0, \dots, 2, \quad y = s_3 U",
        "x[d] W[3,d,d] U[d,e]",
        lambda x, w, u: reduce(lambda s, one: np.tanh(one @ s), w, x) @ u,
    ),
    Case(
        r"s_0 = x, \quad s_{l+1} = s_l + f(s_l), \quad l = 0, \dots, L - 1",
        "x[d] f() L#",
        lambda x, f, n: reduce(lambda s, _: s + f(s), range(n), x),
    ),
    Case(
        r"s^{(0)} = x, \quad s^{(t+1)} = t \cos(s^{(t)}), \quad t = 0, \dots, 3",
        "x[d]",
        lambda x: 3 * np.cos(2 * np.cos(np.cos(0 * x))),
    ),
    # A state that is asked for last is the one, too.
    Case(
        r"s_0 = x, \quad s_{l+1} = \tanh(W_l s_l), \quad y = s_2",
        "x[d] W[2,d,d]",
        lambda x, w: np.tanh(w[1] @ np.tanh(w[0] @ x)),
    ),
    Case(
        r"h_l = \max(0, W_l h_{l-1} + b_l), \quad l = 1, \dots, 2, \quad h_0 = x",
        "W[2,d,d] b[2,d] x[d]",
        lambda w, b, x: relu(w[1] @ relu(w[0] @ x + b[0]) + b[1]),
    ),
    Case(
        r"H_l = \mathrm{softmax}(H_{l-1} H_{l-1}^\top) H_{l-1}, \quad H_0 = X, \quad l = 1, "
        r"\dots, 2",
        "X[n,d]",
        lambda x: (lambda h: softmax(h @ h.T) @ h)(softmax(x @ x.T) @ x),
    ),
    Case(
        r"z'_l = f(z_{l-1}) + z_{l-1}, \quad z_l = g(z'_l) + z'_l",
        "z[d] f() g()",
        lambda z, f, g: g(f(z) + z) + f(z) + z,
    ),
    Case(
        r"\tilde c_t = \tanh(W_c x_t + U_c h_{t-1}), \quad c_t = f_t \odot c_{t-1} + \tilde c_t, "
        r"\quad h_t = \tanh(c_t)",
        "W_c[d,e] x[e] U_c[d,d] h[d] f[d] c[d]",
        lambda w, x, u, h, f, c: np.tanh(f * c + np.tanh(w @ x + u @ h)),
    ),
    Case(
        r"s_t = (1 - u_t) \odot s_{t-1} + u_t \odot \tilde{s_t}",
        "u[d] s[d] s_tilde[d]",
        lambda u, s, new: s + u * (new - s),
    ),
    Case(
        r"\widetilde{c_t} = \tanh(W x_t + U s_{t-1}), \quad "
        r"c_t = f_t \odot c_{t-1} + \widetilde{c_t}",
        "W[d,e] x[e] U[d,p] s[p] f[d] c[d]",
        lambda w, x, u, s, f, c: f * c + np.tanh(w @ x + u @ s),
    ),
    Case(
        r"H^{(l+1)} = \tanh(A H^{(l)} W)",
        "A[n,m] H[m,d] W[d,e]",
        lambda a, h, w: np.tanh(a @ h @ w),
    ),
    Case(
        r"y_t = \alpha x_t + (1 - \alpha) y_{t-1}",
        "alpha x[d] y[d]",
        lambda a, x, y: a * x + (1 - a) * y,
    ),
    # What has all of an axis beside a step is the row of that step.
    Case(r"z_t = z_{t-1} + g_t U[t,:]", "z[d] g U[d]", lambda z, g, u: z + g * u),
    Case(
        r"M_t = M_{t-1} + A_{t,:}^\top B_{t,:}",
        "M[n,d] A[n] B[d]",
        lambda m, a, b: m + np.outer(a, b),
    ),
    Case(
        r"S_t = S_{t-1} + k_t v_t^\top",
        "S[k,v] k[k] v[v]",
        lambda s, k, v: s + np.outer(k, v),
    ),
    Case(
        r"S_t = S_{t-1}(I - \beta k_t k_t^\top) + \beta v_t k_t^\top",
        "S[v,k] beta k[k] v[v]",
        lambda s, b, k, v: s - b * np.outer(s @ k, k) + b * np.outer(v, k),
    ),
    Case(
        r"S_t = \gamma S_{t-1} + K_t^\top V_t",
        "gamma S[k,v] K[k] V[v]",
        lambda g, s, k, v: g * s + np.outer(k, v),
    ),
    Case(
        r"h_t = f_t \odot h_{t-1} + i_t \odot x_t",
        "f[d] h[d] i[d] x[d]",
        lambda f, h, i, x: f * h + i * x,
    ),
    Case(r"h_t = A h_{t-1} + B x_t", "A[d,d] h[d] B[d,e] x[e]", lambda a, h, b, x: a @ h + b @ x),
    Case(
        r"m_i = \max(m_{i-1}, \max_j S_{ij})",
        "m S[d]",
        lambda m, s: max(m, s.max()),
    ),
    # None of the differences up to a place is negative.
    *(
        Case(
            latex,
            "w[n] x[n,d]",
            lambda w, x: np.stack([w[t::-1] @ x[: t + 1] for t in range(len(x))]),
        )
        for latex in (r"y_t = \sum_{s=1}^{t} w_{t-s} x_s", r"y_t = \sum_{s \le t} w_{t-s} x_s")
    ),
    Case(
        r"y_k = \sum_{j=0}^{k} w_j x_{k-j}",
        "w[n] x[n,d]",
        lambda w, x: np.stack([w[: k + 1] @ x[k::-1] for k in range(len(x))]),
    ),
    Case(
        r"y_t = \sum_{s=1}^{t} \gamma^{t-s} x_s",
        "gamma+ x[n,d]",
        lambda g, x: np.stack(
            [sum(g ** (t - s) * x[s] for s in range(t + 1)) for t in range(len(x))]
        ),
    ),
    # What else was there in the step before is an input of its own.
    Case(
        r"h_t = a_t h_{t-1} + x_t - x_{t-1}",
        "a h[d] x[d] x_prev[d]",
        lambda a, h, x, former: a * h + x - former,
    ),
    Case(
        r"z_i = z_{i-1} e^{m_{i-1} - m_i} + e^{a_i - m_i} v_i",
        "z[d] m_prev m a v[d]",
        lambda z, former, m, a, v: z * np.exp(former - m) + np.exp(a - m) * v,
    ),
    Case(
        r"m_i = \max(m_{i-1}, x_i), \quad d_i = d_{i-1} e^{m_{i-1} - m_i} + e^{x_i - m_i}",
        "m_prev x d",
        lambda m, x, d: d * np.exp(m - max(m, x)) + np.exp(x - max(m, x)),
    ),
    Case(
        r"m^{(j)} = \max(m^{(j-1)}, x^{(j)}), \quad "
        r"l^{(j)} = e^{m^{(j-1)} - m^{(j)}} l^{(j-1)} + e^{x^{(j)} - m^{(j)}}",
        "m_prev x l",
        lambda m, x, z: z * np.exp(m - np.maximum(m, x)) + np.exp(x - np.maximum(m, x)),
    ),
    Case(r"d_i = d_{i-1} x_i + z_i", "d[n] x z[n]", lambda d, x, z: d * x + z),
    # A state is added to as a whole, and what is said of K holds of V.
    Case(
        r"S_n = \gamma S_{n-1} + K_n^\top V_n",
        "gamma S[d,v] K[d] V[v]",
        lambda g, s, k, v: g * s + np.outer(k, v),
        context=[r"K_n \in \mathbb{R}^d"],
    ),
    Case(r"H_{l} = H_{l-1} + b", "H[n,d] b[d]", lambda h, b: h + b),
    # What is made of x at the same place and the one before is another, and no state.
    Case(
        r"x'_t = \mu \odot x_t + (1 - \mu) \odot x_{t-1}",
        "mu[d] x[n,d]",
        lambda m, x: m * x[1:] + (1 - m) * x[:-1],
    ),
    Case(
        r"\bar x_t = \beta \bar x_{t-1} + (1 - \beta) x_t",
        "beta x_bar[d] x[d]",
        lambda b, former, x: b * former + (1 - b) * x,
    ),
    # Two results of which none is made of the other have steps of their own.
    Case(
        r"p_t = (p_{t-1} M) \odot r_t \\ q_t = M (r_{t+1} \odot q_{t+1})",
        "p[d] M[d,d] r[d]",
        lambda p, m, r: p @ m * r,
    ),
    # The layer above a capital is no power, also where it counts the next.
    Case(
        r"\begin{aligned} U^l &= \mathrm{ReLU}(Z^l) + Z^l \\ Z^{l+1} &= U^l - 1 \end{aligned}",
        "Z[n,d]",
        lambda z: np.maximum(z, 0) + z - 1,
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"h_t = a h_{t-1} + b h_{t-2}", "h"),
        (r"x_{l+1} = x_l + f(x_{l-1})", "x"),
        (r"h_0 = x \\ h_t = a h_{t-1} + b h_{t-2}", "h"),
        (r"h_t = f(x_t), \quad h_{t+1} = g(x_{t+1}, h_t)", "x"),
        (r"c_t = \tanh(W x_t), \quad c_{t+1} = \tanh(W x_{t+1} + U c_t)", "x"),
        (r"m_t = a r_t, \quad m_{t+1} = b m_t + a r_{t+1}", "r"),
    ],
)
def test_a_step_knows_one_of_each_only(latex: str, name: str) -> None:
    with pytest.raises(FormulaError, match=f"`{name}` is at two steps"):
        compile_formula(latex)


@pytest.mark.parametrize(
    "latex",
    [
        r"s_0 = x, \quad s_{l+1} = \tanh(s_l), \quad l = 1, \dots, L",
        r"s_0 = x, \quad s_l = \tanh(s_{l-1}), \quad l = 0, \dots, L",
    ],
)
def test_the_first_step_makes_the_state_behind_the_first(latex: str) -> None:
    with pytest.raises(FormulaError, match="stands before `s_1`"):
        compile_formula(latex)


def test_a_recurrence_over_two_indices_is_refused() -> None:
    with pytest.raises(FormulaError, match="made of its own elements"):
        compile_formula(r"D_{i,j} = \min(D_{i-1,j}, D_{i,j-1}) + c_{ij}")
    assert compile_formula(r"D_{i,j} = \min(C_{i-1,j}, C_{i,j-1})").status == "formula"


def test_a_pass_over_the_keys_is_a_softmax() -> None:
    """Step by step, with what each makes given to the next one."""
    step = compile_formula(
        r"a_i = q \cdot k_i, \quad m_i = \max(m_{i-1}, a_i), \quad "
        r"d_i = d_{i-1} e^{m_{i-1} - m_i} + e^{a_i - m_i}"
    )
    assert [one.message for one in step.diagnostics] == [
        "`m` of the step before is an input of its own, `m_prev`"
    ]
    rng = np.random.default_rng(0)
    q, keys = rng.standard_normal(3), rng.standard_normal((5, 3))
    total, largest = 0.0, -30.0
    for key in keys:
        total = float(step.reference(q=q, k=key, m_prev=largest, d=total))
        largest = max(largest, float(q @ key))
    np.testing.assert_allclose(total, np.exp(keys @ q - largest).sum())


def test_a_state_stays_what_it_is() -> None:
    ranks = [r"m_i \in \mathbb{R}^n"]
    with pytest.raises(FormulaError, match=r"N2C033|N2C042"):
        compile_formula(r"o_i = o_{i-1} e^{m_{i-1} - m_i} + v_i w", context=ranks)


@table(
    Case(
        r"h_0 = x, \quad h_{l+1} = \tanh(W_l h_l), \quad l = 0, \dots, L-1, \quad y = h_L",
        "x[d] W[L,d,d]",
        lambda x, w: reduce(lambda h, m: np.tanh(m @ h), w, x),
    ),
    Case(
        r"h_0 = x, \quad h_{l+1} = \tanh(W h_l), \quad l = 0, \dots, 5, \quad y = h_6",
        "x[d] W[d,d]",
        lambda x, w: reduce(lambda h, _: np.tanh(w @ h), range(6), x),
    ),
    Case(
        r"h_0 = x, \quad h_l = \tanh(W h_{l-1}), \quad l = 1, \dots, 6, \quad y = h_6",
        "x[d] W[d,d]",
        lambda x, w: reduce(lambda h, _: np.tanh(w @ h), range(6), x),
    ),
)
def test_as_many_steps_as_the_letter_counts(case: Case) -> None:
    check(case)


def test_another_state_than_the_last_is_refused() -> None:
    with pytest.raises(FormulaError, match="not the last state"):
        compile_formula(
            r"h_0 = x, \quad h_{l+1} = \tanh(W h_l), \quad l = 0, \dots, 5, \quad y = h_5"
        )


def test_that_a_key_and_its_value_make_a_matrix_is_told() -> None:
    told = compile_formula(r"z_t = \beta z_{t-1} + k_t^\top v_t").diagnostics
    assert [d.message for d in told] == [
        "`k_t^\\top v_t` is taken to be the outer product of two rows"
    ]
    assert not compile_formula(r"Z_t = \beta Z_{t-1} + k_t^\top v_t").diagnostics


@table(
    Case(
        r"(\sum_{j=1}^n k_j^\top v_j) \in \mathbb{R}^{d \times e}",
        "k[n,d] v[n,e]",
        lambda k, v: k.T @ v,
    ),
    Case(
        r"\sum_j k_j^\top v_j",
        "k[n,d] v[n,e]",
        lambda k, v: k.T @ v,
        context="k_j = x_j W_K, v_j = x_j W_V",
    ),
)
def test_a_sum_of_them_needs_no_name(case: Case) -> None:
    check(case)
