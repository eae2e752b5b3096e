"""How groups of heads are written: ``g(i)``, ``⌈i/r⌉``, ``⌊i g/h⌋``."""

from __future__ import annotations

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Node, ungrouped

NAMES = frozenset(["g", "G", "kv", "group", "map"])
"""Names of functions that give the group of a head."""


def group_of(node: Node) -> tuple[Node, Node, Node | None] | None:
    """Of the group that i belongs to, ``⌈i / r⌉`` or ``⌊i g / h⌋``: the i, what it is divided by,
    and what it is multiplied with. ``⌈i / (h/g)⌉`` is the same."""
    match node:
        case Group("⌈" | "⌊", (Frac(top, bottom),)):
            pass
        case _:
            return None
    match _ungrouped(top), _ungrouped(bottom):
        case Name() as counted, Frac(whole, groups):
            return counted, whole, groups
        case Name() as counted, length:
            return counted, length, None
        case Juxt((left, right)) | Infix("·" | "×" | "*", left, right), whole:
            return left, whole, right
    return None


def named(node: Node) -> set[str]:
    """The g of a script ``g(i)``."""
    match node:
        case Juxt((Name(text), Group("(", (Name(),)))) if text in NAMES:
            return {text}
    return set()


def counts_groups(node: Node, letter: str) -> bool:
    """Whether a script is the group of a letter, as ``g(h)`` or ``⌊h/r⌋`` is."""
    match node:
        case Juxt((Name(text), Group("(", (Name(inner),)))):
            return text in NAMES and inner == letter
    found = group_of(node)
    return found is not None and any(isinstance(n, Name) and n.text == letter for n in found)


def _ungrouped(node: Node) -> Node:
    inner = ungrouped(node)
    return node if inner is node else _ungrouped(inner)
