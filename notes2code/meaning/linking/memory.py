"""What was found out before about formulas: what each says by itself, and means in a scope.

Nothing else decides either, so what is asked again is found once: by the formulas that use another,
and by the next build of a vault that is watched.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, TypeVar

from notes2code.latex.macros import Macro
from notes2code.meaning.linking.entries import Parsed, read_entry
from notes2code.meaning.scope import Scope
from notes2code.meaning.typed import Read, Typed, type_formula, type_tree

Meanings: TypeAlias = list[tuple[Read | None, Scope, Typed]]

Found = TypeVar("Found")


class Memory:
    """Keeps what is asked; what a whole build did not ask again is forgotten by ``begin``."""

    def __init__(self) -> None:
        self._parsed: dict[Hashable, Parsed] = {}
        self._meanings: dict[str, Meanings] = {}
        self._found: dict[Hashable, tuple[tuple[object, ...], Any]] = {}
        self._former = self._parsed, self._meanings, self._found

    def begin(self) -> None:
        """Begin a build: what was asked before the last one is forgotten."""
        self._former = self._parsed, self._meanings, self._found
        self._parsed, self._meanings, self._found = {}, {}, {}

    def parsed(
        self,
        latex: str,
        words: frozenset[str],
        macros: Mapping[str, Macro],
        apart: frozenset[str],
        places: frozenset[str],
    ) -> Parsed:
        """What a formula says by itself, as ``read_entry`` finds it."""
        key = latex, words, frozenset(macros.items()), apart, places
        found = self._parsed.get(key) or self._former[0].get(key)
        if found is None:
            found = read_entry(latex, words, macros, apart, places)
        return self._parsed.setdefault(key, found)

    def meaning(self, latex: str, scope: Scope, parsed: Parsed | None = None) -> Typed:
        """What a formula means in a scope, parsed or not."""
        read = None if parsed is None else parsed.read
        mine = self._meanings.setdefault(latex, [])
        for meanings in (mine, self._former[1].get(latex, ())):
            for from_what, its_scope, typed in meanings:
                if from_what is read and its_scope == scope:
                    if meanings is not mine:
                        mine.append((read, its_scope, typed))
                    return typed
        if parsed is None or parsed.tree is None:
            typed = type_formula(latex, scope)
        else:
            typed = type_tree(latex, parsed.tree, scope, parsed.read)
        mine.append((read, scope, typed))
        return typed

    def once(self, what: Hashable, about: tuple[object, ...], find: Callable[[], Found]) -> Found:
        """What is found out about some objects that nobody changes: these very objects, which are
        kept with it, since what this memory gives is the same object each time."""
        key = what, *map(id, about)
        known = self._found.get(key) or self._former[2].get(key) or (about, find())
        found: Found = self._found.setdefault(key, known)[1]
        return found
