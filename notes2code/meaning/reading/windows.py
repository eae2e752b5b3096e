"""Sums over what a comparison says: ``Σ_{|i-j| ≤ w}`` for each i is ``Σ_{j: |i-j| ≤ w}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Big, Clause, Group, Name, Node, Nodes, Relation, rebuilt, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.reading import in_brackets, primed


def with_letters(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with the letter that a sum counts with before what is said
    of it: the only one that neither a left-hand side nor a sum around it counts with."""
    if not any(map(_compared, nodes.of(Big))):
        return tuple(clauses)

    def written(node: Node, counting: set[str]) -> Node:
        if isinstance(node, Big) and (said := node.sub) is not None:
            letters = _compared(node) - counting
            if len(letters) == 1:
                letter = Name(letters.pop(), said.span)
                said = Group("", (letter, said), (":",), said.span)
                node = replace(node, sub=said)
            counting = counting.union(binders.bound_letters(said))
        return rebuilt(node, lambda inner: written(inner, counting))

    return tuple(
        replace(clause, node=written(clause.node, set(in_brackets.defined_at(clause.node))))
        for clause in clauses
    )


def _compared(node: Big) -> set[str]:
    """The letters that may count in what a comparison begins with, where that is no letter."""
    match node.sub:
        case Relation((first, _), (sign,)) if sign in "<>≤≥≠=" and first is not None:
            alone = isinstance(first, Name) or primed.letter(first)
            letters = {n.text for n in walk(first) if isinstance(n, Name)}
            return set() if alone else letters & names.INDEX_LETTERS
    return set()
