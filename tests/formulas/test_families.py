"""What stands in a list with dots: heads that are joined, and states that are averaged."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, softmax, table


def _joined(heads: np.ndarray) -> np.ndarray:
    return np.concatenate(list(heads), axis=-1)


@table(
    # The i of one of several functions, and the t of what all of them are given.
    Case(
        r"y_t = \sum_{i=1}^{N} p_i(x_t) \cdot (A_i x_t)",
        "x[n,d] U[h,d] m[n,h] A[h,q,d]",
        lambda x, u, m, a: np.einsum("nh,hqd,nd->nq", (x @ u.T) * m, a, x),
        shapes={"U": ("h", "d"), "m": ("n", "h"), "A_i": ("q", "d")},
        context=[r"p_i(x_t) = m_{t,i} \, (U x_t)_i"],
    ),
    # A gate gives a number for each expert, whatever stands above its letter.
    Case(
        r"y = \sum_{i=1}^{n} \hat g_i \cdot (A_i x)",
        "g_hat[n] A[n,q,d] x[d]",
        lambda g, a, x: np.einsum("n,nqd,d->q", g, a, x),
        shapes={"A_i": ("q", "d")},
    ),
    # What mixes heads are numbers, whatever the letter; only one index tells how R_m turns.
    Case(
        r"U_h = \sum_g R_{hg} W_g",
        "R[h,g] W[g,n,m]",
        lambda r, w: np.tensordot(r, w, 1),
    ),
    # What weights are added up of are matrices as they are.
    Case(
        r"W_r = \sum_{b=1}^B a_{rb} V_b",
        "a[r,B] V[B,n,m]",
        lambda a, v: np.tensordot(a, v, 1),
    ),
    # What they add up of tokens are vectors, though a W is made of it.
    *(
        Case(latex, "a[n,m] V[m,d]", lambda a, v: a @ v)
        for latex in (r"W_i = \sum_j a_{ij} V_j", r"W_t = \sum_s a_{ts} V_s")
    ),
    Case(r"W = \sum_i p_i X_i", "p[m] X[m,d]", lambda p, x: p @ x),
    # A capital with an index above it is one of several matrices beside another with that index.
    Case(
        r"X' = \sum_k Z^{(k)} \Theta^{(k)}",
        "Z[k,n,d] Theta[k,d,m]",
        lambda z, w: (z @ w).sum(0),
    ),
    Case(
        r"q_i^{(r)} = h_i^{(r)} Q^{(r)}",
        "h[r,n,d] Q[r,d,m]",
        lambda h, q: h @ q,
    ),
    Case(r"O^k = A^k V^k", "A[h,n,m] V[h,m,d]", lambda a, v: a @ v),
    # Alone it is a vector, of one example or layer; so it is where a number is made.
    Case(r"z^{(i)} = w^\top X^{(i)}", "w[d] X[n,d]", lambda w, x: x @ w),
    Case(
        r"\mathrm{ELMo} = \gamma \sum_l s_l H^{(l)}",
        "gamma s[n] H[n,d]",
        lambda g, s, h: g * s @ h,
    ),
    Case(
        r"\Sigma = \frac{1}{N} \sum_i (X^{(i)} - \mu) (X^{(i)} - \mu)^\top",
        "X[n,d] mu[d]",
        lambda x, mu: (x - mu).T @ (x - mu) / len(x),
    ),
    Case(
        r"l = \sum_i Z^{(i)} \cdot Y^{(i)}",
        "Z[n,d] Y[n,d]",
        lambda z, y: (z * y).sum(),
    ),
    # What is joined by name are arrays, though the whole has their letter.
    Case(
        r"Y = \text{Concat}(Y_1, Y_2, \dots, Y_h) W^O",
        "Y[h,n,d] W_O[h*d,p]",
        lambda y, w: _joined(y) @ w,
    ),
    Case(
        r"u = \mathrm{concat}(u_1, \ldots, u_k) A",
        "u[k,d] A[k*d,p]",
        lambda u, a: u.reshape(-1) @ a,
    ),
    *(
        Case(latex, "head[h,n,d] W_O[h*d,p]", lambda y, w: _joined(y) @ w)
        for latex in (
            r"Y = (\text{head}_1 \oplus \text{head}_2 \ldots \oplus \text{head}_h) W^O",
            r"Y = \Big(\text{head}^{(1)} \oplus \cdots \oplus \text{head}^{(h)}\Big) W^O",
        )
    ),
    Case(
        r"Y = (\text{head}_1 \oplus \text{head}_2) W^O",
        "head_1[n,d] head_2[n,e] W_O[d+e,p]",
        lambda a, b, w: np.concatenate([a, b], axis=-1) @ w,
    ),
    # So are those in a row of a matrix; those in a column are its rows.
    Case(
        r"\begin{bmatrix} head_1 & head_2 \end{bmatrix} W^O",
        "head_1[n,d] head_2[n,e] W_O[d+e,p]",
        lambda a, b, w: np.concatenate([a, b], axis=-1) @ w,
    ),
    Case(
        r"H = \begin{bmatrix} head_1 \\ head_2 \end{bmatrix} \in \mathbb{R}^{2 \times d}",
        "head_1[d] head_2[d]",
        lambda a, b: np.stack([a, b]),
    ),
    # What a list counts with a capital, other formulas of the section count with its small letter.
    Case(
        r"O = [R_1 Y_1; \dots; R_G Y_G] W",
        "R[g,n,d] Y[g,d,m] W[g*m,p]",
        lambda r, y, w: _joined(r @ y) @ w,
        context=[
            r"X \in \mathbb{R}^{n \times d}",
            r"Y_g = X A_g",
            r"R_g = \mathrm{softmax}(X B_g)",
        ],
    ),
    # The small q_i of a head, where all have its index, is all its queries.
    Case(
        r"\text{head}_i = \text{softmax}\left(\frac{q_i k_i^\top}{\sqrt{d_k}}\right) v_i",
        "q[h,n,d_k] k[h,m,d_k] v[h,m,d_v]",
        lambda q, k, v: softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) @ v,
    ),
    # Near miss: what a layer gives is added.
    Case(r"Y = X \oplus F", "X[n,d] F[n,d]", np.add),
    # The states a of an encoder are averaged, at places that are written in any way.
    Case(r"g_t = \sum_s \alpha_{ts} a_s", "alpha[n,m] a[m,d]", lambda w, a: w @ a),
    Case(
        r"g^{\langle t \rangle} = \sum_{t'} \alpha^{\langle t,t' \rangle} a^{\langle t' \rangle}",
        "alpha[n,m] a[m,d]",
        lambda w, a: w @ a,
    ),
    # Near miss: other weights, and an a that is a coefficient.
    Case(r"g_t = \sum_s b_{ts} a_s", "b[n,m] a[m]", lambda b, a: b @ a),
    # An arrow in either direction says that a letter is a vector.
    Case(
        r"a = (\overrightarrow{a}, \overleftarrow{a})",
        "a_vec[n] a_back[m]",
        lambda one, other: np.concatenate([one, other]),
    ),
    # What counts up to a capital is its small letter, whatever that is elsewhere.
    Case(
        r"\begin{aligned} Z_h &= c_h V_h \\ Z &= [Z_1 \Vert \dots \Vert Z_H] W_O \end{aligned}",
        "c[H] V[H,n,d] W_O[H*d,p]",
        lambda c, v, w: np.concatenate([a * b for a, b in zip(c, v, strict=True)], -1) @ w,
    ),
    Case(
        r"u_c = \tanh(W_c x), \quad y = [u_1; \dots; u_C]",
        "W[C,d,e] x[e]",
        lambda w, x: np.tanh(w @ x).reshape(-1),
    ),
    # A sequence in parentheses is no concatenation.
    Case(r"O = (E_1, E_2, \dots, E_T)", "E[T,d]", lambda e: e),
    Case(
        r"O = (E_1, \dots, E_T) W", "E[T,n,d] W[T*d,p]", lambda e, w: np.concatenate([*e], -1) @ w
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_what_a_ring_does_is_told() -> None:
    for latex, what in (
        (r"Y = X \oplus F", "addition"),
        (r"c = u_1 \oplus \dots \oplus u_h", "conc"),
    ):
        (problem,) = compile_formula(latex).diagnostics
        assert problem.code == "N2C039"
        assert what in problem.message


@table(
    # What is made of members stands before or behind what says what all of them are.
    Case(
        r"L = L_1 + L_2, \quad L_i = -\sum_j y_{ij} \log p_{ij}",
        "y[2,d] p+[2,d]",
        lambda y, p: -(y * np.log(p)).sum(),
    ),
    Case(
        r"h = h_1 \odot h_2, \quad h_i = \tanh(W_i u)",
        "W[2,p,d] u[d]",
        lambda w, u: np.tanh(w[0] @ u) * np.tanh(w[1] @ u),
    ),
)
def test_sums_of_members(case: Case) -> None:
    check(case)


def test_one_that_is_no_member_is_told() -> None:
    told = [one.message for one in compile_formula(r"L = L_1 + L_3, L_i = a_i^2").diagnostics]
    assert told == [
        f"`L_{number}` is taken to be none of those that are defined by index" for number in (1, 3)
    ]


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("", ["`f_{ij}` is taken to be one number beside a vector"]),
        (r"f_{ij} \in \mathbb{R}", []),
        (r"f_{ij} \in \mathbb{R}^p", []),
    ],
)
def test_a_number_among_vectors_that_are_joined_is_told(declared: str, told: list[str]) -> None:
    formula = compile_formula(r"s_{ij} = a^\top [h_i \| h_j \| f_{ij}]", context=declared)
    assert [one.message for one in formula.diagnostics] == told


def test_what_one_function_gives_for_two_names_is_told() -> None:
    found = compile_formula(r"(h_t, c_t) = \mathrm{LSTM}(x_t, z_t)").diagnostics
    assert "how it is shared out is not said" in found[-1].message


_SMALL = r"q_i = %s W_i^Q, \quad k_i = %s W_i^K, \quad v_i = %s W_i^V"


def _attended(x: np.ndarray, *weights: np.ndarray) -> np.ndarray:
    q, k, v = (x @ weight for weight in weights)
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v


@pytest.mark.parametrize("x", ["x", "X"])
@pytest.mark.parametrize("head", ["h", "o", r"\mathrm{head}"])
def test_small_letters_with_the_index_of_a_head_are_its_matrices(head: str, x: str) -> None:
    """A row alone would give all its weight to the one key beside it."""
    attention = (
        rf"{head}_i = \mathrm{{softmax}}\left(\frac{{q_i k_i^\top}}{{\sqrt{{d}}}}\right) v_i"
    )
    context = [_SMALL % (x, x, x), attention]
    joined = rf"\mathrm{{Attn}}({x}) = [{head}_1; \dots; {head}_h] W^O"
    inputs = f"{x}[n,d] W_Q[h,d,k] W_K[h,d,k] W_V[h,d,v] W_O[h*v,p]"
    check(Case(joined, inputs, lambda a, *w: _joined(_attended(a, *w[:3])) @ w[3], context=context))
    alone = compile_formula(attention)
    assert [len(given.shape) for given in alone.inputs] == [3, 3, 3]
    told = [one.message for one in alone.diagnostics]
    assert told == ([] if "head" in head else ["each `q_i` is taken to be a matrix"])


@table(
    # A family is joined however its index is written.
    Case(
        r"O = \text{Concat}_i(\text{head}_i) W^O",
        "head[h,n,d] W_O[h*d,p]",
        lambda head, w: _joined(head) @ w,
    ),
    Case(
        r"O = \text{Concat}(\{\text{head}_i\}_{i=1}^h) W^O",
        "head[h,n,d] W_O[h*d,p]",
        lambda head, w: _joined(head) @ w,
    ),
    # The letter below says which index is joined over, and which others stay.
    Case(
        r"y_i = \mathrm{concat}_j(W_j x_i)",
        "W[h,a,b] x[n,b]",
        lambda w, x: np.concatenate([x @ one.T for one in w], axis=-1),
    ),
)
def test_a_family_is_joined(case: Case) -> None:
    check(case)


def test_a_label_joins_no_family() -> None:
    formula = compile_formula(r"O = \text{Concat}_h(\text{head}_h) W^O")
    assert "Concat_h" in {given.name for given in formula.inputs}


@pytest.mark.parametrize(
    "latex",
    [
        r"\mathrm{GQA}(Z) = \mathrm{Concat}(u_1, \dots, u_g) W",
        r"\mathrm{MQA}(Z) = [u_1; \dots; u_g] W",
    ],
)
def test_heads_that_may_share_keys_are_not_those_of_every_layer(latex: str) -> None:
    assert compile_formula(latex).component is None
