"""Builds extracted texts that know where each of their characters stands."""

from __future__ import annotations

from notes2code.vault.model import SourceMap


class PlacedText:
    """A text put together from pieces of another text, in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._points: list[tuple[int, int]] = []
        self._length = 0
        self._end = -1

    def add(self, text: str, offset: int) -> None:
        """Append ``text``, whose first character stands at ``offset`` of the other text."""
        if not text:
            return
        if offset != self._end:
            self._points.append((self._length, offset))
        self._parts.append(text)
        self._length += len(text)
        self._end = offset + len(text)

    def stripped(self) -> tuple[str, SourceMap]:
        """The text without white space at its ends, and the places of what is left."""
        text, places = self.whole()
        stripped = text.strip()
        left = len(text) - len(text.lstrip())
        return stripped, places.part(left, len(stripped)) if left else places

    def whole(self) -> tuple[str, SourceMap]:
        """The text and the places of its characters."""
        return "".join(self._parts), SourceMap(tuple(self._points) or ((0, 0),))
