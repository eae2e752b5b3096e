"""What stands for a part of what a function is given: its numbers, and what may be its halves."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    # The components of a vector of two numbers are numbers.
    Case(r"y = x_1^2 + 3 x_2^2, \quad x \in \mathbb{R}^2", "x_1 x_2", lambda a, b: a**2 + 3 * b**2),
    Case(
        r"f(x) = (1 - x_1)^2 + 100 (x_2 - x_1^2)^2",
        "x_1 x_2",
        lambda a, b: (1 - a) ** 2 + 100 * (b - a**2) ** 2,
        context=[r"x \in \mathbb{R}^2"],
    ),
    # Vectors of two numbers each are written in bold, or are more than there are numbers, or
    # stand where vectors do.
    Case(
        r"y = \mathbf{x}_1 \odot \mathbf{x}_2",
        "x_1[d] x_2[d]",
        np.multiply,
        context=[r"\mathbf{x} \in \mathbb{R}^2"],
    ),
    Case(r"y = \tanh(x_3)", "x_3[d]", np.tanh, context=[r"x \in \mathbb{R}^2"]),
    Case(r"s = x_1^\top x_2", "x_1[d] x_2[d]", np.dot, context=[r"x \in \mathbb{R}^2"]),
    Case(
        r"s = \|x_1 - x_2\|^2",
        "x_1[d] x_2[d]",
        lambda a, b: ((a - b) ** 2).sum(),
        context=[r"x \in \mathbb{R}^2"],
    ),
)
def test_value(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"\mathrm{rotate\_half}(x) = [-x_2, x_1]", "`x_1` and `x_2` are inputs of their own"),
        (r"f(x) = x_1 + x_2", "`x_1` and `x_2` are inputs of their own"),
        (r"g(x) = \tanh(W x_{in})", "`x_in` is an input of its own"),
    ],
)
def test_it_is_told_that_parts_are_no_parts(latex: str, parts: str) -> None:
    (told,) = compile_formula(latex).diagnostics[-1:]
    assert (told.code, told.message) == ("N2C080", f"the parameter `x` does not occur; {parts}")


@pytest.mark.parametrize(
    "latex",
    [
        r"L(\theta) = \|y - p_\theta(x)\|^2",
        r"f(x, W, b) = W_2 \mathrm{ReLU}(W_1 x + b_1) + b_2",
        r"f(x; \theta) = \theta_1 x + \theta_2",
        r"h(x) = w_1 x_1 + w_2 x_2 + b",
        r"f(h) = \tanh(W h_t + b)",
    ],
)
def test_nothing_is_told_of_what_stands_for_all_weights_or_numbers(latex: str) -> None:
    assert "N2C080" not in {one.code for one in compile_formula(latex).diagnostics}
