"""What is read otherwise than TeX sets it is said, at its place."""

from __future__ import annotations

import pytest

from notes2code.diagnostics import Severity
from notes2code.latex import parse

WARNINGS = [
    ("N2C023", r"y = «\left»( a + b )"),
    ("N2C023", r"y = ( a + b «\right»)"),
    ("N2C026", r"y = «\sqrt d_k»"),
    ("N2C026", r"y = a_«model»"),
    ("N2C026", r"y = a_«12»"),
    ("N2C026", r"y = W«\_»1 x + b\_1"),
    ("N2C026", r"y = x / \sqrt{d«\_»model}"),
    ("N2C026", r"y = x \odot «cos_{m\theta}» + z \odot cos_{m\theta}"),
    ("N2C026", r"y = \text{step«_»num}"),
    ("N2C026", r"y = \mathrm{step_«num»}"),
    ("N2C027", r"y = \mathrm{«s o f t m a x»}(x)"),
    ("N2C028", r"«\\mathrm»{softmax}(x)"),
    ("N2C028", r"y = «\\frac»{a}{b}"),
]


@pytest.mark.parametrize("code, marked", WARNINGS, ids=[latex for _, latex in WARNINGS])
def test_place(code: str, marked: str) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    latex = marked.replace("«", "").replace("»", "")
    (problem,) = parse(latex).problems
    assert (problem.code, problem.severity) == (code, Severity.WARNING)
    assert (problem.span.start, problem.span.end) == (start, end)
    assert problem.help


@pytest.mark.parametrize(
    "latex",
    [
        r"\sqrt{d_k}",
        r"a_{model}",
        r"\text{step\_num}",
        r"\mathrm{d_k}",
        r"\left( a \right)",
        r"a \\ \mathrm{b}",
        r"x^2y",
        r"\frac12",
    ],
)
def test_silence(latex: str) -> None:
    """What TeX sets as it is meant deserves no word."""
    assert parse(latex).problems == ()
