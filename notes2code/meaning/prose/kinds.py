"""Shapes of which only the kind is known, since prose says it: *γ is a learnable vector*.

They hold in the section that states them and in those below it. What is nearest counts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from notes2code.diagnostics import Problem, ProblemError, Span, warning
from notes2code.latex.tree import Frac, Infix, Juxt, Name, Node, Num, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.prose.said_kinds import Said, said
from notes2code.meaning.scope import Shape

CALLED = ("number", "vector", "matrix")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a note's text, with formulas in ``$``: where it stands, and how many formulas of
    the note come before it."""

    text: str
    note: str
    section: tuple[str, ...]
    order: int


_Place = tuple[str, tuple[str, ...], str]
"""A note, a section of it, and a letter that is spoken of there."""

_MOST = 20
"""How often a section may speak of a letter before a formula, and behind it, until all else is
too far."""


class Kinds:
    """The kinds that the prose of some notes states, with how many formulas come before each."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.said: dict[_Place, list[tuple[int, Said]]] = {}
        for passage in passages:
            for one in said(passage.text):
                order = passage.order + passage.text.count("$", 0, one.at) // 2
                place = (passage.note, passage.section, names.base_letter(names.label(one.node)))
                self.said.setdefault(place, []).append((order, one))

    def near(
        self, note: str, section: tuple[str, ...], order: int, seen: Survey, defined: Set[str]
    ) -> dict[str, Shape]:
        """The kinds of what a formula names and defines, which stands in a section behind so many
        others."""
        if not self.said:
            return {}
        known = seen.counted.keys() | defined
        found: dict[tuple[str, int], tuple[str, ...]] = {}
        for letter in sorted({names.base_letter(name) for name in known}):
            for one in self._of(letter, note, section, order):
                use = _use(one.node, seen, known)
                if use is not None and _counts(one, use, seen):
                    found.setdefault((use.name, len(use.indices)), one.axes)
        sized = {name for (name, _), axes in found.items() if any(axes)}
        written = {key: _as_written_for(key[0], axes, seen, sized) for key, axes in found.items()}
        return dict(_shapes(written, seen))

    def _of(self, letter: str, note: str, section: tuple[str, ...], order: int) -> Iterator[Said]:
        """What is said of a letter, nearest first: right behind a formula is as near to it as
        right before."""
        for depth in range(len(section), -1, -1):
            here = self.said.get((note, section[:depth], letter), [])
            at = bisect_right(here, order, key=lambda pair: pair[0])
            close = here[max(at - _MOST, 0) : at + _MOST]
            close.sort(key=lambda pair: abs(2 * (order - pair[0]) + 1))
            yield from (one for _, one in close)


def _use(node: Node, seen: Survey, known: Set[str]) -> Use | None:
    """A name of the prose as the formula has it: with the letters that are indices there, or with
    others in their place."""
    for bound in (seen.bound, seen.bound | names.INDEX_LETTERS):
        with suppress(ProblemError):  # scripts that mean nothing name nothing
            use = script_reader.read(node, bound, False, seen.steps, seen.numbered.keys())
            if use.name in known:
                return use
    return None


def _counts(one: Said, use: Use, seen: Survey) -> bool:
    """Whether what is said of a name tells what it is in a formula."""
    base = names.base_letter(use.name)
    if use.transposed or use.name in seen.identities:
        return False
    if one.counts and not _may_count(base, use, seen):
        return False
    spoken_of_each = base.islower() or isinstance(one.node, Script)
    if one.each and (not use.indices or use.bold or not spoken_of_each):
        return False  # S may be a matrix of scores, and P_i is a probability
    if one.rank == 0:
        return not (names.is_size_name(use.name) and base.islower())
    if one.rank == 1 and not use.indices and (one.of_rows or base in ("Q", "K", "V", "X")):
        return False  # the rows are vectors
    if one.rank == 1 and base == "W" and names.label_of_projection(use.name):
        return False  # the value vector W^V is what makes those
    if one.rank > 1 and len(use.indices) >= one.rank:
        return False  # S_{ij} may be what a text calls the matrix S
    if use.indices and base == "W" and seen.counted.get(use.name) == {0}:
        return False  # the W^Q of all heads is another matrix than the W_i^Q of each
    most = max(seen.counted.get(use.name, {len(use.indices)}))
    return most <= len(use.indices) + one.rank


def _may_count(base: str, use: Use, seen: Survey) -> bool:
    """Whether a letter that a text calls a length or a size is that in a formula: where the formula
    itself has it so, in a product with a sign, ``S · σ(x)``, or of capitals alone, ``B H L S``, or
    in a fraction, ``H / 8``. What stands elsewhere may be another thing by the same letter."""
    if use.indices or use.name in seen.quantities:
        return not use.indices
    signs = "·×*/" if base in _AMOUNTS else "/"
    products = (node for node in seen.nodes.of(Infix) if node.op in signs)
    factors = [side for node in products for side in (node.left, node.right)]
    factors += [side for node in seen.nodes.of(Frac) for side in (node.top, node.bottom)]
    factors += [f for node in seen.nodes.of(Juxt) if _is_volume(node) for f in node.factors]
    times = sum(binders.bare(side) == base for side in factors)
    return times > 0 and times == sum(node.text == base for node in seen.nodes.of(Name))


def _is_volume(node: Juxt) -> bool:
    """Whether a product is of three plain capitals or sizes or more, and numbers."""
    letters = [factor for factor in node.factors if not isinstance(factor, Num)]
    return len(letters) > 2 and all(
        names.is_capital(factor) or names.is_size_name(names.label(factor)) for factor in letters
    )


_AMOUNTS = frozenset("BCDEGJLMNPRST")
"""Capitals that are amounts as often as arrays."""


def _as_written_for(
    name: str, axes: tuple[str, ...], seen: Survey, sized: Set[str]
) -> tuple[str, ...]:
    """The axes that a formula has of what a text says: one is written for one example of a batch
    unless it says how many there are, and ``W x`` for one x of all that are its rows, unless the
    text says what the W maps. A small letter of one column is a vector."""
    if axes[1:] == ("1",) and name.islower():
        return axes[:1]
    pairs = (pair for product in seen.nodes.of(Juxt) for pair in pairwise(product.factors))
    maps = [binders.bare(a) for a, b in pairs if names.is_capital(a) and binders.bare(b) == name]
    if maps and name.islower() and sized.isdisjoint(maps):
        return axes[-1:]
    batch = len(axes) > 1 + name[0].isupper() and _BATCH.fullmatch(axes[0]) is not None
    return axes[1:] if batch and axes[0] not in seen.nodes.words else axes


_BATCH = re.compile(r"B|bs|batch(?:_?size)?|batch_.*|n_batch")
"""What an axis of examples is called."""


def _shapes(
    found: Mapping[tuple[str, int], tuple[str, ...]], seen: Survey
) -> Iterator[tuple[str, Shape]]:
    """The shapes of names that are said to have these axes, with so many indices. Where both a g
    and each g_j are, they are two things, of which one is called by its index."""
    for (name, indexed), axes in found.items():
        if indexed == 1 and axes and (name, 0) in found:
            yield from ((names.code_name(name, letter), Shape(axes, None)) for letter in seen.bound)
    for (name, indexed), axes in found.items():
        if not indexed or (name, 0) not in found:
            sizes = tuple(1 if axis == "1" else axis for axis in axes)
            yield name, Shape(sizes, indexed if axes else None)


def told(kinds: Mapping[str, Shape]) -> str:
    """What prose says, in words."""
    said = [f"`{name}` {_called(shape)}" for name, shape in kinds.items()]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _called(shape: Shape) -> str:
    """What prose says that something is, in words."""
    if any(shape.axes) or len(shape.axes) >= len(CALLED):
        return f"is {'×'.join(axis or '·' for axis in map(str, shape.axes))}"
    return f"is a {CALLED[len(shape.axes)]}"


def may_be_loose(name: str, kind: Shape, rank: int) -> bool:
    """Whether prose may say that of something of another rank: a matrix is a vector by its rows,
    and so is any bias, and sizes may be those of more, or of less."""
    if any(kind.axes):
        return True
    loosely = rank == 2 or (rank == 0 and names.base_letter(name) == "b")
    return kind.is_vector and loosely


def unlike(kinds: Mapping[str, Shape], latex: str) -> Problem:
    """The warning that a formula is not computed with the kinds that a text states."""
    return warning(
        "N2C035",
        f"the text says that {told(kinds)}, which does not fit this formula",
        Span(0, len(latex)),
        "it is computed as if the text did not say so; change one of the two",
    )
