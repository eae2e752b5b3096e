"""Matrices that an index above tells apart, ``Z^{(k)} Θ^{(k)}`` and ``A^k V^k``.

An ``X^{(i)}`` is as often the vector of one example; where two capitals with the same index stand
side by side in a product, each is a matrix of one step, head or layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from notes2code.latex.tree import Juxt, Name, Node, Nodes, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey


def matrices(seen: Survey, nodes: Nodes, targets: Iterable[Node]) -> Iterator[str]:
    """The Z and Θ of ``X' = Σ_k Z^{(k)} Θ^{(k)}``, and the Q of ``q_i^{(r)} = h_i^{(r)} Q^{(r)}``,
    which is given a row. Where all ``targets`` are small letters, two capitals say nothing."""
    small = all(map(_is_small, targets))
    for node in nodes.of(Juxt):
        for pair in pairwise(node.factors):
            first, last = (_understood(seen, factor) for factor in pair)
            if first is None or last is None or first.name == last.name:
                continue
            same = names.label(first.indices[0].node) == names.label(last.indices[0].node)
            if not (same and _is_capital(last)):
                continue
            if _is_capital(first) and not small:
                yield from (first.name, last.name)
            elif _is_row(first):
                yield last.name


def _is_small(target: Node) -> bool:
    """Whether a small letter is defined."""
    base = names.base_letter(binders.bare(target))
    return base.islower() and (len(base) == 1 or base in names.GREEK)


def _understood(seen: Survey, node: Node) -> Use | None:
    """What has an index above it, and how it is used; what is transposed may be a column."""
    use = seen.understood(node) if isinstance(node, Name | Script) else None
    plain = use is not None and use.above == 1 and use.power is None and not use.transposed
    return use if plain else None


def _is_capital(use: Use) -> bool:
    """Whether a capital has an index above it alone."""
    base = names.base_letter(use.name)
    letter = len(base) == 1 or base in names.GREEK
    return letter and base[0].isupper() and len(use.indices) == 1


def _is_row(use: Use) -> bool:
    """Whether it is one of several vectors, such as h_i."""
    small = names.base_letter(use.name).islower() and len(use.indices) == 2
    return small and names.element_ranks(use.name, 1, False, False)[0] == 1
