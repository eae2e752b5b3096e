"""Letters that the text calls functions: *the function γ*, *γ_i(·) is a function of the distance*.
What stands in parentheses behind them is given to them, and no factor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from notes2code.meaning import names
from notes2code.meaning.prose.kinds import Passage

_FUNCTION = (
    r"(?:functions?|Funktion(?:en)?|fonctions?|funci[oó]n(?:es)?|fun[cç](?:ão|ões)|funzion[ei]|"
    r"функци[яией]\w*|函数|函數|関数|함수)"
)
_LETTER = (
    r"\$\s*(?:\\(?:mathrm|mathbf|mathcal|text|operatorname)\{)?\\?(?P<letter>[A-Za-z]+)[^$]*\$"
)
_NAMED = re.compile(rf"{_FUNCTION}\s*{_LETTER}", re.IGNORECASE)
_IS = (
    r"(?:is|are|being|denotes?|ist|sind|est|sont|es|é|è|—|–|это|是|为|為|は|[은는])\s*"
    r"(?:(?:an?|the|some|any|eine?|une?|una?|uma|learned|learnable|scalar|given|certain|"
    r"некоторая|一个|一個|某个)\s*){0,3}"
)
_TOLD = re.compile(rf"{_LETTER}\s*{_IS}[\w-]*\s?{_FUNCTION}", re.IGNORECASE)


class CalledFunctions:
    """The letters that the notes call functions, by the sections that say so."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._said: dict[tuple[str, tuple[str, ...]], set[str]] = {}
        for passage in passages:
            if found := {*said(passage.text)}:
                self._said.setdefault((passage.note, passage.section), set()).update(found)

    def near(self, note: str, section: tuple[str, ...]) -> set[str]:
        """The letters of a section, and of those that it is a part of."""
        every = (
            self._said.get((note, section[:depth]), set()) for depth in range(len(section) + 1)
        )
        return set[str]().union(*every) if self._said else set()


def said(text: str) -> Iterator[str]:
    """The letters that a text calls functions."""
    for pattern in (_NAMED, _TOLD):
        yield from (names.code_name(match["letter"]) for match in pattern.finditer(text))
