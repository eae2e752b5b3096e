"""What stands for a part of what a function is given: its numbers, and what may be its halves."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.oracle import evaluate
from notes2code.vault import Vault, read_note_text
from tables import Case, check, table

HALVES = r"\quad \text{(both halves of the input)}"


@table(
    # The components of a vector of two numbers are numbers, where it is all that is given.
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
    Case(r"f(x) = x_1 \odot x_2", "x_1[d] x_2[d]", np.multiply, context=[r"x \in \mathbb{R}^2"]),
    Case(
        r"k(x_1, x_2) = (x_1 \cdot x_2 + 3)^3",
        "x_1[d] x_2[d]",
        lambda a, b: (a @ b + 3) ** 3,
        context=[r"x \in \mathbb{R}^2"],
    ),
    Case(
        r"m = \frac{x_1 + x_2}{2}",
        "x_1[d] x_2[d]",
        lambda a, b: (a + b) / 2,
        context=[r"x \in \mathbb{R}^2"],
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


# --- halves, where the text says that something is cut in two -----------------------------------


@table(
    Case(
        rf"f(x) = [-x_2, x_1] {HALVES}",
        "x[2*d]",
        lambda x: np.concatenate([-x[len(x) // 2 :], x[: len(x) // 2]]),
    ),
    Case(
        rf"\mathrm{{GEGLU}}(X) = (X_1 \odot \tanh(X_2)) W {HALVES}",
        "X[n,2*d] W[d,p]",
        lambda x, w: (x[:, : len(w)] * np.tanh(x[:, len(w) :])) @ w,
    ),
    # A third part is no half, and a number has none.
    Case(rf"f(x) = x_1 + x_2 + x_3 {HALVES}", "x_1[d] x_2[d] x_3[d]", lambda a, b, c: a + b + c),
)
def test_half(case: Case) -> None:
    check(case)


def test_a_rotated_half_is_turned_with_the_rest() -> None:
    note = r"""# RoPE
The features are split into two halves.
$$ \mathrm{rotate\_half}(x) = [-x_2, x_1] $$
$$ \mathrm{RoPE}(x) = x \odot \cos(m\theta) + \mathrm{rotate\_half}(x) \odot \sin(m\theta) $$
# Apart
$$ g(x) = x_1 + x_2 $$
"""
    vault = Vault("vault", (read_note_text("RoPE.md", note),))
    found = [one.compiled.equation for one in compile_vault(vault, library()).formulas]
    _, turned, apart = filter(None, found)
    assert [len(one.shape) for one in turned.inputs] == [1, 1, 0]
    x, theta = np.arange(1.0, 5), np.arange(4.0)
    value = evaluate(turned, {"x": x, "theta": theta, "m": np.asarray(2.0)})
    wanted = x * np.cos(2 * theta) + np.array([-3, -4, 1, 2]) * np.sin(2 * theta)
    np.testing.assert_allclose(value, wanted)
    assert [one.name for one in apart.inputs] == ["x_1", "x_2"]


def given_beside(text: str) -> list[str]:
    """What a formula in halves is given in a note with some text."""
    note = read_note_text("Halves.md", f"# Parts\n{text}\n$$ g(x) = [x_1, -x_2] $$\n")
    equation = compile_vault(Vault("vault", (note,)), library()).formulas[-1].compiled.equation
    assert equation is not None
    return [one.name for one in equation.inputs]


@pytest.mark.parametrize(
    "text",
    [
        "The batch of inputs is cut in half.",
        "The loss halves every ten epochs. The input is a vector.",
        "A line separates the two halves of the plane.",
        "Pooling halves the channels.",
        "In the first half of training, the input has noise.",
    ],
)
def test_halves_of_anything_else_say_nothing(text: str) -> None:
    assert given_beside(text) == ["x_1", "x_2"]


@pytest.mark.parametrize(
    "text",
    [
        "The features are split in half.",
        "Here $x_1$ and $x_2$ are the halves.",
        "The first half of $x$ is gated by the second one.",
        "This is rotating half of them.",
    ],
)
def test_halves_are_told(text: str) -> None:
    assert given_beside(text) == ["x"]


@pytest.mark.parametrize(
    "latex", ["f(x) = w_1 x_1 + w_2 x_2 + b", "f(x) = x_1^2 + x_2^2", "f(x) = 2 x_1 - 3 x_2"]
)
def test_numbers_with_weights_or_powers_are_no_halves(latex: str) -> None:
    given = compile_formula(f"{latex} {HALVES}").inputs
    assert {"x_1", "x_2"} <= {one.name for one in given}


def test_a_component_that_is_made_of_two_parts_is_told_nothing() -> None:
    maps = [
        rf"\mathrm{{softmax}}\left(\frac{{Q_{i} K_{i}^\top}}{{\sqrt{{d}}}}\right)" for i in "12"
    ]
    latex = rf"\mathrm{{DiffAttn}}(Q, K, V) = ({maps[0]} - \lambda {maps[1]}) V"
    formula = compile_formula(latex)
    assert (formula.component, formula.diagnostics) == ("differential_attention", ())


def test_a_parameter_that_a_definition_holds_occurs() -> None:
    found = compile_formula(
        r"\text{LayerNorm}(x) = \gamma \odot \hat x + \beta",
        context=[r"\hat x_i = \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}}"],
    )
    assert found.component == "layer_norm" and not found.diagnostics
