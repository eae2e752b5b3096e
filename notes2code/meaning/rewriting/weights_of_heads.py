"""Weights of heads with the role and the head side by side: the ``W_{Qi}`` beside ``head_i`` is
``W_{Q,i}``."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Change, Formula, Group, Juxt, Name, Node, Relation, Script
from notes2code.meaning import names


def apart(formula: Formula) -> Change | None:
    """A comma between the capital of a role and the letter of a head, where that is the index of
    what is defined."""
    lefts = (relation.operands[0] for relation in formula.of(Relation))
    heads = {left.sub.text for left in lefts if type(left) is Script and type(left.sub) is Name}

    def parted(node: Script) -> Node | None:
        if not isinstance(node.sub, Juxt) or _head(node) not in heads:
            return None
        return replace(node, sub=Group("", node.sub.factors, (",",), node.sub.span))

    return parted if heads else None


def _head(node: Script) -> str:
    """The i of ``W_{Qi}`` and ``W_{qi}``; "" of anything else."""
    match node:
        case Script(Name("W"), Juxt((Name(role), Name(head)))) if role.upper() in (
            "Q",
            "K",
            "V",
            "O",
        ):
            return head if head in names.INDEX_LETTERS or head == "h" else ""
    return ""
