"""Positions, strides over even and odd columns, and index arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.oracle.source import numpy_source
from tables import Case, check, softmax, table


def angles(n: int, d: int, base: float = 10000) -> Any:
    return np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)


def woven(even: Any, odd: Any) -> Any:
    """Columns of two arrays in turn."""
    return np.stack([even, odd], axis=-1).reshape(len(even), -1)


def turned(x: Any, angle: Any) -> Any:
    """Each pair of neighbours turned by its angle."""
    z = (x[::2] + 1j * x[1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=1).ravel()


def _turned_rows(x: Any, angle: Any) -> Any:
    return np.stack([turned(row, place * angle) for place, row in enumerate(x)])


def counted(a: Any, c: Any) -> Any:
    out = a * (np.arange(len(a)) // 2 + 1)
    out[1::2] += c
    return out


def apart(w: Any, q: Any, x: Any, furthest: int) -> Any:
    """Products with rows that are joined by those for the distances, clipped."""
    place = np.arange(max(len(q), len(x)))
    rows = np.clip(place[: len(x)] - place[: len(q), None], -furthest, furthest) + furthest
    return np.einsum("nd,nmd->nm", q, x + w[rows])


def encoding(n: int, d: int, base: float = 10000) -> Any:
    angle = angles(n, d, base)
    return woven(np.sin(angle), np.cos(angle))[:, :d]


def steps(q: Any, k: Any) -> Any:
    """How far each key stands behind each query."""
    return np.arange(len(k)) - np.arange(len(q))[:, None]


@table(
    # The columns above a name come behind the place below it.
    Case(
        r"a_t^{(2i)} = \sin(t / 10000^{2i/d}), \quad a_t^{(2i+1)} = \cos(t / 10000^{2i/d})",
        "n# d#",
        lambda n, d: woven(np.sin(angles(n, d)), np.cos(angles(n, d)))[:, :d],
    ),
    # A range behind an equation may stand in parentheses.
    Case(
        r"s_h = 2^{-8h/H} \quad (h = 1, \dots, H)",
        "H#",
        lambda h: 2.0 ** (-8 * np.arange(1, h + 1) / h),
    ),
    Case(
        r"Y = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}} - b |i - j|) V",
        "Q[n,d] K[m,d] V[m,v] b",
        lambda q, k, v, b: softmax(q @ k.T / np.sqrt(q.shape[1]) - b * np.abs(steps(q, k))) @ v,
    ),
    Case(
        r"Y = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}} + s \cdot (n - m)) V",
        "Q[n,d] K[m,d] V[m,v] s",
        lambda q, k, v, s: softmax(q @ k.T / np.sqrt(q.shape[1]) + s * steps(q, k)) @ v,
    ),
    # So is a term beside the scores of one query, whose letter it has.
    Case(
        r"y_i = \mathrm{softmax}(q_i K^\top - b |i - j|) V",
        "q[n,d] K[m,d] V[m,v] b",
        lambda q, k, v, b: softmax(q @ k.T - b * np.abs(steps(q, k))) @ v,
    ),
    Case(
        r"a_m = \mathrm{softmax}(q_m K^\top + b (n - m))",
        "q[l,d] K[t,d] b",
        lambda q, k, b: softmax(q @ k.T + b * steps(q, k)),
    ),
    Case(
        r"Y = \mathrm{softmax}(Q K^\top + M_{ij} - b |i - j|) V",
        "Q[n,d] K[m,d] M[n,m] V[m,v] b",
        lambda q, k, m, v, b: softmax(q @ k.T + m - b * np.abs(steps(q, k))) @ v,
    ),
    Case(
        r"Y = \mathrm{softmax}(Q K^\top + b \cdot D_{ij}) V, D_{ij} = j - i",
        "Q[n,d] K[m,d] V[m,v] b",
        lambda q, k, v, b: softmax(q @ k.T + b * steps(q, k)) @ v,
    ),
    Case(
        r"PE_{(pos,2i)} = \sin(pos/10000^{2i/d}), \quad PE_{(pos,2i+1)} = \cos(pos/10000^{2i/d})",
        "n# d#",
        encoding,
    ),
    Case(
        r"P_{k,i} = g(k)_i := \begin{cases} \sin(k/10000^{2j/d}), & \text{if } i = 2j \\ "
        r"\cos(k/10000^{2j/d}), & \text{if } i = 2j + 1 \end{cases}",
        "n# d#",
        encoding,
    ),
    Case(
        r"P_{k,i} = \begin{cases} \sin(k/10000^{i/d}) & i \text{ even} \\ "
        r"\cos(k/10000^{(i-1)/d}) & i \text{ odd} \end{cases}",
        "n# d#",
        encoding,
    ),
    Case(
        r"P(k, i) = \left\{ \begin{array}{ll} \sin(k/10000^{i/d}) & \text{若 } i \text{ 是偶数} \\ "
        r"\cos(k/10000^{(i-1)/d}) & \text{若 } i \text{ 是奇数} \end{array} \right.",
        "n# d#",
        encoding,
    ),
    Case(
        r"P_{k,2i} = \sin\left(\frac{k}{b^{2i/d}}\right), \quad P_{k,2i+1} = "
        r"\cos\left(\frac{k}{b^{2i/d}}\right)",
        "b+ n# d#",
        lambda b, n, d: encoding(n, d, b),
    ),
    Case(
        r"PE_{t,2i} = \cos(t/500^{2i/d}), \quad PE_{t,2i+1} = \sin(t/500^{2i/d})",
        "n# d#",
        lambda n, d: woven(np.cos(angles(n, d, 500)), np.sin(angles(n, d, 500)))[:, :d],
    ),
    Case(
        r"\begin{aligned} PE_{(p,2i)} &= \sin(\omega_i p) \\ PE_{(p,2i+1)} &= \cos(\omega_i p) "
        r"\end{aligned}",
        "omega[m] n#",
        lambda w, n: woven(np.sin(np.outer(np.arange(n), w)), np.cos(np.outer(np.arange(n), w))),
    ),
    Case(
        r"PE_{(p,2i)} = \sin(\omega_i p), \quad PE_{(p,2i+1)} = \cos(\omega_i p), \quad "
        r"\omega_i = 10000^{-2i/d}",
        "n# d#",
        encoding,
    ),
    Case(r"\theta_i = 10000^{-2i/d}", "n# d#", lambda n, d: 10000 ** (-2 * np.arange(n) / d)),
    Case(r"\theta_i = 10000^{-2(i-1)/d}", "n# d#", lambda n, d: 10000 ** (-2 * np.arange(n) / d)),
    Case(
        r"b_{ij} = -m(i-j)",
        "m n# l#",
        lambda m, n, k: -m * np.subtract.outer(np.arange(n), np.arange(k)),
    ),
    Case(r"y_i = a_{2i} a_{2i+1}", "a[2*m]", lambda a: a[::2] * a[1::2]),
    Case(r"y_i = a_{2i} - a_{2i+1}", "a[2*m]", lambda a: a[::2] - a[1::2]),
    Case(
        r"e_{ij} = q_i^\top k_j + b_{i-j}",
        "q[n,d] k[m,d] b[n+m-1]",
        lambda q, k, b: q @ k.T + b[np.arange(len(q))[:, None] - np.arange(len(k)) + len(k) - 1],
    ),
    # How far rows and columns are apart, whatever the letters of the matrices are.
    *(
        Case(
            latex,
            "H[n,d] c[2*n-1]",
            lambda h, c: (
                h @ h.T + c[np.subtract.outer(np.arange(len(h)), np.arange(len(h))) + len(h) - 1]
            ),
        )
        for latex in (r"G = H H^\top + c_{i-j}", r"G = H H^\top + c_{m-n}")
    ),
    Case(
        r"Y = \mathrm{softmax}(F C H^\top / \sqrt{d} + p_{i-j}) H",
        "F[m,a] C[a,d] H[n,d] p[m+n-1]",
        lambda f, c, h, p: (
            softmax(
                f @ c @ h.T / np.sqrt(h.shape[1])
                + p[np.subtract.outer(np.arange(len(f)), np.arange(len(h))) + len(h) - 1]
            )
            @ h
        ),
    ),
    Case(
        r"e_{ij} = q_i^\top k_j + b_{|i-j|}",
        "q[n,d] k[n,d] b[n]",
        lambda q, k, b: (
            q @ k.T + np.array([[b[abs(i - j)] for j in range(len(k))] for i in range(len(q))])
        ),
    ),
    Case(
        r"s_{mn} = q_m^\top R_d^{\Theta, n-m} k_n",
        "q[m,d] R_d_Theta[n+m-1,d,e] k[n,e]",
        lambda q, r, k: np.array(
            [[q[m] @ r[n - m + len(q) - 1] @ k[n] for n in range(len(k))] for m in range(len(q))]
        ),
    ),
    Case(
        r"E_{ij} = -\lambda |i - j|",
        "lambda_ n# m#",
        lambda s, n, m: -s * abs(np.arange(n)[:, None] - np.arange(m)),
    ),
    Case(
        r"y_i = x_i + p_i",
        "x[n,d] p[n,d]",
        lambda x, p: x + p,
    ),
    Case(
        r"y_{2i} = x_{2i} \cos m\theta_i - x_{2i+1} \sin m\theta_i, \quad "
        r"y_{2i+1} = x_{2i} \sin m\theta_i + x_{2i+1} \cos m\theta_i",
        "x[2*k] theta[k] m",
        lambda x, t, m: turned(x, m * t),
    ),
    Case(
        r"y_{2i-1} = x_{2i-1} \cos m\theta_i - x_{2i} \sin m\theta_i, \quad "
        r"y_{2i} = x_{2i-1} \sin m\theta_i + x_{2i} \cos m\theta_i",
        "x[2*k] theta[k] m",
        lambda x, t, m: turned(x, m * t),
    ),
    Case(r"y_{2i-1} = i a_{2i-1}, \quad y_{2i} = \rho_i + i a_{2i}", "a[2*k] rho[k]", counted),
    Case(
        r"\begin{bmatrix} y_{2j} \\ y_{2j+1} \end{bmatrix} = R(m\theta_j) \begin{bmatrix} x_{2j} "
        r"\\ x_{2j+1} \end{bmatrix}, \quad R(\phi) = \begin{bmatrix} \cos\phi & -\sin\phi \\ "
        r"\sin\phi & \cos\phi \end{bmatrix}",
        "x[2*k] theta[k] m",
        lambda x, t, m: turned(x, m * t),
    ),
    Case(
        r"y_i = a_i - b_i a_{i+d/2}, \quad y_{i+d/2} = a_{i+d/2} + b_i a_i",
        "a[2*k] b[k]",
        lambda a, b: np.concatenate([a[: len(b)] - b * a[len(b) :], a[len(b) :] + b * a[: len(b)]]),
    ),
    Case(
        r"y_{m,i+\frac{d}{2}} = x_{m,i} c_i, \quad y_{m,i} = x_{m,i+\frac{d}{2}}",
        "x[n,2*k] c[k]",
        lambda x, c: np.concatenate([x[:, len(c) :], x[:, : len(c)] * c], axis=1),
    ),
    Case(
        r"y = \begin{pmatrix} -a_1 \\ a_0 \\ -a_3 \\ a_2 \\ \vdots \\ -a_{d-1} \\ a_{d-2} "
        r"\end{pmatrix}",
        "a[2*k]",
        lambda a: np.stack([-a[1::2], a[::2]], axis=1).ravel(),
    ),
    *(
        Case(
            rf"{even} = \sin(t / 9^{{2i/d}}), \quad {odd} = \cos(t / 9^{{2i/d}})",
            "n# d#",
            lambda n, d: np.where(
                np.arange(d) % 2,
                np.cos(np.arange(n)[:, None] / 9 ** (np.arange(d) // 2 * 2 / d)),
                np.sin(np.arange(n)[:, None] / 9 ** (np.arange(d) // 2 * 2 / d)),
            ),
        )
        for even, odd in [("PE_{2i}(t)", "PE_{2i+1}(t)"), ("PE(t)_{2i}", "PE(t)_{2i+1}")]
    ),
    Case(
        r"y = \begin{pmatrix} x_1 \\ x_2 \\ \vdots \\ x_{d-1} \\ x_d \end{pmatrix} \otimes "
        r"\begin{pmatrix} c_1 \\ c_1 \\ \vdots \\ c_{d/2} \\ c_{d/2} \end{pmatrix} + "
        r"\begin{pmatrix} -x_2 \\ x_1 \\ \vdots \\ -x_d \\ x_{d-1} \end{pmatrix}",
        "x[2*k] c[k]",
        lambda x, c: x * c.repeat(2) + np.stack([-x[1::2], x[::2]], axis=1).ravel(),
    ),
    Case(
        r"R_{\Theta, m}^d x = \begin{pmatrix} x_1 \\ x_2 \\ \vdots \\ x_{d-1} \\ x_d \end{pmatrix} "
        r"\odot \begin{pmatrix} \cos_{m\theta_1} \\ \cos_{m\theta_1} \\ \vdots \\ "
        r"\cos_{m\theta_{d/2}} \\ \cos_{m\theta_{d/2}} \end{pmatrix} + \begin{pmatrix} -x_2 \\ x_1 "
        r"\\ \vdots \\ -x_d \\ x_{d-1} \end{pmatrix} \odot \begin{pmatrix} \sin_{m\theta_1} \\ "
        r"\sin_{m\theta_1} \\ \vdots \\ \sin_{m\theta_{d/2}} \\ \sin_{m\theta_{d/2}} "
        r"\end{pmatrix}",
        "x[2*k] theta[k] m",
        lambda x, t, m: turned(x, m * t),
    ),
    Case(
        r"z = R(t) v, \quad R(\phi) = \begin{pmatrix} \cos\phi & -\sin\phi \\ \sin\phi & "
        r"\cos\phi \end{pmatrix}",
        "t v[2]",
        lambda t, v: turned(v, np.array([t])),
    ),
    Case(
        r"a_{ij} = w_{\mathrm{clip}(j-i, 2)} \\ e_{ij} = q_i^\top (x_j + a_{ij})",
        "w[5,d] q[n,d] x[m,d]",
        lambda w, q, x: apart(w, q, x, 2),
    ),
    Case(
        r"e_{ij} = q_i (x_j + R_{i,j})^\top",
        "q[n,d] x[m,d] R[n,m,d]",
        lambda q, x, r: np.einsum("nd,nmd->nm", q, x + r),
    ),
    Case(
        r"e_{ij} = \frac{q_i^\top k_j}{\sqrt{d_z}} \\ z_i = \sum_j e_{ij} v_j",
        "q[n,d] k[m,d] v[m,e]",
        lambda q, k, v: q @ k.T @ v / np.sqrt(q.shape[1]),
    ),
    Case(r"w_i = b^{-2i/d}", "b+ n# d#", lambda b, n, d: b ** (-2 * np.arange(n) / d)),
    Case(r"y_i = a_i^2 c_{i2}", "a[n] c[n,m]", lambda a, c: a**2 * c[:, 1]),
    Case(r"B_{ij} = A_{ij}^2", "A[n,m]", lambda a: a**2),
    Case(
        r"\tilde q_m = q_m e^{i m \theta}",
        "q[n,2*k] theta[k]",
        lambda q, t: np.stack([turned(x, m * t) for m, x in enumerate(q)]),
    ),
    Case(
        r"f(x, m) = (W x) e^{\mathrm{i} m \theta}",
        "W[2*k,c] x[c] theta[k] m",
        lambda w, x, t, m: turned(w @ x, m * t),
    ),
    # The k of what makes the key of a token at its place is a label of its weights.
    Case(
        r"g_k(h_n, n) = (W_k h_n) e^{i n \phi}",
        "W_k[2*k,c] h[n,c] phi",
        lambda w, h, t: np.stack([turned(w @ x, m * t) for m, x in enumerate(h)]),
    ),
    Case(r"g_k(h_n) = W_k h_n", "W[m,e,c] h[n,c]", lambda w, h: np.einsum("kec,nc->kne", w, h)),
    Case(
        r"y = x \cdot e^{-i \phi}",
        "x[2*k] phi",
        lambda x, p: turned(x, -p),
    ),
    Case(
        r"\tilde z_j = z_j e^{i m \theta_j}",
        "z[2*k] theta[k] m",
        lambda z, t, m: turned(z, m * t),
    ),
    Case(
        r"y_{2j} + i y_{2j+1} = (x_{2j} + i x_{2j+1}) e^{i m \theta_j}",
        "x[2*k] theta[k] m",
        lambda x, t, m: turned(x, m * t),
    ),
    Case(
        r"f(x, y, m) = (x \cos m\phi - y \sin m\phi) + i (x \sin m\phi + y \cos m\phi)",
        "x[d] y[d] m phi",
        lambda x, y, m, phi: np.concatenate(
            [
                np.real((x + 1j * y) * np.exp(1j * m * phi)),
                np.imag((x + 1j * y) * np.exp(1j * m * phi)),
            ]
        ),
    ),
    Case(
        r"\Theta = \{ \theta_i = b^{-2(i-1)/n} \}_{i=1}^{n}",
        "b+ n#",
        lambda b, n: b ** (-2 * np.arange(n) / n),
    ),
    Case(
        r"R(m\theta_i) = \begin{pmatrix} \cos m\theta_i & -\sin m\theta_i \\ "
        r"\sin m\theta_i & \cos m\theta_i \end{pmatrix}",
        "phi",
        lambda phi: np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]),
    ),
    Case(
        r"R_{\theta_i} = \begin{pmatrix} \cos\theta_i & -\sin\theta_i \\ "
        r"\sin\theta_i & \cos\theta_i \end{pmatrix}",
        "theta[k]",
        lambda t: np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]).transpose(2, 0, 1),
    ),
    Case(
        r"y = \sigma(W x) \cdot x",
        "W[d,d] x[d]",
        lambda w, x: x / (1 + np.exp(-w @ x)),
    ),
    Case(
        r"s = w \cdot \sigma(h)",
        "w[d] h[d]",
        lambda w, h: w @ (1 / (1 + np.exp(-h))),
    ),
    Case(
        r"M = \mathrm{diag}(a_{11}, a_{22}, \dots, a_{nn})",
        "a[n,n]",
        lambda a: np.diag(np.diag(a)),
    ),
    # What a power of a product with an index is made of is a number, but for two vectors.
    Case(
        r"f_i = (b \cdot s^{d/(d-2)})^{-2i/d}, \quad i = 0, \dots, n - 1",
        "b+ s+ n# d#",
        lambda b, s, n, d: (b * s ** (d / (d - 2))) ** (-2 * np.arange(n) / d),
    ),
    Case(
        r"y_i = (u \cdot w)^{2i}, \quad i = 1, \dots, n",
        "u[d] w[d] n#",
        lambda u, w, n: (u @ w) ** (2 * np.arange(1, n + 1)),
    ),
    # The real part of a product of turned pairs, one of which is conjugated.
    Case(
        r"s_{mn} = \mathrm{Re}[q_m k_n^* e^{i(m-n)\theta}]",
        "q[n,2*k] k[m,2*k] theta[k]",
        lambda q, k, t: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = \mathrm{Re}\Bigl[\sum_{j=0}^{d/2-1} q_{m,[2j:2j+1]} k_{n,[2j:2j+1]}^* "
        r"e^{i(m-n)\theta_j}\Bigr]",
        "q[n,2*c] k[m,2*c] theta[c]",
        lambda q, k, t: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = \mathrm{Re}(\sum_{i=0}^{d/2-1} q_{m,i} \bar{k}_{n,i} e^{i(m-n)\theta_i})",
        "q[n,2*c] k[m,2*c] theta[c]",
        lambda q, k, t: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = \mathrm{Re}[q_m e^{im\theta} k_n^* e^{-in\theta}]",
        "q[n,2*k] k[m,2*k] theta[k]",
        lambda q, k, t: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = \mathrm{Re}[(q_m e^{im\theta}) (k_n e^{in\theta})^*]",
        "q[n,2*k] k[m,2*k] theta[k]",
        lambda q, k, t: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = (q_m e^{im\theta}) (k_n e^{in\theta})^\dagger",
        "q[n,2*k] theta[k] k[m,2*k]",
        lambda q, t, k: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
    Case(
        r"s_{mn} = (q_m e^{im\theta}) (k_n e^{-in\theta})^\dagger",
        "q[n,2*k] theta[k] k[m,2*k]",
        lambda q, t, k: _turned_rows(q, t) @ _turned_rows(k, -t).T,
    ),
    Case(
        r"s_{mn} = (q_m e^{im\theta})^\top (k_n e^{in\theta})",
        "q[n,2*k] theta[k] k[m,2*k]",
        lambda q, t, k: _turned_rows(q, t) @ _turned_rows(k, t).T,
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex, warned",
    [
        (r"y = a e^{i m \phi}", True),
        (r"f(q) = R(q) e^{i\Phi(q)}", True),
        (r"y_i = x e^{i m \theta}", True),
        (r"y = e^{m t}", False),
    ],
)
def test_complex_numbers_are_warned_of(latex: str, warned: bool) -> None:
    codes = [problem.code for problem in compile_formula(latex).diagnostics]
    assert ("N2C050" in codes) == warned


@pytest.mark.parametrize(
    ("again", "once"),
    [
        (r"q_m = \sum_{i=1}^m c_i, q_{m-1} = \sum_{i=1}^{m-1} c_i", r"q_m = \sum_{i=1}^m c_i"),
        (r"q_{m-1} = \sum_{i=1}^{m-1} c_i, q_m = \sum_{i=1}^m c_i", r"q_m = \sum_{i=1}^m c_i"),
        (r"q_{t} = \tanh(c_t), \quad q_{t-1} = \tanh(c_{t-1})", r"q_{t} = \tanh(c_t)"),
        (r"q_i = W c_{i}, q_{i+1} = W c_{i+1}", "q_i = W c_{i}"),
    ],
)
def test_what_is_said_again_of_the_next_place_changes_nothing(again: str, once: str) -> None:
    found, alone = (numpy_source(compile_formula(one).equation, "q") for one in (again, once))
    assert found == alone


@pytest.mark.parametrize(
    "latex", [r"q_i = W c_i, q_{i+1} = U c_{i+1}", "B_{ii} = c_i, B_{i,i+1} = c_i"]
)
def test_places_next_to_each_other_are_defined_once(latex: str) -> None:
    with pytest.raises(FormulaError, match="N2C035"):
        compile_formula(latex)


@pytest.mark.parametrize("latex", [r"h_i = W^\top x_i + p_{i-j}", r"h_m = W^\top x_m + p_{m-n}"])
def test_what_a_matrix_makes_of_one_row_has_no_columns_to_be_apart(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_a_difference_of_numbers_beside_a_product_is_one() -> None:
    found = compile_formula(r"C = X X^\top + (m - n) I + (m - n)")
    assert {"m", "n"} <= {one.name for one in found.inputs}


def test_an_element_of_positions_is_no_product() -> None:
    context = [r"PE(pos, 2i) = \sin(pos / 10000^{2i/d})"]
    found = compile_formula(r"y = PE(pos, 2i) + x", context=context)
    assert "PE" not in [one.name for one in found.inputs]
    assert [one.message for one in found.diagnostics] == [
        "`y` is taken to have one for each `i` and `pos`"
    ]


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"p_{k,2j} = \sin(k / 9^{2i/d}), \quad p_{k,2j+1} = \cos(k / 9^{2i/d})", True),
        (r"p_{k,2j} = \sin(k / 9^{2j/d}), \quad p_{k,2j+1} = \cos(k / 9^{2j/d})", False),
    ],
)
def test_columns_that_are_all_alike_are_told(latex: str, told: bool) -> None:
    found = compile_formula(latex).diagnostics
    assert any("right depends on `j`" in problem.message for problem in found) == told
