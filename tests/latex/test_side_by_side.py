"""Equations that only a space parts, and factors that a space only sets apart."""

from __future__ import annotations

import pytest

from notes2code import compile_formula
from notes2code.latex import parser
from notes2code.latex.tree import Relation


@pytest.mark.parametrize(
    ("latex", "sides"),
    [
        (r"Q = X W_Q \; K = X W_K ~ V = X W_V", [2, 2, 2]),
        ("q = W x\nk = U x", [2, 2]),
        (r"h = \tanh(W x + b) \ z = U h", [2, 2]),
        (r"a = b c = d \: e = f g", [3, 2]),
        (r"y = W \; x = \sum_i w_i x_i \; x", [3]),  # a factor
        (r"f(x) = W \; x = U V", [3]),
        (r"o = A \; V = O", [3]),
        (r"o = A \, V = S U", [3]),
        (r"s = 2 \ \mathrm{MiB} = 2 \cdot 1024 \ \mathrm{KiB}", [3]),
        (r"s = q k \; v > a b", [3]),
    ],
)
def test_sides(latex: str, sides: list[int]) -> None:
    nodes = [clause.node for clause in parser.parse(latex).clauses]
    assert [len(one.operands) for one in nodes if isinstance(one, Relation)] == sides


def test_is_told() -> None:
    formula = compile_formula(r"q = W_q x \; k = W_k x")
    assert [i.name for i in formula.inputs] == ["W_q", "x"]
    assert "another equation" in formula.diagnostics[0].message
