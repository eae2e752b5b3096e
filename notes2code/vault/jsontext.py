"""Reads JSON and remembers where its strings stand in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from notes2code.vault.model import SourceMap
from notes2code.vault.placed import PlacedText

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_LOST = r"\ufffd"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class PlacedStr(str):
    """A string of a JSON text; ``start`` is the offset of its first character there."""

    start: int

    def places(self, text: str) -> SourceMap:
        """Where this string's characters stand in the JSON ``text`` it was read from."""
        literal = _STRING.match(text, self.start - 1)
        end = literal.end() - 1 if literal else self.start
        decoded = PlacedText()
        position = self.start
        for escape in _ESCAPE.finditer(text, self.start, end):
            decoded.add(text[position : escape.start()], position)
            decoded.add(json.loads(f'"{escape[0]}"'), escape.start())
            position = escape.end()
        decoded.add(text[position:end], position)
        return decoded.whole()[1]


class _Pairs(list[tuple[str, Any]]):
    """The names and values of an object in the order of the text, repeated ones kept."""


def load_json(text: str) -> Any:
    """Decode JSON that a stranger may have written; strings in values are PlacedStr.

    Raises ValueError (a ``json.JSONDecodeError`` where the place is known).
    """
    try:
        value = json.loads(whole_characters(text), object_pairs_hook=_Pairs)
        strings = (match.start() + 1 for match in _STRING.finditer(text))
        return _placed(value, strings)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def whole_characters(text: str) -> str:
    """JSON in which halves of surrogate pairs are replaced, its length kept."""
    if not _SURROGATE.search(text):
        return text
    return _ESCAPE.sub(_whole, text)


def _whole(escape: re.Match[str]) -> str:
    half = len(escape[0]) == len(_LOST) and _SURROGATE.match(escape[0])
    return _LOST if half else escape[0]


def _placed(value: Any, strings: Iterator[int]) -> Any:
    if isinstance(value, _Pairs):
        placed: dict[str, Any] = {}
        for name, item in value:
            next(strings)
            placed[name] = _placed(item, strings)
        return placed
    if isinstance(value, list):
        return [_placed(item, strings) for item in value]
    if isinstance(value, str):
        string = PlacedStr(value)
        string.start = next(strings)
        return string
    return value
