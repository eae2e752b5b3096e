"""Rotations by ``x · cos(mθ) + \\text{rotate\\_half}(x) · \\sin(mθ)``: each pair of entries has an
angle of its own, so that what is multiplied by them is an array as long as they are."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Apply, Group, Infix, Juxt, Name, Node, alike, ungrouped
from notes2code.meaning.notation import functions


def entry_by_entry(node: Node) -> Node | None:
    """The sum with ⊙ for the other signs and for none."""
    match node:
        case Infix("+", left, right):
            kept, turned = _turned_by("cos", left), _turned_by("sin", right)
        case _:
            return None
    match kept, turned:
        case (x, cosine), (Juxt((Name(word), Group("(", (given,)))) as call, sine):
            same = alike(given, x) and alike(cosine.argument, sine.argument)
            if functions.TURNS_HALF.fullmatch(word) and same:
                first = Infix("⊙", x, cosine, left.span, left.span)
                second = Infix("⊙", call, sine, right.span, right.span)
                return replace(node, left=first, right=second)
    return None


def _turned_by(function: str, term: Node) -> tuple[Node, Apply] | None:
    """What is multiplied in one term by the function of an angle, and that."""
    match ungrouped(term):
        case Infix("·" | "×", kept, Apply(Name(name)) as angle) if name == function:
            return kept, angle
        case Juxt((*kept, Apply(Name(name)) as angle), span) if name == function:
            return kept[0] if len(kept) == 1 else Juxt(tuple(kept), span), angle
    return None
