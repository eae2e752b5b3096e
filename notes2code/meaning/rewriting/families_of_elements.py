"""Families whose index stands behind them, and has no range of its own: ``(x_i)_i`` is all x_i, and
``(a_{ij})_{ij}`` a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Group,
    Juxt,
    Name,
    Node,
    Relation,
    Script,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.notation.scripts import is_name


def as_families(formula: Formula) -> Change | None:
    """``(x_i)_{i ∈}`` for ``(x_i)_i``, where no sum counts with the i; behind a name, as in
    ``f(x_i)_i``, the parentheses may hold what that is given."""
    if not any(map(_letters, formula.of(Script))):
        return None
    pairs = (pair for juxt in formula.of(Juxt) for pair in pairwise(juxt.factors))
    given = {behind.span for before, behind in pairs if is_name(before)}
    summed = {x for big in formula.of(Big) if big.sub for x in binders.bound_letters(big.sub)}

    def counted(node: Script) -> Node | None:
        letters = [] if node.span in given else _letters(node)
        if not letters or not summed.isdisjoint(letter.text for letter in letters):
            return None
        family = node.base
        for letter in letters:
            inner = Group("(", (family,), (), node.span) if isinstance(family, Script) else family
            below = Relation((letter, None), ("∈",), (letter.span,), letter.span)
            family = Script(inner, below, None, 0, node.span)
        whole = Group("(", (family,), (), node.span)
        return family if node.sup is None else replace(node, base=whole, sub=None)

    return counted


def without_index(node: Relation) -> Node | None:
    """``h_i = …`` for ``(h_i)_i = …``, which defines all of them."""
    match node.operands[0]:
        case Script(Group("(", (name,)), Relation((_, None), ("∈",)), None, 0) if is_name(name):
            return replace(node, operands=(name, *node.operands[1:]))
    return None


def _letters(node: Script) -> list[Name]:
    """The letters behind parentheses, where all of them are indices inside, and of no weight."""
    match node:
        case Script(Group("(", (inner,)), below, sup, 0) if below is not None:
            letters = [*_counting(below)]
            turned = sup is None or (isinstance(sup, Name) and sup.text in names.TRANSPOSES)
            mine = (n for n in walk(inner) if isinstance(n, Script) and is_name(n))
            scripted = [n for n in mine if binders.bare(n) not in names.WEIGHTS]
            inside = {x for n in scripted for x in binders.script_letters(n)}
            own = {letter.text for letter in letters}
            return letters if turned and own and own <= inside & names.INDEX_LETTERS else []
    return []


def _counting(below: Node) -> Iterator[Name]:
    """The letters of ``i``, ``ij`` and ``i, j``; none where anything else stands there."""
    items = below.items if isinstance(below, Group) else getattr(below, "factors", (below,))
    letters = [item for item in items if isinstance(item, Name) and len(item.text) == 1]
    yield from letters if len(letters) == len(items) else ()
