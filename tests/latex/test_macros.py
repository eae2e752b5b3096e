"""The author's own commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notes2code.diagnostics import ProblemError
from notes2code.latex import parse
from notes2code.latex.macros import Macro, definitions, written_out
from notes2code.latex.tree import Node

Shown = Callable[[Node | None], str]


@pytest.mark.parametrize(
    "text, name, macro",
    [
        (r"\newcommand{\R}{\mathbb{R}}", "R", Macro(0, r"\mathbb{R}")),
        (r"\newcommand\R{x}", "R", Macro(0, "x")),
        (r"\renewcommand*{\vec}[1]{\mathbf{#1}}", "vec", Macro(1, r"\mathbf{#1}")),
        (r"\providecommand{\att}[3]{#1#2#3}", "att", Macro(3, "#1#2#3")),
        (r"\def\half{\frac{1}{2}}", "half", Macro(0, r"\frac{1}{2}")),
        (r"\def\pair#1#2{(#1, #2)}", "pair", Macro(2, "(#1, #2)")),
        (r"\DeclareMathOperator{\sm}{softmax}", "sm", Macro(0, r"\operatorname{softmax}")),
        (r"\DeclareMathOperator*{\sm}{softmax}", "sm", Macro(0, r"\operatorname{softmax}")),
    ],
)
def test_definition(text: str, name: str, macro: Macro) -> None:
    found, rest = definitions(f"{text} a")
    assert found == {name: macro}
    assert rest == " " * len(text) + " a"


@pytest.mark.parametrize(
    "latex, plain",
    [
        (r"\newcommand{\vv}[1]{\mathbf{#1}} \vv{x} + \vv y", r"\mathbf{x} + \mathbf{y}"),
        (r"\def\half{\frac{1}{2}} \half x", r"\frac{1}{2} x"),
        (r"\newcommand{\f}[2]{\frac{#1}{#2}} \f{a + b}{c}", r"\frac{a + b}{c}"),
        (r"\newcommand{\a}{\b} \newcommand{\b}{c} \a", "c"),
        (r"\newcommand{\T}{^\top} K\T", r"K^\top"),
    ],
)
def test_expansion(latex: str, plain: str, shown: Shown) -> None:
    assert shown(parse(latex).clauses[0].node) == shown(parse(plain).clauses[0].node)


def test_macros_of_the_vault(shown: Shown) -> None:
    found = parse(r"\half x", macro_table={"half": Macro(0, r"\frac{1}{2}")})
    assert shown(found.clauses[0].node) == "(juxt (frac 1 2) x)"


def test_what_comes_out_stands_where_the_command_stood() -> None:
    latex = r"\def\half{\frac{1}{2}} a + \half"
    node = parse(latex).clauses[0].node
    right = node.right  # type: ignore[union-attr]
    assert latex[right.span.start : right.span.end] == r"\half"


@pytest.mark.parametrize(
    "latex",
    [r"\newcommand{\a}{\a} \a", r"\newcommand{\a}{\b}\newcommand{\b}{\a} \a", r"\def\a{\a\a} \a"],
)
def test_endless(latex: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(latex)
    problem = raised.value.problem
    assert problem.code == "N2C021"
    assert latex[problem.span.start : problem.span.end] == r"\a"


@pytest.mark.parametrize(
    "text, expected",
    [
        (r"\newcommand{\vx}{y} e = \vx W", r"e = \mathbf{x} W"),
        (r"\norm{\frac{\norm{a}}{b}}x", r"\lVert \frac{\lVert a\rVert }{b}\rVert x"),
        (r"\norm\vx", r"\lVert \mathbf{x}\rVert "),
        (r"\al x \al{}_i", r"\alpha x \alpha{}_i"),
        (r"\al\text{a}", r"\alpha\text{a}"),
        (r"\times\pair{Q}K", r"\times Q \cdot K"),
        (r"\alpha \again", r"\alpha \again"),
        (r"\norm", r"\lVert \rVert "),
    ],
)
def test_written_out(text: str, expected: str) -> None:
    macros, _ = definitions(
        r"\newcommand{\vx}{\mathbf{x}} \def\norm#1{\lVert #1\rVert } \def\al{\alpha}"
        r"\newcommand\pair[2]{#1 \cdot #2} \newcommand{\again}{\again}"
    )
    assert written_out(text, macros) == expected
