"""What is added to something that tells its kind: the S of a place ``i + S - 1`` is a number, and
so is the ε of ``x / (y + ε)``."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Frac, Infix, Name, Node, Nodes, Num, ungrouped
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey


def numbers(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names of both, where they stand alone."""
    for node in nodes.of(Frac, Infix):
        match node:
            case Frac(_, below) | Infix("/", _, below):
                bare = map(binders.bare, terms(ungrouped(below))[1:])
                yield from ("epsilon" for name in bare if name == "epsilon")
            case Infix("+" | "-"):
                yield from _beside_places(seen, terms(node))


def _beside_places(seen: Survey, added: tuple[Node, ...]) -> Iterator[str]:
    """The names in a sum of places: of an index and else of names without one, and numbers."""
    places = [one for one in added if isinstance(one, Name) and one.text in seen.bound]
    others = [one for one in added if one not in places and not isinstance(one, Num)]
    uses = [seen.understood(one) for one in others if scripts.is_name(one)]
    if places and len(uses) == len(others):
        yield from (use.name for use in uses if use is not None and not use.indices)
