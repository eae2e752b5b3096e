"""Sums over pairs: the i of ``Σ_{i ≠ j ∈ B}`` and of ``Σ_{i < j ≤ n}`` counts as the j does, where
it stands nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from notes2code.latex.tree import Big, Formula, Group, Name, Node, Num, Relation, walk


def with_both(formula: Formula) -> Callable[[Big], Node | None] | None:
    """Puts what counts the first of a pair, if that is not known, before what counts the second."""
    if not any(map(_is_over_pairs, formula.of(Big))):
        return None
    written = [name.text for name in formula.of(Name)]

    def change(node: Big) -> Node | None:
        if not _is_over_pairs(node):
            return None
        match node.sub:
            case Relation((Name(letter) as one, Name() as other, last)) as pair if last is not None:
                added = [part.text for part in walk(node.body) if isinstance(part, Name)]
                # The m of Σ_{m < i ≤ n} x_i is a number.
                counts = letter in added and added.count(letter) + 1 == written.count(letter)
                if pair.signs in _OF_PLACES:
                    return _of_places(node, pair, (one, other, last)) if counts else None
                return _of_members(node, pair, (one, other, last), counts)
        return None

    return change


_OF_MEMBERS = frozenset((sign, "∈") for sign in "≠<≤>≥")
_OF_PLACES = frozenset((one, other) for one in "<≤" for other in "<≤")
_TURNED = {"≠": "≠", "<": ">", "≤": "≥", ">": "<", "≥": "≤"}


def _is_over_pairs(node: Big) -> bool:
    match node:
        case Big("sum" | "prod", Relation((Name(), Name(), _), signs), None):
            return signs in _OF_MEMBERS or signs in _OF_PLACES
    return False


def _of_places(node: Big, pair: Relation, operands: tuple[Name, Name, Node]) -> Big:
    """``Σ_{1 ≤ i < j ≤ n}``."""
    first = Num("1", operands[0].span)
    spans = (pair.sign_spans[0], *pair.sign_spans)
    return replace(node, sub=Relation((first, *operands), ("≤", *pair.signs), spans, pair.span))


def _of_members(node: Big, pair: Relation, operands: tuple[Name, Name, Node], counts: bool) -> Big:
    """``Σ_{i ∈ B} Σ_{j ∈ B, j ≠ i}``, or the second of these."""
    one, other, members = operands
    sign, inside = pair.sign_spans
    apart = Relation((other, one), (_TURNED[pair.signs[0]],), (sign,), pair.span)
    second = Relation((other, members), ("∈",), (inside,), pair.span)
    within = replace(node, sub=Group("", (second, apart), (",",), pair.span))
    if not counts:
        return within
    return replace(node, sub=Relation((one, members), ("∈",), (inside,), pair.span), body=within)
