"""Estimates at a step: the ``\\hat m^{k+1}`` that is made of ``m^{k+1}`` is no power, for a power
defines nothing, and so is m none. Both are at the step k + 1, as ``\\hat m^{(k+1)}`` is."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import (
    Accent,
    Change,
    Formula,
    Group,
    Infix,
    Name,
    Node,
    Num,
    Relation,
    Script,
    alike,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders


def at_steps(formula: Formula) -> Change | None:
    """Parentheses around the step above a name and its estimate."""
    lefts = (relation.operands[0] for relation in formula.of(Relation))
    steps = {letter: step for left in lefts for letter, step in _estimate(left).items()}
    named = [node for node in formula.of(Script) if isinstance(node.base, Name)] if steps else []
    known = {
        letter: step
        for letter, step in steps.items()
        if any(binders.bare(node) == letter and alike(node.sup, step) for node in named)
    }

    def placed(node: Script) -> Node | None:
        step = known.get(binders.bare(node.base))
        if step is None or node.sub is not None or not alike(node.sup, step):
            return None
        return replace(node, sup=Group("(", (step,), (), step.span))

    return placed if known else None


def _estimate(left: Node | None) -> dict[str, Node]:
    """The k + 1 above the m of ``\\hat m^{k+1}``."""
    match left:
        case Script(Accent(_, Name(letter)), None, Infix("+", Name(step), Num()) as at, 0):
            return {letter: at} if step in names.INDEX_LETTERS else {}
    return {}
