"""Letters that a formula makes another name of a function of the field: ``σ = softmax``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Name, Node, rebuilt
from notes2code.meaning.notation.functions import is_known
from notes2code.meaning.stated import Define, Statement, rewritten


def written_out(stated: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with the functions that they name, and without those that name them."""
    known: dict[str, str] = {}
    others: list[Statement] = []
    for statement in stated:
        match statement:
            case Define(Name(letter), (Name(text),)) if is_known(text):
                known[letter] = text
            case _:
                others.append(statement)

    def written(node: Node) -> Node:
        if isinstance(node, Name) and node.text in known:
            return replace(node, text=known[node.text])
        return rebuilt(node, written)

    return rewritten(others, lambda _: written) if known and others else tuple(stated)
