"""Rows of tables that something tells, what is written as a column, and formulas behind names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, table


def _from(table: Any, n: int) -> Any:
    """The element for i and j of what holds one for every difference."""
    return table[np.arange(n)[:, None] - np.arange(n) + n - 1]


def _unlikely(u: Any, rows: Any) -> Any:
    return np.log1p(np.exp(-rows @ u)).sum()


@table(
    Case(r"h_i = E_{w_i} + P_i", "E_w[n,d] P[n,d]", np.add),
    Case(r"h_t = \mathbf{E}[x_t] + \mathbf{P}[t]", "E_x[n,d] P[n,d]", np.add),
    Case(r"h_t = E[\text{word}_t] + P_t", "E_word[n,d] P[n,d]", np.add),
    # A word below or above tells tables apart.
    Case(r"z_t = E_{tok}[v_t] + E_{pos}[t]", "E_v_tok[n,d] E_pos[n,d]", np.add),
    Case(r"E_i = E^{\text{word}}_{x_i} + E^{\text{place}}_i", "E_x_word[n,d] E_place[n,d]", np.add),
    Case(r"h_t = \tanh(U e_{y_{t-1}})", "U[p,d] e_y[n,d]", lambda u, e: np.tanh(e @ u.T)),
    Case(
        r"A_{ij} = (E_{x_i} + P_i) W_q W_k^\top (E_{x_j} + P_j)^\top",
        "E_x[n,d] P[n,d] W_q[d,k] W_k[d,k]",
        lambda e, p, q, k: (e + p) @ q @ k.T @ (e + p).T,
    ),
    Case(
        r"A_{ij} = E_{x_i}^\top W_q^\top W_{k,E} E_{x_j} + E_{x_i}^\top W_q^\top W_{k,R} R_{i-j}",
        "E_x[n,d] W_q[k,d] W_k_E[k,d] W_k_R[k,r] R[n+n-1,r]",
        lambda e, q, k, w, r: (
            e @ q.T @ k @ e.T + np.einsum("nk,nmk->nm", e @ q.T @ w, _from(r, len(e)))
        ),
    ),
    Case(r"L = -\sum_t \log \sigma(u^\top v_{w_t})", "u[d] v_w[n,d]", _unlikely),
    # Letters that do not count name rows of their own, of the same table or of another.
    Case(
        r"L = -\log \sigma(v_{w_O}^\top v_{w_I}) - \sum_{k=1}^K \log \sigma(v_{w_k}^\top v_{w_I})",
        "v_w_O[d] v_w_I[d] v_w[K,d]",
        lambda o, u, rows: _unlikely(u, o[None]) + _unlikely(u, rows),
    ),
    Case(
        r"L = -\log \sigma(r_o \cdot z_c) - \sum_{j=1}^{J} \log \sigma(r_{y_j} \cdot z_c)",
        "r_o[d] z_c[d] r_y[J,d]",
        lambda o, u, rows: _unlikely(u, o[None]) + _unlikely(u, rows),
    ),
)
def test_rows_of_a_table_are_an_array(case: Case) -> None:
    check(case)
    notes = [one.message for one in compile_formula(case.latex).diagnostics]
    assert any("is taken to be one row for each index" in text for text in notes)


@pytest.mark.parametrize(
    "latex",
    [
        r"h_i = E_{x_i} + E b",  # the table itself
        r"h_i = E[x_i] + P_i + b E^\top",
        r"h_i = E^{\text{word}}_{x_i} + E^{\text{word}} b",
        r"h_t = E_{x_t} + E_{s_t} + P_t",  # the s may count
        r"P_i = E[x_i]",  # which may be a mean
        r"L_t = E_{data}[x_t] + E_{prior}[z_t]",
        r"h_i = E_{x_i} + x_i",  # what tells the rows
        r"L = -\sum_t \log p_{y_t}",  # a label has its row
        r"s_t = u^\top q_{y_t} - \sum_j u^\top q_j",
        r"s_t = u^\top q_{y_t} - \sum_c u^\top q_c",  # one letter for all of them
        r"s_t = q_{y_t}^\top q_o",  # which nothing says to be a row
        r"L_t = -\log \sigma(E_o \cdot E_{x_t}) - \sum_k \log \sigma(-E_o \cdot E_{x_k})",
    ],
)
def test_rows_beside_the_table_are_refused(latex: str) -> None:
    with pytest.raises(FormulaError, match="a row that is looked up"):
        compile_formula(latex)


@pytest.mark.parametrize(
    ("latex", "table"),
    [
        (r"A_{ij} = Q_i K_{\delta(i,j)}^\top", "K_{delta(…)}"),
        (r"e_{ij} = q_i^\top k_j + b_{\phi(v_i, v_j)}", "b_{phi(…)}"),
    ],
)
def test_what_a_function_picks_for_two_places_is_told(latex: str, table: str) -> None:
    (told,) = (one.message for one in compile_formula(latex).diagnostics)
    assert told.startswith(f"`{table}` is taken to be an element for every two places")


QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


@table(
    # A matrix that is written out stands before what it turns, and behind a number.
    Case(
        r"\begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix} z_{ij}", "z[n,m,2]", lambda z: z @ QUARTER.T
    ),
    Case(r"Y_m = R_m X", "R[h,m,n] X[n,d]", np.matmul),
    Case(
        r"\begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix} \lambda",
        "lambda_",
        lambda factor: factor * QUARTER,
    ),
    # A column of new names has no other name, and one for each index of what makes it.
    Case(
        r"\begin{pmatrix} a' \\ c' \end{pmatrix} = \begin{pmatrix} \cos\theta_j & -\sin\theta_j \\ "
        r"\sin\theta_j & \cos\theta_j \end{pmatrix} \begin{pmatrix} a \\ c \end{pmatrix}",
        "theta[n] a c",
        lambda t, a, c: np.stack(
            [np.cos(t) * a - np.sin(t) * c, np.sin(t) * a + np.cos(t) * c], axis=-1
        ),
    ),
)
def test_written_out(case: Case) -> None:
    check(case)


NAMED = (
    r"e_t(s) = \begin{cases} q_t^\top h_s & \text{(dot)} \\ "
    r"q_t^\top W h_s & \text{(general)} \end{cases}"
)


def test_of_several_formulas_behind_their_names_the_first_is_the_value() -> None:
    formula = compile_formula(NAMED)
    rng = np.random.default_rng(5)
    q, h = rng.standard_normal((3, 4)), rng.standard_normal((5, 4))
    np.testing.assert_allclose(formula.reference(q=q, h=h), q @ h.T)
    assert "of several formulas `dot` is the value" in [x.message for x in formula.diagnostics]


def test_the_place_of_a_fault_in_one_of_several_formulas() -> None:
    with pytest.raises(FormulaError, match=r"^1:\d\d: ") as raised:
        compile_formula(NAMED.replace("q_t^", "*^", 1))
    fault = raised.value.diagnostics[-1].span
    assert NAMED.replace("q_t^", "*^", 1)[fault.start : fault.end] == "^"
