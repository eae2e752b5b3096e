"""What the notes declare of the names in a formula: shapes, numbers, kinds that prose states."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from itertools import pairwise

from notes2code.latex.tree import Juxt
from notes2code.meaning import names
from notes2code.meaning.linking import learned
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.formulas import Formulas
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.prose.kinds import Kinds
from notes2code.meaning.scope import Scope, Shape


def numbered_base(name: str) -> str:
    """The W of ``W_1``; "" for a name without a number."""
    base, _, number = name.rpartition("_")
    return base if number.isdigit() else ""


class Declarations:
    """What holds of the names in each formula of a vault, nearest first."""

    def __init__(self, formulas: Formulas, base: Scope, prose: Kinds) -> None:
        """``base`` is what holds everywhere, ``prose`` what the text states."""
        self.formulas = formulas
        self.base = base
        self.prose = prose
        self.foreign: dict[Entry, frozenset[str]] = {}
        """The names in a formula that are not what the note declares by them."""

    def shapes(self, entry: Entry) -> dict[str, Shape]:
        """Shapes declared in the note, nearest first; those of other notes would tie sizes that
        only share a letter."""
        found = self.formulas.declaring(entry)
        foreign = self.foreign.get(entry, frozenset())
        nearest = {name: others[0] for name, others in found.items() if name not in foreign}
        distance = partial(self.formulas.distance, entry)
        # Where β = 1 is said nearer than β ∈ ℝ^d, it is a number.
        for name, others in self.formulas.nearest(entry, nearest, "constants", within=1).items():
            if distance(others[0]) < distance(nearest[name]):
                del nearest[name]
        for name in self._of_others(entry, nearest):
            del nearest[name]
        ordered = sorted(nearest.items(), key=lambda item: distance(item[1]))
        return {
            name: replace(self.formulas.parsed[at].shapes[name], afar=distance(at)[0] > 0)
            for name, at in ordered
        }

    def _of_others(self, entry: Entry, nearest: Mapping[str, Entry]) -> list[str]:
        """What goes with others than these: where a section declares a W_1 of its own, the W_2 that
        a section beside it declares goes with the W_1 there."""
        mine = self.formulas.parsed[entry].shapes.keys()
        near = {name for name, other in nearest.items() if self.formulas.are_beside(entry, other)}
        own = {base for name in near | mine if (base := numbered_base(name))}
        apart = {
            name: other
            for name, other in nearest.items()
            if entry.section[: len(other.section)] != other.section
        }
        return [
            name
            for name, other in apart.items()
            if numbered_base(name) in own or self._has_others_there(entry, name, other)
        ]

    def _has_others_there(self, entry: Entry, name: str, declared: Entry) -> bool:
        """Whether the section that declares a W_1 computes with it, and with other numbered weights
        than a formula does: ``h = W_1 x`` has no feed-forward layer's."""
        if not numbered_base(name):
            return False
        mine = set(filter(numbered_base, self.formulas.parsed[entry].mentioned))
        here = (self.formulas.parsed[one] for one in self.formulas.beside(declared))
        using = [one for one in here if name in one.mentioned and one.arrays | one.functions]
        return bool(using) and all(mine != {*filter(numbered_base, o.mentioned)} for o in using)

    def numbers(self, entry: Entry) -> dict[str, Shape]:
        """The names that the section gives a number, ``h = 32``, divides by, as in ``z / T``, or
        counts up to, where they stand alone."""
        mine = self.formulas.parsed[entry]
        if mine.seen is None:
            return {}
        alone = {name for name, counts in mine.seen.counted.items() if counts == {0}}
        alone -= mine.parameters | mine.seen.bound
        alone = {name for name in alone if not names.is_size_name(name)}
        alone -= {"Q", "K", "V"} if mine.seen.attends else set()
        alone = {name for name in alone if not learned.is_gain(name, mine)}
        found = {*self.formulas.nearest(entry, sorted(alone), "constants", within=0)}
        found |= alone & self.formulas.letters.amounts(entry)
        capitals = {name for name in alone - mine.called if name[0].isupper()}
        axes = capitals & self.formulas.letters.axes(entry)
        axes -= self.formulas.declaring(entry).keys()
        axes -= self.formulas.nearest(entry, sorted(axes), "arrays", within=1).keys()
        found |= {name for name in axes if not _is_matrix(name, mine.seen, axes)}
        found -= mine.arrays | mine.seen.transposed.keys()
        return dict.fromkeys(sorted(found), Shape(()))

    def kinds(self, entry: Entry) -> dict[str, Shape]:
        """The kinds that prose states of what the formula names. A shape is more than a kind,
        unless it stands in another section and is of another kind."""
        mine = self.formulas.parsed[entry]
        if mine.seen is None:
            return {}
        found = self.prose.near(entry.note, entry.section, entry.order, mine.seen, mine.arrays)
        shapes = self.shapes(entry) if found else {}
        near = {*self.formulas.nearest(entry, found, "shapes", within=0), *self.base.shapes}
        near |= mine.shapes.keys()
        return {
            name: kind
            for name, kind in found.items()
            if name not in near
            and (name not in shapes or len(shapes[name].axes) != len(kind.axes))
            # The x_i of LN(x_i) are each what is said of x.
            and not (name in mine.parameters and mine.seen.counted[name] == {1} and kind.is_vector)
        }


def _is_matrix(name: str, seen: Survey, sizes: Set[str]) -> bool:
    """Whether a letter that counts an axis elsewhere is a matrix here: it is bold, or the W of ``W
    x`` and ``X W``, though an image is H × W × C."""
    if seen.is_bold(name):
        return True
    beside = {
        use.name
        for product in seen.nodes.of(Juxt)
        for factors in pairwise(map(seen.understood, product.factors))
        if name in [use.name for use in factors if use is not None]
        for use in factors
        if use is not None
    }
    return names.base_letter(name) in names.WEIGHTS and not beside <= sizes | names.SIZE_BASES
