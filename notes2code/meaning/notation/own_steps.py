"""Left-hand sides at the step of all that makes them: ``a^{l+1} = σ(z^{l+1})``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.tree import (
    Accent,
    Group,
    Infix,
    Name,
    Node,
    Nodes,
    Script,
    alike,
    walk,
    words_in,
)
from notes2code.latex.words import RATES
from notes2code.meaning.notation import binders, positions, scripts


def own_step(target: Node | None, values: Sequence[Node]) -> str | None:
    """The l of ``a^{l+1} = σ(z^{l+1})``: a power defines nothing, so that what stands above a is
    its step, and above z no power either. It stands above nothing but names, and above all of them
    as it stands above a. A rate may be raised to it, and a matrix, and what also stands without
    it: the x of ``x^{t+1} = x f(y^{t+1})``; what no function is given may be a number."""
    match target:
        case Script(Name() | Accent(), _, Infix() as step, 0) if shift := positions.shift(step):
            letter = shift[0]
        case _:
            return None
    if letter not in _STEPS:
        return None
    inside = Nodes(node for value in values for node in walk(value))
    above = [n for n in inside.of(Script) if n.sup is not None and letter in words_in(n.sup)]
    if not above or not all(n.sup is not None and alike(n.sup, step) for n in above):
        return None
    if not all(scripts.is_name(n) and _can_be_a_state(binders.bare(n)) for n in above):
        return None
    given = {id(item) for group in inside.of(Group) for item in group.items}
    in_calls = {binders.bare(node) for node in above if id(node) in given}
    if not all(binders.bare(node) in in_calls for node in above):
        return None
    own = {id(n) for node in above for n in walk(node.base)}
    at_step = own | {id(n) for node in above if node.sup is not None for n in walk(node.sup)}
    raised = {binders.bare(target), *(n.text for n in inside.of(Name) if id(n) in own)}
    for name in inside.of(Name):
        if name.text == letter and id(name) not in at_step:
            return None
        if name.text in raised and id(name) not in own:
            return None
    return letter


_STEPS = positions.LAYERS | {"t", "k"}
"""What counts layers and steps; others may be exponents, as the p of ``y^{p+1} = c x^{p+1}``."""


def _can_be_a_state(base: str) -> bool:
    """Whether a name is neither a rate nor a matrix, which are raised to powers."""
    return base not in RATES and not base.isupper()
