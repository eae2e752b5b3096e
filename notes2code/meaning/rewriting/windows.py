"""Sums over what a comparison says: ``Σ_{|i-j| ≤ w}`` for each i is ``Σ_{j: |i-j| ≤ w}``."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Group,
    Name,
    Node,
    Relation,
    children,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.rewriting import in_brackets, primed


def with_letters(formula: Formula) -> Change | None:
    """The letter that a sum counts with before what is said of it: the only one that neither a
    left-hand side nor a sum around it counts with."""
    if not any(map(_compared, formula.of(Big))):
        return None
    said: dict[Span, Node] = {}

    def see(node: Node, counting: Set[str]) -> None:
        if isinstance(node, Big) and (below := node.sub) is not None:
            letters = _compared(node) - counting
            if len(letters) == 1:
                letter = Name(letters.pop(), below.span)
                below = said[node.span] = Group("", (letter, below), (":",), below.span)
            counting = counting | {*binders.bound_letters(below)}
        for inner in children(node):
            see(inner, counting)

    for clause in formula.clauses:
        see(clause.node, frozenset(in_brackets.defined_at(clause.node)))
    return lambda big: replace(big, sub=said[big.span]) if big.span in said else None


def _compared(node: Big) -> set[str]:
    """The letters that may count in what a comparison begins with, where that is no letter."""
    match node.sub:
        case Relation((first, _), (sign,)) if sign in "<>≤≥≠=" and first is not None:
            alone = isinstance(first, Name) or primed.letter(first)
            letters = words_in(first)
            return set() if alone else letters & names.INDEX_LETTERS
    return set()
