"""Every node knows exactly the characters that it was read from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notes2code.diagnostics import ProblemError
from notes2code.latex import parse, tree
from notes2code.latex.tree import Node, children

NODES: list[tuple[str, type, str]] = [
    (r"a + \frac{b}{c} + d", tree.Frac, r"\frac{b}{c}"),
    (r"a \cdot \sqrt{b + c}", tree.Root, r"\sqrt{b + c}"),
    (r"y = -x_i^2 z", tree.Neg, r"-x_i^2 z"),
    (r"y = a x_i^2", tree.Script, r"x_i^2"),
    (r"\sum_{i=1}^{n} a_i b_i + c", tree.Big, r"\sum_{i=1}^{n} a_i b_i"),
    (r"y = \hat{x} + b", tree.Accent, r"\hat{x}"),
    (r"f(a, b) c", tree.Group, "(a, b)"),
    (r"\|x\|_2", tree.Group, r"\|x\|"),
    (r"c \sin 2x + 1", tree.Apply, r"\sin 2x"),
    (r"a - b \odot c", tree.Infix, r"a - b \odot c"),
    (r"y = softmax(x)", tree.Juxt, "softmax(x)"),
    (
        r"y = \begin{bmatrix} a \\ b \end{bmatrix} c",
        tree.Matrix,
        r"\begin{bmatrix} a \\ b \end{bmatrix}",
    ),
    (r"a, \dots, b", tree.Dots, r"\dots"),
    (r"a = b, c = d", tree.Relation, r"a = b"),
]


def nodes(node: Node) -> list[Node]:
    return [node, *(inner for child in children(node) for inner in nodes(child))]


@pytest.mark.parametrize("latex, kind, expected", NODES, ids=[latex for latex, _, _ in NODES])
def test_place(latex: str, kind: type, expected: str) -> None:
    every = [n for clause in parse(latex).clauses for n in nodes(clause.node)]
    first = next(n for n in every if isinstance(n, kind))
    assert latex[first.span.start : first.span.end] == expected


WORDS = st.sampled_from(
    r"a b x_i y^2 + - / = ( ) \frac{a}{b} \sqrt{c} \sum_{i} \sin \mathrm{softmax} \left( \right) "
    r"[ ] , \quad | \hat{x} ^\top _2 {a} \alpha 3 \cdot \dots \text{if} \begin{cases} & \\ "
    r"^ _ { } ' ; : \Sigma \prod \max \mid \Vert \partial \in \not \tag ~ d < = .".split()
)


@settings(max_examples=1000, derandomize=True, deadline=None)
@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_any_text(latex: str) -> None:
    """Whatever is written, it is read or refused at a place inside it; a node lies in its "
    "parent."""
    try:
        found = parse(latex)
    except ProblemError as raised:
        span = raised.problem.span
        assert 0 <= span.start <= span.end <= len(latex)
        return
    for clause in found.clauses:
        for node in nodes(clause.node):
            assert 0 <= node.span.start < node.span.end <= len(latex)
            for child in children(node):
                assert node.span.start <= child.span.start
                assert child.span.end <= node.span.end
