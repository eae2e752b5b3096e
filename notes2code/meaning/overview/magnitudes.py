"""Magnitudes: the m of ``m W / ‖W‖_c``, which has the length of each column of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Node, Nodes, Script, ungrouped
from notes2code.meaning import names
from notes2code.meaning.overview.survey import Survey


def magnitudes(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The small letters without an index in front of a quotient by the norms of columns."""
    pairs = [pair for product in nodes.of(Juxt) for pair in pairwise(product.factors)]
    pairs += [(node.left, node.right) for node in nodes.of(Infix) if node.op in "·⊙∘*"]
    for scale, quotient in pairs:
        use = seen.understood(scale) if _by_columns(ungrouped(quotient)) else None
        letter = "" if use is None or use.indices else names.base_letter(use.name)
        if use is not None and len(letter) == 1 and letter.islower():
            yield use.name


def _by_columns(node: Node) -> bool:
    match node:
        case Frac(_, Script(Group("‖"), sub)):
            return is_of_columns(sub)
    return False


def is_of_columns(sub: Node | None) -> bool:
    """Whether what stands below a norm says that it is one of each column."""
    return sub is not None and names.label(sub) in ("c", "col")
