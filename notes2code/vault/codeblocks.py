"""Code blocks: their text with its places, and the formulas that are typed in them."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it.token import Token

from notes2code.vault.lines import Lines
from notes2code.vault.looks import looks_like_formula, undelimited, without_remark
from notes2code.vault.model import Formula, SourceMap
from notes2code.vault.placed import PlacedText

_PLAIN_LANGUAGES = {"", "text", "txt", "plain", "plaintext", "latex", "tex"}


def code_language(token: Token) -> str:
    """The language named behind a fence, in lower case, or nothing."""
    words = token.info.strip().strip("{}.").split()
    return words[0].lower() if words else ""


def code_text(token: Token, text: str, lines: Lines) -> tuple[str, SourceMap]:
    """The text of a code block as it stands in ``text``, without its indentation.

    Each line of the token is the end of a line of the note.
    """
    first = (token.map or [0, 0])[0] + (token.type == "fence")
    code = PlacedText()
    written = token.content.split("\n")
    for line, content in enumerate(written[:-1] if written[-1] == "" else written, first):
        end = lines.end(line)
        start = max(end - len(content), lines.start(line))
        if line > first:
            code.add("\n", lines.start(line) - 1)
        code.add(text[start:end].rstrip("\r"), start)
    return code.whole()


def code_formulas(text: str, language: str, places: SourceMap) -> Iterator[Formula]:
    """The formulas in a code block: all of a ``math`` block, lines of one in no language."""
    if language == "math":
        latex, left = text.strip(), len(text) - len(text.lstrip())
        if latex:
            yield Formula(latex, places.part(left, len(latex)), display=True)
        return
    if language not in _PLAIN_LANGUAGES:
        return
    position = 0
    for line in text.split("\n"):
        start, latex = undelimited(without_remark(line).strip())
        if looks_like_formula(latex):
            start += position + len(line) - len(line.lstrip())
            yield Formula(latex, places.part(start, len(latex)), display=True, code=True)
        position += len(line) + 1
