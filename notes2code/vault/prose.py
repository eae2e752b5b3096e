"""Plain text from a line or paragraph of Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from notes2code.vault.masked import WORD

_LINK = re.compile(
    r"(!?)\[([^\[\]]*)\]\([ \t]*(?:<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_MARKUP = re.compile(
    rf"(?P<word>{WORD.pattern})"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    # Emphasis: signs with a word at one side; single ones not between two words.
    r"|\*{2,3}(?=\S)|(?<=\S)\*{2,3}|(?<!\w)\*(?=[^\s*])|(?<=[^\s*])\*(?!\w)"
    r"|(?<!\w)_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\w{])"
    r"|==(?=[^\s=])|(?<=[^\s=])==|~~(?=\S)|(?<=\S)~~"
    r"|<(?P<script>sub|sup)>(?P<scripted>[^<>]*)</(?:sub|sup)>"
    r"|<(?P<element>[A-Za-z/!][^<>]*)>"
    r"|(?P<entity>&\#?\w{1,32};)"
    r"|\[\^[^\]\s]{1,64}\]:?"
)
_TASK = re.compile(r"\[[ xX/?!<>-]\][ \t]+")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")


def plain_text(masked: str, render: Callable[[re.Match[str]], str]) -> str:
    """The text of ``masked`` without markup.

    ``render`` gives the text of a masked piece. ``<sub>`` and ``<sup>`` become ``_`` and
    ``^``, since notes write mathematics with them.
    """

    def shown(match: re.Match[str]) -> str:
        kind = match.lastgroup
        if kind is None:
            return ""
        if kind == "word":
            return render(match)
        if kind == "escaped":
            return match["escaped"]
        if kind == "scripted":
            sign = "_" if match["script"] == "sub" else "^"
            script = match["scripted"].strip()
            return sign + (script if script.isalnum() else f"{{{script}}}")
        if kind == "element":
            return "\n" if match["element"].startswith("br") else ""
        return html.unescape(match["entity"])

    if "](" in masked:
        masked = _LINK.sub(_label, masked)
    text = _MARKUP.sub(shown, _TASK.sub("", masked, count=1) if masked[:1] == "[" else masked)
    lines = (line.strip() for line in text.split("\n"))
    text = "\n".join(line for line in lines if line)
    return _BLOCK_ID.sub("", text) if "^" in text else text


def _label(match: re.Match[str]) -> str:
    return "" if match[1] else match[2]
