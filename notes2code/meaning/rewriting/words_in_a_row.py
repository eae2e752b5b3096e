"""Words in a row without commas: the ``w_1 w_2 … w_n`` of ``P(w_1 w_2 … w_n)`` is no product, but
what P is the probability of."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Change, Dots, Formula, Group, Juxt, Node, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def with_commas(formula: Formula) -> Change | None:
    """Commas between the words of a probability."""
    return _written if formula.of(Dots) else None


def _written(node: Juxt) -> Node | None:
    first, *behind = node.factors
    factors = (first, *map(_listed, node.factors, behind))
    return None if factors == node.factors else replace(node, factors=factors)


def _listed(before: Node, factor: Node) -> Node:
    """The parentheses behind a P, which may be raised to a power, with a list in them."""
    if isinstance(factor, Script):
        return replace(factor, base=_listed(before, factor.base))
    if not isinstance(factor, Group) or binders.bare(before) not in names.PROBABILITIES:
        return factor
    rows = [_row(item) for item in factor.items]
    flat = tuple(word for row in rows for word in row)
    if factor.open != "(" or len(flat) == len(rows):
        return factor
    between: list[str] = []
    for at, row in enumerate(rows):
        between += [*factor.separators[at - 1 : at], *(",",) * (len(row) - 1)]
    return replace(factor, items=flat, separators=tuple(between))


def _row(item: Node) -> tuple[Node, ...]:
    """The words and the dots of a row, else the item."""
    match item:
        case Juxt(factors) if any(isinstance(factor, Dots) for factor in factors[1:-1]):
            words = [factor for factor in factors if not isinstance(factor, Dots)]
            if all(isinstance(word, Script) and word.sub is not None for word in words):
                return factors
    return (item,)
