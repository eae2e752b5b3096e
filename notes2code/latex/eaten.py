r"""Commands that have lost their backslash: ``frac{a}{b}``, ``hat{x}``, ``left(x right)``."""

from __future__ import annotations

import re
from collections.abc import Set

from notes2code.latex import words
from notes2code.latex.signs import ACCENTS, FONTS_BOLD, FONTS_OF_WORDS, FONTS_OTHER

_BEFORE_BRACES = ACCENTS | FONTS_BOLD | FONTS_OF_WORDS | FONTS_OTHER
"""Commands of one argument, which stands in braces; nobody puts what is multiplied in braces."""

_OPENS = re.compile(r"\s*(?:[(\[|.]|\\[{|])")
_CLOSES = re.compile(r"(?<![A-Za-z])right\s*(?:[)\]|.]|\\[}|])")


def command(run: str, latex: str, end: int, known: Set[str]) -> str:
    """The command that letters are what is left of, "" if they are something else."""
    if run in _BEFORE_BRACES and latex[end : end + 1] == "{":
        return run
    if run == "left" and _OPENS.match(latex, end) and _CLOSES.search(latex, end):
        return run
    return words.EATEN.get(run, "") if run not in known else ""
