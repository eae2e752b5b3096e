"""What other formulas of a section, or of a note, tell of the letters of one."""

from __future__ import annotations

from collections.abc import Mapping

from notes2code.latex.tree import walk
from notes2code.meaning.inference import lists_of_vectors, sizes
from notes2code.meaning.linking.entries import Entry, Parsed
from notes2code.meaning.names import INDEX_LETTERS
from notes2code.meaning.notation import roots
from notes2code.meaning.overview import (
    counting,
    gate_letters,
    label_letters,
    points,
    ratios,
    role_letters,
)
from notes2code.meaning.overview.elements import numbered
from notes2code.meaning.overview.index_letters import last_letters, lengths
from notes2code.meaning.overview.target_letters import neighbours

_Place = tuple[str, tuple[str, ...]]
"""A note and a section of it."""


def places_of(formulas: Mapping[Entry, Parsed]) -> dict[_Place, frozenset[str]]:
    """The letters that are places in all formulas of a section: those of the nodes of a graph, the
    v of ``Σ_{u ∈ N(v)}``, and those that it counts, by ``h = 1, \\dots, H`` or in a list ``[A_1
    V_1, \\dots, A_H V_H]``."""
    found: dict[_Place, frozenset[str]] = {}
    for entry, parsed in formulas.items():
        if parsed.seen is None:
            continue
        ends = {end.lower() for end in parsed.seen.ends if end.isupper()}
        counted = parsed.seen.ranges.keys() | ends - parsed.seen.ends
        if own := neighbours(parsed.seen.nodes) | counted - INDEX_LETTERS:
            place = entry.note, entry.section
            found[place] = found.get(place, frozenset()).union(own)
    return found


