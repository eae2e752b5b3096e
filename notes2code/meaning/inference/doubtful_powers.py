"""The K above the matrix of a graph, ``S^K X``, which may say how often it is applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Name, Node, Script
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import Use

_APPLIED = frozenset("APS")
"""Letters of what says which nodes, or states, follow on each other, and is applied again."""

_TIMES = frozenset("KLNk")


def told(named: Sequence[tuple[Node, Use]], equation: Equation) -> Iterator[Problem]:
    """A note where such a letter is a label. Beside a Q or a V in its place, K is that of keys."""
    given = {one.name for one in equation.inputs}
    above = {binders.bare(node.sup) for node, _ in named if isinstance(node, Script) and node.sup}
    for node, use in named if above.isdisjoint("QV") else ():
        match node:
            case Script(base, None, Name(letter), 0) if letter in _TIMES and use.name in given:
                if binders.bare(base) in _APPLIED and not use.indices:
                    text = f"`{use.name}` is taken to be a matrix of its own, and no power of one"
                    hint = "a power of a matrix is not computed; write the product, `S (S X)`"
                    yield note("N2C039", text, node.span, hint)
                    return
