"""The data types of a vault that was read: notes, sections, formulas, and their exact places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from notes2code.diagnostics import Diagnostic, Problem, Span

NoteKind = Literal["markdown", "excalidraw", "canvas", "html"]

# A web page or a drawing can be one line of megabytes.
_EXCERPT = 240


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where the characters of an extracted text stand in the file it was taken from.

    ``points`` are pairs (offset in the extracted text, offset in the file), ascending,
    the first for offset 0; between two points the characters run on one to one. A
    formula in a quote has a point behind every stripped ``> ``, one in HTML a point
    behind every decoded entity.
    """

    points: tuple[tuple[int, int], ...]

    @classmethod
    def at(cls, start: int) -> SourceMap:
        """The map of a text that stands in the file as it is, from ``start`` on."""
        return cls(((0, start),))

    def offset(self, position: int) -> int:
        """The offset in the file of the character at ``position`` of the extracted text."""
        own, file = self.points[bisect_right(self.points, position, key=_own) - 1]
        return file + position - own

    def part(self, start: int, length: int) -> SourceMap:
        """The map of ``length`` characters of the same text, from ``start`` on."""
        first = bisect_right(self.points, start, key=_own)
        last = bisect_left(self.points, start + length, key=_own)
        later = ((own - start, file) for own, file in self.points[first:last])
        return SourceMap(((0, self.offset(start)), *later))

    def through(self, outer: SourceMap, length: int) -> SourceMap:
        """The map of ``length`` characters when this map's file is a text placed by ``outer``."""
        ends = [*(own for own, _ in self.points[1:]), max(length, 1)]
        points: list[tuple[int, int]] = []
        for (own, inner), end in zip(self.points, ends, strict=True):
            part = outer.part(inner, end - own)
            points.extend((own + position, file) for position, file in part.points)
        return SourceMap(tuple(points))


def _own(point: tuple[int, int]) -> int:
    return point[0]


@dataclass(frozen=True)
class SourceText:
    """The text of one file, with a table of its lines.

    ``path`` is relative to the vault, with forward slashes. Line ends are kept as
    they stand in the file.
    """

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of the character at ``offset``."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of the line ``number`` (from 1), without its line end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")

    def diagnostic(
        self, problem: Problem, extracted: str | None = None, places: SourceMap | None = None
    ) -> Diagnostic:
        """Place a problem.

        Without ``extracted`` the problem's span counts characters of the file; with
        it, characters of that extracted text, which ``places`` maps to the file, and
        the excerpt is a line of the extracted text.
        """
        span = problem.span
        text = self.text if extracted is None else extracted
        places = places or SourceMap.at(0)
        line, column = self.position(places.offset(span.start))
        last = max(span.start, span.end - 1)
        end_line, end_column = self.position(places.offset(last))
        if span.end > span.start:
            end_column += 1
        excerpt, caret = _excerpt(text, span)
        return Diagnostic(
            problem.code, problem.severity, problem.message, self.path,
            line, column, end_line, end_column, problem.help, excerpt, caret,
        )  # fmt: skip

    def diagnostic_of(self, problem: Problem, formula: Formula) -> Diagnostic:
        """Place a problem of a formula; the excerpt is a line as the author wrote it."""
        if formula.part_of is None:
            return self.diagnostic(problem, formula.latex, formula.places)
        whole, places = formula.part_of
        start, end = problem.span.start, problem.span.end
        first = places.offset(start)
        last = max(first, places.offset(max(start, end - 1)))
        span = Span(first, last + 1 if end > start else first)
        return self.diagnostic_of(replace(problem, span=span), whole)


def _excerpt(text: str, span: Span) -> tuple[str, Span]:
    """The line ``span`` starts in, or the part of a very long one around it, and the caret."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.start)
    end = len(text) if end < 0 else end
    if end - start > _EXCERPT:
        start = max(start, span.start - _EXCERPT // 4)
        end = min(end, start + _EXCERPT)
    excerpt = text[start:end].rstrip("\r")
    first = span.start - start
    last = min(max(span.end, span.start + 1) - start, max(len(excerpt), first + 1))
    return excerpt, Span(first, last)


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula as it stands in a note.

    ``latex`` is the text between the delimiters; ``places`` maps its characters to the
    note's file. ``section`` are the headings above it, outermost first, ``tags`` the
    tags that hold for it (its note's, its sections', its own line's). ``code`` says
    that it stood in a code span or block and not in math. ``directives`` are the
    ``%% n2c: … %%`` comments that belong to it. ``part_of`` is the formula that it was
    taken from, where it is one of several in one, and where its characters stand there.
    """

    latex: str
    places: SourceMap
    display: bool
    section: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    code: bool = False
    directives: tuple[str, ...] = ()
    part_of: tuple[Formula, SourceMap] | None = None


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced or indented block of code, ``language`` in lower case, or empty."""

    text: str
    language: str
    places: SourceMap
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of running text (a heading, paragraph, list item, cell or box label).

    ``text`` has its markup removed, with formulas replaced by their LaTeX in ``$``;
    ``start`` and ``end`` are its range in the file. ``heading`` is the level of a
    heading, 0 for other text.
    """

    text: str
    start: int
    end: int
    section: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    heading: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A wikilink or embed. ``target`` is the note or file, ``anchor`` what follows ``#``."""

    target: str
    anchor: str
    embed: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scene:
    """The raw drawing of a note: an Excalidraw scene, a canvas, or Mermaid source.

    ``data`` is the decoded JSON (live elements only for Excalidraw), or the Mermaid text.
    """

    id: str
    kind: Literal["excalidraw", "canvas", "mermaid"]
    data: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Note:
    """Everything read from one file of a vault."""

    source: SourceText
    kind: NoteKind
    title: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    formulas: tuple[Formula, ...] = ()
    code: tuple[CodeBlock, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    links: tuple[Link, ...] = ()
    scenes: tuple[Scene, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def path(self) -> str:
        """The note's path relative to the vault, with forward slashes."""
        return self.source.path


@dataclass(frozen=True, slots=True)
class Vault:
    """A folder of notes, in the order of their paths.

    ``diagnostics`` are those of files that could not be read as notes at all.
    """

    root: str
    notes: tuple[Note, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
