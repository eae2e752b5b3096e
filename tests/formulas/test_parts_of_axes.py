"""Parts of an axis, ``K_{1:t}`` and ``K_{i-w+1:i}``, caches that grow by a row, and functions of
arrays of which a part may be reached."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def seen(rows: int, columns: int, before: float = np.inf, behind: float = 0) -> np.ndarray:
    """Which columns a row sees: those from so many before it to so many behind."""
    away = np.arange(columns) - np.arange(rows)[:, None]
    return (away >= -before) & (away <= behind)


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, keep: np.ndarray, scale: float = 1
) -> np.ndarray:
    """Attention to the keys that are kept; zeros where none is."""
    weights = np.where(keep, np.exp(scale * q @ k.T), 0)
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0) @ v


def grown(rows: np.ndarray, new: np.ndarray) -> list[np.ndarray]:
    """The rows before each place, with the new one behind them."""
    return [np.vstack([rows[:t], new[t]]) for t in range(len(new))]


@table(
    Case(
        r"o_i = \mathrm{softmax}\left(q_i K_{i-w+1:i}^\top\right) V_{i-w+1:i}",
        "q[n,d] K[m,d] V[m,e] w",
        lambda q, k, v, w: attention(q, k, v, seen(len(q), len(k), w - 1)),
    ),
    Case(
        r"o_i = \mathrm{softmax}\left(q_i K_{[i-W+1:i]}^\top\right) V_{[i-W+1:i]}",
        "q[n,d] K[m,d] V[m,e] W",
        lambda q, k, v, w: attention(q, k, v, seen(len(q), len(k), w - 1)),
    ),
    Case(
        r"o_t = \mathrm{softmax}\left(q_t K_{\max(1, t-r):t}^\top\right) V_{\max(1, t-r):t}",
        "q[n,d] K[m,d] V[m,e] r",
        lambda q, k, v, r: attention(q, k, v, seen(len(q), len(k), r)),
    ),
    Case(
        r"o_t = \mathrm{softmax}\left(q_t K_{t-2:t+1}^\top\right) V_{t-2:t+1}",
        "q[n,d] K[n,d] V[n,e]",
        lambda q, k, v: attention(q, k, v, seen(len(q), len(k), 2, 1)),
        shapes={"K": ("n", "d"), "q": ("n", "d")},
    ),
    Case(
        r"o_t = \mathrm{softmax}\left(q_t K_{:t}^\top\right) V_{:t}",
        "q[n,d] K[m,d] V[m,e]",
        lambda q, k, v: attention(q, k, v, seen(len(q), len(k))),
    ),
    Case(
        r"o_t = \mathrm{softmax}\left(q_t K_{t:n}^\top\right) V_{t:n}",
        "q[m,d] K[n,d] V[n,e]",
        lambda q, k, v: attention(q, k, v, ~seen(len(q), len(k), behind=-1)),
    ),
    Case(
        r"c_t = \mathrm{mean}(x_{\le t})",
        "x[n,d]",
        lambda x: np.cumsum(x, 0) / (1 + np.arange(len(x)))[:, None],
    ),
    Case(
        r"o_t = \mathrm{Attention}(q_t, K_{\le t}, V_{\le t})",
        "q[n,d] K[m,d] V[m,e]",
        lambda q, k, v: attention(q, k, v, seen(len(q), len(k)), q.shape[1] ** -0.5),
    ),
    Case(
        r"o_t = \mathrm{Attention}(q_t A, K_{1:t} B, V_{1:t})",
        "q[n,d] A[d,r] K[m,p] B[p,r] V[m,e]",
        lambda q, a, k, b, v: attention(q @ a, k @ b, v, seen(len(q), len(k)), a.shape[1] ** -0.5),
    ),
    # So it is where the place stands above the name: no x is raised to i + d/2.
    Case(
        r"y^{(i)}_m = x^{(i)}_m \cos m \theta_i - x^{(i + \frac{d}{2})}_m \sin m \theta_i",
        "x[2*d,p] theta[d]",
        lambda x, t: (
            x[: len(t)] * np.cos(np.outer(t, np.arange(x.shape[1])))
            - x[len(t) :] * np.sin(np.outer(t, np.arange(x.shape[1])))
        ),
    ),
)
def test_parts(case: Case) -> None:
    check(case)


@table(
    Case(
        r"o_t = \mathrm{softmax}(q_t [K_{1:t-1}; k_t]^\top) [V_{1:t-1}; v_t]",
        "q[n,d] K[n,d] k[n,d] V[n,e] v[n,e]",
        lambda q, old_k, k, old_v, v: [
            softmax(a @ b.T) @ c
            for a, b, c in zip(q, grown(old_k, k), grown(old_v, v), strict=True)
        ],
        shapes={name: ("n", "e" if name in "Vv" else "d") for name in "qKkVv"},
    ),
    Case(
        r"o_t = \mathrm{softmax}(q_t [K_{<t}, k_t]^\top) [V_{<t}, v_t]",
        "q[n,d] K[n,d] k[n,d] V[n,e] v[n,e]",
        lambda q, old_k, k, old_v, v: [
            softmax(a @ b.T) @ c
            for a, b, c in zip(q, grown(old_k, k), grown(old_v, v), strict=True)
        ],
        shapes={name: ("n", "e" if name in "Vv" else "d") for name in "qKkVv"},
    ),
    # What is kept is what each step adds.
    Case(
        r"K_{1:t} = [K_{1:t-1}; k_t], \quad V_{\le t} = [V_{<t} \| v_t], \quad "
        r"o_t = \mathrm{softmax}(q_t K_{1:t}^\top) V_{\le t}",
        "k[m,d] v[m,e] q[n,d]",
        lambda k, v, q: attention(q, k, v, seen(len(q), len(k))),
    ),
    Case(
        r"K_{1:t} = [K_{1:t-1}; x_t W], \quad a_t = \mathrm{softmax}(q_t K_{1:t}^\top)",
        "x[m,p] W[p,d] q[n,d]",
        lambda x, w, q: attention(q, x @ w, np.eye(len(x)), seen(len(q), len(x))),
    ),
)
def test_caches_that_grow(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"c_i = \tanh(W x_{i:i+h-1} + b)",  # the vectors of a window, joined
        r"o_i = \mathrm{softmax}(q_i K_{2i:3i}^\top) V_{2i:3i}",
        r"o_t = \mathrm{softmax}(q_t K_{s-w:s}^\top) V_{s-w:s}",  # of which s?
        r"o_t = f(q_t, K_{\le t})",
        r"y = \mathrm{softmax}(x)_{:k}",
    ],
)
def test_what_parts_do_not_say(latex: str) -> None:
    with pytest.raises(FormulaError):
        compile_formula(latex)


def test_both_ends_of_a_part_are_told() -> None:
    problems = compile_formula(r"o_i = \mathrm{softmax}(q_i K_{i-w:i}^\top) V_{i-w:i}").diagnostics
    assert any("hold the last of its places" in problem.message for problem in problems)


def test_a_part_that_counts_from_a_size_is_a_name() -> None:
    inputs = compile_formula(r"A = Q_{T_q - w:T_q} K^\top").inputs
    assert [one.name for one in inputs] == ["Q_T_q_w_T_q", "K"]
