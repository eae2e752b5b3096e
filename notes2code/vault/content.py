"""What a reader finds in a text, before it is a note of the vault."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
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

    @classmethod
    def joined(cls, parts: Iterable[Content]) -> Content:
        """The parts one behind the other; their tags hold only for themselves."""
        found = list(parts)
        chain = itertools.chain.from_iterable
        return cls(
            tuple(chain(part.formulas for part in found)),
            tuple(chain(part.code for part in found)),
            tuple(chain(part.paragraphs for part in found)),
            tuple(chain(part.links for part in found)),
            tuple(chain(part.scenes for part in found)),
            tuple(chain(part.problems for part in found)),
        )

    def through(self, places: SourceMap) -> Content:
        """The same parts, with offsets in the file that ``places`` maps this text to."""
        at = places.offset
        return Content(
            tuple(replace(f, places=f.places.through(places, len(f.latex))) for f in self.formulas),
            tuple(replace(c, places=c.places.through(places, len(c.text))) for c in self.code),
            tuple(replace(p, start=at(p.start), end=at(p.end)) for p in self.paragraphs),
            tuple(replace(k, start=at(k.start), end=at(k.end)) for k in self.links),
            tuple(replace(s, start=at(s.start), end=at(s.end)) for s in self.scenes),
            tuple(
                replace(p, span=Span(at(p.span.start), at(max(p.span.start, p.span.end - 1)) + 1))
                for p in self.problems
            ),
            self.tags,
        )
