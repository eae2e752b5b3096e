"""Sets in braces: lists of members, families, and what an equation inside defines."""

from __future__ import annotations

from notes2code.latex.tree import Dots, Group, Name, Node, Relation, Script
from notes2code.meaning.notation.scripts import is_name


def stated(node: Node) -> tuple[Node, ...]:
    """The ``θ_i = b^{-2i}`` and its range of ``Θ = \\{θ_i = b^{-2i}, i ∈ [1, …, d/2]\\}`` and of
    ``\\{θ_i = b^{-2i}\\}_{i=1}^{d/2}``; nothing of other nodes."""
    if isinstance(node, Relation) and node.signs == ("=",) and is_name(node.operands[0]):
        node = node.operands[1] or node
    match node:
        case Script(
            Group("{", (Relation((left, _), ("=",)) as one,)), Relation(_, ("=",)) as first, last
        ):
            if is_name(left) and last is not None:
                return one, first, Dots(last.span), last
        case Group("{", (Relation((left, _), ("=",)) as one, *rest)):
            if is_name(left) and not isinstance(left, Name):
                return one, *rest
    return ()


def is_set(node: Node) -> bool:
    """Whether a value lists the members of a set, as ``\\{x_1, …, x_n\\}`` does."""
    if family(node) is not None:
        return True
    if not isinstance(node, Group) or node.open != "{":
        return False
    return any(isinstance(item, Dots) for item in node.items)


def family(node: Node) -> tuple[Node, ...] | None:
    """What stands in the braces of ``\\{x_i\\}_{i=1}^n``: names, pairs of names, shapes."""
    match node:
        case Script(Group("{" | "(" as sign, items), Relation(_, ("=",))) if (
            sign == "{" or items[1:]
        ):
            plain = (is_name(i) or isinstance(i, Relation | Group) for i in items)
            return items if all(plain) else None
    return None
