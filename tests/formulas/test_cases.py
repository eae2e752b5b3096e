"""Cases, conditions and masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


def causal(n: int, m: int) -> Any:
    return np.where(np.tri(n, m, dtype=bool), 0, -np.inf)


def below(u: Any, t: Any) -> Any:
    return np.where(np.tri(len(u), len(t), dtype=bool), u[:, None] - t, np.nan)


@table(
    Case(r"M_{ij} = 1[j \le i]", "n# m#", lambda n, m: np.tri(n, m)),
    Case(r"M_{ij} = 1_{\{i = j\}}", "n# m#", np.eye),
    Case(r"M_{ij} = I(i \ge 1)", "n# m#", lambda n, m: np.arange(n)[:, None] + np.zeros(m) >= 1),
    Case(
        r"y_i = \begin{cases} a x_i & i = 1 \\ x_i & i > 1 \end{cases}",
        "x[d] a",
        lambda x, a: np.r_[a * x[0], x[1:]],
    ),
    Case(
        r"f(x) = \begin{cases} x & x > 0 \\ 0 & x \le 0 \end{cases}",
        "x",
        lambda x: np.maximum(x, 0),
    ),
    Case(
        r"f(x) = \begin{cases} x & \text{if } x \geq 0 \\ \alpha x & \text{otherwise} \end{cases}",
        "x alpha",
        lambda x, a: np.where(x >= 0, x, a * x),
    ),
    Case(
        r"f(x) = \begin{cases} x, & \text{if } x > 0, \\ e^x - 1, & \text{else.} \end{cases}",
        "x",
        lambda x: np.where(x > 0, x, np.exp(x) - 1),
    ),
    Case(r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}", "n# m#", causal),
    # A relation of the indices on the left says where the equation holds.
    Case(r"s_{ij} = u_i - t_j, \quad j \le i", "u[n] t[m]", below),
    Case(r"s_{ij} = u_i - t_j \quad (j \le i)", "u[n] t[m]", below),
    Case(r"s_{ij} = u_i - t_j \quad \text{for } j \le i", "u[n] t[m]", below),
    Case(
        r"M_{ij} = \begin{cases} 0 & \text{if } i \ge j \\ -\infty & \text{otherwise} \end{cases}",
        "n# m#",
        causal,
    ),
    Case(
        r"M_{ij} = \begin{cases} -\infty & \text{if } j > i \\ 0 & \text{else} \end{cases}",
        "n# m#",
        causal,
    ),
    Case(
        r"g_i = \begin{cases} s_i & \text{if } i \in \mathcal{T} \\ -1 & i \notin \mathcal{T}"
        r" \end{cases}",
        "s[n] T[n]",
        lambda s, members: np.where(members != 0, s, -1),
    ),
    Case(r"D_{ij} = \begin{cases} 1 & i = j \\ 0 & i \neq j \end{cases}", "n# m#", np.eye),
    Case(
        r"B_{ij} = \begin{cases} -\lambda (i - j) & j \le i \\ 0 & j > i \end{cases}",
        "lambda_ n# m#",
        lambda s, n, m: -s * np.maximum(np.arange(n)[:, None] - np.arange(m), 0),
    ),
    Case(
        r"b = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c \le r \end{cases}",
        "c+ r+",
        lambda c, r: min(1, np.exp(1 - r / c)),
    ),
    Case(
        r"f(x) = \begin{cases} x & \text{若 } x > 0 \\ 0 & \text{否则} \end{cases}",
        "x",
        lambda x: max(x, 0),
    ),
    Case(
        r"f(x) = \begin{cases} x & \text{falls } x > 0 \\ 0 & \text{sonst} \end{cases}",
        "x",
        lambda x: max(x, 0),
    ),
    Case(
        r"f(x) = \begin{cases} x & (x > 0) \\ 0 & (\text{それ以外}) \end{cases}",
        "x",
        lambda x: max(x, 0),
    ),
    Case(
        r"f(x) = \begin{cases} x & x > 0 \text{ (kept)} \\ 0 & \text{en otro caso} \end{cases}",
        "x",
        lambda x: max(x, 0),
    ),
    Case(
        r"f(x) = \left\{ \begin{array}{ll} x & (x > 0) \\ 0 & (x \le 0) \end{array} \right.",
        "x",
        lambda x: max(x, 0),
    ),
    Case(r"f(x) = \max(0, x)", "x[d]", lambda x: np.maximum(x, 0)),
    Case(r"f(x) = \min(\max(x, 0), 6)", "x[d]", lambda x: np.clip(x, 0, 6)),
    Case(
        r"W_{ij} = \begin{cases} 1 & |i - j| \le 2 \\ 0 & \text{otherwise} \end{cases}",
        "n# m#",
        lambda n, m: (abs(np.arange(n)[:, None] - np.arange(m)) <= 2) * 1.0,
    ),
    Case(
        r"P_{ij} = \begin{cases} 1 & j \le \ell \\ 0 & \text{otherwise} \end{cases}",
        "ell n# m#",
        lambda ell, n, m: np.tile(np.arange(m) <= ell, (n, 1)) * 1.0,
    ),
    # An example in numbers is none of the definition.
    Case(
        r"A_{ij} = u_i + u_j, \quad A = \begin{bmatrix} 0 & 1 \\ 1 & 2 \end{bmatrix}",
        "u[n]",
        lambda u: u[:, None] + u,
    ),
    # What is no condition holds where it is not 0.
    Case(r"s = \sum_i \mathbb{1}[m_i] a_i", "m[n] a[n]", lambda m, u: u[m != 0].sum()),
    Case(
        r"P_{ij} = \mathbb{1}[i > \ell]",
        "ell n# m#",
        lambda ell, n, m: np.tile(np.arange(n)[:, None] > ell, (1, m)) * 1.0,
    ),
    Case(
        r"A = \mathrm{softmax}(S + M), \quad M_{ij} = \begin{cases} 0 & i \ge j \\ -\infty & i "
        r"< j \end{cases}",
        "S[n,m]",
        lambda s: softmax(s + causal(*s.shape)),
    ),
    Case(
        r"A_{ij} = \begin{cases} \frac{e^{S_{ij}}}{\sum_{k \le i} e^{S_{ik}}} & j \le i \\ 0 & "
        r"j > i \end{cases}",
        "S[n,m]",
        lambda s: softmax(s + causal(*s.shape)),
    ),
    # Behind a brace that nothing closes stand cases, whatever sets them below each other.
    *(
        Case(
            rf"r(x) = \left\{{ \begin{{{kind}}} 0 & \text{{if }} x \le 0 \\"
            rf" x & \text{{otherwise}} \end{{{end}}} \right.",
            "x",
            lambda x: np.where(x <= 0, 0, x),
        )
        for kind, end in [
            ("array}{ll", "array"),
            ("matrix", "matrix"),
            ("aligned", "aligned"),
            ("split", "split"),
        ]
    ),
    # A value that begins with a minus is none that the row before is less by.
    *(
        Case(
            rf"M_{{ij}} = \left\{{ \begin{{aligned}} {first} \\ {second} \end{{aligned}} \right.",
            "n# m#",
            causal,
        )
        for first, second in [
            (r"& 0, & j \le i", r"& -\infty, & j > i"),
            (r"0 & \quad j \le i", r"-\infty & \quad j > i"),
            (r"& 0 & \text{if } j \le i", r"& -\infty & \text{otherwise}"),
        ]
    ),
    # Equations behind one go on.
    Case(
        r"\left\{ \begin{aligned} y &= a \\ &- b \\ z &= c \end{aligned} \right.",
        "a b",
        lambda a, b: a - b,
    ),
    Case(
        r"\begin{array}{rcl} q & = & W x \\ k & = & U x \end{array}",
        "W[p,d] x[d]",
        lambda w, x: w @ x,
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_columns() -> None:
    """A word and a condition in cells of their own, and none in the last row."""
    formula = compile_formula(
        r"m_{ij} = \left\{\begin{array}{rcl} 0 & \text{for} & i - j \ge k \\"
        r" 1 & \text{others} & \end{array}\right."
    )
    far = np.subtract.outer(np.arange(4), np.arange(3)) >= 2
    np.testing.assert_array_equal(formula.reference(n=4, m=3, k=2.0), np.where(far, 0, 1))
