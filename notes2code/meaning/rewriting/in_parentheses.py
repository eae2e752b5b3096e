"""Elements with one of their indices in parentheses: the ``a_t(s)`` of ``Σ_s a_t(s) h_s``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
    Nodes,
    Script,
    ungrouped,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import positions


def as_indices(formula: Formula) -> Change | None:
    """``a_{t,s}`` for ``a_t(s)``, where s is an index elsewhere in the formula and no other thing
    stands in the parentheses of a."""
    calls = [pair for node in formula.of(Juxt) for pair in pairwise(node.factors)]
    arguments: dict[str, set[str]] = {}
    for name, group in calls:
        if isinstance(group, Group) and group.open == "(" and (base := _base(name)):
            arguments.setdefault(base, set()).add(_letter(name, group))
    if not arguments:
        return None
    counting = set(_counting(formula, arguments))
    elements = {base for base, letters in arguments.items() if letters <= counting}

    def indexed(node: Juxt) -> Node:
        factors: list[Node] = []
        for factor in node.factors:
            match factors[-1] if factors else None, factor:
                case Script(sub=below) as name, Group("(", (letter,)) if _base(name) in elements:
                    assert below is not None
                    span = name.span.to(factor.span)
                    indices = Group("", (below, letter), (",",), span)
                    factors[-1] = replace(name, sub=indices, span=span)
                case _:
                    factors.append(factor)
        return factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))

    return indexed if elements else None


def of_encodings(node: Juxt) -> Node | None:
    """``PE_{pos,2i}`` for the ``PE_{2i}(pos)`` and the ``PE(pos)_{2i}`` of a position."""
    match node.factors:
        case (Script(Name("PE") as name, below, None, 0), Group("(", (Name() as place,))):
            pass
        case (Name("PE") as name, Script(Group("(", (Name() as place,)), below, None, 0)):
            pass
        case _:
            return None
    if below is None or positions.stride(ungrouped(below)) is None:
        return None
    return Script(name, Group("", (place, below), (",",), node.span), None, 0, node.span)


def _base(node: Node) -> str:
    """The a of ``a_t``, whatever word stands above it; "" of other names."""
    match node:
        case Script(Name(base), Name(letter), above) if letter in names.INDEX_LETTERS:
            if above is not None and (not isinstance(above, Name) or len(above.text) == 1):
                return ""
            return base if len(base) == 1 or base in names.GREEK else ""
    return ""


def _letter(name: Node, group: Group) -> str:
    """The index letter that stands alone in parentheses, primed or not; "" for anything else, and
    for the t of ``R_t(t)``, which is the R of t."""
    match name, group.items:
        case Script(sub=Name(own)), (Name(letter) | Script(Name(letter), None, None),) if (
            letter in names.INDEX_LETTERS - {own}
        ):
            return letter
    return ""


def _counting(nodes: Nodes, elements: Collection[str]) -> Iterator[str]:
    """The letters that stand below big signs, and below names other than those of ``elements``."""
    for node in nodes.of(Script, Big):
        own = isinstance(node, Script) and _base(node) in elements
        if node.sub is not None and not own:
            yield from (inner.text for inner in walk(node.sub) if isinstance(inner, Name))
