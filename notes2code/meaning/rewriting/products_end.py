"""Where products end: the β of ``\\prod_{j=1}^t \\alpha_j \\cdot \\beta`` is multiplied once, and
not for each j. In a sum it would not matter."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import Big, Group, Infix, Juxt, Name, Node, walk
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name

_TIMES = frozenset("·×*")


def with_factors_behind(big: Big) -> Node | None:
    """What does not count in a product behind it."""
    if big.op != "prod" or big.sub is None:
        return None
    letters = {*binders.bound_letters(big.sub)}
    return _apart(big, letters) if letters else None


def _apart(big: Big, letters: Set[str]) -> Node | None:
    """A product over some letters, and the factors behind the last that has one of them."""
    match big.body:
        case Infix(op, left, right) as body if op in _TIMES and not _counts(right, letters):
            shorter = _of(big, left)
            return replace(body, left=_apart(shorter, letters) or shorter, span=big.span)
        case Juxt((*_, before, last) as factors) if not _counts(last, letters):
            if isinstance(last, Group) and is_name(before):
                return None  # it may be what a function is given
            rest = factors[:-1]
            left = rest[0] if len(rest) == 1 else Juxt(rest, rest[0].span.to(before.span))
            shorter = _of(big, left)
            return Juxt((_apart(shorter, letters) or shorter, last), big.span)
    return None


def _of(big: Big, body: Node) -> Big:
    return replace(big, body=body, span=Span(big.span.start, body.span.end))


def _counts(node: Node, letters: Set[str]) -> bool:
    """Whether a factor has one of the letters, in a script or as a number."""
    return any(isinstance(inner, Name) and inner.text in letters for inner in walk(node))
