"""The s and t of weights that stand beside what they map, ``W_s h_s + W_t h_t``: labels of the two
sides, of sources and targets, though s and t count the h. So is the t of ``x_t^⊤ W_t + x_{t'}^⊤
W_x``, since the x counts nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import Big, Change, Formula, Infix, Juxt, Name, Node, Prose, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.records import dataclass


def labelled(formula: Formula) -> Change | None:
    """A word below such a weight."""
    if names.WEIGHTS.isdisjoint(formula.words):
        return None
    summed = {x for big in formula.of(Big) if big.sub for x in binders.bound_letters(big.sub)}
    counted = [side for side in _mapped(formula.of(Juxt)) if side.counts]
    sums = [binders.chain(node) for node in formula.of(Infix) if node.op == "+"]
    parts = [[*_mapped(one for one in terms if isinstance(one, Juxt))] for terms in sums]
    labels = {
        (side.weight, side.label)
        for sides in (counted, *parts)
        for side in sides
        if side.counts and _is_of_several(side, sides, summed)
    }

    def worded(node: Script) -> Node | None:
        match node:
            case Script(Name(weight), Name(letter) as label) if (weight, letter) in labels:
                return replace(node, sub=Prose(letter, label.span))
        return None

    return worded if labels else None


@dataclass(frozen=True, slots=True)
class Side:
    """A weight with what is below it, and the array that it maps; ``counts`` says that the same
    letter stands below that."""

    weight: str
    label: str
    array: str
    counts: bool


def _mapped(products: Iterable[Juxt]) -> Iterator[Side]:
    """The weights before arrays, or behind these where they are transposed."""
    for product in products:
        for pair in pairwise(product.factors):
            match pair[::-1] if scripts.is_transposed(pair[0]) else pair:
                case Script(Name(weight), Name(label)), Script(Name(array), index) if index:
                    counts = isinstance(index, Name) and index.text == label
                    if weight in names.WEIGHTS:
                        yield Side(weight, label, array, counts)


def _is_of_several(side: Side, sides: Sequence[Side], summed: Set[str]) -> bool:
    """Whether its array has a weight of the same letter with another label, and no sum counts these
    labels."""
    one = side.weight, side.array
    labels = {other.label for other in sides if (other.weight, other.array) == one}
    return len(labels) > 1 and labels.isdisjoint(summed)
