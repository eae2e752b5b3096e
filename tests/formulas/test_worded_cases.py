"""Cases whose conditions are words: ``if allowed``, ``if token j is padding``, ``otherwise``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula

ALLOWED = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
REAL = np.array([1.0, 0.0, 1.0])
CAUSAL = np.array([[0, -np.inf, -np.inf], [0, 0, -np.inf], [0, 0, 0]])


def cases(*rows: str) -> str:
    return r"M_{ij} = \begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def agrees(latex: str, given: dict[str, Any], expected: Any, **around: Any) -> None:
    """The reference and the emitted function have a value."""
    formula = compile_formula(latex, **around)
    assert {one.name for one in formula.inputs} == given.keys()
    np.testing.assert_allclose(formula.reference(**given), expected)
    tensors = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
    np.testing.assert_allclose(formula.function()(**tensors), expected)


@pytest.mark.parametrize(
    ("rows", "name", "kept"),
    [
        ((r"0 & \text{if allowed}", r"-\infty & \text{otherwise}"), "allowed", 1),
        ((r"0, & \text{valid}", r"-\infty, & \text{masked}"), "valid", 1),
        ((r"-\infty & \text{if masked}", r"0 & \text{if visible}"), "masked", 0),
        ((r"0 & \text{if } (i, j) \text{ is allowed}", r"-\infty & \text{else}"), "allowed", 1),
        ((r"0 & \text{if i attends to j}", r"-\infty & \text{otherwise}"), "attends", 1),
        (
            (
                r"0 & \text{if } i \text{ can attend to } j",
                r"-\infty & \text{if } i \text{ cannot attend to } j",
            ),
            "attend",
            1,
        ),
    ],
)
def test_pairs_of_positions(rows: tuple[str, ...], name: str, kept: int) -> None:
    given = {name: ALLOWED if kept else 1 - ALLOWED}
    agrees(cases(*rows), given, np.where(ALLOWED == 1, 0, -np.inf))


@pytest.mark.parametrize(
    ("rows", "name", "kept"),
    [
        ((r"-\infty & \text{if position } j \text{ is padding}", r"0 & \text{else}"), "padding", 0),
        ((r"0 & j \text{ not padding}", r"-\infty & j \text{ padding}"), "padding", 0),
        ((r"0 & \text{if token $j$ is real}", r"-\infty & \text{if padding}"), "real", 1),
    ],
)
def test_single_positions(rows: tuple[str, ...], name: str, kept: int) -> None:
    given = {name: REAL if kept else 1 - REAL, "n": 2}
    agrees(cases(*rows), given, np.tile(np.where(REAL == 1, 0, -np.inf), (2, 1)))


@pytest.mark.parametrize(
    "rows",
    [
        (r"0 & \text{if $j \leq i$}", r"-\infty & \text{if $j > i$}"),
        (r"0 & \text{if j <= i}", r"-\infty & \text{otherwise}"),
        (r"0 & \text{if position } j \le i", r"-\infty & \text{otherwise}"),
        (
            r"0 & \text{if } j \le i \text{ (can attend)}",
            r"-\infty & \text{if } j > i \text{ (no)}",
        ),
        (r"0 & i \ge j, i - j \ge 0", r"-\infty & \text{otherwise (future)}"),
    ],
)
def test_comparisons_among_words(rows: tuple[str, ...]) -> None:
    agrees(cases(*rows), {"n": 3, "m": 3}, CAUSAL)


def test_joined_conditions() -> None:
    both = cases(
        r"0 & \text{if } j \le i \text{ and token } j \text{ is real}", r"-\infty & \text{else}"
    )
    agrees(both, {"real": REAL}, np.where(REAL == 1, CAUSAL, -np.inf))
    either = cases(
        r"0 & \text{if } j \le i \text{ or } j \text{ is real}", r"-\infty & \text{else}"
    )
    agrees(either, {"real": REAL}, np.where(REAL == 1, 0, CAUSAL))
    two = cases(r"0 & \text{if not masked and not padding}", r"-\infty & \text{else}")
    masked, padding = np.eye(3), np.fliplr(np.eye(3)).copy()
    hidden = (masked + padding) > 0
    agrees(two, {"masked": masked, "padding": padding}, np.where(hidden, -np.inf, 0))


def test_a_keep_mask_of_attention() -> None:
    mask = cases(r"0 & \text{if token } j \text{ is real}", r"-\infty & \text{otherwise}")
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((2, 4)), rng.standard_normal((3, 4)), rng.standard_normal((3, 5))
    weights = np.exp(q @ k.T / 2) * REAL
    agrees(
        r"O = \mathrm{softmax}(\frac{QK^\top}{\sqrt{d_k}} + M) V",
        {"Q": q, "K": k, "V": v, "real": REAL},
        weights / weights.sum(-1, keepdims=True) @ v,
        context=[mask],
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((r"0 & \text{if in one segment}", r"1 & \text{otherwise}"), "if in one segment"),
        ((r"0 & \text{if } j \text{ is allowed today}", r"1 & \text{else}"), "is allowed today"),
        ((r"0 & \text{if } x \text{ is padding}", r"1 & \text{else}"), "x is padding"),
        ((r"0 & \text{if allowed}", r"1 & \text{if } i \text{ is masked}"), "do not say"),
        ((r"0 & \text{if valid}", r"1 & \text{if masked or padding}"), "do not say"),
        (
            (r"0 & \text{if } j \text{ is valid}", r"1 & \text{if } (i, j) \text{ is valid}"),
            "elsewhere",
        ),
    ],
)
def test_what_is_not_said(rows: tuple[str, ...], said: str) -> None:
    with pytest.raises(FormulaError, match="N2C037") as caught:
        compile_formula(cases(*rows))
    assert said in str(caught.value)


def test_a_word_that_is_something_else() -> None:
    latex = cases(r"0 & \text{if valid}", r"1 & \text{otherwise}")
    with pytest.raises(FormulaError, match="something else"):
        compile_formula(latex, context=[r"\text{valid} \in \mathbb{R}^{n \times n}"])


def row(text: str) -> str:
    return "M_{ij} = " + text


@pytest.mark.parametrize(
    "latex",
    [
        row(r"0 \text{ if } j \le i, -\infty \text{ otherwise}"),
        row(r"0 \text{ if } j \le i \text{ else } -\infty"),
        row(r"0 \text{ if } j \le i \text{ and } -\infty \text{ otherwise.}"),
        row(r"-\infty \text{ if } j > i, \text{ otherwise } 0"),
        row(r"-\infty \ \text{for } j > i, \quad 0 \ \text{for } j \le i"),
        row(r"0, j \le i; -\infty, j > i"),
    ],
)
def test_cases_in_one_line(latex: str) -> None:
    agrees(latex, {"n": 3, "m": 3}, CAUSAL)


def test_words_in_one_line() -> None:
    allowed = row(r"0 \text{ if allowed, } -\infty \text{ otherwise}")
    agrees(allowed, {"allowed": ALLOWED}, np.where(ALLOWED == 1, 0, -np.inf))
    real = row(r"1 \text{ if } j \text{ is real and } 0 \text{ otherwise}, \quad R = 2 M")
    agrees(real, {"real": REAL, "n": 2}, 2 * np.tile(REAL, (2, 1)))
    x = np.array([1.0, -2.0, 3.0])
    agrees(
        r"y_i = x_i \text{ if } x_i > 0 \text{ and } -2 x_i \text{ otherwise}", {"x": x}, [1, 4, 3]
    )
    agrees(
        cases(r"0 & i > j", r"1 & \text{else if } i = j", r"2 & \text{else}"),
        {"n": 2, "m": 2},
        [[1, 2], [0, 1]],
    )


@pytest.mark.parametrize(
    "latex",
    [
        r"y = x \text{ otherwise}",
        row(r"0 \text{ if } j \le i \text{ and } j \text{ is real}, -\infty \text{ otherwise}"),
        r"f(x) = x \text{ if } x > 0,\quad g(x) = \alpha x \text{ otherwise}",
    ],
)
def test_a_line_that_is_not_understood(latex: str) -> None:
    with pytest.raises(FormulaError, match="cases in this line"):
        compile_formula(latex)


@pytest.mark.parametrize(
    "line",
    [
        r"0 \text{ si } j \le i, \text{ en otro caso } -\infty",
        r"0 \text{ si } j \le i, \text{ y } -\infty \text{ en otro caso}",
        r"0 \text{ si } j \le i, \text{ si no } -\infty",
        r"0 \text{ se } j \le i, \text{ caso contrário } -\infty",
    ],
)
def test_several_words_for_all_other_cases(line: str) -> None:
    agrees(row(line), {"n": 3, "m": 3}, CAUSAL)


@pytest.mark.parametrize("words", ["if ; is true", "si ; es verdadero, si no 1", "wenn ; wahr ist"])
def test_a_condition_that_is_no_comparison_is_not_dropped(words: str) -> None:
    before, _, after = words.partition(" ; ")
    with pytest.raises(FormulaError, match="condition behind this formula"):
        compile_formula(rf"f(c) = \theta \text{{ {before} }} c \text{{ {after} }}")
