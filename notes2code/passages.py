"""The prose of a note, in passages that know where they stand among its formulas."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from notes2code.meaning.kinds import Passage
from notes2code.vault.model import Note


def passages(note: Note) -> Iterator[Passage]:
    """The paragraphs of a note, in order."""
    starts = [formula.places.offset(0) for formula in note.formulas]
    for paragraph in note.paragraphs:
        order = bisect_left(starts, paragraph.start)
        yield Passage(paragraph.text, note.path, paragraph.section, order)
