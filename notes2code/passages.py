"""The prose of a note, in passages that know where they stand among its formulas."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from notes2code.meaning.prose import said_shapes
from notes2code.meaning.prose.kinds import Passage
from notes2code.vault.model import Note

_LONE = re.compile(r"\$[^$]*\$|`[A-Za-z]\w*`")
_NEXT_CELL = re.compile(r"[ \t]*\|[ \t]*")


def passages(note: Note) -> Iterator[Passage]:
    """The paragraphs of a note, in order. What a table says in the cell behind a letter that begins
    a row is said of it, and so are the sizes that any cell of the row lists."""
    starts = [formula.places.offset(0) for formula in note.formulas]
    cell = before = None
    for paragraph in note.paragraphs:
        at = bisect_left(starts, paragraph.start)
        yield Passage(paragraph.text, note.path, paragraph.section, at)
        line = note.source.text.rfind("\n", 0, paragraph.start) + 1
        if cell and before and line <= cell.start:
            behind = _NEXT_CELL.fullmatch(note.source.text, before.end, paragraph.start)
            if behind and (before is cell or said_shapes.are_sizes(paragraph.text)):
                text = f"{cell.text}: {paragraph.text}"
                yield Passage(text, note.path, paragraph.section, at - 1)
        begins = not note.source.text[line : paragraph.start].strip("| \t")
        before = paragraph
        if begins or (cell and cell.start < line):
            cell = paragraph if begins and _LONE.fullmatch(paragraph.text) else None
