"""Examples that are counted behind their layer, ``a^{[l](i)}``: neither is a power."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Group, Juxt, Name, Node, Script
from notes2code.meaning.notation.scripts import is_name


def counted_below(node: Script) -> Node | None:
    """``a_i^{[l]}`` for ``a^{[l](i)}`` and ``a^{(i)[l]}``; the t of ``W^{[l](t)}`` is a step."""
    match node.sup:
        case Juxt((Group("[") as layer, Group("(", (Name(letter) as at,)), *behind)):
            pass
        case Juxt((Group("(", (Name(letter) as at,)), Group("[") as layer, *behind)):
            pass
        case _:
            return None
    if not is_name(node) or len(layer.items) != 1 or len(letter) != 1 or letter == "t":
        return None
    layer = replace(layer, open="(")
    above = Juxt((layer, *behind), node.sup.span) if behind else layer
    return replace(node, sub=_with(at, node.sub), sup=above)


def _with(at: Name, below: Node | None) -> Node:
    """An index before the others, and behind a word."""
    if below is None:
        return at
    group = isinstance(below, Group) and not below.open
    items = below.items if isinstance(below, Group) and group else (below,)
    word = isinstance(items[0], Name) and len(items[0].text) > 1
    items = (items[0], at, *items[1:]) if word else (at, *items)
    return Group("", items, (",",) * (len(items) - 1), below.span)
