"""What templates see of relative positions: which learned tables have a row for each distance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from notes2code.components.distances import CLIPPED, DISTANCE, PAIR, Relative, relative
from notes2code.components.recognise import Recognised
from notes2code.emit.graph import EmitError
from notes2code.meaning.ir import Num, Size


class Tables:
    """The tables of what depends on the distance of query and key.

    ``scores``, ``keys`` and ``values`` are the names of those for each, "" without one. A note that
    has a vector for each pair of positions, and does not say which, has the textbook's: by
    distance, clipped.
    """

    def __init__(
        self,
        recognised: Recognised,
        added: Relative | None = None,
        said: Mapping[str, float] | None = None,
    ) -> None:
        """``added`` is the table of numbers that an attention adds to its scores, ``said`` are the
        numbers that its section says."""
        self._said = said or {}
        found = [self._of(recognised, name) for name in ("scores", "keys", "values")]
        found[0] = found[0] or added
        given = [table for table in found if table is not None]
        self.scores, self.keys, self.values = (table.array if table else "" for table in found)
        self._first, last = given[0], given[-1]
        if (last.kind, last.backwards, last.bound) != self._described:
            raise EmitError("keys and values have rows for different distances")
        if self.keys and any(table.heads for table in given):
            raise EmitError("each head has a table of its own")
        if len(given) == 2 and self.keys == self.values:
            raise EmitError("keys and values have one table of distances")

    @staticmethod
    def _of(recognised: Recognised, name: str) -> Relative | None:
        value = recognised.settings.get(name)
        return None if value is None else relative(value)

    @property
    def _described(self) -> tuple[str, bool, Num | Size | None]:
        return self._first.kind, self._first.backwards, self._first.bound

    @property
    def is_pair(self) -> bool:
        """Whether the formula has a vector for each pair, of which it does not say more."""
        return self._first.kind == PAIR

    @property
    def is_endless(self) -> bool:
        """Whether each distance has a row of its own, and none is too far."""
        return self._first.kind == DISTANCE

    @property
    def for_heads(self) -> bool:
        """Whether the formula has a table for each head."""
        return self._first.heads

    @property
    def backwards(self) -> bool:
        """Whether rows count how far a key stands before the query, not behind it."""
        return self._first.backwards

    @cached_property
    def bound(self) -> str:
        """The formula's name for the largest distance, where it has one."""
        bound = self._first.bound
        return bound.name if isinstance(bound, Size) else ""

    @property
    def by_default(self) -> int | None:
        """The largest distance as the formula or its section says it."""
        said = self._said.get(self.bound, 0.0)
        return self.furthest or (int(said) if said.is_integer() and said > 0 else None)

    @property
    def in_tests(self) -> int:
        """The largest distance in tests of heads: what the formula says, or that of no sequence
        there."""
        return self.furthest or 7

    @cached_property
    def furthest(self) -> int | None:
        """The largest distance where the formula says it in figures."""
        bound = self._first.bound
        if self._first.kind != CLIPPED or not isinstance(bound, Num):
            return None
        if not isinstance(bound.value, int) or bound.value < 1:
            raise EmitError("the largest distance is no whole number")
        return bound.value
