"""Matrices, as what stands around them says: the U and Λ of ``U Λ U^⊤``, the D of ``D^{-1/2} A
D^{-1/2}``, which has the degrees of a graph on its diagonal and zeros beside it, and those that an
index above tells apart, ``Z^{(k)} Θ^{(k)}`` and ``A^k V^k``.

An ``X^{(i)}`` is as often the vector of one example; where two capitals with the same index stand
side by side in a product, each is a matrix of one step, head or layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from notes2code.latex.tree import Group, Infix, Juxt, Name, Neg, Node, Nodes, Num, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey

_ADJACENT = frozenset("AW")
"""What says which nodes of a graph are joined, and how much."""

_JOINED = _ADJACENT | frozenset("KLS")
"""What holds a number for each two nodes; a B and a C of a law of scaling do not."""


def degrees(seen: Survey, nodes: Nodes) -> set[str]:
    """The D that stands inverted beside a matrix, ``D^{-1} A``, or with its root on both sides of
    one, and that from which it is taken off, ``D - A``."""
    if not any(word.startswith("D") for word in nodes.words):
        return set()
    found = {first.name for first, _, last in _between(seen, nodes) if _are_roots(first, last)}
    for factors in _products(nodes):
        for around in zip(factors, factors[1:], factors[2:], strict=False):
            found.update(_around_sum(seen, *around))
        uses = [_capital(seen, factor) for factor in factors]
        for one, other in (*pairwise(uses), *pairwise(uses[::-1])):
            if one is None or other is None or not _is_inverse(one):
                continue
            if names.base_letter(other.name) in _JOINED:
                found.add(one.name)
    for node in nodes.of(Infix):
        whole, taken = _capital(seen, node.left), _capital(seen, node.right)
        adjacent = taken is not None and names.base_letter(taken.name) in _ADJACENT
        if whole is not None and node.op == "-" and adjacent:
            found.add(whole.name)
    return {name for name in found if names.base_letter(name) == "D"}


def amid(seen: Survey, nodes: Nodes) -> set[str]:
    """The U and Λ of ``U Λ U^⊤``, the J and B of ``J B J``: a number would be written once. And the
    D of ``U^⊤ D V``: a number would stand in front."""
    twice = {use.name for triple in _between(seen, nodes) for use in triple}
    return twice | {use.name for use in _turned(seen, nodes) if names.is_size_name(use.name)}


def with_indices(seen: Survey, nodes: Nodes, targets: Iterable[Node]) -> Iterator[str]:
    """The Z and Θ of ``X' = Σ_k Z^{(k)} Θ^{(k)}``, and the Q of ``q_i^{(r)} = h_i^{(r)} Q^{(r)}``,
    which is given a row. Where all ``targets`` are small letters, two capitals say nothing."""
    small = all(map(_is_small, targets))
    for node in nodes.of(Juxt):
        for pair in pairwise(node.factors):
            first, last = (_with_index(seen, factor) for factor in pair)
            if first is None or last is None or first.name == last.name:
                continue
            same = names.label(first.indices[0].node) == names.label(last.indices[0].node)
            if not (same and _is_capital(last) and len(last.indices) == 1):
                continue
            if _is_capital(first) and len(first.indices) == 1 and not small:
                yield from (first.name, last.name)
            elif _is_row(first):
                yield last.name


def _is_small(target: Node) -> bool:
    """Whether a small letter is defined."""
    base = names.base_letter(binders.bare(target))
    return base.islower() and (len(base) == 1 or base in names.GREEK)


def _with_index(seen: Survey, node: Node) -> Use | None:
    """What has an index above it, and how it is used; what is transposed may be a column."""
    use = seen.understood(node) if isinstance(node, Name | Script) else None
    plain = use is not None and use.above == 1 and use.power is None and not use.transposed
    return use if plain else None


def _is_row(use: Use) -> bool:
    """Whether it is one of several vectors, such as h_i."""
    small = names.base_letter(use.name).islower() and len(use.indices) == 2
    return small and names.element_ranks(use.name, 1, False, False)[0] == 1


def _turned(seen: Survey, nodes: Nodes) -> Iterator[Use]:
    """The capital letters right behind what is transposed, and before something else."""
    for factors in _products(nodes):
        for before, factor in pairwise(factors[:-1]):
            use = _capital(seen, factor) if scripts.is_transposed(before) else None
            if use is not None and use.power is None:
                yield use


def _between(seen: Survey, nodes: Nodes) -> Iterator[tuple[Use, Use, Use]]:
    """A capital letter between two that are the same, with these."""
    for factors in _products(nodes):
        uses = [_capital(seen, factor) for factor in factors] if len(factors) > 2 else []
        for first, inner, last in zip(uses, uses[1:], uses[2:], strict=False):
            if first is None or inner is None or last is None:
                continue
            if first.name == last.name != inner.name:
                yield first, inner, last


def _around_sum(seen: Survey, first: Node, inner: Node, last: Node) -> Iterator[str]:
    """The D of ``D^{-1/2} (A + I) D^{-1/2}``."""
    match inner:
        case Group("(", (Infix("+") as total,)):
            uses = [_capital(seen, first), _capital(seen, last)]
            named = [use for use in uses if use is not None]
            joined = any(binders.bare(term) in _ADJACENT for term in binders.chain(total))
            if joined and len({use.name for use in named}) < len(named) and _are_roots(*named):
                yield named[0].name


def _products(nodes: Nodes) -> Iterator[tuple[Node, ...]]:
    """The factors of each product."""
    for juxt in nodes.of(Juxt):
        yield juxt.factors
    for infix in nodes.of(Infix):
        if infix.op in "·×":
            yield binders.chain(infix)


def _capital(seen: Survey, factor: Node) -> Use | None:
    """A capital letter that no index tells apart."""
    use = seen.understood(factor)
    return None if use is None or use.indices or not _is_capital(use) else use


def _is_capital(use: Use) -> bool:
    """Whether a name is a capital letter, whatever stands beside it."""
    base = names.base_letter(use.name)
    return base[0].isupper() and (len(base) == 1 or base in names.GREEK)


def _are_roots(one: Use, other: Use) -> bool:
    return isinstance(one.power, Neg) and isinstance(other.power, Neg)


def _is_inverse(use: Use) -> bool:
    """Whether a name is raised to −1."""
    match use.power:
        case Neg(Num("1")):
            return True
    return False
