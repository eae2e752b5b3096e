"""Signals: the h(t) of ``h'(t) = A h(t) + B x(t)`` is the vector h_t, at each time t."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Change,
    Formula,
    Frac,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Relation,
    Script,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, functions, positions

_TIME = "t"


def as_indices(formula: Formula) -> Change | None:
    """``h_t`` for ``h(t)``, where a matrix stands before such an h, or its space is told, and the
    time t stands nowhere but behind and below names."""
    if _TIME not in formula.words:
        return None
    found = {id(group) for name, group in _pairs(formula) if _is_signal(name, group)}
    if not found or not _are_vectors(formula) or _is_elsewhere(formula, found):
        return None

    def at_times(node: Juxt) -> Node:
        factors: list[Node] = []
        for factor in node.factors:
            if id(factor) in found and isinstance(factor, Group):
                factors[-1] = _at(factors[-1], factor)
            else:
                factors.append(factor)
        return factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))

    return at_times


def _at(name: Node, time: Group) -> Script:
    span = name.span.to(time.span)
    if isinstance(name, Script):
        return replace(name, sub=time.items[0], span=span)
    return Script(name, time.items[0], None, 0, span)


def _pairs(nodes: Nodes) -> Iterator[tuple[Node, Node]]:
    return (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors))


def _is_signal(name: Node, group: Node) -> bool:
    """Whether these are a letter and its time: no f(t), nor what has an index below."""
    if not isinstance(group, Group) or group.open != "(" or len(group.items) != 1:
        return False
    base, shift = binders.bare(name), positions.shift(group.items[0])
    letter = (len(base) == 1 or base in names.GREEK) and base not in functions.LETTERS
    below = isinstance(name, Script) and name.sub is not None
    known = base in functions.GREEK_FUNCTIONS
    return letter and not known and not below and shift is not None and shift[0] == _TIME


def _are_vectors(nodes: Nodes) -> bool:
    """Whether a matrix is multiplied by a signal, ``A h(t)``, or one is said to be in a space."""
    for node in nodes.of(Juxt):
        for at, (name, group) in enumerate(pairwise(node.factors)):
            before = (inner for factor in node.factors[:at] for inner in walk(factor))
            vector = binders.bare(name).islower() and _is_signal(name, group)
            if vector and any(binders.bare(inner).isupper() for inner in before):
                return True
    for relation in nodes.of(Relation):
        match relation:
            case Relation((Juxt((name, group)), _), ("∈",)) if _is_signal(name, group):
                return True
    return False


def _is_elsewhere(nodes: Nodes, found: set[int]) -> bool:
    """Whether the time stands elsewhere than behind the names of signals, below names, and in the
    dt of a derivative."""
    apart = {id(n) for group in nodes.of(Group) if id(group) in found for n in walk(group)}
    subs = (node.sub for node in nodes.of(Script) if node.sub is not None)
    apart |= {id(n) for sub in subs for n in walk(sub)}
    for fraction in nodes.of(Frac):
        match fraction.bottom:
            case Juxt((Name("d"), Name() as time)):
                apart.add(id(time))
    return any(node.text == _TIME and id(node) not in apart for node in nodes.of(Name))
