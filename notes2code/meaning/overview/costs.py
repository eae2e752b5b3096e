"""Costs, and products of sizes: all letters of ``Ω(MSA) = 4 h w C^2 + 2 (h w)^2 C`` are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import Juxt, Name, Node, Nodes, Num, Script
from notes2code.meaning.notation import binders
from notes2code.meaning.stated import Define

_EXTENTS = frozenset("BCDFHKLMNPT")
"""Capitals that are squared as extents beside other factors; the W of a regulariser is none."""


_AMOUNTS = frozenset("parameters params flops macs".split())


def is_cost(target: Node, nodes: Nodes) -> bool:
    """Whether a left-hand side is the cost of something, ``Ω(MSA)``, or says in words how much
    there is to learn or compute, as ``\\text{GRU Parameters}`` does; without a number beside them,
    parameters may be those themselves."""
    name = target.factors[0] if isinstance(target, Juxt) else target
    grows = name is not target and binders.bare(name) in ("Omega", "Theta", "O")
    amount = not _AMOUNTS.isdisjoint(binders.bare(name).lower().split())
    return grows or (amount and bool(nodes.of(Num)))


def counted(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The letters of products such as ``4 h w C^2``, for no matrix is squared between a number and
    other letters, and the M of ``N_w = M^2``."""
    for node in nodes.of(Juxt):
        first, *factors = node.factors
        squares = [_squared(factor) for factor in factors]
        letters = [_squared(factor) or _letter(factor) for factor in factors]
        if isinstance(first, Num) and all(letters) and len(letters) > 1 and any(squares):
            yield from letters if _EXTENTS.issuperset(filter(None, squares)) else ()
    for define in defines:
        if define.target is not None and binders.bare(define.target) in ("N", "n"):
            yield from filter(None, map(_squared, define.values))


def _letter(node: Node) -> str:
    match node:
        case Name(letter, _, "") if len(letter) == 1:
            return letter
    return ""


def _squared(node: Node) -> str:
    """The C of ``C^2``."""
    match node:
        case Script(base, None, Num(), 0):
            return _letter(base)
    return ""
