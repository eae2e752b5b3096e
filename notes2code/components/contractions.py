"""Matching sums of products, whose summed indices may correspond in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from notes2code.components.pattern import Match
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Call,
    Cases,
    Concat,
    Expr,
    Fn,
    Index,
    Pow,
    Reduce,
    Ref,
    Softmax,
)

Ways: TypeAlias = Callable[[Expr, Expr, Match], Iterator[Match]]
"""The ways in which one expression of the formula is one of the note."""


def hardness(expr: Expr) -> int:
    """The order in which factors are tried: those that say most first."""
    if isinstance(expr, Softmax | Cases | Concat):
        return 0
    if isinstance(expr, Fn | Pow | Reduce | Add):
        return 1
    return 2 if isinstance(expr, Call) else 3


class Contraction:
    """The factors of a summed product."""

    def __init__(
        self, ways: Ways, settings: Set[str], mine: frozenset[Index], theirs: list[Index]
    ) -> None:
        self.ways = ways
        self.settings = settings
        self.mine = mine
        self.theirs = theirs

    def assigned(self, needed: Sequence[Expr], others: list[Expr], found: Match) -> Iterator[Match]:
        """Give each factor one of the others, choosing indices as they come up."""
        if not needed:
            if not others:
                yield found
            return
        mine, rest = needed[0], needed[1:]
        is_role = isinstance(mine, Ref) and mine.array not in self.settings
        starts = list(self._opened(mine, found))
        for at, theirs in enumerate(others):
            if is_role and not isinstance(theirs, Ref):
                continue
            for opened in starts:
                for way in self.ways(mine, theirs, opened):
                    yield from self.assigned(rest, others[:at] + others[at + 1 :], way)

    def _opened(self, factor: Expr, found: Match) -> Iterator[Match]:
        """The ways to choose the note's indices for the factor's summed ones not yet chosen."""
        unknown = sorted(
            (i for i in ir.free_indices(factor) if i in self.mine and i not in found.indices),
            key=lambda index: index.name,
        )
        free = [i for i in self.theirs if i not in found.indices.values()]
        yield from self._chosen(unknown, free, found)

    def _chosen(
        self, unknown: Sequence[Index], free: Sequence[Index], found: Match
    ) -> Iterator[Match]:
        if not unknown:
            yield found
            return
        for theirs in free:
            opened = replace(found, indices={**found.indices, unknown[0]: theirs})
            yield from self._chosen(unknown[1:], [f for f in free if f is not theirs], opened)
