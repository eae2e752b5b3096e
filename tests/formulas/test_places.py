"""What stands below a name and says which of its elements is meant."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def differences(n: int, m: int) -> Any:
    """j − i for each row i and column j."""
    return np.arange(m) - np.arange(n)[:, None]


@table(
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}, \quad \mathrm{clip}(x, k) = \max(0, \min(k, x))",
        "w[3] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), 0, 2)],
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}",
        "w[3] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), 0, 2)],
        context=r"\mathrm{clip}(x, k) = \min(k, \max(0, x))",
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)}, \quad \mathrm{clip}(x, k) = \max(-k, \min(x, k))",
        "w[5] n# m#",
        lambda w, n, m: w[np.clip(differences(n, m), -2, 2) + 2],
    ),
    Case(
        r"a_t(s) = \alpha_{ts} \exp\left(-\frac{(s - p_t)^2}{2 \sigma^2}\right)",
        "alpha[n,m] p[n] sigma",
        lambda a, p, s: a * np.exp(-((np.arange(a.shape[1]) - p[:, None]) ** 2) / (2 * s**2)),
        context=r"p_t = S \cdot \sigma(v^\top \tanh(W h_t))",
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(i-j, 2)}, \quad \mathrm{clip}(x, r) = \mathrm{clip}(x, -r, r)",
        "w[5] n# m#",
        lambda w, n, m: w[2 - np.clip(differences(n, m), -2, 2)],
    ),
    # A word above an element in brackets is a part of its name.
    Case(r"S^{\text{rel}}[i, j] = q_i \cdot k_j", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    # A colon is a whole axis: rows lie down, and columns stand.
    Case(r"s_{ij} = Q_{i,:} K_{j,:}^\top", "Q[n,d] K[m,d]", lambda q, k: q @ k.T),
    Case(r"c[i, j] = A[i, :] B[:, j]", "A[n,d] B[d,m]", np.matmul),
    Case(r"u_{\mathrm{out}}[t] = W u[t]", "W[p,d] u[n,d]", lambda w, u: u @ w.T),
    Case(r"y_i = A_{i,:} x", "A[n,d] x[d]", np.matmul),
    Case(r"y_j = x^\top W[:, j]", "x[d] W[d,n]", np.matmul),
    Case(r"o_i = \sum_j a_{ij} V_{j,:}", "a[n,m] V[m,d]", np.matmul),
    Case(r"Y_{i,:} = \mathrm{softmax}(S_{i,:}) V", "S[n,m] V[m,d]", lambda s, v: softmax(s) @ v),
    # A dot and a star say all, too, as in statistics.
    Case(r"p_{i\cdot} = \mathrm{softmax}(s_{i\cdot})", "s[n,m]", softmax),
    Case(r"p_{i,\cdot} = \mathrm{softmax}(s_{i,\cdot})", "s[n,m]", softmax),
    Case(r"y_i = A_{i,*} x", "A[n,d] x[d]", np.matmul),
    Case(
        r"o_i = \sum_j p_{ij} v_j, \quad p_{i\cdot} = \mathrm{softmax}(s_{i\cdot})",
        "s[n,m] v[m,d]",
        lambda s, v: softmax(s) @ v,
    ),
    Case(r"S = \sum_i K_{i,:}^\top V_{i,:}", "K[n,d] V[n,e]", lambda k, v: k.T @ v),
    Case(r"m_j = \max(X_{:,j})", "X[n,d]", lambda x: x.max(0)),
    # What x_i is, x_{i+1} is.
    Case(r"y_i = x_{i+1} - x_i", "x[n]", lambda x: x[1:] - x[:-1], context=[r"x_i \in \mathbb{R}"]),
    # The label of what bounds a sum is none of its own indices.
    Case(r"y = \sum_{i=1}^{K_s} v_i x_i", "v[K_s] x[K_s,d]", np.matmul),
    Case(
        r"y = \sum_{i=1}^{m} x_i + \sum_{i=m+1}^{n} g_i x_i",
        "x[n] g[n] m+",
        lambda x, g, m: (
            np.where(np.arange(1, len(x) + 1) <= m, x, 0).sum()
            + np.where(np.arange(1, len(x) + 1) >= m + 1, g * x, 0).sum()
        ),
    ),
    Case(r"p_i = \mathrm{softmax}(W x)[i]", "W[n,d] x[d]", lambda w, x: softmax(w @ x)),
    Case(
        r"L = -\sum_i y_i \log \mathrm{softmax}(z)[i]",
        "y[n] z[n]",
        lambda y, z: -(y * np.log(softmax(z))).sum(),
    ),
    Case(r"g = \sin(\frac{m L}{L'})", "m L L_prime", lambda m, a, b: np.sin(m * a / b)),
    Case(
        r"y = \mathrm{clip}(x, k)",
        "x[d] k+",
        lambda x, k: np.minimum(k, np.maximum(x, 0)),
        context=r"\mathrm{clip}(x, k) = \max(0, \min(k, x))",
    ),
    Case(
        r"s_i = \sqrt{x_{i1}^2 + x_{i2}^2}",
        "x[n,d]",
        lambda x: np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2),
    ),
    Case(r"y_i = x_{i,1} - x_{i,0}", "x[n,d]", lambda x: x[:, 1] - x[:, 0]),
    Case(r"y_i = \sum_j a_{1j} x_{ji}", "a[m,n] x[n,d]", lambda a, x: a[0] @ x),
    Case(r"s = \sum_{i=1}^n w_{1i} w_{2i}", "w[m,n]", lambda w: w[0] @ w[1]),
    Case(
        r"e_{ij} = q_i^\top k_j + b_{\min(|i-j|, 2)}",
        "q[n,d] k[n,d] b[3]",
        lambda q, k, b: q @ k.T + b[np.minimum(abs(differences(len(q), len(q))), 2)],
    ),
    Case(r"y_i = x_{n-i+1}", "x[n,d]", lambda x: x[::-1]),
    Case(r"y_i = w_{n+1-i} x_i", "w[n] x[n]", lambda w, x: w[::-1] * x),
    Case(r"s = \sum_{i=1}^n a_i b_{n-i+1}", "a[n] b[n]", lambda a, b: a @ b[::-1]),
    Case(r"y_i = x_{n-i-1}", "x[n,d]", lambda x: x[::-1]),
    Case(r"y_i = x_{2i}", "x[2*n]", lambda x: x[::2]),
    Case(r"s = \sum_i \alpha_{1,i} v_i", "alpha_1[n] v[n,d]", lambda a, v: a @ v),
    Case(
        r"w_i(x) = \frac{\exp(A x)_i}{\sum_{j=1}^{n} \exp(A x)_j}",
        "A[n,d] x[d]",
        lambda a, x: softmax(a @ x),
    ),
    Case(r"y_i = c \tanh(a)_i^2", "c a[n]", lambda c, a: c * np.tanh(a) ** 2),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("place", ["[y]", "_y"])
def test_a_label_in_brackets_is_a_place(place: str) -> None:
    formula = compile_formula(rf"L = -\log \mathrm{{softmax}}(z){place}")
    z = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(formula.reference(z=z, y=2), -np.log(softmax(z)[2]))


@pytest.mark.parametrize("place", ["[y_t]", "_{y_t}"])
def test_a_label_of_each_row_in_brackets_is_a_place(place: str) -> None:
    formula = compile_formula(rf"L = -\sum_t \log \mathrm{{softmax}}(z_t){place}")
    z = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 0.25]])
    expected = -np.log(softmax(z)[[0, 1], [2, 1]]).sum()
    np.testing.assert_allclose(formula.reference(z=z, y=[2, 1]), expected)


def test_a_class_that_tells_weights_apart_is_no_gate() -> None:
    with pytest.raises(FormulaError, match="over what the index `t` runs"):
        compile_formula(r"p_k = \frac{\exp(W_k h_t)}{\sum_j \exp(W_j h_t)}")
    assert compile_formula(r"z_j = \sum_i W_j x_i + b_j").shape[0] == "h"


@pytest.mark.parametrize(
    ("latex", "why"),
    [
        (r"y_t = \sum_{k=0}^{K-1} w_k x[t - k d]", "looks a row up"),
        (r"y_t = x[t - 2k]", "looks a row up"),
        (r"p = \mathrm{softmax}(z)[0]", "counted from 0 or from 1"),
        (r"p = x[0]", "looks a row up"),
        (r"p = H[-1] W", "looks a row up"),
        (r"y_i = \mathrm{softmax}(z)[i+1] - \mathrm{softmax}(z)[i]", "of what is computed"),
        (r"y_i = \mathrm{softmax}(z)_{i+1} - \mathrm{softmax}(z)_i", "of what is computed"),
        (r"p = \mathrm{softmax}(z)_0", "no element `0` where they are counted from 1"),
    ],
)
def test_places_that_are_not_known_are_refused(latex: str, why: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(why)):
        compile_formula(latex)


def test_a_factor_in_brackets_is_no_place() -> None:
    formula = compile_formula(r"y_t = \eta [x_t - y_{t-1}]")
    np.testing.assert_allclose(formula.reference(eta=0.5, x=[3.0, 5.0], y=[1.0, 2.0]), [1, 1.5])


TURNED = r"R(x_m, y_m, m) = x_m \cos m \theta - y_m \sin m \theta"


def _turned(x: Any, y: Any, angles: Any) -> Any:
    return x * np.cos(angles)[:, None] - y * np.sin(angles)[:, None]


@table(
    Case(
        r"z_n = R(o_n, p_n, n)",
        "o[n,d] p[n,d] theta",
        lambda o, p, t: (
            (o.T * np.cos(np.arange(len(o)) * t) - p.T * np.sin(np.arange(len(o)) * t)).T
        ),
        context=TURNED,
    ),
    # Where another place than its own is given with a row, the function is one of both.
    Case(
        r"z_n = R(o_n, p_n, -n)",
        "o[n,d] p[n,d] theta",
        lambda o, p, t: (
            (o.T * np.cos(np.arange(len(o)) * t) + p.T * np.sin(np.arange(len(o)) * t)).T
        ),
        context=TURNED,
    ),
    Case(
        r"z = R(u, v, 3)",
        "u[d] v[d] theta",
        lambda u, v, t: u * np.cos(3 * t) - v * np.sin(3 * t),
        shapes={"u": ("d",), "v": ("d",)},
        context=TURNED,
    ),
    Case(
        r"z_n = f(a_n, n - 2)",
        "a[n,d]",
        lambda a: a * (np.arange(len(a)) - 2)[:, None],
        shapes={"a": ("n", "d")},
        context=r"f(x_i, i) = x_i \cdot i",
    ),
    # What a function makes of each row of its own, it makes of that row, wherever its index stands.
    *(
        Case(
            rf"y_t = {called}(x_t, z)",
            "x[n,d] z[d] alpha[n] beta[n]",
            lambda x, z, a, b: np.outer(a, z) + b[:, None] * x,
            context=r"m_t(x_t, x_0) = \alpha_t x_0 + \beta_t x_t",
        )
        for called in ("m", "m_t")
    ),
    Case(
        r"y_t = m(x_t, x_t - u_t)",
        "x[n,d] u[n,d] alpha[n] beta[n]",
        lambda x, u, a, b: a[:, None] * (x - u) + b[:, None] * x,
        context=r"m_t(x_t, x_0) = \alpha_t x_0 + \beta_t x_t",
    ),
)
def test_a_row_and_a_place(case: Case) -> None:
    check(case)


def test_a_place_of_what_is_made_of_other_rows_is_its_own() -> None:
    with pytest.raises(FormulaError, match="rows and their own places"):
        compile_formula(r"z_n = f(a_n, -n)", context=r"f(x_i, i) = i \sum_j x_j x_i")
