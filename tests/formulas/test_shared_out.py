"""One product for queries, keys and values: each has a part of its weight."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table

VIT = [
    r"[q, k, v] = x U_{qkv}, \quad U_{qkv} \in \mathbb{R}^{D \times 3 D_h}",
    r"A = \mathrm{softmax}(q k^\top / \sqrt{D_h})",
    r"\mathrm{SA}(x) = A v",
]


def _attended(x: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return softmax((x @ q) @ (x @ k).T / np.sqrt(q.shape[-1])) @ (x @ v)


@table(
    *(
        Case(latex, f"X[n,d] {weight}[d,p]", np.matmul)
        for latex, weight in (
            (r"[Q, K, V] = X W_{qkv}", "W_q"),
            (r"Q, K, V = X W_{QKV}", "W_Q"),
            (r"(Q, K, V) = \mathrm{split}(X W^{QKV})", "W_Q"),
            (r"[Q; K; V] = \text{chunk}(X W, 3)", "W_Q"),
        )
    ),
    Case(
        r"(q_i, k_i, v_i) = W_{qkv} x_i + b_{qkv}",
        "W_q[p,d] x[n,d] b_q[p]",
        lambda w, x, b: x @ w.T + b,
    ),
    Case(
        r"Y = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V",
        "X[n,d] W_q[d,d_k] W_k[d,d_k] W_v[d,p]",
        _attended,
        context=[r"[Q, K, V] = X W_{qkv}"],
    ),
    Case(
        r"\mathrm{SA}(x) = A v",
        "x[n,d] U_q[d,d_h] U_k[d,d_h] U_v[d,p]",
        _attended,
        context=VIT[:2],
    ),
    Case(
        r"\mathrm{MSA}(x) = [\mathrm{SA}_1(x); \dots; \mathrm{SA}_k(x)] U_{out}",
        "x[n,d] U_q[k,d,d_h] U_k[k,d,d_h] U_v[k,d,p] U_out[k*p,r]",
        lambda x, q, k, v, o: (
            np.concatenate([_attended(x, *one) for one in zip(q, k, v, strict=True)], axis=-1) @ o
        ),
        context=VIT,
    ),
    # Near miss: two halves of anything else are joined again.
    Case(r"[a, b] = X W", "X[n,d] W[d,p]", np.matmul),
)
def test_value(case: Case) -> None:
    check(case)


def test_what_is_shared_out_is_told() -> None:
    problems = compile_formula(r"[Q, K, V] = X W_{qkv}").diagnostics
    assert any("shared out" in problem.message for problem in problems)


def test_heads_of_queries_keys_and_values_in_one_are_multi_head_attention() -> None:
    latex = r"\mathrm{MSA}(x) = [\mathrm{SA}_1(x); \dots; \mathrm{SA}_k(x)] U_{out}"
    assert compile_formula(latex, context=VIT).component == "multi_head_attention"
