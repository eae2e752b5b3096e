"""Letters that a formula makes another name of a function of the field: ``σ = softmax``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.tree import Name, Node, Script, rebuilt
from notes2code.meaning import names
from notes2code.meaning.notation.functions import is_known
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.stated import Define, Restated, Statement, rewritten


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with the functions that they name, and without those that name them."""
    known: dict[str, str] = {}
    others: list[Statement] = []
    for statement in stated:
        letter, text = alias(statement)
        if letter:
            known[letter] = text
        else:
            others.append(statement)

    def written(node: Node) -> Node:
        if isinstance(node, Name | Script) and (text := known.get(names.label(node))):
            return Name(text, node.span)
        return rebuilt(node, written)

    return rewritten(others, lambda _: written) if known and others else tuple(stated), ()


def alias(statement: Statement) -> tuple[str, str]:
    """A letter, and the function of the field that a statement makes it another name of; "" where
    it says something else."""
    match statement:
        case Define(Name() | Script() as letter, (Name(text),)) if is_known(text):
            return names.label(letter) if is_name(letter) else "", text
    return "", ""
