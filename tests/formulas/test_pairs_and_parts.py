"""Pairs, families of several things, and the parts of what is joined."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def near(s: np.ndarray, w: float) -> np.ndarray:
    """Whether two positions are at most w apart."""
    rows, columns = np.indices(s.shape)
    return np.abs(rows - columns) <= w


@table(
    # Parts of one thing are told apart by letters that count nowhere.
    # What is added up is made first, wherever it is defined.
    Case(
        r"L = \frac{1}{N} \sum_i L_i, \quad L_i = (y_i - \hat y_i)^2",
        "y[N] y_hat[N]",
        lambda y, guess: ((y - guess) ** 2).mean(),
    ),
    Case(
        r"s = \sum_i s_i x_i, \quad s_i = w^\top x_i",
        "w[d] x[n,d]",
        lambda w, x: (x @ w) @ x,
    ),
    Case(
        r"Q_i = Q W_i^Q, \quad Q = X W",
        "X[n,d] W[d,p] W_Q[h,p,r]",
        lambda x, w, heads: (x @ w) @ heads,
    ),
    # The letter with a prime is another than the one without, with indices, too.
    Case(
        r"z_i = \sum_j a_{ij} u_j, \quad a_{ij} = \frac{\exp a'_{ij}}{\sum_j \exp a'_{ij}}, \quad "
        r"a'_{ij} = u_i^\top u_j",
        "u[n,d]",
        lambda u: softmax(u @ u.T) @ u,
    ),
    # A list that equals another says item by item what is what.
    Case(
        r"(Q, K) = (X A, X B), \quad S = Q K^\top",
        "X[n,d] A[d,p] B[d,p]",
        lambda x, a, b: (x @ a) @ (x @ b).T,
    ),
    # Members by their numbers are those of what is defined for all.
    Case(
        r"Y = [H_1; H_2] U, \quad H_i = \mathrm{softmax}(Q_i K_i^\top) V_i",
        "Q[2,n,d] K[2,m,d] V[2,m,p] U[2*p,r]",
        lambda q, k, v, u: np.hstack(softmax(q @ k.transpose(0, 2, 1)) @ v) @ u,
    ),
    Case(
        r"y = x_1 + x_2 + x_3, \quad x_i = \tanh(A_i z)",
        "A[3,p,d] z[d]",
        lambda a, z: np.tanh(a @ z).sum(0),
    ),
    # Near miss: one that is named alone is another, as the first state of a recursion.
    Case(
        r"y = W x_1, \quad x_i = \tanh(z_i)",
        "W[p,d] x_1[d]",
        lambda w, x: w @ x,
    ),
    # A call with the arguments of the definition is what was defined, at their places.
    Case(
        r"F(x_t, h_{t-1}) = \tanh(W x_t + U h_{t-1} + b) \\ y_t = V F(x_t, h_{t-1}) + c",
        "W[p,d] x[n,d] U[p,e] h[n,e] b[p] V[r,p] c[r]",
        lambda w, x, u, h, b, v, c: np.tanh(x @ w.T + h @ u.T + b) @ v.T + c,
    ),
    Case(
        r"a(s_{t-1}, h_j) = s_{t-1}^\top W h_j \\"
        r" c_{tj} = \frac{\exp(a(s_{t-1}, h_j))}{\sum_k \exp(a(s_{t-1}, h_k))}",
        "s[n,d] W[d,p] h[m,p]",
        lambda s, w, h: softmax(s @ w @ h.T),
    ),
    Case(
        r"\ell(x_i, y_i) = (w^\top x_i - y_i)^2 \\ L = \frac{1}{N} \sum_i \ell(x_i, y_i)",
        "w[d] x[N,d] y[N]",
        lambda w, x, y: ((x @ w - y) ** 2).mean(),
    ),
    # What is defined of a name is a function where it is given elements of that.
    Case(
        r"f(x) = w^\top x + b \\ L = \frac{1}{N} \sum_{i=1}^N (f(x_i) - y_i)^2",
        "x[N,d] w[d] b y[N]",
        lambda x, w, b, y: ((x @ w + b - y) ** 2).mean(),
    ),
    Case(
        r"V(s) = w^\top s \\ \delta_t = r_t + \gamma V(s_{t+1}) - V(s_t)",
        "r[n] gamma s[n+1,d] w[d]",
        lambda r, g, s, w: r + g * s[1:] @ w - s[:-1] @ w,
    ),
    Case(
        r"y_t = V F(x_t, h_{t-1}) + c",
        "V[r,p] x[n,d] h[n,e] W[p,d] U[p,e] b[p] c[r]",
        lambda v, x, h, w, u, b, c: np.tanh(x @ w.T + h @ u.T + b) @ v.T + c,
        context=r"F(x_t, h_{t-1}) = \tanh(W x_t + U h_{t-1} + b)",
    ),
    Case(
        r"Z_i = \sum_j a_{ij} C(Q_i, K_j, V_j)",
        "a[h,l] Q[h,n,d] K[l,m,d] V[l,m,p]",
        lambda a, q, k, v: np.einsum(
            "ij,ijnp->inp",
            a,
            softmax(np.einsum("ina,jma->ijnm", q, k)) @ v,
        ),
        context=r"C(Q_i, K_j, V_j) = \mathrm{softmax}(Q_i K_j^\top) V_j",
    ),
    # What a list only says the parts of is no row of it, and not the value.
    Case(
        r"\begin{aligned} Q &= [Q_1, \dots, Q_n], K = [K_1, \dots, K_n], V = [V_1, \dots, V_n] \\"
        r" A_{ij} &= \mathrm{softmax}(Q_i \cdot K_j) \\ O_i &= \sum_j A_{ij} V_j \end{aligned}",
        "Q[n,d] K[n,d] V[n,p]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(r"X = [X_1, \dots, X_n] \\ y_i = W X_i", "X[n,d] W[p,d]", lambda x, w: x @ w.T),
    Case(r"X = [x_1, \dots, x_n] \\ y_i = W x_i", "x[n,d] W[p,d]", lambda x, w: x @ w.T),
    Case(
        r"E = E_t + E_p + E_s",
        "E_t[n,d] E_p[n,d] E_s[n,d]",
        lambda t, p, s: t + p + s,
    ),
    Case(r"\bar x = \frac{1}{n} \sum x_i", "x[n,d]", lambda x: x.mean(0)),
    Case(r"\hat A = A_i - \mathrm{mean}(A)", "A[n]", lambda a: a - a.mean()),
    Case(r"w = w_s + w_t", "w_s[d] w_t[d]", np.add),
    Case(r"h_0 = x_t + x_p", "x_t[d] x_p[d]", np.add),
    Case(r"c = [c_s; c_t]", "c_s[d] c_t[e]", lambda s, t: np.concatenate([s, t])),
    Case(r"X_{pos} = X + P_{pos}", "X[n,d] P_pos[n,d]", np.add),
    Case(r"h = h_r + h_l", "h_r[d] h_l[d]", np.add),
    Case(r"y = [u_s; u_p]", "u_s[d] u_p[e]", lambda s, p: np.concatenate([s, p])),
    Case(
        r"s(q, p) = \mathbf{h}_q^\top \mathbf{h}_p",
        "h_q[d] h_p[d]",
        np.dot,
    ),
    Case(
        r"P(t \mid q) = \mathrm{softmax}(W_t h_q + b_t)",
        "W_t[e,d] h_q[d] b_t[e]",
        lambda w, h, b: softmax(w @ h + b),
    ),
    Case(
        r"P(t \mid q) = \mathrm{softmax}(W_t h_q)",
        "W_t[e,d] h_q[d]",
        lambda w, h: softmax(w @ h),
    ),
    Case(
        r"f(t, x) = W_t x + b_t",
        "x[d] W[n,e,d] b[n,e]",
        lambda x, w, b: w @ x + b,
    ),
    Case(
        r"f(i, x) = W_i x + b_i",
        "x[d] W[n,e,d] b[n,e]",
        lambda x, w, b: w @ x + b,
    ),
    # What stands where a sum counts is an index, and what all arguments have is a label.
    Case(
        r"P_{r,c} = \frac{u_{r,c}}{\sum_j u_{r,j}}",
        "u[n,m]",
        lambda u: u / u.sum(1, keepdims=True),
    ),
    Case(
        r"\frac{u_{r,c}}{\sum_j u_{r,j}}",
        "u[n,m]",
        lambda u: u / u.sum(1, keepdims=True),
    ),
    Case(
        r"A(Q_i, K_i) = \mathrm{softmax}(Q_i K_i^\top), \quad"
        r" \operatorname{mixed\text{-}in}(Q_i, K_i, V_i) = A(Q_i, K_i) V_i",
        "Q_i[n,d] K_i[m,d] V_i[m,e]",
        lambda q, k, v: softmax(q @ k.T) @ v,
    ),
    Case(
        r"\alpha_{ij} = \mathrm{softmax}_j(s_{ij}), \quad |i - j| \le 1, \quad"
        r" o_i = \sum_{j : |i - j| \le 1} \alpha_{ij} v_j",
        "s[n,m] v[m,d]",
        lambda s, v: softmax(np.where(near(s, 1), s, -np.inf)) @ v,
    ),
    Case(
        r"\alpha_{ij} = \mathrm{softmax}_j(s_{ij}) \quad \text{for } 1 \le j \le i, \quad"
        r" o_i = \sum_{j=1}^{i} \alpha_{ij} v_j",
        "s[n,m] v[m,d]",
        lambda s, v: softmax(np.where(np.tri(*s.shape) > 0, s, -np.inf)) @ v,
    ),
    # A softmax that holds for some places is over these.
    Case(
        r"\alpha_{ij} = \mathrm{softmax}_j(s_{ij}) \quad \forall j \le i, \quad"
        r" o_i = \sum_j \alpha_{ij} v_j",
        "s[n,m] v[m,d]",
        lambda s, v: softmax(np.where(np.tri(*s.shape) > 0, s, -np.inf)) @ v,
    ),
    Case(
        r"e_{ij} = u_{ij}^2, \quad j \le i, \quad c_i = \sum_j e_{ij}",
        "u[n,m]",
        lambda u: (u**2 * np.tri(*u.shape)).sum(1),
    ),
    Case(
        r"\alpha_{ij} = \mathrm{softmax}_j(s_{ij}) \quad \forall j \le i, \quad"
        r" o_i = \sum_{j \le i} \alpha_{ij} v_j",
        "s[n,m] v[m,d]",
        lambda s, v: softmax(np.where(np.tri(*s.shape) > 0, s, -np.inf)) @ v,
    ),
    Case(r"Z_{pos} = Z + P", "Z[n,d] P[n,d]", np.add),
    Case(
        r"s = \sum_i q^{[i]\top} k^{[i]}",
        "q[n,d] k[n,d]",
        lambda q, k: np.sum(q * k),
    ),
    # The shape that is said tells how matrices are joined, and numbered parts are of one kind.
    Case(
        r"u = [h_1; h_2] \in \mathbb{R}^{m \times 2d}",
        "h_1[n,d] h_2[n,e]",
        lambda a, b: np.concatenate([a, b], axis=1),
    ),
    Case(
        r"u = [G_1; G_2] \in \mathbb{R}^{m \times 2d}",
        "G_1[n,d] G_2[n,e]",
        lambda a, b: np.concatenate([a, b], axis=1),
    ),
    Case(
        r"u = [G_1; G_2] \in \mathbb{R}^{2m \times d}",
        "G_1[n,d] G_2[m,d]",
        lambda a, b: np.concatenate([a, b]),
    ),
    Case(
        r"u = [h_1; h_2] \in \mathbb{R}^{2d}",
        "h_1[d] h_2[e]",
        lambda a, b: np.concatenate([a, b]),
    ),
    Case(r"y = (x, 1)", "x[d]", lambda x: np.append(x, 1)),
    Case(r"y = (x_1, x_2)", "x_1[d] x_2[e]", lambda a, b: np.concatenate([a, b])),
)
def test_values(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "why"),
    [
        (r"y = (A_1 A_2, A_1 b_2 + b_1)", "a pair of unlike things"),
        (r"y = (x, A)", "nothing to compute"),
        (r"s = \mathrm{Scan}(\{ F_t, G_t x_t \}_{t=1}^L)", "a family of several things"),
    ],
)
def test_unlike_things_are_no_array(latex: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        compile_formula(latex)


def test_what_a_sign_does_to_pairs_defines_nothing() -> None:
    with pytest.raises(FormulaError, match="nothing to compute"):
        compile_formula(r"(A_1, b_1) \oplus (A_2, b_2) = (A_1 A_2, A_1 b_2 + b_1)")


@pytest.mark.parametrize(
    "latex",
    [
        r"y_i = \sum_j a_{ij} v_j, \quad a_{ij} \ge 0",
        r"c_i = \sum_{j \le i} a_{ij} h_j \quad (j \le i)",
    ],
)
def test_what_a_sum_says_itself_may_be_said_again(latex: str) -> None:
    assert compile_formula(latex).status == "formula"


def test_a_condition_behind_a_sum_is_refused() -> None:
    with pytest.raises(FormulaError, match="behind the sum whose index it limits"):
        compile_formula(r"c_i = \sum_j a_{ij} h_j, \quad j \le i")


@pytest.mark.parametrize(
    ("behind", "members"),
    [(r"j \in N(i)", {"e": 2, "N": 2}), (r"j \in T", {"e": 2, "T": 1})],
)
def test_a_condition_may_be_a_set(behind: str, members: dict[str, int]) -> None:
    latex = rf"\alpha_{{ij}} = \mathrm{{softmax}}_j(e_{{ij}}) \quad \text{{for }} {behind}"
    f = compile_formula(latex)
    assert {one.name: len(one.shape) for one in f.inputs} == members


def test_what_is_told_for_some_places_only_is_not_added_up() -> None:
    with pytest.raises(FormulaError, match="told for some places only"):
        compile_formula(r"c_i = \sum_j a_{ij} h_j, \quad a_{ij} = 0 \text{ for } j > i")


@pytest.mark.parametrize(
    "latex",
    [
        r"f(x_t, h_{t-1}) = W x_t + U h_{t-1} \\ y_t = f(x_t, h_t)",
        r"s(q_i, k_j) = q_i^\top k_j \\ b_{ij} = s(k_j, q_i)",
    ],
)
def test_a_call_with_other_arguments_than_were_defined_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="N2C033"):
        compile_formula(latex)