class Letters:
    """The letters of all formulas that can be read, by their sections and notes."""

    def __init__(self, formulas: Mapping[Entry, Parsed]) -> None:
        self._ends: dict[_Place, set[str]] = {}
        self._begins: dict[_Place, dict[str, set[int]]] = {}
        self._of_planes: dict[str, dict[str, set[int]]] = {}
        self._counts: dict[_Place, set[str]] = {}
        self._amounts: dict[_Place, set[str]] = {}
        self._axes: dict[_Place, set[str]] = {}
        self._mapped: dict[str, set[str]] = {}
        self._sized: dict[str, set[str]] = {}
        self._below: dict[_Place, dict[str, set[str]]] = {}
        self._above: dict[_Place, dict[str, set[str]]] = {}
        self._numbered: dict[_Place, set[str]] = {}
        self._counting: dict[_Place, set[str]] = {}
        self._counting_more: dict[_Place, set[str]] = {}
        """Those that count more than weights."""
        self._summed: dict[_Place, set[str]] = {}
        """Those that count more than left-hand sides."""
        self._numbers: dict[_Place, list[tuple[str, str]]] = {}
        self._drawn: dict[_Place, set[str]] = {}
        self._real: dict[_Place, set[str]] = {}
        self._real_in_note: dict[str, set[str]] = {}
        self._elements: dict[_Place, set[str]] = {}
        self._vectors: dict[_Place, set[str]] = {}
        for entry, parsed in formulas.items():
            seen, place = parsed.seen, (entry.note, entry.section)
            if seen is None:
                continue
            self._numbers.setdefault(place, []).extend(label_letters.of_constants(parsed.stated))
            self._drawn.setdefault(place, set()).update(points.drawn(parsed.stated))
            real = label_letters.real(parsed.stated)
            self._real.setdefault(place, set()).update(real)
            self._real_in_note.setdefault(entry.note, set()).update(real)
            self._elements.setdefault(place, set()).update(numbered(seen) - parsed.parameters)
            self._vectors.setdefault(place, set()).update(seen.bold, seen.transposed)
            self._ends.setdefault(place, set()).update(last_letters(seen))
            begins = self._begins.setdefault(place, {})
            for letter, first in counting.ranged(seen):
                begins.setdefault(letter, set()).add(first)
                if letter.startswith("2"):
                    planes = self._of_planes.setdefault(entry.note, {})
                    planes.setdefault(letter, set()).add(first)
            self._counts.setdefault(place, set()).update(seen.targets, *seen.steps.values())
            amounts = self._amounts.setdefault(place, set())
            amounts.update(ratios.divisors(seen.nodes), lengths(seen))
            amounts.update(roots.parts(seen.nodes) if "i" not in seen.bound else ())
            axes = (axis for shape in parsed.shapes.values() for axis in shape.axes)
            self._axes.setdefault(place, set()).update(map(str, axes))
            below = self._below.setdefault(place, {})
            for base, labels in label_letters.below(seen.nodes).items():
                below.setdefault(base, set()).update(labels)
            above = self._above.setdefault(place, {})
            clauses = () if parsed.tree is None else parsed.tree.clauses
            nodes = (node for clause in clauses for node in walk(clause.node))
            for base, letters in label_letters.above_each(nodes).items():
                above.setdefault(base, set()).update(letters)
            self._numbered.setdefault(place, set()).update(label_letters.numbered(clauses))
            indices = label_letters.counting(seen)
            self._counting.setdefault(place, set()).update(indices)
            self._summed.setdefault(place, set()).update(indices - seen.targets)
            indices -= role_letters.on_weights_alone(seen)
            self._counting_more.setdefault(place, set()).update(indices)
            self._sized.setdefault(entry.note, set()).update(sizes.defined(parsed.stated))
            self._mapped.setdefault(entry.note, set()).update(lists_of_vectors.mapped(seen.nodes))

    def lasts(self, entry: Entry) -> frozenset[str]:
        """The letters that end ranges and lists in the section, and count in none of what its
        formulas define: the t of ``o_t = Σ_{i=1}^t …`` is any."""
        place = entry.note, entry.section
        return frozenset(self._ends.get(place, set()) - self._counts.get(place, set()))

    def begins(self, entry: Entry) -> dict[str, int]:
        """The numbers that letters count from in the section, where its ranges agree: the 1 of
        ``i = 1, \\dots, n``. Of planes, ``i = 1, \\dots, d/2``, another section may tell."""
        found = self._of_planes.get(entry.note, {})
        found = found | self._begins.get((entry.note, entry.section), {})
        return {
            letter: first
            for letter, firsts in found.items()
            for first in firsts
            if len(firsts) == 1
        }

    def labels(self, entry: Entry) -> dict[str, set[str]]:
        """The letters below each name that tell things apart in the section: the t and the i of
        ``Q = H_t W_Q`` beside ``K = H_i W_K``; and the r of a ``σ_r = 1.5``."""
        place = entry.note, entry.section
        counting, below = self._counting.get(place, set()), self._below.get(place, {})
        found = label_letters.told_apart(below, counting)
        found |= gate_letters.gates(below, self._counting_more.get(place, set()))
        for base, letter in self._numbers.get(place, ()):
            if letter not in counting:
                found.setdefault(base, set()).add(letter)
        return found

    def above(self, entry: Entry) -> dict[str, set[str]]:
        """What tells things apart in the section above each name: the f, the i and the o of gates,
        and numbers."""
        place = entry.note, entry.section
        numbered = {base: set[str]() for base in self._numbered.get(place, ())}
        more = self._counting_more.get(place, set())
        return numbered | gate_letters.gates(self._above.get(place, {}), more)

    def drawn(self, entry: Entry) -> frozenset[str]:
        """The letters of noise that the section draws from a distribution of vectors."""
        return frozenset(self._drawn.get((entry.note, entry.section), ()))

    def real(self, entry: Entry) -> frozenset[str]:
        """The letters that the section says to be real numbers; or another section of the note,
        where no sum of this one runs over them, and no step goes from one to the next."""
        place = entry.note, entry.section
        elsewhere = self._real_in_note.get(entry.note, set()) - self._summed.get(place, set())
        return frozenset(self._real.get(place, set()) | elsewhere)

    def elements(self, entry: Entry) -> frozenset[str]:
        """The names whose elements are numbers in a formula of the section: the x of ``Σ_j
        \\exp(x_j - m)``, but not that of ``f(x_i) = …``, which is any."""
        place = entry.note, entry.section
        return frozenset(self._elements.get(place, set()) - self._vectors.get(place, set()))

    def amounts(self, entry: Entry) -> frozenset[str]:
        """The letters that something is divided by in the section, the ``T_x`` up to which its sums
        go, and the parts of complex numbers, ``x + iy``."""
        return frozenset(self._amounts.get((entry.note, entry.section), ()))

    def axes(self, entry: Entry) -> frozenset[str]:
        """What arrays of the section are declared to have so many of: the N of
        ``W ∈ ℝ^{d × N}``."""
        return frozenset(self._axes.get((entry.note, entry.section), ()))

    def sized(self, entry: Entry) -> frozenset[str]:
        """The sizes that formulas of the note say something of."""
        return frozenset(self._sized.get(entry.note, ()))

    def mapped(self, entry: Entry) -> frozenset[str]:
        """The letters of the note that weights stand behind, ``X W``."""
        return frozenset(self._mapped.get(entry.note, ()))
