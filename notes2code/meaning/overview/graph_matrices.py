"""Matrices, as what stands around them says: the U and Λ of ``U Λ U^⊤``, and the D of ``D^{-1/2} A
D^{-1/2}``, which has the degrees of a graph on its diagonal and zeros beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from notes2code.latex.tree import Group, Infix, Juxt, Neg, Node, Nodes, Num
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


def matrices(seen: Survey, nodes: Nodes) -> set[str]:
    """The U and Λ of ``U Λ U^⊤``, the J and B of ``J B J``: a number would be written once. And the
    D of ``U^⊤ D V``: a number would stand in front."""
    twice = {use.name for triple in _between(seen, nodes) for use in triple}
    return twice | {use.name for use in _amid(seen, nodes) if names.is_size_name(use.name)}


def _amid(seen: Survey, nodes: Nodes) -> Iterator[Use]:
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
    if use is None or use.indices:
        return None
    base = names.base_letter(use.name)
    return use if base[0].isupper() and (len(base) == 1 or base in names.GREEK) else None


def _are_roots(one: Use, other: Use) -> bool:
    return isinstance(one.power, Neg) and isinstance(other.power, Neg)


def _is_inverse(use: Use) -> bool:
    """Whether a name is raised to −1."""
    match use.power:
        case Neg(Num("1")):
            return True
    return False
