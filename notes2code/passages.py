"""The prose of a note, in passages that know where they stand among its formulas."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from notes2code.meaning.prose.kinds import Passage
from notes2code.vault.model import Note

_LONE = re.compile(r"\$[^$]*\$")
_NEXT_CELL = re.compile(r"[ \t]*\|[ \t]*")


def passages(note: Note) -> Iterator[Passage]:
    """The paragraphs of a note, in order. What a table says in the cell behind a letter that begins
    a row is said of it."""
    starts = [formula.places.offset(0) for formula in note.formulas]
    cell = None
    for paragraph in note.paragraphs:
        at = bisect_left(starts, paragraph.start)
        yield Passage(paragraph.text, note.path, paragraph.section, at)
        if cell and _NEXT_CELL.fullmatch(note.source.text, cell.end, paragraph.start):
            text = f"{cell.text}: {paragraph.text}"
            yield Passage(text, note.path, paragraph.section, at - 1)
        line = note.source.text.rfind("\n", 0, paragraph.start) + 1
        begins = not note.source.text[line : paragraph.start].strip("| \t")
        cell = paragraph if begins and _LONE.fullmatch(paragraph.text) else None
