"""Arrays that the notes declare with a batch: products are those of the last two axes."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, softmax, table


@table(
    Case(
        r"Q = X W_Q",
        "X[b,n,d] W_Q[d,k]",
        lambda x, w: np.einsum("bnd,dk->bnk", x, w),
        context=[r"X \in \mathbb{R}^{B \times S \times H}"],
    ),
    Case(
        r"Y = \max(0, X W_1 + b_1) W_2 + b_2",
        "X[b,n,d] W_1[d,f] b_1[f] W_2[f,p] b_2[p]",
        lambda x, u, b, w, c: relu(x @ u + b) @ w + c,
        context=[r"X \in \mathbb{R}^{B \times L \times d_{model}}"],
    ),
    Case(
        r"Y = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}} + M) V",
        "Q[b,n,d] K[b,n,d] V[b,n,d] M[n,n]",
        lambda q, k, v, m: softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]) + m) @ v,
        context=[r"Q, K, V \in \mathbb{R}^{B \times n \times d_k}"],
    ),
    Case(
        r"Y = \mathrm{softmax}(Q K^\top) V",
        "Q[b,h,n,d] K[b,h,m,d] V[b,h,m,d]",
        lambda q, k, v: softmax(q @ k.swapaxes(2, 3)) @ v,
        context=[
            r"Q \in \mathbb{R}^{B \times h \times n \times d_k}",
            r"K, V \in \mathbb{R}^{B \times h \times m \times d_k}",
        ],
    ),
    Case(
        r"y = X w",
        "X[b,n,d] w[d]",
        lambda x, w: x @ w,
        context=[r"X \in \mathbb{R}^{B \times n \times d}, w \in \mathbb{R}^d"],
    ),
    # Indices are those of the axes behind the batch, unless they count what is in it.
    Case(
        r"Y^{(h)}_i = \sum_j P^{(h)}_{ij} U^{(h)}_j",
        "P[h,n,m] U[h,m,d]",
        lambda p, u: p @ u,
        context=[r"U \in \mathbb{R}^{B \times h \times m \times d}"],
    ),
    Case(
        r"S^{(h)} = Q^{(h)} (K^{(h)})^\top \in \mathbb{R}^{B \times n \times n}",
        "Q[h,n,d] K[h,n,d]",
        lambda q, k: q @ k.swapaxes(1, 2),
        context=[r"Q, K \in \mathbb{R}^{B \times H \times n \times d}"],
    ),
    Case(
        r"e_{ij} = K_j^\top Q_i",
        "K[n,d] Q[n,d]",
        lambda k, q: q @ k.T,
        context=[r"Q, K \in \mathbb{R}^{B \times n \times d}"],
    ),
    Case(
        r"m = \frac{1}{B} \sum_{i=1}^B X_i",
        "X[b,n,d]",
        lambda x: x.mean(0),
        context=[r"X \in \mathbb{R}^{B \times n \times d}"],
    ),
    Case(
        r"s_{ij} = z_i^\top z_j",
        "z[b,d]",
        lambda z: z @ z.T,
        context=[r"z \in \mathbb{R}^{B \times d}"],
    ),
    Case(
        r"u_t = W^{D} h_t \in \mathbb{R}^{B \times T \times 96}",
        "W_D[p,d] h[n,d]",
        lambda w, h: h @ w.T,
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_components() -> None:
    score = r"Y = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V"
    batch = r"$Q, K, V \in \mathbb{R}^{B \times n \times d_k}$"
    assert compile_formula(score, context=batch).component == "scaled_dot_product_attention"
    tokens = r"$X \in \mathbb{R}^{B \times L \times d}$"
    feed = r"Y = \mathrm{GELU}(X W_1 + b_1) W_2 + b_2"
    assert compile_formula(feed, context=tokens).component == "feed_forward"


HEADS = r"""
$$Q = X W_Q \in \mathbb{R}^{n \times (H \cdot d_k)}$$

$$K = X W_K \in \mathbb{R}^{n \times H d_k}$$
"""


def test_a_head_has_its_columns() -> None:
    found = compile_formula(
        r"\mathrm{head}_h = \mathrm{softmax}(\frac{Q_h K_h^\top}{\sqrt{d_k}}) V_h", context=HEADS
    )
    assert found.component == "scaled_dot_product_attention"
    assert [given.shape[-1] for given in found.inputs] == ["d_k", "d_k", "d_v"]
    grouped = compile_formula(
        r"\mathrm{head}_h = \mathrm{softmax}(\frac{Q_h K_{g(h)}^\top}{\sqrt{d_k}}) V_{g(h)}",
        context=HEADS,
    )
    assert grouped.component == "grouped_query_attention"
    assert [given.shape[-1] for given in grouped.inputs] == ["d_k", "d_k", "d_v"]


def test_attention_to_what_a_batch_is_projected_to() -> None:
    """Projections of a batch are no part of the class: it is attention to any Q, K and V."""
    found = compile_formula(
        r"A = \mathrm{softmax}(\frac{Q K^\top}{\sqrt{d_k}}) V",
        context=r"$X \in \mathbb{R}^{B \times L \times d}$"
        "\n\n$$Q = X W_Q, \\quad K = X W_K, \\quad V = X W_V$$\n",
    )
    assert found.component == "scaled_dot_product_attention"
    assert [given.name for given in found.inputs] == ["Q", "K", "V"]


@pytest.mark.parametrize(
    ("formula", "context"),
    [
        (r"Y = W X", r"$X \in \mathbb{R}^{B \times n \times d}, W \in \mathbb{R}^{m \times n}$"),
        (
            r"Y = A B",
            r"$A \in \mathbb{R}^{B \times n \times d}, "
            r"B \in \mathbb{R}^{C \times h \times d \times p}$",
        ),
        (
            r"Y = Q K^\top",
            r"$Q \in \mathbb{R}^{2 \times n \times d}, K \in \mathbb{R}^{3 \times n \times d}$",
        ),
    ],
)
def test_other_batches_are_refused(formula: str, context: str) -> None:
    with pytest.raises(FormulaError, match="N2C04"):
        compile_formula(formula, context=context)
