"""Functions and arrays by one letter, kernels of keys, and what is made of queries and keys."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table

FEATURES = r"\phi(x) = \exp(W x)"


def gauss(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.exp(-((x - y) ** 2).sum(-1))


@table(
    # What is said of the one x says nothing of the x_i beside it.
    Case(
        r"f(x) = \sum_i \mathrm{softmax}_i(-(x - x_i)^2) y_i",
        "x x_i[n] y[n]",
        lambda x, points, y: softmax(-((x - points) ** 2)) @ y,
        context=[r"x \in \mathbb{R}", r"y_i \in \mathbb{R}"],
    ),
    # The d of a degree is not that of ``x ∈ ℝ^d``, unless the formula says so.
    Case(r"K(x, y) = (c + x^\top y)^d", "x+[n] y+[n] c+ d", lambda x, y, c, d: (c + x @ y) ** d),
    Case(
        r"K(x, y) = (1 + x^\top y)^d, \quad x, y \in \mathbb{R}^d",
        "x[d] y[d]",
        lambda x, y: (1 + x @ y) ** len(x),
    ),
    # Distances are indexed on the left of what is also a function.
    Case(r"h_{i,j}(n) = \exp(-d_{i,j}^2 / n)", "d[m,l] n", lambda d, n: np.exp(-(d**2) / n)),
)
def test_degrees_and_distances(case: Case) -> None:
    check(case)


def test_a_letter_before_a_list_is_another_than_that_with_an_index() -> None:
    for letter in ("k", r"\mathbf{k}"):
        f = compile_formula(
            rf"p(k_j | q_i) = \frac{{k(q_i, {letter}_j)}}{{\sum_l k(q_i, {letter}_l)}}"
        )
        kinds = {one.name: one.kind for one in f.equation.inputs}
        assert kinds == {"q": "array", "k": "function", "k_j": "array"}
        assert len(f.equation.value.indices) == 2


def test_so_it_is_where_the_letter_is_of_anything_else() -> None:
    for latex in (
        r"h_i = \sum_j g(g_i, g_j) g_j",
        r"y = \sum_i \alpha_i \alpha(q, k_i) v_i",
        r"o_i = \sum_j K(Q_i, K_j) V_j",
    ):
        kinds = {one.name: one.kind for one in compile_formula(latex).equation.inputs}
        assert sorted(kinds.values()).count("function") == 1, latex
        assert all("_" in name for name, kind in kinds.items() if name[:-2] in kinds), latex


def test_a_list_is_no_factor_of_the_keys_that_are_declared() -> None:
    f = compile_formula(
        r"y = \frac{\sum_j K(u, z_j) v_j}{\sum_j K(u, z_j)}",
        context=r"Keys $K \in \mathbb{R}^{m \times d}$.",
    )
    assert {one.name: one.kind for one in f.inputs}["K"] == "function"
    assert [one.shape for one in f.inputs if one.name == "v"] == [("m", "d_v")]


@table(
    # What a note defines is no other function for the letter's sake.
    Case(
        r"o_i = \sum_j k(q_i, k_j) v_j",
        "q[n,d] k_j[m,d] v[m,e]",
        lambda q, k, v: gauss(q[:, None], k) @ v,
        context=[r"k(x, y) = \exp(-\|x - y\|^2)"],
    ),
    # Keys and values make a matrix, whatever a feature map that the note defines makes of keys.
    Case(
        r"S = \sum_j \phi(k_j) v_j^\top",
        "k[m,d] W[p,d] v[m,e]",
        lambda k, w, v: np.exp(k @ w.T).T @ v,
        context=[FEATURES],
    ),
    Case(
        r"S = \sum_j v_j \phi(k_j)^\top",
        "v[m,e] k[m,d] W[p,d]",
        lambda v, k, w: v.T @ np.exp(k @ w.T),
        context=[FEATURES],
    ),
    Case(
        r"s_t = s_{t-1} + \phi(k_t) v_t^\top",
        "s[d,e] k[d] v[e]",
        lambda s, k, v: s + np.outer(np.exp(k) + 1, v),
        context=[r"\phi(x) = \exp(x) + 1"],
    ),
    Case(r"s = 2 \tanh(k) v^\top", "k[d] v[e]", lambda k, v: np.outer(2 * np.tanh(k), v)),
    Case(r"s = \tanh(q) k^\top", "q[d] k[d]", lambda q, k: np.tanh(q) @ k),
    Case(
        r"S_i = \sum_{j=1}^i \phi(K_j)^\top V_j",
        "K[m,d] W[d,p] V[m,e]",
        lambda k, w, v: np.cumsum(np.exp(k @ w)[:, :, None] * v[:, None], axis=0),
        context=[r"\phi(x) = \exp(x W)"],
    ),
    # Near misses: queries and keys are compared.
    Case(
        r"\mathrm{sim}(q, k) = \phi(q) \phi(k)^\top",
        "q[d] W[p,d] k[d]",
        lambda q, w, k: np.exp(w @ q) @ np.exp(w @ k),
        context=[FEATURES],
    ),
)
def test_values(case: Case) -> None:
    check(case)


@table(
    # A function that is defined on elements takes numbers.
    Case(
        r"J = \sum_{i,j=1}^V f(X_{ij}) (u_i^\top v_j + b_i - \log X_{ij})^2",
        "X+[n,n] m u[n,d] v[n,d] b[n]",
        lambda x, m, u, v, b: (
            np.minimum(1, x / m) * (u @ v.T + b[:, None] - np.log(x)) ** 2
        ).sum(),
        context=[r"f(X_{ij}) = \min(1, X_{ij} / m)"],
    ),
    Case(
        r"L = \sum_{i,j} g(A_{ij}) x_i^\top x_j",
        "A[n,n] x[n,d]",
        lambda a, x: (np.tanh(a) * (x @ x.T)).sum(),
        context=[r"g(A_{ij}) = \tanh(A_{ij})"],
    ),
    # What a function is made with is what the formula says.
    Case(
        r"J = \sum_{i,j=1}^V f(X_{ij}) (u_i^\top v_j)^2, \quad f(x) = x^\alpha, \ \alpha = 3",
        "X[n,n] u[n,d] v[n,d]",
        lambda x, u, v: (x**3 * (u @ v.T) ** 2).sum(),
    ),
    Case(
        r"y = f(W z), \quad f(x) = U g, \quad g = \tanh(x)",
        "W[p,d] z[d] U[q,p]",
        lambda w, z, u: u @ np.tanh(w @ z),
    ),
)
def test_functions_of_elements(case: Case) -> None:
    check(case)


@table(
    # What is made of queries and keys is compared, though both are rows.
    Case(
        r"s_{ij} = (q_i A_i) (k_j A_j)^\top",
        "q[n,d] A[n,d,p] k[n,d]",
        lambda q, a, k: np.einsum("id,idp,je,jep->ij", q, a, k, a),
    ),
    Case(r"M = q k^\top", "q[n,d] k[m,d]", lambda q, k: q @ k.T),
)
def test_queries_and_keys(case: Case) -> None:
    check(case)


def test_the_score_of_one_query_and_one_key_is_no_matrix() -> None:
    for score in (r"(q_i R_i)(k_j R_j)^\top", r"q_i R_i R_j^\top k_j^\top"):
        with pytest.raises(FormulaError, match="one number"):
            compile_formula(rf"A(q_i, k_j, v) = \mathrm{{softmax}}({score}) v")


def test_what_is_made_of_itself_at_two_places_is_not_defined() -> None:
    for latex in (r"R_m^\top R_n = R_{n-m}", r"P_i P_j = P_{i+j}"):
        with pytest.raises(FormulaError, match="nothing to compute"):
            compile_formula(latex)


@table(
    # The squares of differences from each of several are the scores, one for each.
    Case(
        r"a = \mathrm{softmax}\left(-\frac{1}{2} (q - k_i)^2\right)",
        "q k[m]",
        lambda q, k: softmax(-((q - k) ** 2) / 2),
    ),
    Case(
        r"\alpha_i = \mathrm{softmax}(-(query - key_i)^2)",
        "query key[m]",
        lambda q, k: softmax(-((q - k) ** 2)),
    ),
    Case(
        r"\mathrm{softmax}(-((x - x_i) w)^2)",
        "x x_i[m] w",
        lambda x, y, w: softmax(-(((x - y) * w) ** 2)),
    ),
    # Near misses: distances of vectors, and features that a weight makes scores of.
    Case(
        r"a = \mathrm{softmax}(-\|q - k_i\|^2)",
        "q[d] k[m,d]",
        lambda q, k: softmax(-((q - k) ** 2).sum(-1)),
    ),
    Case(
        r"p_i = \mathrm{softmax}(W (x_i - \mu)^2)",
        "W[p,d] x[n,d] mu[d]",
        lambda w, x, mu: softmax((x - mu) ** 2 @ w.T),
        context=[r"\mu \in \mathbb{R}^d"],
    ),
)
def test_a_softmax_of_distances_goes_over_what_is_compared(case: Case) -> None:
    check(case)


def test_that_numbers_are_compared_is_told() -> None:
    (told,) = compile_formula(r"a = \mathrm{softmax}(-(q - k_i)^2)").diagnostics
    assert told.message == "`-(q - k_i)^2` is taken to compare numbers"


@pytest.mark.parametrize("declared", [r"k_i \in \mathbb{R}^d", r"q \in \mathbb{R}^d"])
def test_a_softmax_of_squares_of_vectors_is_refused(declared: str) -> None:
    with pytest.raises(FormulaError, match="one number for each"):
        compile_formula(r"a = \mathrm{softmax}(-(q - k_i)^2)", context=[declared])
    with pytest.raises(FormulaError, match="one number for each"):
        compile_formula(r"a = \mathrm{softmax}(-(\mathbf{q} - \mathbf{k}_i)^2)")


@table(
    # The mark of a transpose at the name of a feature map is that of what it gives.
    Case(
        r"\kappa(x, y) = \phi^\top(x) \phi(y)",
        "x[d] y[d] W[p,d]",
        lambda x, y, w: np.exp(w @ x) @ np.exp(w @ y),
        context=[FEATURES],
    ),
    Case(
        r"s = \phi^T(x) A \phi(x)",
        "x[d] W[p,d] A[p,p]",
        lambda x, w, a: np.exp(w @ x) @ a @ np.exp(w @ x),
        context=[FEATURES],
    ),
    # Near misses: matrices before what stands in parentheses.
    Case(r"u = A^\top(x) + A(y)", "A[d,d] x[d] y[d]", lambda a, x, y: a.T @ x + a @ y),
    Case(r"u = \Phi^\top (y - \Phi u)", "Phi[n,d] y[n] u[d]", lambda p, y, u: p.T @ (y - p @ u)),
)
def test_transposed_feature_maps(case: Case) -> None:
    check(case)
