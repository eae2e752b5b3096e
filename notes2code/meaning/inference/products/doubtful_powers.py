"""The K above the matrix of a graph, ``S^K X``, which may say how often it is applied, and the i of
``T_i = T_0 M^i``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Name, Node, Script
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import Use

_APPLIED = frozenset("APS")
"""Letters of what says which nodes, or states, follow on each other, and is applied again."""

_TIMES = frozenset("KLNk")


def told(
    named: Sequence[tuple[Node, Use]], equation: Equation, declared: Collection[str]
) -> Iterator[Problem]:
    """A note where such a letter is a label. Beside a Q or a V in its place, K is that of keys."""
    given = {one.name for one in equation.inputs}
    yield from _of_first(named, equation, declared)
    above = {binders.bare(node.sup) for node, _ in named if isinstance(node, Script) and node.sup}
    for node, use in named if above.isdisjoint("QV") else ():
        match node:
            case Script(base, None, Name(letter), 0) if letter in _TIMES and use.name in given:
                if binders.bare(base) in _APPLIED and not use.indices:
                    text = f"`{use.name}` is taken to be a matrix of its own, and no power of one"
                    hint = "a power of a matrix is not computed; write the product, `S (S X)`"
                    yield note("N2C039", text, node.span, hint)
                    return


def _of_first(
    named: Sequence[tuple[Node, Use]], equation: Equation, declared: Collection[str]
) -> Iterator[Problem]:
    """A note where the first of a sequence is multiplied by one array for each: weights are such,
    and others may be a power."""
    given = {one.name for one in equation.inputs}
    for node, use in named if f"{equation.name}_0" in given else ():
        match node:
            case Script(Name(base), None, Name(letter), 0) if use.indices and use.name in given:
                if base not in names.WEIGHTS and names.code_name(base, letter) not in declared:
                    text = f"`{base}^{letter}` is taken to be one of several, and no power"
                    hint = f"write `{base}_{letter}` for one of several"
                    yield note("N2C039", text, node.span, hint)
