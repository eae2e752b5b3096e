"""Gathers a code block of a web page."""

from __future__ import annotations

from dataclasses import replace

from notes2code.vault.codeblocks import code_formulas
from notes2code.vault.htmltokens import Tag, Text, add_decoded
from notes2code.vault.model import CodeBlock, Formula, Scene
from notes2code.vault.placed import PlacedText

_LANGUAGE_PREFIXES = ("language-", "lang-", "highlight-source-", "brush:")


class CodeText:
    """The text of a ``<pre>``, or of the lines of a CodeMirror editor."""

    def __init__(self, page: str, tag: Tag) -> None:
        self._page = page
        self._placed = PlacedText()
        self._language = ""
        self._editor = False
        self._lines = 0
        self.line_open = False
        self.start(tag)

    def start(self, tag: Tag) -> str:
        """Take note of an element in the block; returns its role for the reader."""
        self._language = self._language or _language(tag)
        self._editor |= "CodeMirror" in tag.classes
        if tag.name == "br":
            self._placed.add("\n", tag.start)
        if "CodeMirror-line" not in tag.classes:
            return ""
        if self._lines:
            self._placed.add("\n", tag.start)
        self._lines += 1
        self.line_open = True
        return "line"

    def text(self, token: Text) -> None:
        """Append text; an editor holds code only in its lines."""
        if self.line_open or not self._editor:
            add_decoded(self._placed, self._page, token.start, token.end)

    def finish(
        self, section: tuple[str, ...], scene_id: str
    ) -> tuple[list[CodeBlock], list[Formula], list[Scene]]:
        """The block, or the Mermaid diagram that it is, and formulas typed in it."""
        text, places = self._placed.whole()
        left = len(text) - len(text.lstrip("\r\n"))
        text = text.strip("\r\n").replace("\xa0", " ").replace("\u200b", " ")
        places = places.part(left, len(text))
        if not text.strip():
            return [], [], []
        if self._language == "mermaid":
            start = places.offset(0)
            end = places.offset(len(text) - 1) + 1
            return [], [], [Scene(scene_id, "mermaid", text, start, end)]
        formulas = code_formulas(text, self._language, places)
        blocks = (
            [] if self._language == "math" else [CodeBlock(text, self._language, places, section)]
        )
        return blocks, [replace(formula, section=section) for formula in formulas], []


def _language(tag: Tag) -> str:
    """The language that an element names, in lower case."""
    for word in tag.classes:
        for prefix in _LANGUAGE_PREFIXES:
            if word.lower().startswith(prefix):
                return word[len(prefix) :].lower()
        if word == "mermaid":
            return word
    return tag.values.get("lang", "").lower()
