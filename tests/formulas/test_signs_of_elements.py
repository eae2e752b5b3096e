"""Powers of each element, families whose index stands behind them, bars that join, and letters that
no blank parts from a sign."""

from __future__ import annotations

import numpy as np

from tables import Case, check, softmax, table


@table(
    Case(r"A = e^{\circ (Q K^\top)}", "Q[n,d] K[m,d]", lambda q, k: np.exp(q @ k.T)),
    Case(r"y = e^{\circ x}", "x[d]", np.exp),
    Case(r"B = A^{\circ 2} W", "A[n,d] W[d,e]", lambda a, w: a**2 @ w),
    Case(r"B = A^{\odot 3}", "A[n,d]", lambda a: a**3),
    Case(r"C = (A B)^{\circ -1}", "A[n,d] B[d,m]", lambda a, b: 1 / (a @ b)),
    Case(r"p = \mathrm{softmax}(x)^{\odot 2}", "x[d]", lambda x: softmax(x) ** 2),
    Case(r"B_{ij} = A_{ij}^{\circ 2}", "A[n,d]", lambda a: a**2),
)
def test_powers_of_each_element(case: Case) -> None:
    check(case)


@table(
    Case(r"a = \mathrm{softmax}((q^\top k_i)_i)", "q[d] k[n,d]", lambda q, k: softmax(k @ q)),
    Case(
        r"\alpha_i = \mathrm{softmax}((q_i^\top k_j)_j)",
        "q[n,d] k[m,d]",
        lambda q, k: softmax(q @ k.T),
    ),
    Case(r"(a_{ij})_{i,j} = (q_i^\top k_j)_{ij}", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
    Case(r"o = ((q^\top k_i)_{i})^\top V", "q[d] k[n,d] V[n,e]", lambda q, k, v: (k @ q) @ v),
    Case(
        r"a = \mathrm{softmax}((q^\top k_i)_{i \in [n]})",
        "q[d] k[n,d]",
        lambda q, k: softmax(k @ q),
    ),
    # Behind a function, and where a sum counts with it, the letter picks an element.
    Case(
        r"s = \sum_i (A x)_i (B x)_i",
        "A[n,d] x[d] B[n,d]",
        lambda a, x, b: np.sum((a @ x) * (b @ x)),
    ),
    Case(r"p_i = \mathrm{softmax}(z)_i", "z[n]", softmax),
)
def test_families_without_a_range(case: Case) -> None:
    check(case)


@table(
    Case(
        r"y = [z_1 | \dots | z_n] W, \quad z_i = x_i U_i",
        "x[n,d] U[n,d,e] W[n*e,m]",
        lambda x, u, w: np.einsum("nd,nde->ne", x, u).reshape(-1) @ w,
    ),
    Case(
        r"y = [a | b | c]^\top w",
        "a[d] b[e] c[m] w[d+e+m]",
        lambda a, b, c, w: np.concatenate([a, b, c]) @ w,
        shapes={"a": ("d",), "b": ("e",), "c": ("m",)},
    ),
    Case(
        r"z = (h_1 \vert{}\vert{} h_2) W",
        "h_1[d] h_2[e] W[d+e,m]",
        lambda a, b, w: np.concatenate([a, b]) @ w,
    ),
    Case(
        r"z = (h_1 \vert \vert h_2) W",
        "h_1[d] h_2[e] W[d+e,m]",
        lambda a, b, w: np.concatenate([a, b]) @ w,
    ),
    Case(r"s = \lvert\lvert x \rvert\rvert", "x[d]", np.linalg.norm),
    Case(
        r"s = \vert a \vert\vert b \vert",
        "a b",
        lambda a, b: abs(a) * abs(b),
        shapes={"a": (), "b": ()},
    ),
    Case(r"y = [|a|, |b|]", "a b", lambda a, b: np.array([abs(a), abs(b)]), {"a": (), "b": ()}),
)
def test_bars(case: Case) -> None:
    check(case)


@table(
    Case(
        r"o_i = \sum_{j=1}^iS_{ij} v_j",
        "S[n,m] v[m,d]",
        lambda s, v: (s * np.tri(*s.shape)) @ v,
    ),
    Case(r"c_i = \sum_{j=1}^is_{ij}", "s[n,m]", lambda s: (s * np.tri(*s.shape)).sum(1)),
    Case(
        r"y = \frac{x}{\|x\|_{RMS}} \odot g",
        "x[d] g[d]",
        lambda x, g: x / np.sqrt(np.mean(x**2)) * g,
    ),
    Case(
        r"y = \frac{x}{\lVert x \rVert_{\text{rms}}}",
        "x[d]",
        lambda x: x / np.sqrt(np.mean(x**2)),
    ),
)
def test_letters_and_labels(case: Case) -> None:
    check(case)
