"""Names in capitals that a note has: words, and no products.

Letters say nothing of that by themselves: the sides of ``AB = BA`` are products. Two capitals are
one name where they stand alone on the left and something is computed on the right, as in
``AS = \\mathrm{softmax}(…)``, where all names of an equation are of two, ``PQ = SQ \\cdot RQ``, or
where the text speaks of what has an index below both, ``RW_{ij}``; and the formulas of the note
have neither of the two anywhere else. Four or more with a vowel are one, ``X + POSITION``, where
the note does not have all of them elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from notes2code.latex.words import MATRICES
from notes2code.meaning.linking.entries import Entry

_LEFT = re.compile(
    r"(?:^|\\\\|&)[^\S\n]*([A-Z]{2})[^\S\n]*&?[^\S\n]*=[^\S\n]*&?(?=[^=&])", re.MULTILINE
)
_OF_NAMES = re.compile(
    r"\s*[A-Z]{2}\s*=\s*[A-Z]{2}(?:\s*(?:\\cdot|\\times|\*|\+|/)\s*[A-Z]{2}(?![A-Za-z]))+\s*[.,;]?\s*"
)
"""``PQ = SQ \\cdot RQ``: of all the names of an equation each is of two capitals."""

_SPOKEN_OF = re.compile(r"\s*([A-Z]{2})_(?:\w|\{[^{}]*\})\s*")
_NAMES_ONLY = re.compile(r"[^\S\n]*[A-Za-z0-9_^{}]*[^\S\n]*(?:\\\\|[.,;&]|$)", re.MULTILINE)
"""A right-hand side of letters alone, as that of ``AX = B``, which is an equation to be solved."""

_SPELT = re.compile(r"(?<![A-Za-z\\])(?=[A-Z]*[AEIOUY])[A-Z]{4,}(?![A-Za-z])")
_UPRIGHT = re.compile(r"\\(?:text\w*|math(?!bf|cal|bb|frak)\w+|operatorname\*?|tag)\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_RUN = re.compile(r"[A-Za-z]+")
_LONGEST_PRODUCT = 3


def abbreviations_of(entries: Iterable[Entry]) -> dict[str, frozenset[str]]:
    """The names in capitals that the formulas of each note define, speak of, or spell out."""
    notes: dict[str, list[str]] = {}
    for entry in entries:
        notes.setdefault(entry.note, []).append(entry.latex)
    return {note: frozenset(_names(formulas)) for note, formulas in notes.items()}


def _names(formulas: list[str]) -> Iterator[str]:
    defined = {name for latex in formulas for name in _defined(latex)}
    spelt = {name for latex in formulas for name in _SPELT.findall(latex)}
    if not defined and not spelt:
        return
    runs = {run for latex in formulas for run in _RUN.findall(_math(latex))}
    products = {run for run in runs if len(run) <= _LONGEST_PRODUCT}
    made = {
        name for latex in formulas if _OF_NAMES.fullmatch(latex) for name in _RUN.findall(latex)
    }
    for name in defined:
        others = products - {name} - (made if name in made else set())
        if not any(letter in run for run in others for letter in name):
            yield name
    for name in spelt:
        if not all(any(letter in run for run in products) for letter in name):
            yield name


def _defined(latex: str) -> Iterator[str]:
    if (spoken := _SPOKEN_OF.fullmatch(latex)) and not MATRICES.fullmatch(spoken[1]):
        yield spoken[1]
    if _OF_NAMES.fullmatch(latex):
        yield from (name for name in re.findall("[A-Z]{2}", latex) if not MATRICES.fullmatch(name))
    for found in _LEFT.finditer(latex):
        if not MATRICES.fullmatch(found[1]) and not _NAMES_ONLY.match(latex, found.end()):
            yield found[1]


def _math(latex: str) -> str:
    """A formula without its words and commands, which have letters that are none of its names."""
    return _COMMAND.sub(" ", _UPRIGHT.sub(" ", latex))
