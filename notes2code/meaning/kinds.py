"""Shapes of which only the kind is known, since prose says it: *γ is a learnable vector*.

They hold in the section that states them and in those below it. What is nearest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass

from notes2code.diagnostics import ProblemError
from notes2code.latex.tree import Node
from notes2code.meaning import names, scripts
from notes2code.meaning.prose import Said, said
from notes2code.meaning.scope import Shape
from notes2code.meaning.scripts import Use
from notes2code.meaning.survey import Survey

CALLED = ("number", "vector", "matrix")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a note's text, with formulas in ``$``: where it stands, and how many formulas of
    the note come before it."""

    text: str
    note: str
    section: tuple[str, ...]
    order: int


@dataclass(frozen=True, slots=True)
class _Placed:
    said: Said
    section: tuple[str, ...]
    order: int


class Kinds:
    """The kinds that the prose of some notes states."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.by_note: dict[str, list[_Placed]] = {}
        for passage in passages:
            for one in said(passage.text):
                order = passage.order + passage.text.count("$", 0, one.at) // 2
                placed = _Placed(one, passage.section, order)
                self.by_note.setdefault(passage.note, []).append(placed)

    def near(
        self, note: str, section: tuple[str, ...], order: int, seen: Survey, defined: Set[str]
    ) -> dict[str, Shape]:
        """The kinds of what a formula names and defines, which stands in a section behind so many
        others."""
        here = (
            placed
            for placed in self.by_note.get(note, ())
            if section[: len(placed.section)] == placed.section
        )
        ordered = sorted(
            here, key=lambda p: (-len(p.section), abs(2 * (order - p.order) + 1))
        )  # what is said right behind a formula is as near as what is said right before
        found: dict[str, Shape] = {}
        for placed in ordered:
            for name, shape in _shapes(placed.said, seen, defined):
                found.setdefault(name, shape)
        return found


def _shapes(one: Said, seen: Survey, defined: Set[str]) -> Iterator[tuple[str, Shape]]:
    """The shape of what is said to be of a kind, if the formula has it."""
    use = _use(one.node, seen, seen.counted.keys() | defined)
    if use is None or use.transposed or use.power is not None:
        return
    base = names.base_letter(use.name)
    indexed = len(use.indices)
    if names.is_size_name(use.name) and (base.islower() or one.rank == 0):
        return  # the dimension of the key vectors d_k
    if base == "I" and seen.has_identity:
        return
    if one.rank == 1 and not indexed and (one.of_rows or base in ("Q", "K", "V", "X")):
        return  # the rows are
    most = max(seen.counted.get(use.name, {indexed}))
    if one.rank == 0:
        yield use.name, Shape((), None)
    elif most <= indexed + one.rank:
        yield use.name, Shape(("",) * one.rank, indexed)


def _use(node: Node, seen: Survey, known: Set[str]) -> Use | None:
    """A name of the prose as the formula has it: with the letters that are indices there, or with
    others in their place."""
    for bound in (seen.bound, seen.bound | names.INDEX_LETTERS):
        with suppress(ProblemError):  # scripts that mean nothing name nothing
            use = scripts.read(node, bound, False, seen.steps, seen.numbered.keys())
            if use.name in known:
                return use
    return None


def told(kinds: Mapping[str, Shape]) -> str:
    """What prose says, in words."""
    said = [f"`{name}` is a {CALLED[len(shape.axes)]}" for name, shape in kinds.items()]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)
