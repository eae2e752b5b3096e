"""What templates see of the numbers that a part is made with for what it is built from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from notes2code.components.parts import ADDED
from notes2code.emit.graph import EmitError
from notes2code.emit.mask import WINDOW

if TYPE_CHECKING:
    from notes2code.emit.relative import Tables
    from notes2code.emit.view import View


class HandedOn:
    """The numbers that a layer, a stack or a model hands on: those of its attention, such as a
    temperature or the groups of its heads, beside the sizes that each has; and those of a model
    itself, such as what its logits are capped at."""

    def __init__(self, view: View) -> None:
        self.view = view

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names, of an attention those that it is made with."""
        view = self.view
        if view.family == "attention":
            if not view.projected.several:
                return view.numbers
            shares = (view.groups,) if view.projected.grouped else ()
            tables = ("max_len",) if view.rotary is not None else ()
            reach = ("max_distance",) if self._tables is not None else ()
            return (*shares, *view.projected.numbers, *reach, *tables)
        for part in view.uses.values():
            self._refuse_sizes(part)
        used = (part.handed_on.names for part in view.uses.values())
        names = dict.fromkeys(name for names in (*used, self._own) for name in names)
        return tuple(name for name in names if name != "d_model")

    @property
    def _tables(self) -> Tables | None:
        """The numbers for each distance that an attention adds to the scores of its heads."""
        added = self.view.uses.get(ADDED)
        return added.tables if added is not None and added.has_tables else None

    @property
    def _distances(self) -> dict[str, str]:
        """How many distances are told apart in tests, where they are."""
        if self._tables is not None:
            return {"max_distance": str(self._tables.in_tests)}
        used = (part.handed_on._distances for part in self.view.uses.values())
        return next(filter(None, used), {})

    @property
    def _own(self) -> tuple[str, ...]:
        """The numbers of a model itself."""
        return self.view.numbers if self.view.family == "models" else ()

    @staticmethod
    def _refuse_sizes(part: View) -> None:
        """Raises ``EmitError`` where an attention is computed with a size that no model has."""
        if part.family == "attention":
            what = part.projected.inner or part
            for size in sorted(what.asked_for - {"d_model"}):
                raise EmitError(
                    f"its attention is computed with {size}, a size that nothing in the notes ties "
                    "to those of a model"
                )

    @property
    def counts(self) -> frozenset[str]:
        """Those that count something, and have no default: groups of heads, and how far away a key
        can be and still be told from those behind it."""
        own = {self.view.groups} & {*self.names}
        if self._tables is not None and not self._tables.by_default:
            own.add("max_distance")
        used = (part.handed_on.counts for part in self.view.uses.values())
        return frozenset(own.union(*used))

    @property
    def widths(self) -> frozenset[str]:
        """Those that count positions: the widths of windows."""
        view = self.view
        if view.family == "attention":
            return ((view.projected.several and view.projected.inner) or view).widths
        return frozenset().union(*(part.handed_on.widths for part in view.uses.values()))

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of the numbers, and what they are by default: as the attention has them."""
        view = self.view
        if view.family != "attention":
            used = (part.handed_on.types for part in view.uses.values())
            types = {name: text for types in used for name, text in types.items()}
            for name in self._own:
                if types.setdefault(name, view.number_type(name)) != view.number_type(name):
                    raise EmitError(f"{name} is another number in it than in what it is built from")
            return types
        made = (view.projected.several and view.projected.inner) or view
        types = {name: made.number_type(name) for name in made.numbers}
        if self._tables is not None and self._tables.by_default:
            types["max_distance"] = f"int = {self._tables.by_default}"
        return types

    def arguments(self, owner: str = "") -> str:
        """They as further arguments of a call; ``owner`` is the text of what has them."""
        return "".join(f", {name}={owner}{name}" for name in self.names)

    @property
    def parameters(self) -> list[str]:
        """They as parameters of a constructor; a model has a ``max_len`` of its own, and counts by
        default what the notes count."""
        whole = self.view.family == "models"
        said = self.view.sizes if whole else {"max_len": 5000}
        counts = {*self.counts} if whole else {*self.counts, "max_len"}
        types = {name: f"int = {said[name]}" if name in said else "int" for name in counts}
        types |= self.types
        return [f"{name}: {types[name]}" for name in self.names if name in types]

    def in_tests(self, heads: int = 2) -> list[str]:
        """They as further arguments in tests with so many heads."""
        numbered = enumerate(name for name in self.names if name != "max_len")
        values = {name: f"{1.7 + 0.8 * at:.1f}" for at, name in numbered}
        values |= dict.fromkeys(self.widths, WINDOW) | dict.fromkeys(self.counts, str(heads))
        values |= self._distances
        return [f"{name}={values[name]}" for name in self.names if name in values]

    @property
    def counts_in_tests(self) -> list[str]:
        """Those that count, as further arguments in tests with two heads or more."""
        values = dict.fromkeys(self.counts, "1") | self._distances
        return [f"{name}={values[name]}" for name in self.names if name in self.counts]
