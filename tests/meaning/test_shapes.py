"""Shapes that a note declares, those that follow, and the sizes that remain to be given."""

from __future__ import annotations

import pytest

from notes2code import compile_formula
from notes2code.meaning import type_formula

DECLARED: list[tuple[str, dict[str, tuple[str | int, ...]]]] = [
    (r"x \in \mathbb{R}^d", {"x": ("d",)}),
    (r"x \in R^{d}", {"x": ("d",)}),
    (r"x ∈ ℝ^{n×d}", {"x": ("n", "d")}),
    (r"c \in \mathbb{R}", {"c": ()}),
    (r"Q, K \in \mathbb{R}^{n \times d}", {"Q": ("n", "d"), "K": ("n", "d")}),
    (r"q \in \mathbb{R}^d, \quad k \in \mathbb{R}^e", {"q": ("d",), "k": ("e",)}),
    (r"W_1 \in \mathbb{R}^{d_{model} \times d_{ff}}", {"W_1": ("d_model", "d_ff")}),
    (r"X \in \mathbb{R}^{B \times T \times C}", {"X": ("B", "T", "C")}),
    (r"W \in \mathbb{R}^{d/h \times 4d}", {"W": ("d/h", "4*d")}),
    (r"x \in \mathbb{R}^{512}", {"x": (512,)}),
    (r"W \in \mathbb{R}^{d,h}", {"W": ("d", "h")}),
    (r"\text{where } W \in \mathbb{R}^{h \times d}", {"W": ("h", "d")}),
    (r"y = Wx \in \mathbb{R}^{h}", {"y": ("h",)}),
    (r"x \in [0, 1]^d", {"x": ("d",)}),
    (r"M \in \{0, 1\}^{n \times m}", {"M": ("n", "m")}),
    (r"g \in (0, 1)", {"g": ()}),
    (r"A, b \in [0, 1]", {"b": ()}),
    (r"y = Wx \in [0, 1]", {}),
    (r"X \in [B, T, d]", {"X": ("B", "T", "d")}),
]


@pytest.mark.parametrize("latex, shapes", DECLARED, ids=[latex for latex, _ in DECLARED])
def test_declared(latex: str, shapes: dict[str, tuple[str | int, ...]]) -> None:
    assert {name: shape.axes for name, shape in type_formula(latex).shapes.items()} == shapes


FOLLOWING = [
    # the product fixes the other factor
    ("y = Wx", "W ∈ ℝ^{h×d}", {"W": ("h", "d"), "x": ("d",)}, ("h",)),
    ("y = xW", "W ∈ ℝ^{d×h}", {"W": ("d", "h"), "x": ("d",)}, ("h",)),
    (r"S = QK^\top", "Q ∈ ℝ^{a×b}", {"Q": ("a", "b"), "K": ("m", "b")}, ("a", "m")),
    # one name is one size wherever it stands
    (r"s = a^\top c", "a ∈ ℝ^n, c ∈ ℝ^n", {"a": ("n",), "c": ("n",)}, ()),
    # indices stand before the axes of an element
    (r"e_{ij} = q_i^\top k_j", "q_i ∈ ℝ^d", {"q": ("n", "d"), "k": ("m", "d")}, ("n", "m")),
    ("y_i = W_i x", "W_i ∈ ℝ^{h×d}", {"W": ("n", "h", "d"), "x": ("d",)}, ("n", "h")),
    # concatenation adds
    ("y = [a; c]", "a ∈ ℝ^n, c ∈ ℝ^m", {"a": ("n",), "c": ("m",)}, ("n + m",)),
]


@pytest.mark.parametrize(
    "latex, declared, inputs, output", FOLLOWING, ids=[latex for latex, *_ in FOLLOWING]
)
def test_following(
    latex: str, declared: str, inputs: dict[str, tuple[str, ...]], output: tuple[str, ...]
) -> None:
    for formula in (
        compile_formula(rf"{latex}, \quad {declared}"),
        compile_formula(latex, context=[declared]),
    ):
        assert {i.name: i.shape for i in formula.inputs} == inputs
        assert formula.shape == output


SIZES = [
    (r"\mathrm{softmax}(QK^\top / \sqrt{d_k})V", []),
    (r"\mu = \frac{1}{d}\sum_{i=1}^{d} x_i", []),
    (r"PE_{(p,2i)} = \sin(p/10000^{2i/d}), \quad PE_{(p,2i+1)} = \cos(p/10000^{2i/d})", ["n", "d"]),
    (r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}", ["n", "m"]),
    (r"y = h_L, \quad h_l = \tanh(h_{l-1}), \quad l = 1, \dots, L, \quad h_0 = x", ["L"]),
]


@pytest.mark.parametrize("latex, sizes", SIZES, ids=[latex for latex, _ in SIZES])
def test_sizes_that_nothing_fixes_are_inputs(latex: str, sizes: list[str]) -> None:
    assert [i.name for i in compile_formula(latex).inputs if i.kind == "size"] == sizes


@pytest.mark.parametrize(
    "latex, names",
    [
        (r"y = W^Q x", ["W_Q", "x"]),
        (r"y = \lambda x", ["lambda_", "x"]),
        (r"y = \hat{x} + x'", ["x_hat", "x_prime"]),
        (r"y = \mathbf{w}_v^\top \mathbf{x}", ["w_v", "x"]),
        (r"e_{ij} = q_i^\top k_j", ["q", "k"]),
        (r"y = b_1 + \gamma", ["b_1", "gamma"]),
        (r"y = x_{\text{new}} W", ["x_new", "W"]),
    ],
)
def test_names(latex: str, names: list[str]) -> None:
    """Names of inputs are as written, fonts dropped, indices left out."""
    assert [i.name for i in compile_formula(latex).inputs] == names


def test_a_word_of_prose_may_be_a_label() -> None:
    formula = compile_formula(r"y = x_{\text{in}} - x")
    assert [i.name for i in formula.inputs] == ["x_in", "x"]


def test_no_size_is_made_of_itself() -> None:
    """A turn is of pairs, half as many as there are numbers; that must not be the same many."""
    side = r"f(q, m) _{f}(q, m) e^{i \Theta_{f}(q, m)} = \|q\| = q e^{i m \theta}"
    assert compile_formula(side).status != "rejected"


def test_a_multiple_of_a_size_is_an_example_which_is_said_once() -> None:
    latex = r"y = \max(0, x W) U, W \in \mathbb{R}^{d \times 4d}, U \in \mathbb{R}^{4d \times 2d}"
    notes = [problem for problem in type_formula(latex).problems if "example" in problem.message]
    assert [latex[p.span.start : p.span.end] for p in notes] == ["4d", "2d"]
    assert {problem.code for problem in notes} == {"N2C039"}
    assert not type_formula(r"W \in \mathbb{R}^{d \times d/h}").problems


@pytest.mark.parametrize("sign", [r" \cdot ", r"^\top "])
def test_the_elements_of_a_score_are_numbers(sign: str) -> None:
    """A capital before a row is a matrix by custom, unless numbers come out."""
    formula = compile_formula(rf"s_{{ij}} = S{sign}T_i + E{sign}T_j")
    assert {i.name: len(i.shape) for i in formula.inputs} == {"S": 1, "T": 2, "E": 1}
    assert len(formula.shape) == 2
