"""What is added to something that tells its kind: the S of a place ``i + S - 1`` is a number, and
so is the ε of ``x / (y + ε)``, and the w_0 of ``w_0 + w_1 x_1 + … + w_n x_n``."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import (
    Dots,
    Frac,
    Infix,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    ungrouped,
)
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey


def numbers(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names of both, where they stand alone."""
    for node in nodes.of(Frac, Infix):
        match node:
            case Frac(_, below):
                bare = map(binders.bare, terms(ungrouped(below))[1:])
                yield from ("epsilon" for name in bare if name == "epsilon")
            case Infix("+" | "-"):
                yield from _beside_places(seen, terms(node))
                yield from _before_all(seen, binders.chain(node))


def _before_all(seen: Survey, added: tuple[Node, ...]) -> Iterator[str]:
    """The w_0 before ``w_1 x_1 + … + w_n x_n``."""
    if not any(isinstance(one, Dots) for one in added):
        return
    match added[:2]:
        case (Script(Name(first), Num("0"), None) as alone, second):
            factors = binders.multiplied(second)
            if binders.bare(factors[0]) == first and (use := seen.understood(alone)) is not None:
                yield use.name


def _beside_places(seen: Survey, added: tuple[Node, ...]) -> Iterator[str]:
    """The names in a sum of places: of an index and else of names without one, and numbers."""
    places = [one for one in added if isinstance(one, Name) and one.text in seen.bound]
    others = [one for one in added if one not in places and not isinstance(one, Num)]
    uses = [seen.understood(one) for one in others if scripts.is_name(one)]
    if places and len(uses) == len(others):
        yield from (use.name for use in uses if use is not None and not use.indices)
