"""Cases that a sentence tells in pieces: ``$f(x) = x$ for $x > 0$, and $0$ otherwise``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.vault.model import Formula, Note, SourceMap

_IF = re.compile(
    r"\s*,?\s*(?:if|for|when|whenever|falls|wenn|für|si|pour|se|para|cuando|quando|если|при|для)"
    r"(?:\s+all)?\s*"
)
_AND = re.compile(
    r"\s*[,;]?\s*(?:and|und|et|y|e|и|a)?\s*(?P<else>otherwise|else|sonst|sinon|иначе)?\s*"
)
_ELSE = re.compile(
    r"\s*,?\s*(?:otherwise|else|elsewhere|sonst|sinon|autrement|caso contrário|иначе)\b"
)
_COMPARES = re.compile(r"[<>≤≥≠]|\\(?:le|ge|leq|geq|ne|neq|leqslant|geqslant|lt|gt)(?![A-Za-z])")
_EQUATES = re.compile(r"(?<![<>:!])=")
_DELIMITERS = re.compile(r"\$|\\[()]")


def joined(note: Note) -> tuple[Formula, ...]:
    """The formulas of a note, those of one sentence of cases as one."""
    found: list[Formula] = []
    formulas = note.formulas
    at = 0
    while at < len(formulas):
        pieces = _cases(note, formulas[at : at + 3])
        found.append(_joined(pieces) if pieces else formulas[at])
        at += (len(pieces) + 1) // 2 or 1
    return tuple(found)


def _cases(note: Note, formulas: Sequence[Formula]) -> list[Formula | str]:
    """The formulas of a sentence of cases, with the words between them in TeX; none of another."""
    value, *others = formulas
    if value.display or value.code or not _EQUATES.search(value.latex):
        return []
    if not others or not _IF.fullmatch(_between(note, value, others[0])):
        return []
    if _COMPARES.search(value.latex) or not _COMPARES.search(others[0].latex):
        return []
    pieces: list[Formula | str] = [value, r" \text{ if } ", others[0]]
    if len(others) > 1 and (link := _AND.fullmatch(_between(note, *others))):
        behind = _ELSE.match(note.source.text, _end(others[1]) + 1)
        if (behind or link["else"]) and not _COMPARES.search(others[1].latex):
            last = replace(others[1], latex=rf"{others[1].latex} \text{{ otherwise}}")
            pieces += [", ", last]
    return pieces


def _between(note: Note, one: Formula, other: Formula) -> str:
    """The words between two formulas; what is no word where they stand in two paragraphs."""
    text = note.source.text[_end(one) : other.places.offset(0)]
    return _DELIMITERS.sub("", text) if "\n\n" not in text and not other.display else "\0"


def _end(formula: Formula) -> int:
    return formula.places.offset(len(formula.latex))


def _joined(pieces: Sequence[Formula | str]) -> Formula:
    """One formula of several, each in its place."""
    latex, points = "", list[tuple[int, int]]()
    for piece in pieces:
        if isinstance(piece, Formula):
            points += [(len(latex) + own, file) for own, file in piece.places.points]
        latex += piece if isinstance(piece, str) else piece.latex
    first = pieces[0]
    assert isinstance(first, Formula)
    return replace(first, latex=latex, places=SourceMap(tuple(points)))
