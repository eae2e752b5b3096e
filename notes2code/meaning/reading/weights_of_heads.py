"""Weights of heads with the role and the head side by side: the ``W_{Qi}`` beside ``head_i`` is
``W_{Q,i}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import (
    Clause,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Relation,
    Script,
    rebuilt,
    rewritten,
)
from notes2code.meaning import names


def apart(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with a comma between the capital of a role and the letter
    of a head, where that is the index of what is defined."""
    lefts = (relation.operands[0] for relation in nodes.of(Relation))
    heads = {left.sub.text for left in lefts if type(left) is Script and type(left.sub) is Name}
    if heads.isdisjoint(map(_head, nodes.of(Script))):
        return tuple(clauses)

    def written(node: Node) -> Node:
        if isinstance(node, Script) and isinstance(node.sub, Juxt) and _head(node) in heads:
            return replace(node, sub=Group("", node.sub.factors, (",",), node.sub.span))
        return rebuilt(node, written)

    return rewritten(clauses, written)


def _head(node: Script) -> str:
    """The i of ``W_{Qi}``; "" of anything else."""
    match node:
        case Script(Name("W"), Juxt((Name("Q" | "K" | "V" | "O"), Name(head)))):
            return head if head in names.INDEX_LETTERS else ""
    return ""
