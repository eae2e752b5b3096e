"""What a step of a recursion makes on its way: the f_t of ``h_0 = 0, f_t = σ(U h_{t-1}), h_t = f_t
⊙ h_{t-1}`` is another in every step, and is written where the step uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import error
from notes2code.latex.tree import Group, Node, Script, alike, rebuilt, ungrouped, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, recursions
from notes2code.meaning.stated import Define, Statement, rewritten


def inlined(stated: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements without those that make something on the way to a state whose first one is
    defined, which stands where it is used."""
    defines = [one for one in stated if isinstance(one, Define)]
    stepped = [one.target for one in defines if recursions.step_letter(one) is not None]
    targets = [target for target in stepped if target and _has_first(target, defines)]
    if len(targets) != 1 or len(defines) < 3:
        return stated
    while (made := _on_the_way(targets[0], stated)) is not None:
        if made.conditions or len(made.values) > 1:
            raise error(
                "N2C034",
                "this is another in every step, and has to be one plain definition",
                made.span,
                "write what it is equal to where the step uses it",
            )
        stated = _in_place(made, tuple(one for one in stated if one is not made))
        if _length(stated) > LONGEST:
            raise error(
                "N2C034",
                "this is another in every step, and too long written out where it is used",
                made.span,
                "write a step with fewer definitions in one another",
            )
    return stated


LONGEST = 1000
"""How many parts the statements may have: definitions that hold one another twice each double."""


def _length(stated: tuple[Statement, ...]) -> int:
    return sum(
        len(walk(value)) for one in stated if isinstance(one, Define) for value in one.values
    )


def _has_first(target: Node, defines: Sequence[Define]) -> bool:
    """Whether something with a letter for the step has a first state: h_t beside ``h_0 = …``."""
    name, base = _name(target), binders.bare(target)
    firsts = (one.target for one in defines if recursions.is_first_state(one.target, base))
    return bool(_shifts(target)) and any(_name(first) == name for first in firsts)


def _on_the_way(state: Node, stated: tuple[Statement, ...]) -> Define | None:
    """A definition that is made of the state before, and stands in others."""
    defines = [one for one in stated if isinstance(one, Define)]
    for one in defines:
        others = (other for other in defines if other is not one)
        nodes = (node for other in others for value in other.values for node in walk(value))
        if one.target is None or _is_of_state_before(one, one.target):
            continue
        if _is_of_state_before(one, state) and any(alike(node, one.target) for node in nodes):
            return one
    return None


def _is_of_state_before(define: Define, state: Node) -> bool:
    mine, name = _shifts(state), _name(state)
    nodes = (node for value in define.values for node in walk(value))
    states = (node for node in nodes if isinstance(node, Script) and _name(node) == name)
    return any(at == mine.get(x, at) - 1 for node in states for x, at in _shifts(node).items())


def _name(node: Node | None) -> str:
    """A name without the scripts below and above it; "" for anything else."""
    return names.label(replace(node, sub=None, sup=None)) if isinstance(node, Script) else ""


def _shifts(node: Node) -> dict[str, int]:
    """The letters in the scripts of a name, and how far each is from the present step."""
    scripts = (node.sub, ungrouped(node.sup)) if isinstance(node, Script) else ()
    found = (positions.shift(script) for script in scripts if script is not None)
    return dict(shift for shift in found if shift is not None)


def _in_place(made: Define, rest: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Statements with what a definition makes for its name."""
    (value,) = made.values

    def written(node: Node) -> Node:
        return (
            Group("(", (value,), (), value.span)
            if alike(node, made.target)
            else rebuilt(node, written)
        )

    return rewritten(rest, lambda _: written)
