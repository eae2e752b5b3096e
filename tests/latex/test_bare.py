"""What only sets a formula is left out, and every other character stays where it is."""

from __future__ import annotations

import pytest

from notes2code.latex.bare import bare

SET = [
    (r"\begin{aligned} y &= x \end{aligned}", r"                y  = x              "),
    (r"\begin{align*}[t]y &:= x.\\ z &\approx y\end{align*}.", r"y   = x.\\ z  \approx y"),
    (r"y \coloneqq x \tag{3}", "y         = x"),
    (r"y ≔ x \label{eq:one},", "y = x"),
    (r"y = x \nonumber", "y = x"),
    ("y = x.", "y = x"),
    (
        r"\boxed{y = x, \quad \epsilon \sim \mathcal{N}(0, I)}.",
        r"y = x, \quad \epsilon \sim \mathcal{N}(0, I)",
    ),
    (r"\textcolor{red}{y = \frac{a}{b}}", r"y = \frac{a}{b}"),
    (r"{\displaystyle \begin{aligned} y &= x \quad (4) \end{aligned}}.", "y  = x"),
    (r"AB \triangleq x", "AB         = x"),
    (r"AB\;\,= \quad x", "AB    =       x"),
    (r"\begin{aligned} AB \;&=\; x \end{aligned}", "AB    =   x"),
    (r"\color{blue} y = x \quad (3.1)", "y = x"),
]

KEPT = [
    r"y = (x_1, x_2, \dots...",
    r"\left\{ y = x \right.",
    r"\left\{ y = x \right .",
    r"\begin{cases} x &= 1 \end{cases}",
    r"\begin{aligned} y &= x && \text{logits} \end{aligned}",
    r"\begin{aligned} a &= \begin{pmatrix} 1 & 2 \end{pmatrix} \end{aligned}",
    r"{a} + {b}",
    r"\boxed{a} + b",
    r"\begin{aligned} a &= b \end{aligned} + \begin{aligned} c \end{aligned}",
]


@pytest.mark.parametrize("latex, expected", SET, ids=[latex for latex, _ in SET])
def test_what_only_sets_is_left_out(latex: str, expected: str) -> None:
    found = bare(latex)
    assert found.split() == expected.split()
    assert len(found) == len(latex)
    kept = [(mine, theirs) for mine, theirs in zip(found, latex, strict=True) if mine not in " ="]
    assert all(mine == theirs for mine, theirs in kept)


@pytest.mark.parametrize("latex", KEPT)
def test_what_is_part_of_a_formula_stays(latex: str) -> None:
    assert bare(latex) == latex
