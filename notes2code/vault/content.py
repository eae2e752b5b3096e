"""What a reader finds in a text, before it is a note of the vault."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notes2code.diagnostics import Problem, Span
from notes2code.vault.model import CodeBlock, Formula, Link, Paragraph, Scene, SourceMap


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of a text, each in its order; offsets count characters of that text.

    ``tags`` are those that hold for the whole text.
    """

    formulas: tuple[Formula, ...] = ()
    code: tuple[CodeBlock, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    links: tuple[Link, ...] = ()
    scenes: tuple[Scene, ...] = ()
    problems: tuple[Problem, ...] = ()
    tags: tuple[str, ...] = ()

    def __add__(self, other: Content) -> Content:
        return Content(
            self.formulas + other.formulas,
            self.code + other.code,
            self.paragraphs + other.paragraphs,
            self.links + other.links,
            self.scenes + other.scenes,
            self.problems + other.problems,
            tuple(dict.fromkeys(self.tags + other.tags)),
        )

    def through(self, places: SourceMap) -> Content:
        """The same parts, with offsets in the file that ``places`` maps this text to."""
        at = places.offset
        return Content(
            tuple(replace(f, places=f.places.through(places)) for f in self.formulas),
            tuple(replace(c, places=c.places.through(places)) for c in self.code),
            tuple(replace(p, start=at(p.start), end=at(p.end)) for p in self.paragraphs),
            tuple(replace(k, start=at(k.start), end=at(k.end)) for k in self.links),
            tuple(replace(s, start=at(s.start), end=at(s.end)) for s in self.scenes),
            tuple(
                replace(p, span=Span(at(p.span.start), at(max(p.span.start, p.span.end - 1)) + 1))
                for p in self.problems
            ),
            self.tags,
        )
