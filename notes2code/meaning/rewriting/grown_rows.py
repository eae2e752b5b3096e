"""Caches that a formula lets grow: ``K_{1:t} = [K_{1:t-1}; k_t]`` says that the rows of K are the
k_t, and each step adds its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import Group, Infix, Name, Node, Relation, Script, alike, walk
from notes2code.meaning.notation import slices
from notes2code.meaning.notation.binders import letters_in_scripts
from notes2code.meaning.notation.scripts import At
from notes2code.meaning.stated import Define, Restated, Statement

_JOINS = frozenset("‖⊕")


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with ``K_t = k_t`` for those of a cache that grows."""
    told: list[Problem] = []
    found = tuple(_by_row(one, told) if isinstance(one, Define) else one for one in stated)
    return found, told


def _by_row(define: Define, told: list[Problem]) -> Define:
    """The definition of a row, for that of the rows up to one."""
    match define:
        case Define(Script() as target, (value,)) if (row := _new_row(target, value)) is not None:
            text = "the rows that are kept are taken to be those that are added, step by step"
            told.append(note("N2C039", text, value.span))
            at = Name(_end(target)[1], target.span)
            return replace(define, target=replace(target, sub=at), values=(row,))
    return define


def _new_row(target: Script, value: Node) -> Node | None:
    """The k_t, or the ``x_t W``, that is put behind the rows before it."""
    sign, letter = _end(target)
    match [*_joined(value)]:
        case [Script(base) as before, row] if sign == "≤" and _end(before) == ("<", letter):
            others = (inner for inner in walk(row) if isinstance(inner, Script))
            same = any(alike(other.base, base) for other in others)
            if alike(base, target.base) and not same and letter in letters_in_scripts(row):
                return row
    return None


def _joined(value: Node) -> Iterator[Node]:
    """What is joined in ``[a; b]`` and ``a ‖ b``."""
    match value:
        case Group("[" | "(", (Infix() as inner,)):
            yield from _joined(inner)
        case Group("[" | "(", (_, _) as items):
            yield from items
        case Infix(sign, left, right) if sign in _JOINS:
            yield from (left, right)


def _end(node: Script) -> tuple[str, str]:
    """The sign and the letter of ``≤ t``, however it is written."""
    match node.sub:
        case Relation((None, last), ("<" | "≤" as sign,)) if last is not None:
            at = slices.up_to(last) if sign == "≤" else At(last, sign)
        case Group() as part if (found := slices.ends(part)) is not None:
            at = slices.place(part, *found)
        case _:
            return "", ""
    return at.relation, at.node.text if isinstance(at.node, Name) else ""
