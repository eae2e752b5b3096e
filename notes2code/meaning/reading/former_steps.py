"""What a step takes of the step before, beside the same of its own: the ``m_{i-1}`` and the m_i of
``d_i = d_{i-1} e^{m_{i-1} - m_i} + e^{x_i - m_i}``, a step of the softmax in one pass (Milakov and
Gimelshein, Online normalizer calculation for softmax, 2018). The former gets a name of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Group, Infix, Name, Node, Script, Tree, rebuilt, ungrouped, walk
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, recursions
from notes2code.meaning.stated import Define, Statement

_FORMER = "prev"
"""The label of what the step before made."""


def apart(stated: tuple[Statement, ...], tree: Tree) -> tuple[tuple[Statement, ...], Tree]:
    """The statements of a single step with such names, and their tree with notes on them. Where the
    first state is defined, or nothing is left that steps, all stays as it is."""
    defines = [one for one in stated if isinstance(one, Define)]
    letters = {letter for one in defines if (letter := recursions.step_letter(one)) is not None}
    if len(letters) != 1 or _has_first_state(defines):
        return stated, tree
    (letter,) = letters
    both = {name for one in defines for name in _at_both(one, letter)}
    told: dict[str, Problem] = {}

    def written(node: Node) -> Node:
        if not isinstance(node, Script) or _name(node) not in both or _shift(node, letter) != -1:
            return rebuilt(node, written)
        former = _former(node, letter)
        own = f"{_name(node)}_{_FORMER}"
        text = f"`{_name(node)}` of the step before is an input of its own, `{own}`"
        told.setdefault(_name(node), note("N2C039", text, node.span))
        return former

    found = tuple(
        replace(one, values=tuple(map(written, one.values))) if isinstance(one, Define) else one
        for one in stated
    )
    if not told or all(recursions.step_letter(o) is None for o in found if isinstance(o, Define)):
        return stated, tree
    new = (problem for problem in told.values() if problem not in tree.problems)
    return found, replace(tree, problems=(*tree.problems, *new))


def present(name: str) -> str:
    """The m beside an ``m_prev``; "" for any other name."""
    parts = name.split("_")
    return "_".join(p for p in parts if p != _FORMER) if _FORMER in parts[1:] else ""


def _has_first_state(defines: Sequence[Define]) -> bool:
    """Whether a state before the first step is defined, as in ``h_0 = 0``."""
    targets = [one.target for one in defines if one.target is not None]
    return any(
        recursions.is_first_state(first, binders.bare(target))
        for first in targets
        for target in targets
    )


def _at_both(define: Define, letter: str) -> set[str]:
    """The names that are at this step and at the one before, but for the state itself."""
    shifts: dict[str, set[int]] = {}
    for node in (inner for value in define.values for inner in walk(value)):
        if isinstance(node, Script) and (shift := _shift(node, letter)) is not None:
            shifts.setdefault(_name(node), set()).add(shift)
    own = _name(define.target) if isinstance(define.target, Script) else ""
    return {name for name, found in shifts.items() if found == {0, -1} and name != own}


def _name(node: Script) -> str:
    """A name without the scripts below and above it."""
    return names.label(replace(node, sub=None, sup=None))


def _shift(node: Script, letter: str) -> int | None:
    """How far a name is from the step that a letter counts."""
    for item in (*_items(node.sub), *_items(node.sup)):
        if (found := positions.shift(item)) is not None and found[0] == letter:
            return found[1]
    return None


def _items(script: Node | None) -> Iterator[Node]:
    inner = ungrouped(script)
    if inner is not None:
        yield from inner.items if isinstance(inner, Group) else (inner,)


def _former(node: Script, letter: str) -> Script:
    """``m_i^{prev}`` for ``m_{i-1}``, which is of the kind of m_i, and ``m_{prev}^{(i)}`` for
    ``m^{(i-1)}``."""
    label = Name(_FORMER, node.span)
    if any(map(_is_before, _items(node.sub))):
        return replace(node, sub=_at_step(node.sub, letter), sup=_beside(node.sup, label))
    return replace(node, sub=_beside(node.sub, label), sup=_at_step(node.sup, letter))


def _is_before(item: Node) -> bool:
    shift = positions.shift(item)
    return shift is not None and shift[1] == -1


def _beside(script: Node | None, label: Name) -> Node:
    return label if script is None else Group("", (script, label), (",",), script.span)


def _at_step(script: Node | None, letter: str) -> Node | None:
    """A script with this step for the one before."""

    def written(node: Node) -> Node:
        match node:
            case Infix("-", Name(counted) as step) if counted == letter:
                return step
        return rebuilt(node, written)

    return None if script is None else written(script)
