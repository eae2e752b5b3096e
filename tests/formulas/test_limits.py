"""Conditions behind an equation: what they limit, what they only remark, and where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def places(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n)[:, None], np.arange(m)[None, :]


def product(u: np.ndarray, t: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.where(keep, np.outer(u, t), np.nan)


PAIRS = r"p_{ij} = u_i t_j, \quad "


@table(
    # Where a value comes close to 0 is a remark, and no limit of it.
    *(
        Case(rf"W_{{ij}} = \mathrm{{softmax}}_j(E_{{ij}}) {rest}", "E[n,m]", softmax)
        for rest in ("", r"\approx 0 \quad \text{for } j > i", r"\approx 0, \quad j > i")
    ),
    # A set in parentheses behind says which ones there are.
    Case(
        r"q_v = \frac{p_v}{\sum_{u \in K} p_u}\ (v \in K)",
        "p+[n] K+[n]",
        lambda p, k: p / p.sum(),
    ),
    # Windows, every other one, other elements.
    Case(
        PAIRS + r"0 \le i - j < w",
        "w+ u[n] t[m]",
        lambda w, u, t: product(u, t, np.tri(len(u), len(t)) * (_apart(u, t) < w) > 0),
    ),
    Case(
        PAIRS + r"j \bmod 2 = 0",
        "u[n] t[m]",
        lambda u, t: product(u, t, (places(1, len(t))[1] % 2 == 0) & (u == u)[:, None]),
    ),
    Case(PAIRS + r"i = j", "u[n] t[m]", lambda u, t: product(u, t, _apart(u, t) == 0)),
    Case(
        PAIRS + r"r_j \le r_i",
        "u[n] t[n] r[n]",
        lambda u, t, r: product(u, t, r[None, :] <= r[:, None]),
    ),
    Case(
        PAIRS + r"j = i - 1, \dots, i",
        "u[n] t[m]",
        lambda u, t: product(u, t, (_apart(u, t) >= 0) & (_apart(u, t) <= 1)),
    ),
    # Two of them both hold, and one may stand before the equation or behind a property.
    Case(
        PAIRS + r"i \ge j \text{ and } i - j < w",
        "w+ u[n] t[m]",
        lambda w, u, t: product(u, t, np.tri(len(u), len(t)) * (_apart(u, t) < w) > 0),
    ),
    Case(
        r"\forall j \le i: \quad p_{ij} = u_i t_j",
        "u[n] t[m]",
        lambda u, t: product(u, t, _apart(u, t) >= 0),
    ),
    Case(
        PAIRS + r"u_i \ge 0, \quad j \le i",
        "u[n] t[m]",
        lambda u, t: product(u, t, _apart(u, t) >= 0),
    ),
    # Definitions of one thing under conditions are its cases.
    Case(
        r"f(x) = x^2 \text{ if } x > 0, \quad f(x) = a x \text{ if } x \le 0",
        "x a",
        lambda x, a: x**2 if x > 0 else a * x,
    ),
    Case(
        r"M_{ij} = 1 \text{ if } j < i, \quad M_{ij} = 2 \text{ if } j = i, \quad"
        r" M_{ij} = 3 \text{ if } j > i",
        "n# m#",
        lambda n, m: 2 - np.sign(places(n, m)[0] - places(n, m)[1]),
    ),
)
def test_value(case: Case) -> None:
    check(case)


def _apart(u: np.ndarray, t: np.ndarray) -> np.ndarray:
    rows, columns = places(len(u), len(t))
    return rows - columns


@pytest.mark.parametrize(
    "latex",
    [
        r"h_v = \sum_u a_{uv} h_u, \quad u \in N(v)",
        r"h_i = \sum_j a_{ij} h_j, \quad (i, j) \in E",
        r"h_i = \sigma(\sum_{j \in N(i)} W h_j), \quad j \ne i",
        r"c_i = \sum_{j \le i} a_{ij} h_j, \quad j \ne i",
        r"L = \sum_{ij} A_{ij}, \quad i \ne j",
        r"L = -\sum_i y_i \log p_i, \quad i \in D",
        r"y_i = \sum_j a_{ij} v_j, \quad j > k",
        r"y_i = \sum_j a_{ij} v_j \quad \text{for } M_{ij} = 1",
        r"y_i = \sum_j a_{ij} v_j, \quad a_{ij} \ge 0, \quad j \le i",
        r"m_i = \max_j e_{ij} \quad \forall j \le i",
    ],
)
def test_what_limits_a_sum_belongs_below_it(latex: str) -> None:
    with pytest.raises(FormulaError, match="behind the sum whose index it limits"):
        compile_formula(latex)


@pytest.mark.parametrize(
    ("latex", "inputs"),
    [
        (r"y_i = x_i + z_i, \quad i \in S", "x z"),
        (r"y_i = x_i + z_i \quad \text{for all } i \in S", "x z"),
        (r"y_i = x_i + z_i, \quad i \ge 1", "x z"),
        (r"c_i = \sum_j a_{ij} h_j, \quad i, j \in V", "a h"),
        (r"L = -\sum_{c=1}^{C} y_c \log p_c, \quad c \in K", "y p"),
        (r"p_{ij} = u_i t_j, \quad (i, j) \in V \times V", "u t"),
        (r"a_{ij} = \mathrm{softmax}_j(e_{ij}), \quad i \in S", "e"),
        (r"y_i = \sum_j a_{ij} v_j, \quad a_{ij} \ge 0, \quad \sum_j a_{ij} = 1", "a v"),
        (r"W_{ij} = u_i u_j, \quad W_{ij} = W_{ji}", "u"),
        (r"c_i = \sum_{j < i} a_{ij} h_j, \quad j \le i", "a h"),
        (r"s = \sum_{i \ne j} A_{ij}, \quad j \ne i", "A"),
        (r"h_0 = x, \quad h_t = \tanh(W h_{t-1}) \quad \text{for } t \ge 1", "x W N"),
        (r"h_i = \sum_{j \in N(i)} a_{ij} h_j, \quad j \in N(i)", "N a h"),
    ],
)
def test_what_says_how_many_there_are_or_says_it_again_limits_nothing(
    latex: str, inputs: str
) -> None:
    formula = compile_formula(latex)
    assert {one.name for one in formula.inputs} == {*inputs.split()}
    assert all("not a number" not in problem.message for problem in formula.diagnostics)


@pytest.mark.parametrize("behind", [r"(i, j) \in E", r"\forall (i, j) \in \mathcal{E}"])
def test_a_set_of_pairs(behind: str) -> None:
    edges = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    u, t = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    found = compile_formula(PAIRS + behind).reference(E=edges, u=u, t=t)
    np.testing.assert_array_equal(found, product(u, t, edges == 1))


def test_what_is_not_in_a_set() -> None:
    padding, u, t = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([3.0, 4.0])
    found = compile_formula(PAIRS + r"j \notin P").reference(P=padding, u=u, t=t)
    np.testing.assert_array_equal(found, product(u, t, np.array([[True, False]] * 2)))


def test_a_softmax_goes_over_a_set() -> None:
    latex = r"a_{ij} = \mathrm{softmax}_j(s_{ij}), \quad j \in S"
    s = np.array([[1.0, 2.0, 3.0]])
    found = compile_formula(latex).reference(S=np.array([1.0, 0.0, 1.0]), s=s)
    np.testing.assert_allclose(found, softmax(np.array([[1.0, -np.inf, 3.0]])))


def test_a_set_has_the_same_indices_everywhere() -> None:
    with pytest.raises(FormulaError, match="is a set here and something else elsewhere"):
        compile_formula(r"s = \sum_{i \in B} x_i, \quad t = \sum_i \sum_{j \in B(i)} y_{ij}")


@pytest.mark.parametrize(
    ("within", "count", "first"),
    [
        (r"i \in [0, n)", 6, 0),
        (r"i \in [0, n]", 7, 0),
        (r"i \in (0, n]", 6, 1),
        (r"i \in [0, n/2)", 3, 0),
        (r"i \in [2, 5)", 3, 2),
    ],
)
def test_an_interval_leaves_out_the_end_at_its_round_bracket(
    within: str, count: int, first: int
) -> None:
    formula = compile_formula(rf"f_i = 3^{{-i}}, \quad {within}")
    given = {"n": 6} if "n" in within.replace(r"\in", "") else {}
    expected = 3.0 ** -np.arange(first, first + count)
    np.testing.assert_allclose(formula.reference(**given), expected)
