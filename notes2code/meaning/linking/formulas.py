"""The formulas of a vault as each says by itself what it defines, and which is nearest to which.

A name means what the nearest formula says: in the same section, then in the same note, then in
the vault.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from notes2code.latex import differences_of, differentials_of, in_two_fonts
from notes2code.latex.macros import written_out
from notes2code.meaning import names
from notes2code.meaning.linking.abbreviations import abbreviations_of
from notes2code.meaning.linking.entries import (
    Entry,
    Indexed,
    Parsed,
    declared_letters,
    length,
    letters_on,
    macros_of,
    with_indices,
    words_of,
)
from notes2code.meaning.linking.memory import Memory
from notes2code.meaning.linking.near_letters import Letters, places_of
from notes2code.meaning.notation import functions, positions
from notes2code.meaning.overview import unwritten
from notes2code.meaning.scope import Scope


class Formulas:
    """The formulas of a vault, and what they define, by nearness."""

    def __init__(self, entries: Sequence[Entry], field_scope: Scope, memory: Memory) -> None:
        """``field_scope`` is what everybody knows, ``memory`` what was read before."""
        self._memory = memory
        self.entries = sorted(entries, key=lambda e: (e.note, e.order))
        self._vault_words = field_scope.words | words_of(self.entries)
        short = abbreviations_of(self.entries)
        self._own_words = {
            note: short[note] | differences_of(own) | differentials_of(own) | declared_letters(own)
            for note, own in self._notes()
        }
        self.macros = {**field_scope.macros, **macros_of(self.entries)}
        self.apart = self._apart()
        self.parsed = {entry: self._read(entry) for entry in self.entries}
        self.places = places_of(self.parsed)
        for entry in self.entries:
            if places := self.places.get((entry.note, entry.section)):
                self.parsed[entry] = self._read(entry, places)
        self._table = self._by_what_they_define()
        self._declared: dict[str, dict[str, None]] = {}
        for entry, parsed in self.parsed.items():
            self._declared.setdefault(entry.note, {}).update(dict.fromkeys(parsed.shapes))
        self.unwritten = self._unwritten()
        for entry, known in self.unwritten.items():
            if known:
                self.parsed[entry] = with_indices(self.parsed[entry], known)
        self.states: dict[str, set[str]] = {}
        """What the formulas of each note make step by step."""
        for entry, parsed in self.parsed.items():
            self.states.setdefault(entry.note, set()).update(parsed.states)
        self._applied = {
            (entry.note, entry.section, name)
            for entry, parsed in self.parsed.items()
            for name in parsed.applied
        }
        self.letters = Letters(self.parsed)
        self.strange: set[Entry] = set()
        """Those that define something else than what the field calls so: other notes mean that."""

    def words(self, note: str) -> frozenset[str]:
        """The words of the notes, and the differences, the differentials and the short names that
        one of them defines; the capitals of its arrays."""
        return self._vault_words | self._own_words[note]

    def written_out(self, latex: str) -> str:
        """A formula's text with what the macros of the notes stand for."""
        return written_out(latex, self.macros)

    def _apart(self) -> dict[str, frozenset[str]]:
        """The letters that each note has in two fonts."""
        words, macros = self._vault_words, self.macros
        return {note: in_two_fonts(own, words, macros) for note, own in self._notes()}

    def _notes(self) -> Iterator[tuple[str, list[str]]]:
        """The notes with their formulas."""
        for note, entries in groupby(self.entries, key=lambda e: e.note):
            yield note, [entry.latex for entry in entries]

    def _read(self, entry: Entry, places: frozenset[str] = frozenset()) -> Parsed:
        """What a formula says by itself."""
        words, apart = self.words(entry.note), self.apart[entry.note]
        return self._memory.parsed(entry.latex, words, self.macros, apart, places)

    def _by_what_they_define(self) -> dict[tuple[str, str], dict[str, list[Entry]]]:
        """The entries of each note that define a name, by what they define."""
        table: dict[tuple[str, str], dict[str, list[Entry]]] = {}
        for entry, parsed in self.parsed.items():
            kinds = {
                "arrays": parsed.arrays,
                "constants": parsed.constants,
                "functions": parsed.functions,
                "shapes": parsed.shapes,
                "halves": {name for name, _ in parsed.halves},
                "cases": parsed.cases,
            }
            for kind, defined in kinds.items():
                for name in defined:
                    if kind != "functions" or not self._is_solved(entry, name):
                        of_notes = table.setdefault((kind, name), {})
                        of_notes.setdefault(entry.note, []).append(entry)
        return table

    def _is_solved(self, entry: Entry, function: str) -> bool:
        """Whether a definition is another of its note, solved for the function, as ``F(x) = y - x``
        is beside ``y = F(x) + x``. A state, h_t, is made of the one before it."""
        mine = self.parsed[entry]
        written = {} if mine.seen is None else mine.seen.written
        named = {name for name in mine.mentioned - mine.parameters if written.get(name) == {0}}
        return any(
            function in other.called and named & other.arrays and mine.parameters <= other.mentioned
            for other in map(self.parsed.__getitem__, self.in_note(entry))
        )

    def _unwritten(self) -> dict[Entry, dict[str, tuple[str, ...]]]:
        """The letters of the indices that the names in each formula have without writing them, as
        the nearest formula of its note defines them; of what it defines itself, where another uses
        it so."""
        read = [(entry, p.stated, p.seen) for entry, p in self.parsed.items() if p.seen is not None]
        near = {entry: self._plainly_defined(entry) for entry, _, _ in read}
        known: dict[Entry, dict[str, tuple[str, ...]]] = {}
        made: dict[Entry, dict[str, tuple[str, ...]]] = {}
        for _ in range(2):  # what is defined behind a formula is known the second time
            for entry, stated, seen in read:
                known[entry] = {
                    name: made[other][own]
                    for name, other in near[entry].items()
                    if (own := unwritten.key(name, made.get(other, {})))
                }
                made[entry] = unwritten.found(stated, seen, known[entry])
        for _ in range(2):
            for entry, stated, seen in reversed(read):
                mine = made[entry].keys() & known[entry].keys()
                for name in unwritten.used(stated, seen, {**made[entry], **known[entry]}, mine):
                    if (other := near[entry].get(name)) is not None:
                        own = unwritten.key(name, made[other])
                        known[other][own] = made[other][own]
        return known

    def _plainly_defined(self, entry: Entry) -> dict[str, Entry]:
        """The formulas of the note that define what one names, squares among it, and what is
        declared nowhere: that has what is said."""
        mine = self.parsed[entry]
        named = {name.removesuffix("_squared") for name in mine.mentioned}
        named |= {f"{name}_squared" for name in named}
        named -= mine.arrays | self._declared[entry.note].keys()
        near = self.nearest(entry, sorted(named), "arrays", within=1)
        return {name: others[0] for name, others in near.items()}

    def distance(self, entry: Entry, other: Entry) -> tuple[int, int, int]:
        """How far another formula is: by vault, note and section, then by place; what stands
        before counts as nearer than what stands behind."""
        if other.note != entry.note:
            return (2, 0, 0)
        shared = 0
        for mine, theirs in zip(entry.section, other.section, strict=False):
            if mine != theirs:
                break
            shared += 1
        apart = len(entry.section) + len(other.section) - 2 * shared
        behind = int(other.order > entry.order)
        return (0 if apart == 0 else 1, behind * 1000 + apart, abs(other.order - entry.order))

    def are_beside(self, entry: Entry, other: Entry) -> bool:
        """Whether two formulas stand in the same section."""
        return self.distance(entry, other)[0] == 0

    def behind(self, entry: Entry) -> Iterator[Entry]:
        """The formulas behind another in its section, in order."""
        at = bisect_right(self.entries, (entry.note, entry.order), key=lambda e: (e.note, e.order))
        for other in self.entries[at:]:
            if (other.note, other.section) != (entry.note, entry.section):
                return
            yield other

    def in_note(self, entry: Entry) -> Iterator[Entry]:
        """The other formulas of its note, in order."""
        at = bisect_left(self.entries, entry.note, key=lambda e: e.note)
        for other in self.entries[at:]:
            if other.note != entry.note:
                return
            if other is not entry:
                yield other

    def beside(self, entry: Entry) -> Iterator[Entry]:
        """The other formulas of its section, in order."""
        return (other for other in self.in_note(entry) if other.section == entry.section)

    def nearest(
        self, entry: Entry, names: Iterable[str], kind: str, within: int
    ) -> dict[str, list[Entry]]:
        """For each name, the entries that define it, nearest first. ``kind`` is what they define:
        ``arrays``, ``constants``, ``functions``, ``shapes``, ``halves`` or ``cases``."""
        found = {name: self.defining(entry, name, kind, within) for name in names}
        return {name: others for name, others in found.items() if others}

    def declaring(self, entry: Entry) -> dict[str, list[Entry]]:
        """The formulas of the note that declare shapes, nearest first, by what they declare."""
        return self.nearest(entry, self._declared.get(entry.note, ()), "shapes", within=1)

    def defining(self, entry: Entry, name: str, kind: str, within: int) -> list[Entry]:
        """The entries that define a name, rejected ones among them, nearest first."""
        if kind == "functions" and names.is_any_function(name) and not self.lent(entry, name):
            within = min(within, 1)  # f and p are others in each note
        if kind == "functions":
            name = self.kind_of_network(entry, name) or name
        of_notes = self._table.get((kind, name), {})
        every = of_notes.get(entry.note, ()) if within < 2 else chain(*of_notes.values())
        near = [
            (distance, other)
            for other in every
            if other is not entry
            and (distance := self.distance(entry, other))[0] <= within
            and (distance[0] < 2 or self._holds_afar(entry, name, other))
        ]
        near.sort(key=lambda pair: pair[0])
        found = [other for _, other in near]
        here = [other for distance, other in near if distance[0] == 0]
        if here and len(near) > 1:
            twins = {other for other in here if self._is_of_twin(entry, name, other, here)}
            found.sort(key=twins.__contains__)
        if near and near[0][0][0] == 2:  # of other notes, what most of them say, and shortest
            said = {other: self.parsed[other].said.get(name) for other in found}
            often = Counter(said.values())
            found.sort(
                key=lambda other: (-often[said[other]], length(said[other])),
            )
        return found

    def lent(self, entry: Entry, name: str) -> Entry | None:
        """What another note defines by a letter, and that note alone, as a function of so much that
        the same is meant here: the ``A(Q, K, V)`` that heads call, and no f of x."""
        of_notes = self._table.get(("functions", name), {})
        given = self.parsed[entry].given.get(name, {0})
        if len(of_notes) != 1 or min(given) < 3 or not names.is_any_function(name):
            return None
        ((note, others),) = of_notes.items()
        here = note == entry.note or entry.note in self._table.get(("arrays", name), {})
        return (
            None
            if here or {self.parsed[one].arity.get(name) for one in others} != given
            else others[0]
        )

    def kind_of_network(self, entry: Entry, name: str) -> str:
        """The ``FFN_{SwiGLU}`` of a note that calls an ``FFN``, where it defines one kind of them
        and no note says what an FFN is: a layer has one network. "" where that is not so."""
        if name.lower() not in names.FEED_FORWARD or ("functions", name) in self._table:
            return ""
        kinds = [
            other
            for (kind, other), of_notes in self._table.items()
            if kind == "functions"
            and entry.note in of_notes
            and other.startswith(f"{name}_")
            and len(other.removeprefix(f"{name}_")) > 2  # the 1 of FFN_1 is a number
        ]
        return kinds[0] if len(kinds) == 1 else ""

    def _is_of_twin(self, entry: Entry, name: str, other: Entry, here: Sequence[Entry]) -> bool:
        """Whether a definition before a formula is that of another formula which defines the same
        as this one and stands before what it names, as does this: the first H of ``G = f(H), H =
        X; G = f(H), H = Y``. ``here`` are the definitions in its section."""
        if other.order > entry.order or all(one.order < entry.order for one in here):
            return False
        mine = self.parsed[entry].arrays | self.parsed[entry].functions
        first = min(one.order for one in here)
        return any(
            twin.order < first
            and name in theirs.mentioned
            and mine & {*theirs.arrays, *theirs.functions}
            for twin in self.beside(entry)
            if (theirs := self.parsed[twin])
        )

    def _holds_afar(self, entry: Entry, name: str, other: Entry) -> bool:
        """Whether another note's function can be the one that a formula calls: a softmax or a
        GELU means elsewhere what it always does, whatever a note adds to it, and a LayerNorm that
        is none holds in its own note only. What joins heads, ``MultiHead(Q, K, V)``, a layer may
        give one sequence, ``MultiHead(x)``."""
        if other in self.strange:
            return False
        takes, given = self.parsed[other].arity.get(name), self.parsed[entry].given.get(name)
        heads = self.parsed[other].listed and (takes, given) == (3, {1})
        if takes is not None and given is not None and takes not in given and not heads:
            return False
        return not functions.is_known(name)

    def functions_defined(self) -> list[tuple[str, Entry]]:
        """The functions with the formulas that define them; first those that call the fewest
        others."""
        found = [
            (name, entry)
            for (kind, name), of_notes in self._table.items()
            for entry in chain(*of_notes.values())
            if kind == "functions"
        ]
        return sorted(found, key=lambda pair: len(self.called(pair[1])))

    def called(self, entry: Entry) -> set[str]:
        """The functions that a formula calls and does not define."""
        return self.parsed[entry].called - self.parsed[entry].functions

    def callees(self, entry: Entry) -> frozenset[str]:
        """What a formula calls, and a formula of its section gives one small letter, or nothing."""
        place = entry.note, entry.section
        return frozenset(n for n in self.parsed[entry].called if (*place, n) in self._applied)

    def indexed(self, entry: Entry, other: Entry, name: str) -> Indexed | None:
        """The indices that a definition gives a name, as a formula uses it: those that are not
        written do not count where the formula has them not at hand."""
        mine, theirs = self.parsed[entry].seen, self.parsed[other]
        whole = mine is not None and mine.written.get(name) == {0}
        return (theirs.unindexed if whole else {}).get(name) or theirs.indexed.get(name)

    def same_indices(self, entry: Entry, arrays: Iterable[str]) -> dict[str, Entry]:
        """For each of some arrays the formula of the note that defines it, where it has as many
        indices there as in this formula; in another section they must be the same letters. The
        h_l of a layer is no h_t of a step."""
        mine = self.parsed[entry]
        assert mine.seen is not None and mine.tree is not None
        found: dict[str, Entry] = {}
        for name, others in self.nearest(entry, sorted(arrays), "arrays", within=1).items():
            indexed = self.indexed(entry, others[0], name)
            if name in self.parsed[others[0]].updates:
                continue
            written = mine.seen.written.get(name, {1} if name in mine.listed else None)
            if indexed is None or written != {indexed.written}:
                continue
            near = self.distance(entry, others[0])[0] == 0
            letters = letters_on(name, mine.tree, mine.seen)
            near = near and _is_of_layers(letters) == _is_of_layers(indexed.every)
            if near or letters == indexed.every:
                found[name] = others[0]
        return found


def _is_of_layers(letters: frozenset[str]) -> bool:
    return not positions.LAYERS.isdisjoint(letters)
