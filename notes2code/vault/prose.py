"""Plain text from a line or paragraph of Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from notes2code.vault.masked import WORD

# The target may be a shortcode of Hugo's, ``{{< ref "Softmax" >}}``.
_LINK = re.compile(
    r"(!?)\[([^\[\]]*)\]\([ \t]*(?:<[^<>\n]*>|\{\{[^{}\n]*\}\}|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
# Every alternative starts with a plain sign, which keeps the search fast.
_MARKUP = re.compile(
    rf"{WORD.pattern}(?P<word>)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\*(?P<star>\**)|_(?P<underscore>_*)|==(?P<mark>)|~~(?P<strike>)"
    r"|<(?P<script>sub|sup)>(?P<scripted>[^<>]*)</(?:sub|sup)>"
    r"|<(?P<element>[A-Za-z/!][^<>]*)>"
    r"|&(?P<entity>\#?\w{1,32};)"
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
        match match.lastgroup:
            case "word":
                return render(match)
            case "star" | "underscore" | "mark" | "strike":
                return "" if _is_emphasis(match) else match[0]
            case "escaped":
                return match["escaped"]
            case "scripted":
                sign = "_" if match["script"] == "sub" else "^"
                script = match["scripted"].strip()
                return sign + (script if script.isalnum() else f"{{{script}}}")
            case "element":
                return "\n" if match["element"].startswith("br") else ""
            case "entity":
                return html.unescape(match[0])
            case _:
                return ""

    if "](" in masked:
        masked = _LINK.sub(_label, masked)
    text = _MARKUP.sub(shown, _TASK.sub("", masked, count=1) if masked[:1] == "[" else masked)
    if "\n" in text:
        lines = (line.strip() for line in text.split("\n"))
        text = "\n".join(line for line in lines if line)
    else:
        text = text.strip()
    return _BLOCK_ID.sub("", text) if "^" in text else text


def _is_emphasis(match: re.Match[str]) -> bool:
    """Whether signs have a word at one side; ``_`` and a single ``*`` not between two."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if before.isspace() and after.isspace():
        return False
    if match[0] == "*" or match[0][0] == "_":
        return not (before.isalnum() and (after.isalnum() or after == "{"))
    return True


def _label(match: re.Match[str]) -> str:
    return "" if match[1] else match[2]
