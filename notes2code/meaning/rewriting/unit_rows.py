"""Queries and keys over their lengths, as in cosine attention: the ``Q / ‖Q‖`` of matrices is each
row over its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Change,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Script,
    alike,
    rebuilt,
    words_in,
)
from notes2code.meaning.notation import binders, scripts

UNIT = "l2normalize"
"""What makes each row of a matrix one of length 1."""


def of_matrices(formula: Formula) -> Change | None:
    """Rows of length 1, unless each query and key is a column, as in ``K^⊤ Q``."""
    turned = {
        x for node in formula.of(Script) if scripts.is_transposed(node) for x in _letters(node)
    }
    pairs = (pair for product in formula.of(Juxt) for pair in pairwise(product.factors))
    columns = any(_letters(one) == {"K"} and _letters(other) == {"Q"} for one, other in pairs)
    return None if "Q" in turned or columns else _of_unit_rows


def _letters(node: Node) -> set[str]:
    return words_in(node) & {"Q", "K"}


def _of_unit_rows(node: Frac) -> Node | None:
    """The product of rows of length 1 for a product of matrices over their norms."""
    top, below = node.top, [*_factors(node.bottom)]
    normed = {id(factor): matrix for factor in below if (matrix := _normed(factor)) is not None}
    above = [*_factors(top)]
    plain = [*map(_plain, above)]
    if not normed or not all(any(alike(f, m) for f in plain) for m in normed.values()):
        return None
    if len(above) > 1 and not any(map(scripts.is_transposed, above)):
        return None  # Q · K is that of two vectors
    rest = [factor for factor in below if id(factor) not in normed]
    over = _with_unit_rows(top, [*normed.values()])
    if not rest:
        return over  # no parentheses, which the g of g Q / ‖Q‖ would be called with
    below_it = rest[0] if len(rest) == 1 else Juxt(tuple(rest), node.bottom.span)
    return Frac(over, below_it, node.span)


def _factors(node: Node) -> Iterator[Node]:
    match node:
        case Juxt(factors):
            yield from (inner for factor in factors for inner in _factors(factor))
        case Infix("·" | "×" | "*", left, right):
            yield from (*_factors(left), *_factors(right))
        case Group("(", (inner,)):
            yield from _factors(inner)
        case _:
            yield node


def _plain(factor: Node) -> Node:
    """A factor without the sign of its transpose."""
    turned = isinstance(factor, Script) and scripts.is_transposed(factor)
    return factor.base if turned and isinstance(factor, Script) else factor


def _normed(node: Node) -> Node | None:
    """The Q of ``‖Q‖`` and ``‖Q‖_2``."""
    match node:
        case Group("‖", (matrix,)) | Script(Group("‖", (matrix,)), Num("2"), None, 0):
            whole = scripts.is_name(matrix) and not isinstance(matrix, Script)
            return matrix if whole and binders.bare(matrix) in ("Q", "K") else None
    return None


def _with_unit_rows(node: Node, matrices: list[Node]) -> Node:
    """A product with rows of length 1 for those of some matrices."""
    if any(alike(node, matrix) for matrix in matrices):
        given = Group("(", (node,), (), node.span)
        return Juxt((Name(UNIT, node.span), given), node.span)
    if isinstance(node, Script) and node.sub is None:
        base = _with_unit_rows(node.base, matrices)
        grouped = base if base is node.base else Group("(", (base,), (), node.span)
        return replace(node, base=grouped)
    return rebuilt(node, lambda inner: _with_unit_rows(inner, matrices))
