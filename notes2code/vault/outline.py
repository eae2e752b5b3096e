"""The headings of a note: which section a line stands in, and which tags hold for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading on the lines ``first`` to ``last``; ``level`` counts from 1."""

    first: int
    last: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The headings above a line, outermost first, and the tags that hold for them."""

    path: tuple[str, ...]
    tags: tuple[str, ...]


class Outline:
    """Tells for each line its section.

    Tags hold for all lines when they are among the properties or above the first
    heading, and for a section when they stand in its heading or in the first line below
    it; but those in a line of text with a formula hold for that formula alone.
    ``first_lines`` gives the line below a heading by the heading's last line.
    """

    def __init__(
        self,
        headings: Sequence[Heading],
        tags: Mapping[int, Sequence[str]],
        first_lines: Mapping[int, int],
        formula_lines: set[int],
        note_tags: Sequence[str],
    ) -> None:
        shared = {line: found for line, found in tags.items() if line not in formula_lines}
        top = headings[0].first if headings else max(shared, default=0) + 1
        above = [tag for line in sorted(shared) if line < top for tag in shared[line]]
        self.note_tags = _unique(note_tags, above)
        self._lines = [-1]
        self._sections = [Section((), self.note_tags)]
        open_headings: list[tuple[int, Section]] = [(0, self._sections[0])]
        for heading in headings:
            while open_headings[-1][0] >= heading.level:
                open_headings.pop()
            outer = open_headings[-1][1]
            own = [tag for n in range(heading.first, heading.last + 1) for tag in tags.get(n, ())]
            own.extend(shared.get(first_lines.get(heading.last, -1), ()))
            section = Section((*outer.path, heading.text), _unique(outer.tags, own))
            open_headings.append((heading.level, section))
            self._lines.append(heading.first)
            self._sections.append(section)

    def at(self, line: int) -> Section:
        """The section that ``line`` stands in; a heading stands in its own."""
        return self._sections[bisect_right(self._lines, line) - 1]


def _unique(outer: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*outer, *own)))
