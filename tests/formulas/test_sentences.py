"""Cases that a sentence tells in pieces of math."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from notes2code.compilation import CompiledFormula, compile_vault
from notes2code.components.library import library
from notes2code.oracle import evaluate
from notes2code.vault import Vault, read_note_text


def compiled(text: str) -> tuple[CompiledFormula, ...]:
    return compile_vault(Vault("vault", (read_note_text("note.md", text),)), library()).formulas


@pytest.mark.parametrize(
    "sentence",
    [
        r"Let $f(x) = x$ for $x > 0$, and $0.2x$ otherwise.",
        r"Let $f(x) = x$ if $x > 0$ and $f(x) = 0.2x$ otherwise.",
        r"Sei $f(x) = x$ für $x > 0$, sonst $0.2x$.",
        r"Sea $f(x) = x$ si $x > 0$, y $0.2x$ en otro caso.",
        r"设 $f(x) = x$ 若 $x > 0$, 否则 $0.2x$.",
        r"Пусть $f(x) = x$ если $x > 0$, в противном случае $0.2x$.",
    ],
)
def test_a_function_in_two_cases(sentence: str) -> None:
    formula = compile_formula("y = f(x) + 1, x \\in \\mathbb{R}^d", context=sentence)
    given = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_allclose(formula.reference(x=given), np.maximum(given, 0.2 * given) + 1)


def test_a_mask_in_two_cases() -> None:
    mask = r"where $M_{ij} = 0$ if $j \le i$ and $-\infty$ otherwise"
    formula = compile_formula(r"A = \mathrm{softmax}(QK^\top + M)V", context=mask)
    assert [one.name for one in formula.inputs] == ["Q", "K", "V"]
    ones = np.ones((2, 1))
    given = formula.reference(Q=ones, K=ones, V=np.array([[1.0], [3.0]]))
    np.testing.assert_allclose(given, [[1], [2]])


def test_a_mask_is_0_where_it_hides_nothing() -> None:
    mask = r"where $M_{ij} = -\infty$ if $j > i$"
    formula = compile_formula(r"A = \mathrm{softmax}(QK^\top + M)V", context=mask)
    assert [one.name for one in formula.inputs] == ["Q", "K", "V"]
    ones = np.ones((2, 1))
    given = formula.reference(Q=ones, K=ones, V=np.array([[1.0], [3.0]]))
    np.testing.assert_allclose(given, [[1], [2]])


def test_the_other_case_is_not_said() -> None:
    """What holds in places only stays so."""
    (formula, *_) = compiled("It is $S_{ij} = 1$ for $j > i$.")
    assert [one.code for one in formula.diagnostics] == ["N2C039"]


@pytest.mark.parametrize(
    "sentence",
    [
        r"Clip it: $g \leftarrow \frac{c}{\|g\|} g$ if $\|g\| > c$.",
        r"If $\lVert g \rVert > c$, then $g \gets c g / \|g\|$.",
    ],
)
def test_an_update_under_a_condition(sentence: str) -> None:
    (formula,) = compiled(sentence)
    equation = formula.compiled.equation
    assert equation is not None
    long, short = np.array([3.0, 4.0]), np.array([0.3, 0.4])
    np.testing.assert_allclose(evaluate(equation, {"g": long, "c": 1.0}), long / 5)
    np.testing.assert_allclose(evaluate(equation, {"g": short, "c": 1.0}), short)


@pytest.mark.parametrize(
    "sentence",
    [
        r"$\theta \leftarrow \theta - g$ if $|g| > c$.",
        r"$\theta ← \theta - g$ 当 $|g| > c$",
        r"When $|g| > c$, $\theta \gets \theta - g$.",
        r"$\theta \leftarrow \theta - g$ where $|g| > c$.",
        r"$$\theta \leftarrow \theta - g \quad \text{where } |g| > c$$",
    ],
)
def test_an_update_under_a_condition_of_something_else(sentence: str) -> None:
    (formula,) = compiled(sentence)
    equation = formula.compiled.equation
    assert equation is not None
    given = [{"theta": 5.0, "g": g, "c": 1.0} for g in (-2.0, 0.5)]
    assert [evaluate(equation, one) for one in given] == [7.0, 5.0]


@pytest.mark.parametrize(
    "sentence",
    [
        r"$\theta \leftarrow \theta - g$ if $t = 1$.",
        r"If $t = 1$, $\theta \gets \theta - g$.",
        r"$$\theta \leftarrow \theta - g \text{ if } t = 1$$",
        r"$$\text{when } t = 1: \theta \leftarrow \theta - g$$",
    ],
)
def test_an_update_if_something_is_equal(sentence: str) -> None:
    (formula,) = compiled(sentence)
    equation = formula.compiled.equation
    assert equation is not None
    given = [{"theta": 5.0, "g": 2.0, "t": t} for t in (1.0, 2.0)]
    assert [evaluate(equation, one) for one in given] == [3.0, 5.0]


def test_a_condition_ahead_is_none_of_a_definition_before() -> None:
    formula = compile_formula(r"\text{if } s > c: \theta \gets \theta - g", context="$g = 2u$")
    found = [formula.reference(theta=[5.0], g=[2.0], s=s, c=1.0) for s in (2.0, 0.5)]
    assert found == [[3.0], [5.0]]


@pytest.mark.parametrize(
    "sentence", [r"$x_{t+1} = x_t - g$ if $\lambda > c$.", r"If $s = 1$, $x_{t+1} = x_t - g$."]
)
def test_a_step_under_a_condition(sentence: str) -> None:
    """What x is elsewhere is not said."""
    (formula,) = compiled(sentence)
    assert [one.code for one in formula.diagnostics] == ["N2C039"]
    assert "where this does not hold" in formula.diagnostics[0].message


@pytest.mark.parametrize(
    ("update", "condition", "count"),
    [
        (r"w \leftarrow w - \eta g", r"\eta \le 1/L", 3),
        (r"w \leftarrow w - \eta g", r"\eta \le \eta_0", 3),
        (r"W \leftarrow W + BA", r"r < \min(d, k)", 3),
        (r"x \leftarrow x + Wx", "d_{ff} > d", 2),
        (r"w \leftarrow w - g", r"\eta > c", 4),
        (r"\lambda \leftarrow \lambda + g", r"\lambda < \lambda_0", 3),
        (r"x \leftarrow x + d", "d < r", 3),
    ],
)
def test_what_is_only_supposed_of_an_update(update: str, condition: str, count: int) -> None:
    """A comparison of rates and sizes is no condition: nothing is computed of it. One of the state
    or of what the update adds is."""
    for note in (f"${update}$ where ${condition}$.", rf"$${update} \text{{ where }} {condition}$$"):
        equation = compiled(note)[0].compiled.equation
        assert equation is not None
        assert len(equation.inputs) == count


@pytest.mark.parametrize(
    "sentence",
    [
        r"$x_{t+1} = x_t - \eta g_t$ if $\eta < 2/L$.",
        r"$w \leftarrow w - \eta g$ with $\beta_1, \beta_2 < 1$.",
        r"$w \leftarrow w - \eta g$ where $\eta_1 \ge \eta_2 \ge \dots$.",
        r"$$K_{1:t} \leftarrow [K_{1:t-1}; k_t] \text{ where } t \le T$$",
    ],
)
def test_what_is_supposed_is_left_out(sentence: str) -> None:
    formula = compiled(sentence)[0]
    assert formula.compiled.equation is not None
    assert not [one for one in formula.diagnostics if "does not hold" in one.message]


def test_a_mask_of_distances_is_0_elsewhere() -> None:
    (formula,) = compiled(r"with $M_{ij} = -\infty$ if $|i - j| > w$")
    equation = formula.compiled.equation
    assert equation is not None
    found = evaluate(equation, {"n": 3, "m": 3, "w": 1})
    np.testing.assert_allclose(
        found, np.where(abs(np.subtract.outer(*[np.arange(3)] * 2)) > 1, -np.inf, 0)
    )


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("$f(x) = x$ for $n$", 2),
        ("$f(x) = x$. If $x > 0$", 2),
        ("$f(x) = x$ and $x > 0$", 2),
        (r"$f(x) = \log(1 + e^{\beta x})$ for $\beta > 0$", 2),
        (r"$A = \mathrm{softmax}(QK^\top)$ for $n > 1$ tokens", 2),
        ("$f(x) = 1$ if $x > 0$ and $x < 1$", 3),
        ("$f(x) = 1$ if $x > 2$ or $x < 1$, and $0$ otherwise", 4),
        (r"$\theta \leftarrow \theta - \eta g$ for $\eta > 0$", 2),
        (r"$\theta \leftarrow \theta - \eta g$ with $0 < \eta < 1$", 2),
        (r"$\theta \leftarrow \theta - \eta g$ where $g = Wx$", 2),
        (r"$\theta \leftarrow \theta - \eta g$ for $t = 1$", 2),
        (r"$x_{t+1} = \eta x_t$ if $\eta > 0$", 2),
        (r"For all $l > 0$, $h \leftarrow h + W h$", 2),
        ("$d = 512$ if $n > 5$ and $h = 8$ otherwise", 3),
        (r"$h = Wx$ for $\eta > 0$, and $\lambda$ else is small", 3),
    ],
)
def test_other_sentences_are_no_cases(sentence: str, count: int) -> None:
    assert len(compiled(sentence)) == count


def test_three_cases() -> None:
    sentence = "Let $f(x) = 1$ if $x > 0$, $0$ if $x = 0$ and $-1$ otherwise."
    formula = compile_formula(r"y = f(x), x \in \mathbb{R}^d", context=sentence)
    given = np.array([-3.0, 0.0, 2.0])
    np.testing.assert_allclose(formula.reference(x=given), np.sign(given))


def test_a_fault_in_the_second_piece_has_its_place() -> None:
    (formula,) = compiled("The $f(x) = x$ for $x > 0$, and $\\frac{x$ otherwise.")
    (problem,) = formula.diagnostics
    assert problem.column == 39


def test_words_far_apart_join_nothing() -> None:
    """Nor do blanks take long to be passed over."""
    assert len(compiled(f"It is $a = b$ for{' ' * 20_000}$b > 0$ and $c$ otherwise.")) == 3


@pytest.mark.parametrize(
    "text",
    [
        "- $g = c$ if $c > r$\n- $g = 2r$ if $c \\le r$",
        "1. $g = c$ if $c > r$;\n\n2. $g = 2r$ otherwise.",
        "* $g = c \\text{ if } c > r$\n* $g = 2r \\text{ if } c \\le r$",
        "- If $c > r$: $g = c$\n- If $c \\le r$: $g = 2r$",
        "- If $c > r$: $g = c$\n- Otherwise: $g = 2r$",
        "If $c > r$, then $g = c$. If $c \\le r$, then $g = 2r$.",
        "Wenn $c > r$: $g = c$, sonst $g = 2r$.",
        "$$ g = c \\text{ if } c > r $$\n\n$$ g = 2r \\text{ if } c \\le r $$",
        "$$ g = 2r \\text{ if } c \\le r $$\n\n$$ g = c \\text{ if } c > r $$",
    ],
)
def test_cases_that_a_list_tells(text: str) -> None:
    found = compiled(text)
    assert found
    for formula in found:
        assert formula.compiled.equation is not None and not formula.diagnostics
        for c, r in ((3.0, 2.0), (1.0, 2.0)):
            given = {"c": c, "r": r}
            assert evaluate(formula.compiled.equation, given) == (c if c > r else 2 * r)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- If $t > 1$: it is flat\n- If $t < 1$: $p = 3$", 3),
        ("- $g = 1$ if $c > r$\n- $h = 2$ if $c \\le r$", 4),
        ("If $n > 3$, we see $y = 2$.", 2),
        ("If $x > 0$: $y = 1$\n\nIf $x < 0$: $y = 2$", 4),
    ],
)
def test_other_lists_are_no_cases(text: str, count: int) -> None:
    assert len(compiled(text)) == count
