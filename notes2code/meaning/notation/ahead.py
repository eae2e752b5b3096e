"""Sums over what lies ahead, counted from where one stands: ``Σ_{l=0}^∞ γ^l r_{t+l}`` and
``Σ_{l=0}^{T-t} γ^l r_{t+l}`` are ``Σ_{l=t}^T γ^{l-t} r_l``, up to the end of what is there. The γ^l
of those that end before is a power as well, though l counts layers elsewhere."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import (
    Big,
    Group,
    Infix,
    Name,
    Node,
    Num,
    Relation,
    Script,
    children,
    rebuilt,
    subscripts,
    walk,
)
from notes2code.latex.words import RATES


def as_places(node: Big) -> Node | None:
    """A sum over places for one over what lies ahead."""
    match node.sub:
        case Relation((Name() as letter, Num(text) as first), ("=",)) if node.op == "sum":
            below = [sub for sub in subscripts(node.body) if _has(sub, letter)]
            starts = {here(sub, letter.text) for sub in below}
            start = starts.pop() if len(starts) == 1 else ""
            if not start or node.sup is None:
                return None
            ends = _end(node.sup, start)
            if ends is None:
                return replace(node, body=_raised(node.body, letter))
            at = Name(start, letter.span)
            begins = at if text == "0" else Infix("+", at, first, first.span, first.span)
            sub = replace(node.sub, operands=(letter, begins))
            return replace(node, sub=sub, sup=ends[0], body=_placed(node.body, letter, at))
    return None


def _has(node: Node, letter: Name) -> bool:
    return any(isinstance(inner, Name) and inner.text == letter.text for inner in walk(node))


def here(sub: Node, letter: str) -> str:
    """The t of ``t+l`` and ``t+l+1``; "" of any other index."""
    match sub:
        case Infix("+", Name(one), Name(other)) if letter in (one, other) and one != other:
            return other if one == letter else one
        case Infix("+" | "-", inner, Num()):
            return here(inner, letter)
    return ""


def _raised(node: Node, letter: Name) -> Node:
    """The ``(γ)^l``, which is a power, for ``γ^l``, in which l may tell which one is meant."""
    match node:
        case Script(Name(rate) as base, None, Name(power)) if power == letter.text:
            if rate in RATES:
                return replace(node, base=Group("(", (base,), (), base.span))
    return rebuilt(node, lambda inner: _raised(inner, letter)) if children(node) else node


def _end(sup: Node, start: str) -> tuple[Node | None] | None:
    """The last place, ``T`` where the sum ends at ``T-t``, or none where it has no end."""
    match sup:
        case Name("infty"):
            return (None,)
        case Infix("-", last, Name(here)) if here == start:
            return (last,)
        case Infix("-" | "+", inner, Num()) if (found := _end(inner, start)) and found[0]:
            return (replace(sup, left=found[0]),)
    return None


def _placed(node: Node, letter: Name, at: Name) -> Node:
    """What is added up, by places: ``l`` for ``t+l`` below a name, and ``l-t`` for ``l``."""
    match node:
        case Name(text) if text == letter.text:
            return Infix("-", node, at, node.span, node.span)
        case Script(sub=sub) if sub is not None and _has(sub, letter):
            rest = _placed(replace(node, sub=None), letter, at)
            assert isinstance(rest, Script)
            return replace(rest, sub=_joined(sub, letter))
    return rebuilt(node, lambda inner: _placed(inner, letter, at)) if children(node) else node


def _joined(sub: Node, letter: Name) -> Node:
    """``l`` for ``t+l``, and ``l+1`` for ``t+l+1``."""
    match sub:
        case Infix(_, inner, Num()):
            return replace(sub, left=_joined(inner, letter))
    return replace(letter, span=sub.span)
