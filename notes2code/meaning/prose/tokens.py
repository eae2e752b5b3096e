"""The words, formulas, numbers and signs of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from notes2code.meaning.prose import kind_words as words
from notes2code.meaning.prose.kind_words import Noun

_SPELT = "A-Za-zÀ-ɏЀ-ӿḀ-ỿ"
_TOKEN = re.compile(
    r"\$(?P<math>[^$]*)\$"
    # A letter of a formula without its dollars; the vowels are words in many languages.
    r"|(?<![\w\\^+*/=-])(?P<letter>(?:[α-ωΑ-Ω]|[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ])(?:_\w+)?)"
    r"(?![\w^+*/=’'-])"
    rf"|(?P<word>ma trận|véc tơ|vô hướng|-?[{_SPELT}]+(?:[-’'][{_SPELT}]+)*"
    rf"|{'|'.join(words.SHAPES_IN_SIGNS)}|{words.IN_SIGNS}"
    r"|表示|代表|[都均皆分][别別]?[是为為]|一[个個]|一つの)"
    r"|(?P<number>\d+)|(?P<sign>\S)"
)


class Token(NamedTuple):
    """A part of a text; ``noun`` is the kind that it is a word for, if it is one."""

    kind: str
    text: str
    at: int
    noun: Noun | None


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens of a text with formulas in ``$``."""
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        found = match[kind]
        noun = words.noun(found.removeprefix("-")) if kind == "word" else None
        yield Token(kind, found, match.start(), noun)
