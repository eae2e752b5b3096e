"""Vectors that attention averages, as the letters below them say: the v of ``Σ_j a_{tji} v_{ji}``.

An i below the weights as well as below the values tells heads or batches apart: what is averaged
has its features besides.
"""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Big, Infix, Juxt, Name, Nodes, children
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey

_WEIGHTS = frozenset(["a", "A", "alpha"])
_VALUES = frozenset("vhxcozuy")


def averaged(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names of the values that a sum weighs, where nothing but its own index and those of the
    weights stands below them: behind weights of three indices, and behind weights α the states a
    of an encoder."""
    for big in nodes.of(Big):
        if big.op != "sum" or big.sub is None or not isinstance(big.body, Juxt | Infix):
            continue
        body = big.body
        factors = binders.chain(body) if isinstance(body, Infix) else children(body)
        uses = [seen.understood(factor) for factor in factors]
        match uses:
            case [Use() as weights, Use() as values] if _weighs(weights, values):
                over = set(binders.bound_letters(big.sub))
                if over <= _letters(values) < _letters(weights):
                    yield values.name


def _weighs(weights: Use, values: Use) -> bool:
    bases = names.base_letter(weights.name), names.base_letter(values.name)
    if bases == ("alpha", "a"):
        return len(weights.indices) > 1
    return bases[0] in _WEIGHTS and bases[1] in _VALUES and len(weights.indices) > 2


def _letters(use: Use) -> set[str]:
    inner = (node for at in use.indices for node in positions.counted(at.node))
    return {node.text for node in inner if isinstance(node, Name)}
