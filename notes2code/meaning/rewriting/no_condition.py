"""What a function is given in place of a condition: the ``∅`` of ``ε_θ(x_t, t, ∅)``, an input."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Change, Formula, Group, Juxt, Name, Node
from notes2code.meaning.notation.scripts import is_name

_SIGN = "emptyset"


def as_input(formula: Formula) -> Change | None:
    """The name of an input for each ``∅`` among several arguments."""
    return _with_inputs if _SIGN in formula.words else None


def _with_inputs(node: Juxt) -> Node:
    factors = list(node.factors)
    for at, group in enumerate(factors[1:], 1):
        match group:
            case Group("(", items, separators) if {*separators} == {","} and is_name(
                factors[at - 1]
            ):
                factors[at] = replace(group, items=tuple(map(_named, items)))
    return replace(node, factors=tuple(factors))


def _named(item: Node) -> Node:
    return Name("empty", item.span) if isinstance(item, Name) and item.text == _SIGN else item
