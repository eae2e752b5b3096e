"""Updates of weights, and noise: what is added is of the kind of what it is added to."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


@table(
    # How far each layer goes is a number, beside the rate of all of them.
    Case(
        r"\theta_{t+1}^{(l)} = \theta_t^{(l)} - \eta \cdot r_l \cdot "
        r"(u_t^{(l)} + \lambda \theta_t^{(l)})",
        "theta[l,d] eta r[l] u[l,d] lambda_",
        lambda p, e, r, u, m: p - e * r[:, None] * (u + m * p),
    ),
    # The moments of one step are of the kind of its state, which may decay beside them.
    Case(
        r"\theta_t = \theta_{t-1} - \alpha \left(\frac{\hat{m}_t}{\sqrt{\hat{v}_t} + \epsilon}"
        r" + \lambda \theta_{t-1}\right)",
        "theta[p] alpha m_hat[p] v_hat+[p] epsilon+ lambda_",
        lambda x, a, m, v, e, c: x - a * (m / (np.sqrt(v) + e) + c * x),
        context=r"For $\theta_t \in \mathbb{R}^p$:",
    ),
    # Elements that are multiplied by those of a product of matrices are numbers, whatever letters.
    Case(
        r"h_{rc} \leftarrow h_{rc} \frac{\sum_{i=1}^N w_{ir} x_{ic} / u_{ic}}{\sum_{i=1}^N w_{ir}}",
        "h[r,c] w[N,r] x[N,c] u+[N,c]",
        lambda h, w, x, u: h * (w.T @ (x / u)) / w.sum(0)[:, None],
    ),
    Case(
        r"y_{kj} = h_{kj} \sum_{i=1}^N w_{ik} x_{ij}",
        "h[n,d] w[N,n] x[N,d]",
        lambda h, w, x: h * (w.T @ x),
    ),
    Case(
        r"q_{kj} = h_{kj} - \sum_i w_{ki} x_{ij}",
        "h[n,d] w[n,m] x[m,d]",
        lambda h, w, x: h - w @ x,
    ),
    # Those of words and sentences are vectors.
    Case(
        r"h_{ij} = \tanh(W x_{ij} + b)",
        "W[c,d] x[h,n,d] b[c]",
        lambda w, x, b: np.tanh(x @ w.T + b),
    ),
    Case(
        r"s_i = \sum_t \alpha_{it} h_{it}",
        "alpha[n,m] h[n,m,d]",
        lambda a, h: np.einsum("nm,nmd->nd", a, h),
    ),
    # What is made anew of itself stays of its kind.
    Case(
        r"w_i \leftarrow w_i \, e^{-\alpha y_i g(x_i)}",
        "w[n] alpha y[n] g() x[n]",
        lambda w, a, y, g, x: w * np.exp(-a * y * g(x)),
    ),
    # What a rate scales is of the kind of what it moves, with a step or without.
    Case(r"w = w - \alpha g", "w[d] alpha g[d]", lambda w, a, g: w - a * g),
    Case(r"w' = w - \eta \times g", "w[d] eta g[d]", lambda w, eta, g: w - eta * g),
    Case(
        r"w_{new} = w_{old} + \eta \cdot g",
        "w_old[d] eta g[d]",
        lambda w, eta, g: w + eta * g,
    ),
    Case(r"x = x - \mu", "x[d] mu", lambda x, mu: x - mu),
    Case(
        r"W_t = W_{t-1} - \eta \frac{\hat m_t}{\sqrt{\hat v_t} + \epsilon}",
        "W[a,b] eta m_hat[a,b] v_hat+[a,b] epsilon+",
        lambda w, eta, m, v, e: w - eta * m / (np.sqrt(v) + e),
    ),
    Case(
        r"W_{t+1} = W_t - \frac{\eta}{\sqrt{G_t + \epsilon}} \odot g_t",
        "W[a,b] eta G+[a,b] epsilon+ g[a,b]",
        lambda w, eta, v, e, g: w - eta / np.sqrt(v + e) * g,
    ),
    Case(
        r"W_{t+1} = W_t - \eta_t g_t",
        "W[a,b] eta g[a,b]",
        lambda w, eta, g: w - eta * g,
    ),
    Case(
        r"\mathbf u_{t+1} = \mathbf u_t - \eta g_t",
        "u[a] eta g[a]",
        lambda u, eta, g: u - eta * g,
    ),
    Case(
        r"x_t = \sqrt{\alpha_t} x_{t-1} + \sqrt{1 - \alpha_t} \epsilon_{t-1}",
        "alpha x[d] epsilon[d]",
        lambda a, x, e: np.sqrt(np.abs(a)) * x + np.sqrt(1 - a) * e,
    ),
    # A state without an index: those below the others count its steps.
    Case(
        r"S \leftarrow \lambda S + k_i v_i^\top",
        "lambda_ S[d,e] k[d] v[e]",
        lambda rate, s, k, v: rate * s + np.outer(k, v),
    ),
    Case(
        r"A \leftarrow \lambda A + v_i, \quad B \leftarrow \lambda B + k_i v_i^\top",
        "lambda_ A[e] v[e]",
        lambda rate, a, v: rate * a + v,
    ),
    Case(r"z \leftarrow z + k_j", "z[d] k[d]", lambda z, k: z + k),
    Case(
        r"W = W - \eta x_i y_i^\top",
        "W[d,e] eta x[d] y[e]",
        lambda w, eta, x, y: w - eta * np.outer(x, y),
    ),
    Case(
        r"S = S + \sum_i k_i v_i^\top",
        "S[d,e] k[n,d] v[n,e]",
        lambda s, k, v: s + k.T @ v,
    ),
    # A capital before a direction says how long that is made.
    Case(r"g \leftarrow C \cdot g / \|g\|", "C g[d]", lambda c, g: c * g / np.linalg.norm(g)),
    Case(r"g \leftarrow \frac{T}{\|g\|_2} g", "T g[d]", lambda t, g: t * g / np.linalg.norm(g)),
    Case(
        r"u = \min(1, \frac{C}{\|g\|}) g",
        "C+ g[d]",
        lambda c, g: min(1, c / np.linalg.norm(g)) * g,
    ),
    Case(r"u = W \frac{g}{\|g\|}", "W[p,d] g[d]", lambda w, g: w @ g / np.linalg.norm(g)),
    # What stands below the root is as what the note makes a vector of.
    Case(
        r"\theta_t = \theta_{t-1} - \eta \frac{m_t}{\sqrt{v_t} + \epsilon}",
        "theta[d] eta m[d] v+[d] epsilon+",
        lambda x, eta, m, v, e: x - eta * m / (np.sqrt(v) + e),
        context=r"m_t = \beta m_{t-1} + (1 - \beta) W x_t",
    ),
    # What is below another letter is no state: the q of q_t.
    Case(
        r"q = [q_t; q_k]",
        "q_t[d] q_k[e]",
        lambda t, k: np.append(t, k),
    ),
    # What moves a vector of a known shape is one, element by element, however it is divided.
    Case(
        r"\theta_{t+1} = \theta_t - \frac{\eta}{\sqrt{\hat v_t} + \epsilon} \hat m_t",
        "theta[d] eta v_hat+[d] epsilon+ m_hat[d]",
        lambda theta, eta, v, e, m: theta - eta / (np.sqrt(v) + e) * m,
        shapes={"theta": ("d",)},
    ),
    Case(
        r"W_{t+1} = W_t - \frac{\eta}{\sqrt{v_t} + \epsilon} m_t",
        "W[a,b] eta v+[a,b] epsilon+ m[a,b]",
        lambda w, eta, v, e, m: w - eta / (np.sqrt(v) + e) * m,
    ),
    Case(
        r"\theta_t = \theta_{t-1} - \eta \, \mathrm{sign}(\beta m_{t-1} + (1 - \beta) g_t)",
        "theta[d] eta beta m[d] g[d]",
        lambda theta, eta, beta, m, g: theta - eta * np.sign(beta * m + (1 - beta) * g),
        shapes={"theta": ("d",)},
    ),
    # Near misses: numbers move a number, and an outer product is no single name.
    Case(
        r"\theta_t = \theta_{t-1} - \eta \frac{m_t}{\sqrt{v_t} + \epsilon}",
        "theta eta m v+ epsilon+",
        lambda theta, eta, m, v, e: theta - eta * m / (np.sqrt(v) + e),
    ),
    Case(
        r"W_t = W_{t-1} + \eta v_t k_t^\top",
        "W[a,b] eta v[a] k[b]",
        lambda w, eta, v, k: w + eta * np.outer(v, k),
    ),
    Case(
        r"v_t = \beta v_{t-1} + (1 - \beta) g_t^2",
        "beta v g",
        lambda beta, v, g: beta * v + (1 - beta) * g**2,
    ),
    # So are those of the step that makes the new weights of the old ones.
    Case(
        r"w_{new} = w_{old} - \alpha \frac{\hat m_t}{\sqrt{\hat v_t} + \epsilon}",
        "w_old[a] alpha m_hat[a] v_hat+[a] epsilon+",
        lambda w, eta, m, v, e: w - eta * m / (np.sqrt(v) + e),
    ),
    Case(
        r"W_{new} = W_{old} - \eta m_t",
        "W_old[a,b] eta m[a,b]",
        lambda w, eta, m: w - eta * m,
    ),
    # What stands before a row is a column: nothing adds a row to each row of the weights.
    Case(
        r"W_{t+1} = W_t - \eta \delta_t x_t^\top",
        "W[a,b] eta delta[a] x[b]",
        lambda w, eta, d, x: w - eta * np.outer(d, x),
    ),
    # The step that a state is of stands above it, also where it has an index below.
    Case(
        r"\theta_i^{t+1} \leftarrow \theta_i^t - \eta g_i^t",
        "theta[n] eta g[n]",
        lambda t, eta, g: t - eta * g,
    ),
)
def test_updates(case: Case) -> None:
    check(case)


@table(
    Case(
        r"x_1 = c x_0 + \sigma \epsilon_0",
        "c x_0[d] sigma epsilon_0[d]",
        lambda a, x, b, e: a * x + b * e,
    ),
    # A step moves along a direction, which is no size and no number, whatever its letter.
    Case(r"z_{new} = z_{old} + \eta d", "z_old[n] eta d[n]", lambda z, e, d: z + e * d),
    Case(r"W = W - \eta m", "W[n,d] eta m[n,d]", lambda w, e, m: w - e * m),
    # What moves a state is of its kind, and one column maps a number.
    Case(r"v_t = \mu v_{t-1} + g_t", "mu v g", lambda m, v, g: m * v + g),
    Case(
        r"h_t = A h_{t-1} + G u_t",
        "A[n,n] h[n] G[n] u",
        lambda a, h, g, u: a @ h + g * u,
        context=[r"u_t \in \mathbb{R}"],
    ),
    # How far a step goes is a number, and what leads it there is of the kind of its state, also
    # behind a time.
    Case(r"z_{m+1} = z_m + h f(z_m)", "z[d] h f()", lambda z, h, f: z + h * f(z)),
    Case(
        r"z_{t+1} = z_t + \frac{h}{2} (u + v)",
        "z[d] h u[d] v[d]",
        lambda z, h, u, v: z + h / 2 * (u + v),
    ),
    # What is drawn from a distribution of vectors is one, whatever stands before it.
    Case(
        r"z_t = z_{t-1} + r(t) \xi_t, \quad \xi_t \sim \mathcal{N}(0, I)",
        "z[d] t r() xi[d]",
        lambda z, t, r, xi: z + r(t) * xi,
    ),
    Case(
        r"y_{t+1} = F y_t + \epsilon_t",
        "F[d,d] y[d] epsilon[d]",
        lambda f, y, e: f @ y + e,
        context=r"with $\epsilon_t \sim N(0, R_t)$",
    ),
    Case(
        r"\tilde u = u + \epsilon, \quad \epsilon \sim N(0, \tau^2 I_d)",
        "u[d] epsilon[d]",
        lambda u, e: u + e,
    ),
    # Near misses: a small number, one that is shared out, and noise that is a number.
    Case(
        r"s_i = w^\top u_i + \epsilon_i, \quad \epsilon_i \sim N(0, \tau^2)",
        "w[d] u[n,d] epsilon[n]",
        lambda w, u, e: u @ w + e,
    ),
    Case(r"y = x + \epsilon", "x[d] epsilon", lambda x, e: x + e),
    Case(
        r"y = (1 - \epsilon) x + \frac{\epsilon}{K}",
        "epsilon x[d] K",
        lambda e, x, k: (1 - e) * x + e / k,
    ),
)
def test_noise(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "shapes"),
    [
        (r"L = \|\epsilon - \epsilon_\theta(x, t)\|^2", {"epsilon": 1, "x": 1, "t": 0}),
        (r"\epsilon_{pred} = \epsilon_\theta(z, t, y)", {"z": 1, "t": 0, "y": 1}),
        (r"x_{k+1} = x_k + c \cdot g(t_k, x_k)", {"x": 1, "c": 0, "t": 0}),
    ],
)
def test_given_a_time(latex: str, shapes: dict[str, int]) -> None:
    equation = compile_formula(latex).equation
    assert equation is not None
    ranks = {one.name: len(one.shape) for one in equation.inputs if one.kind == "array"}
    assert ranks == shapes
    assert len(equation.value.indices) == (0 if equation.name == "L" else 1)


@table(
    # As programs have it: all that stands behind the sign is added, or taken away.
    Case(
        r"\begin{aligned} h &+= \tanh(W h) \end{aligned}",
        "h[d] W[d,d]",
        lambda h, w: h + np.tanh(w @ h),
    ),
    Case(r"x \mathrel{+}= \tanh(W x)", "x[d] W[d,d]", lambda x, w: x + np.tanh(w @ x)),
    Case(
        r"w_i -= \eta g_i + \lambda w_i",
        "w[d] eta g[d] lambda_",
        lambda w, eta, g, decay: w - (eta * g + decay * w),
    ),
)
def test_signs_of_updates(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("latex", ["x +=", "x + = y", "x = y + = z"])
def test_a_plus_that_updates_nothing_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="nothing that `\\+` could act on"):
        compile_formula(latex)


SCHEDULE = [r"\eta(t) = c \min(1, t / W)"]


@table(
    # The size of a step is a number, though the note says what it is at any time.
    Case(
        r"\theta_t = \theta_{t-1} - \eta (g_t + \lambda \theta_{t-1})",
        "theta eta g lambda_",
        lambda p, e, g, r: p - e * (g + r * p),
        context=SCHEDULE,
    ),
    Case(r"U = U - \eta G", "U[n,d] eta G[n,d]", lambda u, e, g: u - e * g, context=SCHEDULE),
    Case(
        r"\theta = \theta - \eta(t + 1) g",
        "theta t c W g",
        lambda p, t, c, w, g: p - c * min(1, (t + 1) / w) * g,
        context=SCHEDULE,
    ),
    # Any other function of a note is called, also a Greek one.
    Case(r"y = \rho h", "h[d]", lambda h: np.maximum(h, 0), context=[r"\rho(x) = \max(0, x)"]),
    Case(
        r"z = \alpha(x + y)",
        "x[d] y[d]",
        lambda x, y: np.tanh(x + y),
        context=[r"\alpha(v) = \tanh(v)"],
    ),
)
def test_the_size_of_a_step(case: Case) -> None:
    check(case)
