"""Letters that a note has in two fonts are two names; else fonts mean nothing."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, sigmoid, table


@table(
    Case(
        r"\mathcal{S}_{ij} = \sigma(S_{ij})",
        "S[n,m]",
        lambda s: sigmoid(s),
    ),
    # A font alone says nothing, and a word tells as much as a font.
    Case(r"C = \mathcal{A} \mathcal{B}", "A[n,d] B[d,m]", lambda a, b: a @ b),
    Case(r"C = \mathcal{A}_{aux} A", "A_aux[n,d] A[d,m]", lambda a, b: a @ b),
    Case(r"y = \sum_{j \in \mathcal{N}} v_j", "N[n] v[n,d]", lambda n, v: (n != 0) @ v),
    # What the note calls by the plain letter is another thing.
    Case(
        r"y = \sum_{j \in \mathcal{N}} v_j",
        "N_cal[n] v[n,d]",
        lambda n, v: (n != 0) @ v,
        context=[r"p = \frac{1}{N} \sum_{i=1}^N q_i"],
    ),
    Case(
        r"C = \mathcal{A} W",
        "A_cal[n,d] W[d,m]",
        lambda a, w: a @ w,
        context=[r"A = X W"],
    ),
    # A font around a sum is around each of its letters.
    Case(
        r"e(\mathbf{z}, \mathbf{q}) = \boldsymbol{u}^\top \tanh(\boldsymbol{Az+Cq})",
        "z[d] q[m] u[h] A[h,d] C[h,m]",
        lambda z, q, u, a, c: u @ np.tanh(a @ z + c @ q),
    ),
    Case(
        r"\mathbf{g} = \sigma(\mathbf{A z + c})",
        "A[h,d] z[d] c[h]",
        lambda a, z, c: sigmoid(a @ z + c),
    ),
    Case(r"y = \tanh(\mathbf{x-m})", "x[d] m[d]", lambda x, m: np.tanh(x - m)),
    Case(r"Y = \tanh(\mathrm{2A - C})", "A[n,d] C[n,d]", lambda a, c: np.tanh(2 * a - c)),
    Case(
        r"y = \tanh(\mathbf{Ax + pos})",
        "A[h,d] x[d] pos[h]",
        lambda a, x, pos: np.tanh(a @ x + pos),
        shapes={"pos": ("h",)},
    ),
    # A hyphen in a word subtracts nothing, nor does a plus between words add.
    Case(r"y = \mathbf{W-Block}(x)", "x[d] WBlock()", lambda x, f: f(x)),
    Case(r"y = \mathrm{Q-K} + 1", "Q_K[n,d]", lambda x: x + 1),
    Case(r"y = \mathbf{Sum+Shift}(x)", "x[d] Sum_Shift()", lambda x, f: f(x)),
    # What is bold and a weighted sum of bold ones is no number, a capital no vector.
    Case(
        r"\mathbf{u}_t = \sum_i g_t(i) \mathbf{R}_t(i)",
        "g[n,m] R[n,m,d]",
        lambda g, r: np.einsum("ni,nid->nd", g, r),
    ),
    Case(
        r"\bar{\mathbf{S}} = \sum_{l=1}^L \sum_{c=1}^C g_c \mathbf{S}^{(c,l)}",
        "g[C] S[C,L,n,m]",
        lambda g, s: np.einsum("c,clnm->nm", g, s),
    ),
    # Near misses: the elements of a matrix without weights, or with those of its columns alone.
    Case(r"\mathbf{u}_i = \sum_j \mathbf{A}_{ij}", "A[n,m]", lambda a: a.sum(1)),
    Case(r"\mathbf{u}_i = \sum_j \mathbf{A}_{ij} g_j", "A[n,m] g[m]", np.matmul),
    Case(
        r"\mathbf{U} = (\mathbf{A} + \rho \mathbf{I}) \mathbf{X}",
        "A[n,n] rho X[n,d]",
        lambda a, r, x: a @ x + r * x,
    ),
)
def test_values(case: Case) -> None:
    check(case)


def test_a_set_is_no_function_of_the_same_letter() -> None:
    f = compile_formula(
        r"y = \sum_{i \in \mathcal{F}(x)} p_i(x) F_i(x)",
        context=[r"\mathcal{F}(x) = \mathrm{Choose}(s(x), k)"],
    )
    assert {given.name for given in f.inputs} == {"F_cal_x", "x", "p", "F"}


def test_what_is_defined_in_one_font_is_not_used_in_the_other() -> None:
    f = compile_formula(r"B = \mathcal{A} + A, \quad \mathcal{A} = 2 A")
    a = np.arange(6.0).reshape(2, 3)
    assert [given.name for given in f.inputs] == ["A"]
    np.testing.assert_allclose(f.reference(A=a), 3 * a)
