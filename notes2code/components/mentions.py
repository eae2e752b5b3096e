"""Components that notes name without a formula: in headings, tags, short lines and box labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from notes2code.components.library import Component, Library
from notes2code.vault.model import Note, Paragraph

MAX_WORDS = 8
"""Words in a line that can be the name of a thing; longer ones are prose."""

CLOSE = 0.9
"""How alike letters must be for a misspelt name (``Casual selfattention``) to count."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A component named in a note, at an offset of its file; ``text`` is the line."""

    component: Component
    note: str
    start: int
    text: str


def mentions(notes: Sequence[Note], library: Library, without: str) -> tuple[Mention, ...]:
    """The first mention of each component in each note, in order, but for the notes and sections
    that have the tag ``without``."""
    found: dict[tuple[str, str], Mention] = {}
    phrases = [
        (_letters(phrase), component)
        for component in library.components.values()
        for phrase in component.mentions
    ]
    for note in notes:
        if without in note.tags:
            continue
        for text, start in _names(note, without):
            for component in _named(text, phrases):
                found.setdefault(
                    (note.path, component.name), Mention(component, note.path, start, text)
                )
    return tuple(found.values())


def _names(note: Note, without: str) -> Iterator[tuple[str, int]]:
    """The short lines of a note, its headings and its tags, with their offsets."""
    for paragraph in note.paragraphs:
        if without not in paragraph.tags:
            yield from _lines(paragraph)
    for tag in note.tags:
        yield tag.replace("/", " "), 0


def _lines(paragraph: Paragraph) -> Iterator[tuple[str, int]]:
    for line in paragraph.text.splitlines():
        if paragraph.heading or len(line.split()) <= MAX_WORDS:
            yield line, paragraph.start


def _named(text: str, phrases: Sequence[tuple[str, Component]]) -> list[Component]:
    """The components that a line names; of names inside each other, the longest."""
    line = _letters(text)
    if not line:
        return []
    hits = [(phrase, component) for phrase, component in phrases if _contains(line, phrase)]
    longest = {p for p, _ in hits if not any(p != q and p in q for q, _ in hits)}
    return list(dict.fromkeys(component for phrase, component in hits if phrase in longest))


def _letters(text: str) -> str:
    """The words of a text in lower case, parted by single spaces; hyphens part words."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("&", " and ")))


def _contains(line: str, phrase: str) -> bool:
    """Whether a phrase stands in a line, or something spelt almost like it is the whole line."""
    if f" {phrase} " in f" {line} ":
        return True
    mine, theirs = phrase.replace(" ", ""), line.replace(" ", "")
    if len(mine) < 8 or abs(len(mine) - len(theirs)) > 6:
        return False
    # A slip or two leave most of a name as it is: one of its quarters stands there still.
    quarter = len(mine) // 4
    if not any(mine[at : at + quarter] in theirs for at in range(0, 4 * quarter, quarter)):
        return False
    alike = SequenceMatcher(None, "", mine)
    for start in range(max(1, len(theirs) - len(mine) + 1)):
        alike.set_seq1(theirs[start : start + len(mine)])
        if alike.quick_ratio() >= CLOSE and alike.ratio() >= CLOSE:
            return True
    return False
