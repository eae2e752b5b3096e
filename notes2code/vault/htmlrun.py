"""Gathers the running text of a web page, one paragraph at a time."""

from __future__ import annotations

import re

from notes2code.vault.htmlmath import Source, sources_in_text
from notes2code.vault.htmltokens import add_decoded
from notes2code.vault.placed import PlacedText

# Signs in the gathered text for what is no character of the page.
_FORMULA, _BREAK, _BELOW, _ABOVE, _LEVEL = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
_OWN_SIGNS = re.compile("[\ue000-\ue004]")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_SCRIPT = re.compile(f"([{_BELOW}{_ABOVE}])([^{_LEVEL}]*){_LEVEL}")
_SIGNS = {_BELOW: "_", _ABOVE: "^"}


def without_own_signs(text: str) -> str:
    """The page with the signs that this module uses itself replaced, its length kept."""
    return _OWN_SIGNS.sub("\ufffd", text)


class Run:
    """The text of one paragraph, with the formulas in it."""

    def __init__(self) -> None:
        self._placed = PlacedText()
        self._sources: list[Source] = []

    def text(self, page: str, start: int, end: int) -> None:
        """Append text of the page."""
        add_decoded(self._placed, page, start, end)

    def formula(self, source: Source) -> None:
        """Append a formula whose source does not stand in the text itself."""
        self._sources.append(source)
        self._placed.add(_FORMULA, source.places.offset(0))

    def element(self, name: str, closing: bool, start: int) -> None:
        """Append what ``<br>``, ``<sub>`` and ``<sup>`` mean for the text."""
        if name == "br":
            self._placed.add(_BREAK, start)
        elif name in ("sub", "sup"):
            sign = _BELOW if name == "sub" else _ABOVE
            self._placed.add(_LEVEL if closing else sign, start)

    def finish(self) -> tuple[str, int, int, list[Source]]:
        """The plain text, its range in the page, and its formulas in their order."""
        text, places = self._placed.whole()
        drawn = iter(self._sources)
        found: list[Source] = []
        shown: list[str] = []

        def show(written: str) -> None:
            for index, piece in enumerate(written.split(_FORMULA)):
                if index:
                    source = next(drawn)
                    found.append(source)
                    shown.append(_in_text(source))
                shown.append(_scripts(piece))

        position = 0
        for match, source in sources_in_text(text, places):
            if _FORMULA in match[0]:
                continue
            show(text[position : match.start()])
            found.append(source)
            shown.append(_in_text(source))
            position = match.end()
        show(text[position:])
        lines = _SPACE.sub(" ", "".join(shown)).split(_BREAK)
        plain = "\n".join(line.strip() for line in lines).strip()
        first = len(text) - len(text.lstrip())
        last = max(first, len(text.rstrip()) - 1)
        return plain, places.offset(first), places.offset(last) + 1, found


def _in_text(source: Source) -> str:
    return f"${' '.join(source.latex.split())}$"


def _scripts(text: str) -> str:
    """Sub- and superscripts as formulas write them."""
    if _LEVEL not in text:
        return text
    return re.sub(f"[{_BELOW}{_ABOVE}{_LEVEL}]", "", _SCRIPT.sub(_script, text))


def _script(match: re.Match[str]) -> str:
    script = match[2].strip()
    return _SIGNS[match[1]] + (script if script.isalnum() else f"{{{script}}}")
