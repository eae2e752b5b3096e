"""Definitions of one letter with several numbers of indices: what is made of others stands behind
them."""

from __future__ import annotations

from notes2code.latex.tree import Group, Node, Script, walk
from notes2code.meaning.inference.targets import Target
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.survey import Survey, used
from notes2code.meaning.stated import Define


def move(defines: list[Define], targets: list[Target], seen: Survey) -> None:
    """Put the definitions, whose left-hand sides are these, in that order."""
    for at in range(1, len(defines)):
        part = defines[at], targets[at]
        before = [o for o in range(at) if _is_made_of(seen, defines[o], targets[o], part)]
        if before:
            defines.insert(before[0], defines.pop(at))
            targets.insert(before[0], targets.pop(at))


def _is_made_of(seen: Survey, define: Define, target: Target, part: tuple[Define, Target]) -> bool:
    """Whether a definition uses what another one defines by the same letter with more indices, or
    with less, the L_i of ``L = Σ_i L_i``, the o_t^{(1)} of ``o_t = [o_t^{(1)}, …]`` and the L_1 and
    L_2 of ``L = L_1 + L_2``; or what
    that one makes so of the same letter, the Q_i of ``Q_i = Q W_i``, and not that letter
    otherwise."""
    its_define, its_target = part
    name, count = its_target.name, len(its_target.indices)
    joins = target.name == name and any(_joins(value, name) for value in define.values)
    adds = target.name == name and _names_members(seen, define, name)
    if name and (joins or adds) and len(target.indices) + 1 == count:
        return True
    counts = _counts(seen, define, name) if name else set()
    if count not in counts or target.name == name:
        return count in counts and len(target.indices) != count
    made_of = _counts(seen, its_define, name)
    return counts == {count} and bool(made_of) and count not in made_of


def _counts(seen: Survey, define: Define, name: str) -> set[int]:
    """With how many indices a definition uses a name."""
    uses = (use for value in define.values for use, _ in used(seen, value))
    return {len(use.indices) for use in uses if use.name == name}


def _names_members(seen: Survey, define: Define, name: str) -> bool:
    """Whether a definition names members of a family by their numbers."""
    inside = (other.rpartition("_") for value in define.values for other in seen.names_in(value))
    return any(stem == name and number.isdigit() for stem, _, number in inside)


def _joins(value: Node, name: str) -> bool:
    """Whether a value is made of the elements of an array, listed with dots; ``[e_{i1}, …]`` by
    itself only says what is called e_i."""
    groups = (n for n in walk(value) if isinstance(n, Group) and name in _listed(n))
    return any(
        group is not value or any(isinstance(item, Script) and item.sup for item in group.items)
        for group in groups
    )


def listed_parts(define: Define) -> set[str]:
    """The x of ``X = [x_1, …, x_n]``."""
    match define.values:
        case (Group("[" | "(") as group,):
            return _listed(group)
    return set()


def _listed(group: Group) -> set[str]:
    """The letters of what is listed with dots."""
    dots = any(map(binders.begins_with_dots, group.items))
    return {binders.bare(item) for item in group.items if isinstance(item, Script) and dots}
