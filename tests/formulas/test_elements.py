"""What has elements and what is one number, where the signs around it tell: gates before ⊙, the
vectors of heads before W_O, the numbers in a softmax, the features of a score."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max())
    return powers / powers.sum()


@table(
    Case(r"z_t = w_t \odot v_t", "w[n,d] v[n,d]", np.multiply),
    Case(r"v_j = \Delta_j \odot x_j", "Delta[n,d] x[n,d]", np.multiply),
    Case(
        r"o_t = \sigma(g_t) \odot (S_t q_t)",
        "g[n,d] S[n,d,k] q[n,k]",
        lambda g, s, q: np.einsum("ndk,nk->nd", s, q) / (1 + np.exp(-g)),
    ),
    Case(
        r"o_i = g_i \odot \sum_j \alpha_{ij} v_j",
        "g[n,d] alpha[n,m] v[m,d]",
        lambda g, a, v: g * (a @ v),
    ),
    Case(r"\tilde x_i = m_i \odot x_i", "m[n] x[n,d]", lambda m, x: m[:, None] * x),
    # What has an element of each row and column is a matrix.
    Case(r"y_{ij} = (B + D)_{i,j}", "B[n,m] D[n,m]", np.add),
    Case(r"y_{ik} = (B' - D')_{ik}", "B_prime[n,m] D_prime[n,m]", np.subtract),
)
def test_what_multiplies_elements_has_elements(case: Case) -> None:
    check(case)


@table(
    Case(
        r"z = [z_1, \dots, z_h] W_O",
        "z[h,d] W_O[h*d,p]",
        lambda z, w: z.reshape(-1) @ w,
    ),
    Case(
        r"y = W_O (o^1 \| \dots \| o^H)",
        "W_O[p,H*d] o[H,d]",
        lambda w, o: w @ o.reshape(-1),
    ),
    Case(
        r"o_t^{(h)} = \sum_i \alpha_t^{(h,i)} v_t^{(h,i)}",
        "alpha_h[m,n] v_h[m,n,d]",
        lambda a, v: np.einsum("mn,mnd->nd", a, v),
    ),
    Case(
        r"y_t = \sum_i \alpha_{ti} v_{ti}",
        "alpha[n,m] v[n,m,d]",
        lambda a, v: np.einsum("nm,nmd->nd", a, v),
    ),
)
def test_heads_and_values_are_vectors(case: Case) -> None:
    check(case)


@table(
    Case(r"p = \mathrm{softmax}((x_i)_{i=1}^n)", "x[n]", _softmax),
    Case(r"p = \mathrm{softmax}([x_1, \dots, x_n])", "x[n]", _softmax),
    Case(
        r"\mathrm{score}(q, k) = \max_c (q_c + k_c)",
        "q[d] k[d]",
        lambda q, k: (q + k).max(),
    ),
)
def test_a_softmax_and_a_score_are_of_numbers(case: Case) -> None:
    check(case)


@table(
    Case(
        r"o_i = \alpha_{i,\text{BOS}} V_{\text{BOS}} + \sum_j \alpha_{ij} V_j",
        "alpha_BOS[n] V_BOS[d] alpha[n,m] V[m,d]",
        lambda b, v, a, w: b[:, None] * v + a @ w,
    ),
    Case(
        r"o = \alpha_{\text{sink}} V_{\text{sink}} + \sum_j \alpha_j V_j",
        "alpha_sink V_sink[d] alpha[m] V[m,d]",
        lambda b, v, a, w: b * v + a @ w,
    ),
)
def test_the_row_of_a_place_with_a_name_is_a_row(case: Case) -> None:
    check(case)


@table(
    Case(r"K = kv_{latent} W_{UK}", "kv_latent[n,c] W_UK[c,d]", np.matmul),
    Case(r"V = c_{kv} W_{UV}", "c_kv[c] W_UV[c,d]", np.matmul),
    Case(
        r"A = S(\mathrm{Id} - k k^\top)",
        "S[n,d] k[d]",
        lambda s, k: s @ (np.eye(len(k)) - np.outer(k, k)),
    ),
    Case(r"o_n = Q_n S_n", "Q[n,d] S[n,d,m]", lambda q, s: np.einsum("nd,ndm->nm", q, s)),
    Case(
        r"S_n = \sum_{m \le n} \gamma^{n-m} K_m^\top V_m",
        "gamma+ K[n,k] V[n,v]",
        lambda g, k, v: np.array(
            [sum(g ** (n - m) * np.outer(k[m], v[m]) for m in range(n + 1)) for n in range(len(k))]
        ),
    ),
)
def test_latents_states_and_identities(case: Case) -> None:
    check(case)


def test_a_block_of_keys_is_a_matrix() -> None:
    formula = compile_formula(r"R_i = K_{[i]}^\top V_{[i]} + \gamma R_{i-1}")
    assert {i.name: len(i.shape) for i in formula.inputs}["K"] == 2


def test_a_letter_above_a_layer_tells_it_apart_and_raises_nothing() -> None:
    formula = compile_formula(r"y = u + \sum_{i=1}^{N} g_i \mathrm{FFN}_i^r(u)")
    assert {one.name: one.kind for one in formula.inputs}["FFN_r"] == "function"


def test_a_table_in_brackets_is_looked_up_and_not_multiplied() -> None:
    with pytest.raises(FormulaError, match="looks a row up"):
        compile_formula(r"B[i,j] = \hat{B}[p(i,j)]")


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"S = G + N", "`G` and `N` are taken to be arrays"),
        (r"M = k N", "`k` and `N` are taken to be arrays"),
        (r"C = T \cdot k / E", "`T` and `k` are taken to be arrays"),
        (
            r"q_t \cdot s_i k_i - q_t \sum_{j=1}^t s_j \cdot k_i",
            "each `k_i` is taken to be a number",
        ),
        (r"e = \Phi(c)", "`\\Phi` is taken for the normal distribution's function"),
    ],
)
def test_what_may_be_meant_otherwise_is_told(latex: str, told: str) -> None:
    assert told in [one.message for one in compile_formula(latex).diagnostics]


@pytest.mark.parametrize("latex", [r"y = x \Phi(x)", r"C = A W + B", r"Y = X + P"])
def test_what_is_plain_is_not(latex: str) -> None:
    assert not compile_formula(latex).diagnostics


@table(
    Case(r"C = \lceil T_k / c \rceil", "T_k+ c+", lambda t, c: np.ceil(t / c)),
    Case(r"k = \lfloor L_{max} / c \rfloor", "L_max+ c+", lambda t, c: np.floor(t / c)),
)
def test_what_is_shared_out_to_blocks_is_a_number(case: Case) -> None:
    check(case)


@table(
    Case(
        r"p_i = \mathrm{softmax}(z W_o + b_o)",
        "z[d] W_o[d,c] b_o[c]",
        lambda z, w, b: _softmax(z @ w + b),
        context=r"W_o \in \mathbb{R}^{d \times C}",
    ),
    Case(
        r"P(y_t) = \mathrm{softmax}(W h + b)",
        "W[c,d] h[d] b[c]",
        lambda w, h, b: _softmax(w @ h + b),
        context=r"W \in \mathbb{R}^{C \times d}",
    ),
)
def test_the_bias_of_a_declared_layer_is_added_to_its_outputs(case: Case) -> None:
    check(case)


def _heads(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    powers = np.exp(np.einsum("hnd,hmd->hnm", q, k) / np.sqrt(q.shape[-1]))
    return (powers / powers.sum(-1, keepdims=True)) @ v


@table(
    Case(
        r"head_i = \mathrm{softmax}(Q_i K_i^\top / \sqrt{d}) V_i",
        "Q[h,n,d] K[h,m,d] V[h,m,e]",
        _heads,
        context=r"Q \in \mathbb{R}^{B \times T \times d}",
    ),
    Case(
        r"head_i = \mathrm{softmax}(Q_i K_i^\top / \sqrt{d}) V_i",
        "Q[h,n,d] K[h,n,d] V[h,n,d]",
        _heads,
        context=r"Q, K, V \in \mathbb{R}^{B \times T \times d}",
    ),
)
def test_one_declared_batch_makes_no_row_of_what_a_head_has(case: Case) -> None:
    check(case)


def test_a_count_beside_two_of_one_kind_is_told() -> None:
    messages = [one.message for one in compile_formula(r"P_D = N \cdot P_E").diagnostics]
    assert "`N` and `P_E` are taken to be arrays" in messages


@table(
    # What stands in brackets, and has the index behind them, is defined by its elements.
    Case(r"[y]_k = w^{(k)} \cdot u", "w[n,d] u[d]", np.matmul),
    Case(r"[g(u)]_k = w_k \cdot u", "u[d] w[n,d]", lambda u, w: w @ u),
    Case(r"(R)_{ij} = a_i^\top b_j", "a[n,d] b[m,d]", lambda a, b: a @ b.T),
)
def test_brackets_around_what_is_defined(case: Case) -> None:
    check(case)


def test_brackets_around_a_call_of_functions_that_are_told_apart() -> None:
    inputs = compile_formula(r"[g(u)]_k = \mathbb{1}[h^{(k)}(u) > 0]").inputs
    assert {(one.name, one.kind) for one in inputs} == {
        ("u", "array"),
        ("h", "function"),
    }


def test_what_stands_in_a_norm_is_a_vector() -> None:
    f = compile_formula(r"L = \sum_a \lVert z_a - y_a \rVert_2^2", context=["z = h + x"])
    assert [len(one.shape) for one in f.inputs] == [2, 2] and not f.diagnostics


def test_the_last_row_of_what_is_computed_is_an_element_as_any_other() -> None:
    formula = compile_formula(r"p = \mathrm{softmax}(H W)_T")
    assert not formula.diagnostics
    h, w = np.arange(6.0).reshape(3, 2), np.ones((2, 4))
    np.testing.assert_allclose(formula.reference(H=h, W=w, T=2), np.full(4, 0.25))


def test_what_is_twice_its_own_letter_with_a_prime_is_defined() -> None:
    formula = compile_formula(r"h' = \mathrm{ReLU}(W x), \quad h = 2h'")
    assert formula.name == "h"
    np.testing.assert_allclose(formula.reference(W=np.eye(2), x=np.array([1.0, -1.0])), [2, 0])
