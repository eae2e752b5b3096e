"""What is kept between two bounds, as the place of an element: ``\\max(-k, \\min(k, j - i))`` is
``\\mathrm{clip}(j - i, -k, k)``, in whatever order the bounds stand. Two bounds may be written as
one, ``\\mathrm{clip}(r, 1 \\pm \\epsilon)``."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import Group, Infix, Juxt, Name, Neg, Node, Script, alike
from notes2code.meaning import names


def around(node: Juxt) -> Node | None:
    """``\\mathrm{clip}(r, a - e, a + e)`` for ``\\mathrm{clip}(r, a \\pm e)``."""
    factors = list(node.factors)
    for at, (called, given) in enumerate(pairwise(node.factors), 1):
        match given:
            case Group("(", (value, Infix("±") as bounds)) if names.label(called) in names.CLIPS:
                items = value, replace(bounds, op="-"), replace(bounds, op="+")
                factors[at] = replace(given, items=items, separators=(",", ","))
                return replace(node, factors=tuple(factors))
    return None


def in_place(node: Script) -> Node | None:
    """A name with ``clip(…)`` below it for such bounds."""
    outer = _of_two(node.sub)
    if outer is None or node.sub is None:
        return None
    for bound, inner in (outer[1], outer[1][::-1]):
        within = _of_two(inner)
        if within is None or {outer[0], within[0]} != {"min", "max"}:
            continue
        for other, place in (within[1], within[1][::-1]):
            low, high = (bound, other) if outer[0] == "max" else (other, bound)
            if isinstance(low, Neg) and alike(low.body, high):
                span = node.sub.span
                given = Group("(", (place, low, high), (",", ","), span)
                clip = Juxt((Name("clip", span), given), span)
                return Script(node.base, clip, node.sup, node.primes, node.span)
    return None


def _of_two(node: Node | None) -> tuple[str, tuple[Node, Node]] | None:
    """The larger or the smaller of two things."""
    match node:
        case Juxt((Name("min" | "max" as name), Group("(", (one, other)))):
            return name, (one, other)
    return None
