"""The parts of a package: classes and functions, what each is built from, where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from notes2code.components.compiled import Compiled
from notes2code.components.library import Component
from notes2code.components.recognise import Recognised

ADDED = "Added"
"""The role of what an attention adds to the scores of its heads."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a part comes from: the note, the line, and the formula, "" where it is only named; the
    numbers that the formulas of its section say, such as ``c = 50``; and the lines in which its
    note ties the way out of a model to its embeddings, puts a norm before it, gives it a matrix of
    its own, and says that positions are learned and embeddings multiplied by a root, 0 for none."""

    note: str
    line: int
    latex: str
    title: str = ""
    numbers: tuple[tuple[str, float], ...] = ()
    tied: int = 0
    normed: int = 0
    untied: int = 0
    learned: int = 0
    scaled: int = 0


@dataclass(frozen=True, eq=False)
class Part:
    """A class or function of the package.

    ``recognised`` is the formula it computes: the note's, or the textbook's where the notes only
    mention the component. ``pieces`` are formulas of the notes that state a piece of it.
    ``uses`` gives the parts it is built from, by role or by component, and ``spelt`` the formulas
    of the notes that it calls there, which may be others than the parts are made from: the same
    in other letters. ``sources`` are the places in the notes, the main one first; there are none
    for what only other parts need. ``stated`` are the formulas of the notes that the main one is
    read with, and it too where it goes on from them, ``refused`` says why no class can be written
    for it, ``doubt`` what it is built from that the notes may not mean.
    """

    component: Component
    name: str
    recognised: Recognised
    sources: tuple[Source, ...] = ()
    pieces: tuple[Recognised, ...] = ()
    uses: Mapping[str, Part] = field(default_factory=dict)
    spelt: Mapping[str, Recognised] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    refused: str = ""
    doubt: str = ""

    @property
    def from_notes(self) -> bool:
        """Whether a note gives its formula, and does not only mention it."""
        return any(source.latex for source in self.sources)


@dataclass(frozen=True)
class Plan:
    """The parts of a package, each after those it uses; ``owners`` are the formulas' parts."""

    parts: tuple[Part, ...]
    owners: Mapping[Compiled, Part]


def below(uses: Mapping[str, Part]) -> Iterator[Part]:
    """All parts that something is built from."""
    for part in uses.values():
        yield part
        yield from below(part.uses)
