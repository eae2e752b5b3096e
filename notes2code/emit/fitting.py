"""Lines that long names have made too long, broken as Ruff breaks them."""

from __future__ import annotations

import re
from itertools import pairwise

from notes2code.oracle.layout import WIDTH, Bracket, Doc, lines

_COMPREHENSION = re.compile(r"(.*\)) (for \w+ in [^\s,]+)")
"""What stands in the brackets of a list that is made of calls."""

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def fitted(text: str) -> str:
    """The text with calls and definitions on several lines where one is too short for them."""
    return "\n".join(
        line if len(line) <= WIDTH else "\n".join(_broken(line)) for line in text.split("\n")
    )


def _broken(line: str) -> list[str]:
    code = line.lstrip()
    return lines(_in_brackets(code), len(line) - len(code))


def _in_brackets(line: str) -> Doc:
    """Code with its last outermost brackets, and those inside them, as places to break it."""
    depth, start, end, commas = 0, -1, -1, list[int]()
    code = _STRING.sub(lambda found: '"' * len(found.group()), line)  # its brackets are no code's
    for at, char in enumerate(code):
        if char in "([{":
            if not depth and (char == "(" or not line[:at].strip()):
                start, commas = at, []
            depth += 1
        elif char in ")]}":
            depth -= 1
            end = at if not depth and char in ")]" else end
        elif char == "," and depth == 1:
            commas.append(at)
    if depth or start < 0 or end < start:
        return line
    made = _COMPREHENSION.fullmatch(line[start + 1 : end])
    if line[start] == "[" and made is not None:
        return Bracket(line[: start + 1], made.groups(), line[end:], "")
    places = [start, *commas, end]
    parts = tuple(_in_brackets(line[a + 1 : b].strip()) for a, b in pairwise(places))
    return Bracket(line[: start + 1], parts, line[end:])
