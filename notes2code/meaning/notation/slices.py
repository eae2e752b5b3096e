"""Parts of an axis as they are written below a name: ``1:t``, ``:t``, ``t:`` and ``i-w+1:i``, in
brackets or without."""

from __future__ import annotations

from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Num, Stroke
from notes2code.meaning import names
from notes2code.meaning.notation.scripts import At, whole_names


def ends(node: Node) -> tuple[Node | None, Node | None] | None:
    """The first and the last place of a part of an axis, None for one that is not written; None
    for what is no part."""
    match node:
        case Group(_, (Stroke(":"), last), ()):
            return None, _within(last, "min")
        case Group(_, (first,), (":",)):
            return _within(first, "max"), None
        case Group(_, (first, last), (":",)):
            return _within(first, "max"), _within(last, "min")
        case Group("(" | "[", (Group() as inner,), ()):
            return ends(inner)
    return None


def _within(end: Node, bound: str) -> Node:
    """The i - w of ``max(1, i - w)``: where there is no place, there is none to leave out."""
    match end:
        case Juxt((Name(function), Group("(", (Num(), inner) | (inner, Num())))):
            return inner if function == bound else end
    return end


def place(node: Node, first: Node | None, last: Node | None) -> At:
    """The place that is told by the ends of a part of an axis."""
    whole = first is None or first == Num("1", first.span)
    return up_to(last) if whole and last is not None else At(node, ":")


def up_to(last: Node) -> At:
    """``≤ t``; the places up to ``t - 1`` are those before t."""
    match last:
        case Infix("-", Name() as letter, Num("1")):
            return At(letter, "<")
    return At(last, "≤")


def counts_places(node: Node) -> bool:
    """Whether an end of a part of an axis counts from a place, as ``t - 1`` does; that of ``T_q -
    w`` counts from a size."""
    for end in ends(node) or ():
        match end:
            case Infix("+" | "-"):
                inside = whole_names(end)
                if any(isinstance(n, Name) and n.text in names.INDEX_LETTERS for n in inside):
                    return True
    return False
