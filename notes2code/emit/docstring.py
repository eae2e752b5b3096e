"""Docstrings: any text as lines of Python that cannot say anything but that text."""

from __future__ import annotations

from inspect import cleandoc


def docstring_lines(text: str) -> list[str]:
    """The lines of a docstring as the formatter leaves them, not indented; none for no text.

    Characters that cannot be seen become spaces, and three quotes in a row single ones; a text
    with backslashes, such as LaTeX, is a raw string.
    """
    clean = cleandoc(text).replace('"""', "'''")
    lines = ["".join(map(_printable, line)).rstrip() for line in clean.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        return []
    start = 'r"""' if "\\" in clean else '"""'
    first = f" {lines[0]}" if lines[0].startswith('"') else lines[0]
    if len(lines) > 1:
        return [start + first, *lines[1:], '"""']
    return [f'{start}{first}{" " if first.endswith((chr(34), chr(92))) else ""}"""']


def _printable(character: str) -> str:
    return character if character.isprintable() else " "
