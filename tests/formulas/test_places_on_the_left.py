"""Places in the tuple below a left-hand side, by whatever letters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


def _wave(even: int, odd: int, column: int, width: int) -> float:
    """What stands in a column, at the place that counts in even ones, and in odd ones."""
    rate = 10000 ** (-(column - column % 2) / width)
    return math.cos(odd * rate) if column % 2 else math.sin(even * rate)


@table(
    Case(
        r"PE_{(x,2i)} = \sin(x / 10000^{2i/d}), PE_{(x,2i+1)} = \cos(x / 10000^{2i/d})",
        "n# d#",
        lambda n, d: [[_wave(x, x, c, d) for c in range(d)] for x in range(n)],
    ),
    Case(
        r"G_{(x,y,2i)} = \sin(x / 10000^{2i/d}), G_{(x,y,2i+1)} = \cos(y / 10000^{2i/d})",
        "n# m# d#",
        lambda n, m, d: [
            [[_wave(x, y, c, d) for c in range(d)] for y in range(m)] for x in range(n)
        ],
    ),
)
def test_values(case: Case) -> None:
    check(case)


@table(
    # What is listed on both sides is an index, also a letter that elsewhere is a label.
    Case(
        r"B_{t,h} = G_{t,h} - c \cdot h",
        "G[n,m] c",
        lambda g, c: g - c * np.arange(g.shape[1]),
    ),
    Case(r"\tilde B_{t,h} = B_{t,h} - 3 M_{t,h}", "B[n,m] M[n,m]", lambda b, m: b - 3 * m),
    # Near misses: the label of a weight, and of what stands on the left alone.
    Case(r"q_{t,h} = W_h x_t", "W_h[p,d] x[n,d]", lambda w, x: x @ w.T),
)
def test_lists(case: Case) -> None:
    check(case)


def test_a_letter_that_the_right_has_not_is_a_label() -> None:
    assert compile_formula(r"q_{(h,2i)} = w^\top x_i").name == "q_h"


@pytest.mark.parametrize(
    ("latex", "component"),
    [
        (r"PE_{(x,2i)} = \sin(x / 10000^{2i/d})", "sinusoidal_positional_encoding"),
        (r"PE_{(x,y,2i)} = \sin(x / 10000^{2i/d})", None),
        (r"PE(x,y,2i) = \sin(x / 10000^{2i/d})", None),
    ],
)
def test_places_in_two_directions_are_no_sequence(latex: str, component: str | None) -> None:
    assert compile_formula(latex).component == component
