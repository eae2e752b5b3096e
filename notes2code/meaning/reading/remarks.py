"""Remarks in parentheses behind a formula that say what its letters are."""

from __future__ import annotations

from notes2code.latex.tree import Group, Name, Node, Relation
from notes2code.meaning.notation.functions import is_known
from notes2code.meaning.notation.scripts import is_name


def naming(node: Node) -> tuple[Node, ...]:
    """The ``σ = \\tanh`` of ``(σ = \\tanh)``, another name of a function of the field; nothing of
    anything else."""
    match node:
        case Group("(", (Relation((left, Name(function)), ("=",)),)):
            return node.items if is_name(left) and is_known(function) else ()
    return ()
