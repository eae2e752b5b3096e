"""Graphs: nodes u, v and w are places, whatever their letters say elsewhere."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


@table(
    Case(r"e_{uv} = \tanh(h_u^\top W h_v)", "h[n,d] W[d,d]", lambda h, w: np.tanh(h @ w @ h.T)),
    Case(r"e_{vw} = a^\top (h_v + h_w)", "a[d] h[n,d]", lambda a, h: (h @ a)[:, None] + h @ a),
    Case(
        r"h_v = \sum_{u \in \mathcal{N}(v)} c_{vu} W x_u",
        "N[n,m] c[n,m] W[p,d] x[m,d]",
        lambda n, c, w, x: (c * (n != 0)) @ x @ w.T,
    ),
    # The bold x_j of a layer are vectors, whatever counts the layers.
    Case(
        r"\mathbf{x}_v^{(k)} = \sum_{u \in \mathcal{N}(v)} c_{vu} \boldsymbol{\Theta} "
        r"\mathbf{x}_u^{(k-1)}",
        "N[n,m] c[n,m] Theta[p,d] x[m,d]",
        lambda n, c, w, x: (c * (n != 0)) @ x @ w.T,
    ),
    # The nodes themselves are what a sum runs over, and stand for their numbers.
    Case(
        r"h_i' = \sum_{v_j \in \mathcal{N}_i} c_{ij} W h_j",
        "N[n,m] c[n,m] W[p,d] h[m,d]",
        lambda n, c, w, h: (c * (n != 0)) @ h @ w.T,
    ),
    Case(
        r"c_{ij} = \mathrm{softmax}(e_{ij}) = "
        r"\frac{\exp(e_{ij})}{\sum_{v_k \in \mathcal{N}_i} \exp(e_{ik})}",
        "e[n,m] N[n,m]",
        lambda e, n: np.exp(e) / (np.exp(e) * (n != 0)).sum(1, keepdims=True),
    ),
    Case(
        r"h_v = \sum_{u \in N_v \cup v} c_{vu} x_u",
        "N[n,m] c[n,m] x[m,d]",
        lambda n, c, x: (c * ((n != 0) | np.eye(*n.shape, dtype=bool))) @ x,
    ),
    Case(
        r"a_{vu} = \frac{e_{vu}}{\sum_{z \in N_v \cup \{v\}} e_{vz}}",
        "e[n,m] N[n,m]",
        lambda e, n: e / (e * ((n != 0) | np.eye(*n.shape, dtype=bool))).sum(1, keepdims=True),
    ),
    # A set above the sign, or how many it has, stands where the end of a range would.
    Case(
        r"h_v = \sum_u^{\mathcal{N}_v} c_{vu} x_u",
        "N[n,m] c[n,m] x[m,d]",
        lambda n, c, x: (c * (n != 0)) @ x,
    ),
    Case(
        r"m_k = \frac{1}{|S_k|} \sum_{j=1}^{|S_k|} x_j",
        "S[n,m] x[m,d]",
        lambda s, x: (s != 0) @ x / (s != 0).sum(1, keepdims=True),
    ),
    Case(
        r"m_v = \frac{1}{|\mathcal{N}(v)|} \sum_{u=1}^{|\mathcal{N}(v)|} x_u",
        "N[n,m] x[m,d]",
        lambda s, x: (s != 0) @ x / (s != 0).sum(1, keepdims=True),
    ),
    Case(
        r"h_i^{n+1} = \sum_{j \sim i} \alpha_{ij} (h_j^n - h_i^n)",
        "N[n,n] alpha[n,n] h[n,d]",
        lambda s, a, h: ((a * (s != 0))[..., None] * (h - h[:, None])).sum(1),
    ),
    # The t + 1 above what a step makes of its states counts the step, and none of its nodes.
    Case(
        r"m_v^{t+1} = \sum_{u \in \mathcal{N}(v)} c_{vu} W h_u^t",
        "N[n,m] c[n,m] W[p,d] h[m,d]",
        lambda n, c, w, h: (c * (n != 0)) @ h @ w.T,
    ),
    Case(
        r"h_i^{(l+1)} = W^{(l)} z_i^{(l)} + b^{(l)}",
        "W[p,d] z[n,d] b[p]",
        lambda w, z, b: z @ w.T + b,
    ),
    Case(r"h_i^{(l)} = W z_i^{(l-1)}", "W[p,d] z[n,d]", lambda w, z: z @ w.T),
    # What are nodes beside a formula are nodes in it.
    Case(
        r"h_v^{t+1} = \tanh(W h_v^t + m_v^{t+1})",
        "W[d,e] h[n,e] m[n,d]",
        lambda w, h, m: np.tanh(h @ w.T + m),
        context=[r"m_v^{t+1} = \sum_{u \in \mathcal{N}(v)} a_{vu} x_u^t"],
    ),
    # What a matrix maps is a vector, whatever stands before the two.
    Case(
        r"h_v^{(t+1)} = \sum_u g_{vu} B z_u^{(t)}",
        "g[n,m] B[p,d] z[m,d]",
        lambda g, b, z: g @ z @ b.T,
    ),
    # What goes along an edge has both of its ends as indices, in the order of the arrow.
    Case(
        r"h_v' = \sum_{u \in \mathcal{N}(v)} c_{vu} \mathbf{r}_{u \to v}",
        "N[n,m] c[n,m] r[m,n,d]",
        lambda n, c, r: np.einsum("vu,uvd->vd", c * (n != 0), r),
    ),
    Case(
        r"s_{ij} = a^\top [h_i; h_j; \mathbf{e}_{j \rightarrow i}]",
        "a[d+d+p] h[n,d] e[n,n,p]",
        lambda a, h, e: (
            (h @ a[: h.shape[1]])[:, None]
            + h @ a[h.shape[1] : 2 * h.shape[1]]
            + np.einsum("jip,p->ij", e, a[2 * h.shape[1] :])
        ),
    ),
    Case(r"o_i = \sum_j w_{i \leftarrow j} x_j", "w[n,m] x[m,d]", lambda w, x: w @ x),
    # A softmax runs over one of two, whatever their letters.
    Case(r"a_{uv} = \mathrm{softmax}_v(s_{uv})", "s[n,m]", softmax),
    Case(r"p_{wc} = \mathrm{softmax}_w(z_{wc})", "z[n,m]", lambda z: softmax(z.T).T),
    Case(r"p_{kd} = \mathrm{softmax}_d(z)", "z[d]", softmax),
    Case(r"p_{hv} = \mathrm{softmax}_v(M_{hv} h)", "M_hv[p,d] h[d]", lambda m, h: softmax(m @ h)),
    # Near misses: an arrow from a domain to another, and one to what nothing counts.
    Case(
        r"L = \|G_{s \to t} x_s - x_t\|",
        "G_s_to_t[p,d] x_s[d] x_t[p]",
        lambda g, s, t: np.linalg.norm(g @ s - t),
    ),
    Case(r"y = T_{i \to j} x", "T_i_to_j[p,d] x[d]", lambda t, x: t @ x),
    # Messages are vectors.
    Case(
        r"z_v = \tanh(U \sum_{u} m_{u \to v})",
        "U[p,d] m[n,l,d]",
        lambda u, m: np.tanh(m.sum(0) @ u.T),
    ),
    # Near misses: two losses between two arrays, and what a message lacks of its edge.
    Case(
        r"J_{u \to v} = \frac{1}{N} \sum_{i=1}^N \|u_i - v_i\|^2",
        "u[N,d] v[N,d]",
        lambda u, v: ((u - v) ** 2).sum(1).mean(),
    ),
    Case(r"m_{j \to i} = U h_j", "U[p,d] h[n,d]", lambda u, h: h @ u.T),
    # Near misses: labels of weights, of roles and of two things.
    Case(r"W_{uv} = W_u + W_v", "W_u[a,b] W_v[a,b]", lambda u, v: u + v),
    Case(r"s_{qk} = x_q^\top x_k", "x_q[d] x_k[d]", lambda q, k: q @ k),
    Case(r"r_{xy} = h_x + h_y", "h_x[d] h_y[d]", lambda x, y: x + y),
)
def test_places(case: Case) -> None:
    check(case)


def test_weights_and_what_they_weigh_have_the_same_places() -> None:
    f = compile_formula(
        r"c_{vu} = \frac{\exp(a^\top h_u)}{\sum_{k \in \mathcal{N}(v)} \exp(a^\top h_k)}"
    )
    assert {one.name: len(one.shape) for one in f.inputs} == {"a": 1, "h": 2, "N": 2}
    assert len(f.equation.value.indices) == 2


def test_what_is_a_vector_at_a_node_is_one_at_each_step() -> None:
    told = ["the vector $h_i$ of node $i$"]
    f = compile_formula(r"m_i^{t+1} = \sum_{j \in \mathcal{N}(i)} M_t(h_i^t, h_j^t)", context=told)
    assert f.equation.name == "m" and len(f.equation.value.indices) == 2
    assert {one.name: len(one.shape) for one in f.inputs} == {"N": 2, "h": 2, "M": 0}


def test_an_end_for_each_that_no_element_has_is_told() -> None:
    (told,) = compile_formula(r"m_k = \frac{1}{n_k} \sum_{j=1}^{n_k} x_j").diagnostics
    assert told.severity == "warning" and "the first `n_k` elements" in told.message
    assert not compile_formula(r"m_k = \frac{1}{n_k} \sum_{j=1}^{n_k} x_{kj}").diagnostics
    assert not compile_formula(r"m = \sum_{j=1}^{n_x} x_j").diagnostics
