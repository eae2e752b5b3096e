"""Sums over pairs: the i of ``Σ_{i ≠ j ∈ B}`` and of ``Σ_{i < j ≤ n}`` counts as the j does, where
it stands nowhere else; that of the second, where it stands below something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from notes2code.latex.tree import (
    Big,
    Formula,
    Group,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    walk,
    words_in,
)
from notes2code.meaning.notation import binders


def with_both(formula: Formula) -> Callable[[Big], Node | None] | None:
    """Puts what counts the first of a pair, if that is not known, before what counts the second."""
    if not any(map(_is_over_pairs, formula.of(Big))):
        return None

    def change(node: Big) -> Node | None:
        if not _is_over_pairs(node):
            return None
        match node.sub:
            case Relation((Name(letter) as one, Name() as other, last)) as pair if last is not None:
                # The m of Σ_{m < i ≤ n} x_i is a number, and so is that of x_i^m and of x_i - m.
                apart = pair.signs[0] == "≠"
                added = letter in words_in(node.body) if apart else _is_below(node.body, letter)
                counts = added and not _stands_outside(formula, node, letter)
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


def _is_below(body: Node, letter: str) -> bool:
    """Whether a letter is an index of something, alone or beside others."""
    for node in walk(body):
        if isinstance(node, Script) and node.sub is not None:
            below = (node.sub, *(node.sub.items if isinstance(node.sub, Group) else ()))
            factors = (part for one in below for part in (one, *_factors(one)))
            if any(isinstance(one, Name) and one.text == letter for one in factors):
                return True
    return False


def _factors(node: Node) -> tuple[Node, ...]:
    return node.factors if isinstance(node, Juxt) else ()


def _stands_outside(formula: Formula, node: Big, letter: str) -> bool:
    """Whether a letter is known elsewhere: on the left, or as what a sum around this one counts.
    Another sum beside it may count with the same letter."""
    inside = {id(part) for part in walk(node)}
    for other in formula.of(Big):
        parts = {id(part) for part in walk(other)}
        if other.sub is not None and letter in binders.bound_letters(other.sub):
            inside |= parts if id(node) not in parts else set()
    return any(one.text == letter and id(one) not in inside for one in formula.of(Name))


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
