"""Elements with one of their indices in parentheses: the ``a_t(s)`` of ``Σ_s a_t(s) h_s``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Big,
    Clause,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Script,
    rebuilt,
    rewritten,
    walk,
)
from notes2code.meaning import names


def as_indices(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with ``a_{t,s}`` for ``a_t(s)``, where s is an index
    elsewhere in the formula and no other thing stands in the parentheses of a."""
    calls = [pair for node in nodes.of(Juxt) for pair in pairwise(node.factors)]
    arguments: dict[str, set[str]] = {}
    for name, group in calls:
        if isinstance(group, Group) and group.open == "(" and (base := _base(name)):
            arguments.setdefault(base, set()).add(_letter(name, group))
    if not arguments:
        return tuple(clauses)
    counting = set(_counting(nodes, arguments))
    elements = {base for base, letters in arguments.items() if letters <= counting}

    def written(node: Node) -> Node:
        node = rebuilt(node, written)
        if not isinstance(node, Juxt):
            return node
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

    return rewritten(clauses, written)


def _base(node: Node) -> str:
    """The a of ``a_t``; "" of other names."""
    match node:
        case Script(Name(base), Name(letter), None) if letter in names.INDEX_LETTERS:
            return base if len(base) == 1 or base in names.GREEK else ""
    return ""


def _letter(name: Node, group: Group) -> str:
    """The index letter that stands alone in parentheses; "" for anything else, and for the t of
    ``R_t(t)``, which is the R of t."""
    match name, group.items:
        case Script(sub=Name(own)), (Name(letter),) if letter in names.INDEX_LETTERS - {own}:
            return letter
    return ""


def _counting(nodes: Nodes, elements: Collection[str]) -> Iterator[str]:
    """The letters that stand below big signs, and below names other than those of ``elements``."""
    for node in nodes.of(Script, Big):
        own = isinstance(node, Script) and _base(node) in elements
        if node.sub is not None and not own:
            yield from (inner.text for inner in walk(node.sub) if isinstance(inner, Name))
