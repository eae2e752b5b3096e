"""What other formulas of a section, or of a note, tell of the letters of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from notes2code.latex.tree import walk
from notes2code.meaning.inference import sizes
from notes2code.meaning.inference.lists import lists_of_vectors
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
from notes2code.meaning.overview.survey import Survey
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


def _sets() -> defaultdict[str, set[Any]]:
    return defaultdict(set)


@dataclass(slots=True)
class _Section:
    """What the formulas of a section tell of letters."""

    ends: set[str] = field(default_factory=set)
    begins: defaultdict[str, set[int]] = field(default_factory=_sets)
    targets_and_steps: set[str] = field(default_factory=set)
    amounts: set[str] = field(default_factory=set)
    axes: set[str] = field(default_factory=set)
    below: defaultdict[str, set[str]] = field(default_factory=_sets)
    above: defaultdict[str, set[str]] = field(default_factory=_sets)
    numbered: set[str] = field(default_factory=set)
    counting: set[str] = field(default_factory=set)
    counting_more: set[str] = field(default_factory=set)
    """Those that count more than weights."""
    summed: set[str] = field(default_factory=set)
    """Those that count more than left-hand sides."""
    constants: list[tuple[str, str]] = field(default_factory=list)
    drawn: set[str] = field(default_factory=set)
    real: set[str] = field(default_factory=set)
    elements: set[str] = field(default_factory=set)
    vectors: set[str] = field(default_factory=set)

    def hear(self, parsed: Parsed, seen: Survey) -> None:
        """Take in what one formula tells."""
        self._hear_kinds(parsed, seen)
        self._hear_ranges(parsed, seen)
        self._hear_labels(parsed, seen)

    def _hear_kinds(self, parsed: Parsed, seen: Survey) -> None:
        """What is a number, and what a vector."""
        self.constants.extend(label_letters.of_constants(parsed.stated))
        self.drawn.update(points.drawn(parsed.stated))
        self.real.update(label_letters.real(parsed.stated))
        self.elements.update(numbered(seen) - parsed.parameters)
        self.vectors.update(seen.bold, seen.transposed)

    def _hear_ranges(self, parsed: Parsed, seen: Survey) -> None:
        """Where letters begin and end, and how many of something there are."""
        self.ends.update(last_letters(seen))
        for letter, first in counting.ranged(seen):
            self.begins[letter].add(first)
        self.targets_and_steps.update(seen.targets, *seen.steps.values())
        self.amounts.update(ratios.divisors(seen.nodes), lengths(seen))
        self.amounts.update(roots.parts(seen.nodes) if "i" not in seen.bound else ())
        axes = (axis for shape in parsed.shapes.values() for axis in shape.axes)
        self.axes.update(map(str, axes))

    def _hear_labels(self, parsed: Parsed, seen: Survey) -> None:
        """What tells things apart, and what counts."""
        for base, labels in label_letters.below(seen.nodes).items():
            self.below[base].update(labels)
        clauses = () if parsed.tree is None else parsed.tree.clauses
        nodes = (node for clause in clauses for node in walk(clause.node))
        for base, letters in label_letters.above_each(nodes).items():
            self.above[base].update(letters)
        self.numbered.update(label_letters.numbered(clauses))
        indices = label_letters.counting(seen)
        self.counting.update(indices)
        self.summed.update(indices - seen.targets)
        self.counting_more.update(indices - role_letters.on_weights_alone(seen))


@dataclass(slots=True)
class _Note:
    """What the formulas of a note tell of letters."""

    planes: defaultdict[str, set[int]] = field(default_factory=_sets)
    mapped: set[str] = field(default_factory=set)
    sized: set[str] = field(default_factory=set)
    real: set[str] = field(default_factory=set)

    def hear(self, parsed: Parsed, seen: Survey) -> None:
        """Take in what one formula tells."""
        for letter, first in counting.ranged(seen):
            if letter.startswith("2"):
                self.planes[letter].add(first)
        self.real.update(label_letters.real(parsed.stated))
        self.sized.update(sizes.defined(parsed.stated))
        self.mapped.update(lists_of_vectors.mapped(seen.nodes))


class Letters:
    """The letters of all formulas that can be read, by their sections and notes."""

    def __init__(self, formulas: Mapping[Entry, Parsed]) -> None:
        self._sections: defaultdict[_Place, _Section] = defaultdict(_Section)
        self._notes: defaultdict[str, _Note] = defaultdict(_Note)
        for entry, parsed in formulas.items():
            if parsed.seen is not None:
                self._section(entry).hear(parsed, parsed.seen)
                self._notes[entry.note].hear(parsed, parsed.seen)

    def _section(self, entry: Entry) -> _Section:
        return self._sections[entry.note, entry.section]

    def lasts(self, entry: Entry) -> frozenset[str]:
        """The letters that end ranges and lists in the section, and count in none of what its
        formulas define: the t of ``o_t = Σ_{i=1}^t …`` is any."""
        section = self._section(entry)
        return frozenset(section.ends - section.targets_and_steps)

    def begins(self, entry: Entry) -> dict[str, int]:
        """The numbers that letters count from in the section, where its ranges agree: the 1 of
        ``i = 1, \\dots, n``. Of planes, ``i = 1, \\dots, d/2``, another section may tell."""
        found = {**self._notes[entry.note].planes, **self._section(entry).begins}
        return {
            letter: first
            for letter, firsts in found.items()
            for first in firsts
            if len(firsts) == 1
        }

    def labels(self, entry: Entry) -> dict[str, set[str]]:
        """The letters below each name that tell things apart in the section: the t and the i of
        ``Q = H_t W_Q`` beside ``K = H_i W_K``; and the r of a ``σ_r = 1.5``."""
        section = self._section(entry)
        found = label_letters.told_apart(section.below, section.counting)
        found |= gate_letters.gates(section.below, section.counting_more)
        for base, letter in section.constants:
            if letter not in section.counting:
                found.setdefault(base, set()).add(letter)
        return found

    def above(self, entry: Entry) -> dict[str, set[str]]:
        """What tells things apart in the section above each name: the f, the i and the o of gates,
        and numbers."""
        section = self._section(entry)
        numbered = {base: set[str]() for base in section.numbered}
        return numbered | gate_letters.gates(section.above, section.counting_more)

    def drawn(self, entry: Entry) -> frozenset[str]:
        """The letters of noise that the section draws from a distribution of vectors."""
        return frozenset(self._section(entry).drawn)

    def real(self, entry: Entry) -> frozenset[str]:
        """The letters that the section says to be real numbers; or another section of the note,
        where no sum of this one runs over them, and no step goes from one to the next."""
        section = self._section(entry)
        return frozenset(section.real | self._notes[entry.note].real - section.summed)

    def elements(self, entry: Entry) -> frozenset[str]:
        """The names whose elements are numbers in a formula of the section: the x of ``Σ_j
        \\exp(x_j - m)``, but not that of ``f(x_i) = …``, which is any."""
        section = self._section(entry)
        return frozenset(section.elements - section.vectors)

    def amounts(self, entry: Entry) -> frozenset[str]:
        """The letters that something is divided by in the section, the ``T_x`` up to which its sums
        go, and the parts of complex numbers, ``x + iy``."""
        return frozenset(self._section(entry).amounts)

    def axes(self, entry: Entry) -> frozenset[str]:
        """What arrays of the section are declared to have so many of: the N of
        ``W ∈ ℝ^{d × N}``."""
        return frozenset(self._section(entry).axes)

    def sized(self, entry: Entry) -> frozenset[str]:
        """The sizes that formulas of the note say something of."""
        return frozenset(self._notes[entry.note].sized)

    def mapped(self, entry: Entry) -> frozenset[str]:
        """The letters of the note that weights stand behind, ``X W``."""
        return frozenset(self._notes[entry.note].mapped)
