"""Capitals that are numbers by what stands around them only: the C of ``C g / ‖g‖``, the A and B of
``C_{total} = A B``. As matrices they would give another value, which is told."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Frac, Infix, Juxt, Node, Nodes, Num, ungrouped
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.survey import Survey

_COUNTS = frozenset("BDEGHLNPST")
"""Capitals that count as often as they are matrices: what is made of these alone is no doubt."""


def told(nodes: Nodes, seen: Survey, equation: Equation, said: Set[str]) -> Iterator[Problem]:
    """A note on such capitals that are multiplied by an array or by each other; ``said`` are the
    names of which the note says what they are."""
    shapes = {one.name: one.shape for one in equation.inputs if one.kind == "array"}
    numbers = {
        name
        for name in seen.quantities - said
        if shapes.get(name) == () and len(base := names.base_letter(name)) == 1 and base.isupper()
    }
    doubtful: dict[str, Node] = {}
    for pair in _multiplied(nodes) if numbers else ():
        uses = [(use.name, side) for side in pair if (use := seen.understood(side)) is not None]
        taken = {name: side for name, side in uses if name in numbers}
        beside_array = any(shapes.get(name) for name, _ in uses)
        matrices = len(uses) == 2 and not all(names.base_letter(x) in _COUNTS for x in taken)
        if taken and (beside_array or matrices):
            doubtful |= taken
    if doubtful:
        are = "are taken to be numbers" if len(doubtful) > 1 else "is taken to be a number"
        text = " and ".join(f"`{name}`" for name in doubtful)
        where = next(iter(doubtful.values())).span
        yield note("N2C039", f"{text} {are}", where, "declare the shape of what is a matrix")


def _multiplied(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    """What stands beside each other in a product, but for numbers and what divides it."""
    for node in nodes.of(Juxt, Infix):
        if isinstance(node, Infix):
            factors = binders.chain(node)[-2:] if node.op in "·×*" else ()
        else:
            factors = node.factors
        yield from pairwise(_undivided(one) for one in factors if not isinstance(one, Num))


def _undivided(node: Node) -> Node:
    node = ungrouped(node)
    return _undivided(node.top) if isinstance(node, Frac) else node
