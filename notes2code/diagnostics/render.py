"""Prints diagnostics as a good compiler does: place, message, the line with a caret, help."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from notes2code.diagnostics import Diagnostic, Severity, Span

WIDTH = 100
"""Columns of a terminal that an excerpt may take."""

SHOWN = 5
"""Different messages of one code in one note that are printed before the rest is folded."""

_RANGES = 12
_TAB = 4
_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_BOLD = "1"


def render(diagnostics: Iterable[Diagnostic], colour: bool = False) -> str:
    """All diagnostics as text, note by note; those alike within a note are folded."""
    notes: dict[str, dict[tuple[str, Severity], list[Diagnostic]]] = {}
    for found in diagnostics:
        groups = notes.setdefault(found.path, {})
        groups.setdefault((found.code, found.severity), []).append(found)
    blocks = [
        _group(group, colour)
        for groups in notes.values()
        for group in sorted(groups.values(), key=lambda group: min(d.line for d in group))
    ]
    return "\n".join(blocks)


def render_one(diagnostic: Diagnostic, colour: bool = False) -> str:
    """One diagnostic as text of several lines."""
    place = clean(diagnostic.path)
    if not _of_whole_file(diagnostic):
        place += f":{diagnostic.line}:{diagnostic.column}"
    level = f"{diagnostic.severity}[{diagnostic.code}]"
    paint = _COLOURS[diagnostic.severity]
    head = f"{_painted(place, _BOLD, colour)}: {_painted(level, paint, colour)}"
    lines = [f"{head}: {clean(diagnostic.message)}"]
    if diagnostic.excerpt.strip():
        text, marks = excerpt(diagnostic.excerpt, diagnostic.caret)
        number = f"{diagnostic.line:>5}"
        lines.append(f"{number} | {text}")
        if marks:
            indent, carets = marks[: -len(marks.lstrip())], marks.lstrip()
            lines.append(f"{'':>5} | {indent}{_painted(carets, paint, colour)}")
    if diagnostic.help:
        lines.append(f"      {_painted('help', _BOLD, colour)}: {clean(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _group(found: Sequence[Diagnostic], colour: bool) -> str:
    """The diagnostics of one code in one note: each message once, and how many more there are."""
    ordered = sorted(found, key=lambda d: (d.line, d.column))
    first: dict[str, Diagnostic] = {}
    for diagnostic in ordered:
        first.setdefault(diagnostic.message, diagnostic)
    shown = list(first.values())[:SHOWN]
    text = "\n".join(render_one(diagnostic, colour) for diagnostic in shown)
    folded = [d for d in ordered if not any(d is other for other in shown)]
    if not folded:
        return text
    places = _lines([d.line for d in folded])
    return f"{text}      … and {len(folded)} more like this in {clean(folded[0].path)}: {places}\n"


def _lines(numbers: Iterable[int]) -> str:
    """Line numbers as people write them: ``lines 14, 15, 17–22``."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    if ranges[0][0] == ranges[-1][1]:
        return f"line {ranges[0][0]}"
    parts: list[str] = []
    for first, last in ranges[:_RANGES]:
        close = last - first < 2
        parts += [str(n) for n in range(first, last + 1)] if close else [f"{first}–{last}"]
    return "lines " + ", ".join(parts) + (", …" if len(ranges) > _RANGES else "")


def _of_whole_file(diagnostic: Diagnostic) -> bool:
    return not diagnostic.excerpt and diagnostic.line == diagnostic.end_line == 1


# --- the excerpt --------------------------------------------------------------------------------


def excerpt(text: str, caret: Span) -> tuple[str, str]:
    """The part of a line that fits the terminal, and the carets under what ``caret`` covers.

    ``caret`` counts characters; the carets count columns, of which wide characters take two and
    combining ones none. There are no carets where it covers nothing.
    """
    shown = [_visible(character) for character in text]
    widths = [sum(_columns(c) for c in piece) for piece in shown]
    start = min(caret.start, len(text))
    first, last = _window(widths, start)
    before, after = "…" if first else "", "…" if last < len(text) else ""
    line = before + "".join(shown[first:last]) + after
    if caret.end <= caret.start:
        return line, ""
    indent = len(before) + sum(widths[first:start])
    covered = sum(widths[start : min(caret.end, last)])
    return line, " " * indent + "^" * max(1, covered)


def _window(widths: Sequence[int], start: int) -> tuple[int, int]:
    """The range of characters to show: up to a third of the room before ``start``, then on."""
    if sum(widths) <= WIDTH:
        return 0, len(widths)
    first, room = start, WIDTH // 3
    while first > 0 and widths[first - 1] <= room:
        first -= 1
        room -= widths[first]
    last, room = first, WIDTH
    while last < len(widths) and widths[last] <= room:
        room -= widths[last]
        last += 1
    while first > 0 and widths[first - 1] <= room:
        first -= 1
        room -= widths[first]
    return first, last


def clean(text: str) -> str:
    """A text on one line, without signs that would act on the terminal."""
    return "".join(_visible(character) for character in " ".join(text.split()))


def _visible(character: str) -> str:
    """A character as it is printed: tabs as spaces, controls as a replacement sign."""
    if character == "\t":
        return " " * _TAB
    return "\ufffd" if unicodedata.category(character) in _UNPRINTED else character


_UNPRINTED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _painted(text: str, colour: str, wanted: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if wanted and text else text
