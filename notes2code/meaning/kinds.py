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
        known = seen.counted.keys() | defined
        found: dict[tuple[str, int], int] = {}
        for placed in ordered:
            use = _use(placed.said.node, seen, known)
            if use is not None and _counts(placed.said, use, seen):
                found.setdefault((use.name, len(use.indices)), placed.said.rank)
        return dict(_shapes(found, seen))


def _use(node: Node, seen: Survey, known: Set[str]) -> Use | None:
    """A name of the prose as the formula has it: with the letters that are indices there, or with
    others in their place."""
    for bound in (seen.bound, seen.bound | names.INDEX_LETTERS):
        with suppress(ProblemError):  # scripts that mean nothing name nothing
            use = scripts.read(node, bound, False, seen.steps, seen.numbered.keys())
            if use.name in known:
                return use
    return None


def _counts(one: Said, use: Use, seen: Survey) -> bool:
    """Whether what is said of a name tells what it is in a formula."""
    base = names.base_letter(use.name)
    if use.transposed or (base == "I" and seen.has_identity):
        return False
    if one.rank == 0:
        return not (names.is_size_name(use.name) and base.islower())
    if one.rank == 1 and not use.indices and (one.of_rows or base in ("Q", "K", "V", "X")):
        return False  # the rows are vectors
    most = max(seen.counted.get(use.name, {len(use.indices)}))
    return most <= len(use.indices) + one.rank


def _shapes(found: Mapping[tuple[str, int], int], seen: Survey) -> Iterator[tuple[str, Shape]]:
    """The shapes of names that are said to be of a rank, with so many indices. Where both a g and
    each g_j are, they are two things, of which one is called by its index."""
    for (name, indexed), rank in found.items():
        axes = ("",) * rank
        if indexed == 1 and rank and (name, 0) in found:
            yield from ((names.code_name(name, letter), Shape(axes, None)) for letter in seen.bound)
    for (name, indexed), rank in found.items():
        if not indexed or (name, 0) not in found:
            yield name, Shape(("",) * rank, indexed if rank else None)


def told(kinds: Mapping[str, Shape]) -> str:
    """What prose says, in words."""
    said = [f"`{name}` is a {CALLED[len(shape.axes)]}" for name, shape in kinds.items()]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)
