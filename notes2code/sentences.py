"""Cases that a sentence, or the items of a list, tell in pieces: ``$f(x) = x$ for $x > 0$, and $0$
otherwise``, ``If $x > 0$: $f(x) = x$``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex import suppositions
from notes2code.latex.joining import AND, ELSE, GIVEN, IF, OR, THEN, WHERE, any_of
from notes2code.vault.model import Formula, Note, SourceMap

_IFS = f"{any_of(IF)}(?: all)?"
_IF = re.compile(f",? ?{_IFS}")
_GIVEN = re.compile(f",? ?{any_of(GIVEN)}")
"""What an update has before its condition, and other equations before what is supposed."""
_BEFORE = re.compile(rf"(?:^|[\s(]){_IFS}\s*$", re.IGNORECASE)
_WHERE = re.compile(rf"(?<![A-Za-z]){any_of(WHERE | GIVEN)}[\s$\\(]*$", re.IGNORECASE)
"""A word in front of what holds in some places only, which ``for`` does not say."""
_THEN = re.compile(f",? ?{any_of(THEN)}?|:")
"""What stands between a condition and the value behind it."""
_ITEM = r"[.,;]? ?(?:[-*+•]|\d+[.)])"
"""What stands between two items of a list."""
_WORD = f"{any_of(AND)}?"
_AND = re.compile(
    rf"(?:(?P<item>{_ITEM})|[,;])? ?{_WORD} ?"
    rf"|(?:{_ITEM}|[.,;])? ?{_WORD} ?(?P<else>{any_of(ELSE)})[,:]?",
    re.IGNORECASE,
)
_OR = re.compile(rf",? ?{any_of(OR)}\b")
_ELSE = re.compile(rf" ?,? ?{any_of(ELSE)} ?(?:[.,;:)\n]|$)")
_COMPARES = re.compile(r"[<>≤≥≠]|\\(?:le|ge|leq|geq|ne|neq|leqslant|geqslant|lt|gt)(?![A-Za-z])")
_UPDATES = re.compile(r"←|\\(?:leftarrow|gets)(?![A-Za-z])")
_STEP = re.compile(r"(?<!\\)[A-Za-z}]\s*_\s*\{\s*[a-z]\s*\+\s*1\s*\}")
"""What an update in steps defines, ``x_{t+1}``."""
_EQUATES = re.compile(rf"(?<![<>:!])=|{_UPDATES.pattern}")
_EQUATES_OR_COMPARES = re.compile(f"{_COMPARES.pattern}|=")
_DELIMITERS = re.compile(r"\$|\\[()]")
_LETTER = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_NAME = r"(?:\\?[A-Za-z]+(?:_(?:\w|\{[^{}]*\}))?)"
_NUMBER = r"[\d.]+"
_SUPPOSED = re.compile(
    rf"\s*(?:{_NUMBER}\s*(?:{_COMPARES.pattern}))?\s*{_NAME}\s*(?:(?:{_COMPARES.pattern})\s*{_NUMBER})?\s*"
)
"""A lone name beside numbers, ``0 < \\eta < 1``."""
_EQUAL_NAMES = re.compile(rf"\s*{_NAME}(?:\s*=\s*{_NAME})+\s*")
_SUPPOSES = re.compile(rf"(?<![A-Za-z]){any_of(WHERE)}\s*$", re.IGNORECASE)
_OPENING = re.compile(r"(?:\s|\\left(?![A-Za-z])|\\[lr][vV]ert(?![A-Za-z])|\\?\||\()*")
"""What may stand before the first letter of a condition, ``\\|g\\| > c``."""
_LINK = 40
"""The characters that the words between two pieces of math may have."""


def joined(note: Note) -> tuple[Formula, ...]:
    """The formulas of a note, those of one sentence of cases as one."""
    found: list[Formula] = []
    at = 0
    while at < len(note.formulas):
        pieces = _cases(note, note.formulas, at) or _cases_behind(note, note.formulas, at)
        found.append(_joined(pieces) if pieces else _supposed(note, note.formulas[at]))
        at += sum(isinstance(piece, Formula) for piece in pieces) or 1
    return tuple(found)


def _supposed(note: Note, formula: Formula) -> Formula:
    """A formula as it is, and what is only equal where a sentence supposes it, ``When $T_c = T_m$,
    …``, with a word for that."""
    if formula.display or formula.code or not _EQUAL_NAMES.fullmatch(formula.latex):
        return formula
    start = formula.places.offset(0)
    ahead = _DELIMITERS.sub("", note.source.text[max(0, start - _LINK) : start])
    return _joined((r"\text{if } ", formula)) if _SUPPOSES.search(ahead) else formula


def _cases_behind(note: Note, formulas: Sequence[Formula], at: int) -> list[Formula | str]:
    """The formulas of a sentence whose conditions stand first, ``If $x > 0$, $y = 1$``."""
    pairs: list[Sequence[Formula]] = []
    while len(pair := formulas[at : at + 2]) == 2 and _is_behind(note, *pair):
        if pairs and not (_same(pairs[0][1], pair[1]) and _follows(note, pairs[-1][1], pair[0])):
            break
        pairs.append(pair)
        at += 2
    pieces: list[Formula | str] = []
    for condition, value in pairs:
        pieces += [r"\text{if } ", condition, ": ", value, ", "]
    if pairs and at < len(formulas) and _same(pairs[0][1], formulas[at]):
        link = _AND.fullmatch(_between(note, pairs[-1][1], formulas[at]))
        if link is not None and link["else"]:
            return [*pieces, r"\text{otherwise } ", formulas[at]]
    lone = len(pairs) == 1 and not _limits(note, *pairs[0])
    return [] if lone else pieces[:-1]


def _is_behind(note: Note, condition: Formula, value: Formula) -> bool:
    """Whether a value stands behind its condition."""
    if condition.display or value.display or "%" in condition.latex + value.latex:
        return False
    start = condition.places.offset(0)
    ahead = _DELIMITERS.sub("", note.source.text[max(0, start - _LINK) : start])
    signs = _EQUATES_OR_COMPARES if _WHERE.search(ahead) else _COMPARES
    compares = signs.search(condition.latex) and not _COMPARES.search(value.latex)
    said = compares and _EQUATES.search(value.latex) and _BEFORE.search(ahead)
    return bool(said) and _THEN.fullmatch(_between(note, condition, value)) is not None


def _follows(note: Note, value: Formula, condition: Formula) -> bool:
    """Whether the next condition stands right behind a value, or in the next item of a list."""
    words = _between(note, value, condition)
    return re.fullmatch(rf"(?:{_ITEM}|[.,;])? ?{_IFS}", words, re.IGNORECASE) is not None


def _cases(note: Note, formulas: Sequence[Formula], at: int) -> list[Formula | str]:
    """The formulas of a sentence of cases, with the words between them in TeX; none of another."""
    value = formulas[at]
    if value.display or value.code or not _EQUATES.search(value.latex):
        return []
    pieces: list[Formula | str] = []
    while (pair := _case(note, formulas[at : at + 2], bool(pieces))) and _same(value, pair[0]):
        pieces += [", "] if pieces else []
        pieces += [pair[0], r" \text{ if } ", pair[1]]
        at += 2
        words = _between(note, *formulas[at - 1 : at + 1]) if formulas[at:] else "."
        link = _AND.fullmatch(words)
        if _OR.match(words) or (link and _COMPARES.search(formulas[at].latex)):
            return []  # a second condition, "or $m = 0$"
        if link is None or (link["item"] and not _EQUATES.search(formulas[at].latex)):
            break
        end = _end(formulas[at]) + 1
        behind = _ELSE.match(note.source.text[end : end + _LINK])
        if (behind or link["else"]) and _same(value, formulas[at]):
            last = replace(formulas[at], latex=rf"{formulas[at].latex} \text{{ otherwise}}")
            return [*pieces, ", ", last]
    lone = len(pieces) == 3
    return [] if lone and not _limits(note, formulas[at - 1], value) else pieces


def _case(note: Note, formulas: Sequence[Formula], further: bool) -> tuple[Formula, Formula] | None:
    """A value and its condition, ``$x$ for $x > 0$``. The ``t = 1`` behind *for* is one only in a
    ``further`` case; an update has one behind *where* as well."""
    if len(formulas) < 2:
        return None
    value, condition = formulas
    words = _between(note, value, condition)
    given = _GIVEN.fullmatch(words) and _UPDATES.search(value.latex)
    if not _IF.fullmatch(words) and not (given and not _is_supposed(condition, value)):
        return None
    if "%" in value.latex + condition.latex:
        return None  # what stands behind a comment would be one, too
    told = further or (not given and _WHERE.search(words))
    signs = _EQUATES_OR_COMPARES if told else _COMPARES
    is_case = not _COMPARES.search(value.latex) and signs.search(condition.latex)
    return (value, condition) if is_case else None


def _same(first: Formula, other: Formula) -> bool:
    """Whether a further case, ``f(x) = 0`` or ``0``, is of what the first one defines."""
    return _EQUATES.search(other.latex) is None or _left(other) == _left(first)


def _left(formula: Formula) -> str:
    """What a formula defines, or updates."""
    return _EQUATES.split(formula.latex, maxsplit=1)[0].strip()


def _limits(note: Note, condition: Formula, value: Formula) -> bool:
    """Whether the only case there is limits what is defined, ``M_{ij}`` by ``j > i``; the ``β > 0``
    of any f(x) is what is supposed throughout. An update is made only *if* its condition holds,
    whatever that is of, and so is a step."""
    start = condition.places.offset(0)
    ahead = note.source.text[max(0, start - _LINK) : start]
    steps = _STEP.search(_left(value)) and not _is_supposed(condition, value)
    if (steps or _UPDATES.search(value.latex)) and _WHERE.search(ahead):
        return True
    opening = _OPENING.match(condition.latex)
    letter = _LETTER.match(condition.latex, opening.end() if opening else 0)
    return letter is not None and letter[0] in _LETTER.findall(_left(value))


def _is_supposed(condition: Formula, value: Formula) -> bool:
    """Whether a condition is only supposed of an update."""
    _, _, right = value.latex.partition(_left(value))
    lone = _SUPPOSED.fullmatch(condition.latex) is not None
    return lone or suppositions.is_supposed(condition.latex, _left(value), right)


def _between(note: Note, one: Formula, other: Formula) -> str:
    """The words between two formulas; what is no word where they stand in two paragraphs."""
    start, end = _end(one), other.places.offset(0)
    text = note.source.text[start:end] if end - start < _LINK and not other.display else "\n\n"
    words = " ".join(_DELIMITERS.sub("", text).split())
    return words if "\n\n" not in text or re.match(_ITEM, words) else "\0"


def _end(formula: Formula) -> int:
    return formula.places.offset(len(formula.latex))


def _joined(pieces: Sequence[Formula | str]) -> Formula:
    """One formula of several, each in its place."""
    first = next(piece for piece in pieces if isinstance(piece, Formula))
    latex, points = "", [(0, first.places.offset(0))]
    for piece in pieces:
        if isinstance(piece, Formula):
            points += [(len(latex) + own, file) for own, file in piece.places.points]
        latex += piece if isinstance(piece, str) else piece.latex
    return replace(first, latex=latex, places=SourceMap(tuple(points)))
