"""Decodes the bytes of a note."""

from __future__ import annotations

import codecs

from notes2code.diagnostics import Problem, Span, warning

_HELP = "save the note as UTF-8 in a text editor"


def decode(data: bytes) -> tuple[str, list[Problem]]:
    """The text of a file, and where it is damaged.

    Bytes that are no UTF-8 become U+FFFD. A byte order mark is no part of the text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
        return text, [warning("N2C004", "the note is UTF-16, not UTF-8", Span(0, 1), _HELP)]
    data = data.removeprefix(codecs.BOM_UTF8)
    problems: list[Problem] = []
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        at = len(data[: error.start].decode())
        message = f"the byte 0x{data[error.start]:02X} is no UTF-8 text"
        problems.append(warning("N2C004", message, Span(at, at + 1), _HELP))
    at = text.find("\0")
    if at >= 0:
        message = "there is a NUL byte in the text"
        problems.append(warning("N2C004", message, Span(at, at + 1), "delete it in a text editor"))
    return text, problems
