"""The lines of a part of a text."""

from __future__ import annotations

import re
from bisect import bisect_right


class Lines:
    """Counts the lines of ``part``, which starts at ``offset`` of a text, from 0.

    All offsets count characters of that text.
    """

    def __init__(self, part: str, offset: int) -> None:
        self._part, self._offset = part, offset
        self._end = offset + len(part)
        self._starts = [offset, *(offset + match.end() for match in re.finditer("\n", part))]

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self._starts)

    def of(self, offset: int) -> int:
        """The line that the character at ``offset`` stands in."""
        return bisect_right(self._starts, offset) - 1

    def start(self, line: int) -> int:
        """The offset of a line's first character."""
        return self._starts[line]

    def end(self, line: int) -> int:
        """The offset of a line's end, without its line feed."""
        return self._starts[line + 1] - 1 if line + 1 < len(self._starts) else self._end

    def text(self, line: int) -> str:
        """A line without its line feed."""
        return self._part[self._starts[line] - self._offset : self.end(line) - self._offset]
