"""Signals: what is written as a function of the time is a vector at each time."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table


@table(
    Case(
        r"h'(t) = A h(t) + B x(t)",
        "A[m,n] h[l,n] B[m,k] x[l,k]",
        lambda a, h, b, x: h @ a.T + x @ b.T,
    ),
    Case(
        r"\dot{\mathbf z}(t) = \mathbf A(t) \mathbf z(t)",
        "A[l,n,m] z[l,m]",
        lambda f, z: (f @ z[..., None])[..., 0],
    ),
    Case(
        r"s(t+1) = A s(t) + B u(t)",
        "A[n,n] s[n] B[n,k] u[k]",
        lambda a, s, b, u: a @ s + b @ u,
    ),
    Case(
        r"h_t = \tanh(W h_{t-1} + U x(t))",
        "W[n,n] h[n] U[n,k] x[k]",
        lambda w, h, u, x: np.tanh(w @ h + u @ x),
    ),
    Case(
        r"\begin{cases} \frac{d z(t)}{dt} = A(t) z(t) \\ y(t) = C(t) z(t) \end{cases}",
        "C[l,n,m] z[l,m]",
        lambda c, z: (c @ z[..., None])[..., 0],
    ),
    # What is said of h(t) holds beside it.
    Case(
        r"y(t) = C h(t) + b x(t)",
        "C[m,N] h[l,N] b[m] x[l]",
        lambda c, h, b, x: h @ c.T + x[:, None] * b,
        context=r"with $h(t) \in \mathbb{R}^N$ and $x(t) \in \mathbb{R}$",
    ),
    # The share of one of two is a number between 0 and 1, and no index.
    Case(r"x_t = (1 - t) x_0 + t x_1", "t x_0[d] x_1[d]", lambda t, a, b: (1 - t) * a + t * b),
    Case(
        r"z_t = t x + (1 - t) \epsilon, \quad t \in [0, 1]",
        "t x[d] epsilon[d]",
        lambda t, x, e: t * x + (1 - t) * e,
    ),
    # What a time is taken from is the last one.
    Case(
        r"w_t = \exp(-\lambda (T - t)) x_t",
        "lambda_ T x[n,d]",
        lambda decay, last, x: np.exp(-decay * (last - np.arange(len(x))))[:, None] * x,
    ),
    Case(r"x_s = (1 - s) x_0 + s x_1", "s x_0[d] x_1[d]", lambda s, a, b: (1 - s) * a + s * b),
)
def test_vectors(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    "latex",
    [
        r"y(t) = g(t) + s(t)",  # nothing says that they are vectors
        r"y(t) = W f(t)",  # f is a function
        r"y(t) = W h(t) + t",  # the time is computed with
        r"y(x) = W h(x) + b",  # x is no time
    ],
)
def test_functions(latex: str) -> None:
    assert any(given.kind == "function" for given in compile_formula(latex).equation.inputs)


@pytest.mark.parametrize(("letter", "axes"), [("s", 0), ("S", 2), ("q", 1)])
def test_what_decays_is_of_its_letters_kind(letter: str, axes: int) -> None:
    start, _, *_ = compile_formula(rf"{letter}_t = {letter}_0 e^{{-\lambda t}}").inputs
    assert (start.name, len(start.shape)) == (f"{letter}_0", axes)


def test_what_comes_before_a_place_stands_above_it() -> None:
    compiled = compile_formula(r"L = -\sum_t \log p(x^t | x^{<t})")
    assert [one.name for one in compiled.inputs] == ["p"]
