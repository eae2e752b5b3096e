"""Sums over a window or a block: how wide that is says nothing of what it moves over, and there
are fewer blocks than places."""

from __future__ import annotations

import numpy as np

from notes2code import compile_formula
from tables import Case, check, softmax, table


def _blocks(k: np.ndarray, width: int, count: int) -> np.ndarray:
    """The sum of each block; of places beyond the last there is nothing."""
    sums = [k[i * width : (i + 1) * width].sum(0) for i in range(count)]
    return np.array(sums)


def _over(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """The sum of what stands from so many places before each place to so many behind it."""
    places = range(len(x))
    return np.array([sum((x[j] for j in places if low <= j - i <= high), 0 * x[0]) for i in places])


@table(
    # The i of a function's value is counted with as the one of a name.
    Case(
        r"\mathrm{Near}(x)_i = \sum_{|i-j| \le w} x_j",
        "x[n] w+",
        lambda x, w: _over(x, -w, w),
    ),
    Case(
        r"\mathrm{Local}(Q, K, V)_i = \sum_{|i-j| \le w} \frac{\exp(q_i^\top k_j)}"
        r"{\sum_{|i-l| \le w} \exp(q_i^\top k_l)} v_j",
        "Q[n,d] K[m,d] V[m,p] w+",
        lambda q, k, v, w: (
            softmax(
                np.where(
                    np.abs(np.subtract.outer(range(len(q)), range(len(k)))) <= w, q @ k.T, -np.inf
                )
            )
            @ v
        ),
    ),
    Case(
        r"y_i = \frac{1}{w} \sum_{j=i-w+1}^{i} x_j",
        "x[n,d] w+",
        lambda x, w: _over(x, 1 - w, 0) / w,
    ),
    Case(
        r"\bar x_i = \frac{1}{m} \sum_{j=i-m}^{i} x_j",
        "x[n,d] m+",
        lambda x, m: _over(x, -m, 0) / m,
    ),
    Case(
        r"c_i = \sum_{j=4i}^{4i+3} k_j",
        "k[n,d] m#",
        lambda k, m: _blocks(k, 4, m),
    ),
    Case(
        r"c_i = \sum_{j=3(i-1)+1}^{3i} k_j",
        "k[n,d] m#",
        lambda k, m: _blocks(k, 3, m),
    ),
    Case(
        r"o_i = \sum_{j \le 2i} v_j",
        "v[n,d] m#",
        lambda v, m: np.array([v[: 2 * i + 1].sum(0) for i in range(m)]),
    ),
)
def test_a_window_is_not_as_long_as_what_it_moves_over(case: Case) -> None:
    check(case)


def test_the_mean_of_a_block_is_divided_by_its_width() -> None:
    for block in (r"j=mi}^{m(i+1)-1", r"j=(i-1)m+1}^{im"):
        formula = compile_formula(rf"K_i = \frac{{1}}{{m}} \sum_{{{block}}} k_j")
        assert [given.name for given in formula.inputs][:2] == ["k", "m"]
        k = np.random.default_rng(3).normal(size=(6, 2))
        rows, *_ = (given.name for given in formula.inputs if given.name not in ("k", "m"))
        found = formula.reference(**{"k": k, "m": 3.0, rows: 2})
        assert np.allclose(found, k.reshape(2, 3, 2).mean(1))
