"""The s and t of weights that stand before what they map, ``W_s h_s + W_t h_t``: labels of the two
sides, of sources and targets, though s and t count the h."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Big,
    Clause,
    Juxt,
    Name,
    Node,
    Nodes,
    Prose,
    Script,
    rebuilt,
    rewritten,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def labelled(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with a word below such a weight."""
    summed = {x for big in nodes.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    mapped: dict[tuple[str, str], set[str]] = {}
    for weight, array, letter in _mapped(nodes):
        mapped.setdefault((weight, array), set()).add(letter)
    labels = {
        (weight, letter)
        for (weight, _), letters in mapped.items()
        for letter in letters
        if len(letters) > 1 and summed.isdisjoint(letters)
    }

    def written(node: Node) -> Node:
        match node:
            case Script(Name(weight), Name(letter) as label) if (weight, letter) in labels:
                node = replace(node, sub=Prose(letter, label.span))
        return rebuilt(node, written)

    if not labels:
        return tuple(clauses)
    return rewritten(clauses, written)


def _mapped(nodes: Nodes) -> Iterator[tuple[str, str, str]]:
    """The weights, what they stand before, and the letter below both."""
    for product in nodes.of(Juxt):
        for pair in pairwise(product.factors):
            match pair:
                case Script(Name(weight), Name(mine)), Script(Name(array), Name(letter)):
                    if weight in names.WEIGHTS and mine == letter:
                        yield weight, array, letter
