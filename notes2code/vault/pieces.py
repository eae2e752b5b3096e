"""The pieces of a note that Markdown must leave alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from notes2code.diagnostics import Problem
from notes2code.vault.model import Link

# What stands before the first word of a line: quotes, list markers, indentation.
LINE_PREFIX = re.compile(r"(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))*[ \t]*")
# The fewest characters of a piece: what is shorter is empty, like an unclosed `$$`.
SHORTEST = 3


class Kind(Enum):
    """What a piece is; ``BROKEN`` is math that is not closed."""

    INLINE = auto()
    DISPLAY = auto()
    CODE = auto()
    LINK = auto()
    COMMENT = auto()
    BROKEN = auto()


class Piece(NamedTuple):
    """A piece of a text, delimiters included, and the range of its body between them."""

    kind: Kind
    start: int
    end: int
    body_start: int
    body_end: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """What was found in a text, each in the order of the text.

    ``tags`` are pairs of offset and tag, without ``#`` and in lower case.
    """

    pieces: list[Piece] = field(default_factory=list)
    tags: list[tuple[int, str]] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
