"""Estimates at a step, which say that what they are made of is at that step, too, and no power."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, relu, sigmoid, table


def steps(u: np.ndarray) -> np.ndarray:
    return np.arange(1, len(u) + 1)


@table(
    Case(
        r"\hat g^{k+1} = \frac{g^{k+1}}{1 - \beta^{k+1}}",
        "g[n] beta",
        lambda g, b: g / (1 - b ** steps(g)),
    ),
    Case(
        r"\hat g^{k+1} = g^{k+1} / (1 - \beta^{k+1})",
        "g[n] beta",
        lambda g, b: g / (1 - b ** steps(g)),
    ),
    # A rate is raised in a step, too, at which its state stands.
    Case(
        r"u_{t+1} = \beta u_t + g_t, \quad \hat u_{t+1} = \frac{u_{t+1}}{1 - \beta^{t+1}}",
        "u beta+ g t+",
        lambda u, b, g, t: (b * u + g) / (1 - b ** (t + 1)),
    ),
    # Near misses: what is said of one layer, or beside a bare x, names no list of steps.
    Case(r"\hat h^{l+1} = \mathrm{ReLU}(h^{l+1})", "h[d]", relu),
    Case(
        r"\hat x^{n+1} = \frac{1 - x^{n+1}}{1 - x}",
        "x+ n",
        lambda x, n: (1 - x ** (n + 1)) / (1 - x),
    ),
    # Beside the step that uses it, an estimate loses no power of its rate.
    Case(
        r"\hat g^{k+1} = \frac{g^{k+1}}{1-\beta^{k+1}}, \quad w^{k+1} = w^k - c \hat g^{k+1}",
        "w c g_hat",
        lambda w, c, g: w - c * g,
    ),
    # So are the square of an estimate, and a power of what has none.
    Case(r"\hat{x}^{2} = x^{2} + 1", "x[d]", lambda x: x**2 + 1),
    Case(r"F = g^{n+1} / (n+1)", "g+ n", lambda g, n: g ** (n + 1) / (n + 1)),
    # An exponent that is an array leaves its base one.
    Case(
        r"a = \sigma(\Lambda)^{c \cdot r}, \quad r = \sigma(W x)",
        "W[d,k] x[k] Lambda[d] c",
        lambda w, x, u, c: sigmoid(u) ** (c * sigmoid(w @ x)),
    ),
    Case(
        r"y = \theta^{\alpha - 1}, \quad \alpha \in \mathbb{R}^d",
        "theta+[d] alpha[d]",
        lambda t, a: t ** (a - 1),
    ),
    Case(r"\mathbf{y} = \mathbf{p}^{\mathbf{k}+1}", "p+[d] k[d]", lambda p, k: p ** (k + 1)),
)
def test_an_estimate_is_at_the_step_of_what_it_is_made_of(case: Case) -> None:
    check(case)


def test_what_stands_at_a_step_as_well_is_no_power() -> None:
    with pytest.raises(FormulaError, match="may be a power, or `x` at another step"):
        compile_formula(r"y^{k+1} = x^{k+1} + \beta (x^{k+1} - x^k)")
