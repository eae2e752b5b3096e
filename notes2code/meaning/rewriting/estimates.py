"""Estimates without their bias: the m of ``\\hat m^{k+1} = m^{k+1} / (1 - β^{k+1})`` is at the step
k + 1, as its estimate is, and that of β is a power: m and β are no names of one kind."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import (
    Accent,
    Change,
    Formula,
    Frac,
    Group,
    Infix,
    Name,
    Node,
    Num,
    Relation,
    Script,
    alike,
    ungrouped,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def at_steps(formula: Formula) -> Change | None:
    """Parentheses around the step above a name and its estimate, which stand alone: beside other
    steps, the k + 1 above β would be one, too."""
    steps = [_of_estimate(clause.node) for clause in formula.clauses]
    if len(steps) != 1 or steps[0] is None:
        return None
    letter, above = steps[0]

    def placed(node: Script) -> Node | None:
        if binders.bare(node.base) == letter and node.sub is None and alike(node.sup, above):
            return replace(node, sup=Group("(", (above,), (), above.span))
        return None

    return placed


def _of_estimate(node: Node) -> tuple[str, Node] | None:
    """The m and the k + 1 of ``\\hat m^{k+1} = m^{k+1} / (1 - β^{k+1})``."""
    match node:
        case Relation((Script(Accent(_, Name(letter)), None, Infix() as above, 0), made), ("=",)):
            pass
        case _:
            return None
    match made:
        case Frac(Script(Name(base), None, at, 0), below):
            pass
        case Infix("/", Script(Name(base), None, at, 0), below):
            pass
        case _:
            return None
    own = base == letter and alike(at, above)
    return (letter, above) if own and _is_of_powers(below, letter, above) else None


def _is_of_powers(below: Node, letter: str, above: Node) -> bool:
    """Whether ``1 - β^{k+1}`` stands below, of another letter."""
    match ungrouped(below), above:
        case Infix("-", Num("1"), Script(Name(rate), _, at, 0)), Infix("+", Name(step), Num()):
            return rate != letter and step in names.INDEX_LETTERS and alike(at, above)
    return False
