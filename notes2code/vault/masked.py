"""The copy of a note that Markdown reads, in which each verbatim piece is one word.

The copy has as many characters as the note, so an offset in one is the same offset in
the other. A piece becomes ``$``, two characters of a private alphabet that hold its
number, and fill to its own length; a piece of several lines becomes one line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from notes2code.vault.model import SourceMap
from notes2code.vault.pieces import LINE_PREFIX, SHORTEST, Piece
from notes2code.vault.placed import PlacedText

_FIRST, _FILL = 0xE000, "\uf8ff"
_DIGITS = ord(_FILL) - _FIRST
WORD = re.compile(f"\\$(?P<high>[\ue000-\uf8fe])(?P<low>[\ue000-\uf8fe]){_FILL}*")
_UNCLEAN = re.compile("\r\n?|[\0\ue000-\uf8ff]")


def mask(text: str, start: int, end: int, pieces: Sequence[Piece]) -> str:
    """The copy of ``text[start:end]``; the pieces, in order, stand inside that range."""
    parts: list[str] = []
    position = start
    for number, piece in enumerate(pieces):
        parts.append(_clean(text[position : piece.start]))
        high, low = divmod(number, _DIGITS)
        parts.append(f"${chr(_FIRST + high)}{chr(_FIRST + low)}")
        parts.append(_FILL * (piece.end - piece.start - SHORTEST))
        position = piece.end
    parts.append(_clean(text[position:end]))
    return "".join(parts)


def number(word: re.Match[str]) -> int:
    """The number of the piece that a match of ``WORD`` stands for."""
    return (ord(word["high"]) - _FIRST) * _DIGITS + ord(word["low"]) - _FIRST


def _clean(text: str) -> str:
    """Line ends as Markdown knows them and no private characters, the length kept."""
    return _UNCLEAN.sub(_cleaned, text)


def _cleaned(match: re.Match[str]) -> str:
    if match[0][0] != "\r":
        return "\ufffd"
    return " \n" if len(match[0]) == 2 else "\n"


def body(text: str, piece: Piece, in_table: bool) -> tuple[str, SourceMap]:
    """What stands between the delimiters of a piece, and the places of its characters.

    Left out are white space at both ends, the quote marks and the indentation of the
    list or quote that the piece stands in, and the backslash of ``\\|`` in a table.
    """
    start, end = piece.body_start, piece.body_end
    written = text[start:end]
    if "\n" not in written and not (in_table and r"\|" in written):
        stripped = written.strip()
        return stripped, SourceMap.at(start + len(written) - len(written.lstrip()))
    prefix = LINE_PREFIX.match(text, text.rfind("\n", 0, piece.start) + 1, piece.start)
    before = prefix[0] if prefix else ""
    marks = rf"(?:[ \t]*>){{0,{before.count('>')}}}[ \t]*" if before else ""
    left_out = re.compile(rf"\r(?=\n)|(?<=\n){marks}" + (r"|\\(?=\|)" if in_table else ""))
    kept = PlacedText()
    position = start
    for match in left_out.finditer(text, start, end):
        kept.add(text[position : match.start()], position)
        position = match.end()
    kept.add(text[position:end], position)
    return kept.stripped()
