"""Four indices or more below a name, ``W_{ijkl}`` and ``q_{bhid}``: a row of so many letters looks
like a word, ``W_{proj}``, and is none where its letters count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.tree import Big, Change, Formula, Group, Juxt, Name, Node, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts


def apart(formula: Formula) -> Change | None:
    """The letters of such a row below a name, or below a sum, one by one."""
    found = _found(formula)

    def written(node: Script | Big) -> Node | None:
        match node:
            case Script(_, Name(text) as row) | Big(_, Name(text) as row) if text in found:
                return replace(node, sub=_one_by_one(row))
        return None

    return written if found else None


def _one_by_one(row: Name) -> Juxt:
    start = row.span.start
    letters = enumerate(row.text)
    return Juxt((*(Name(x, Span(start + at, start + at + 1)) for at, x in letters),), row.span)


def _found(formula: Formula) -> set[str]:
    """The rows of letters that count."""
    below = [node for node in formula.of(Script) if scripts.is_name(node)]
    rows = {text for node in below if (text := _row(node.sub))}
    if not rows:
        return rows
    alone = {letter for node in below for letter in _alone(node.sub)}
    sums = [node.sub for node in formula.of(Big) if node.sub is not None]
    counted = {x for sub in sums for letter in binders.bound_letters(sub) for x in letter}
    shared = {row for row in rows if _are_places(row) and _names_above(row, below) > 1}
    found = shared | {row for row in rows if _counts(row, rows, alone, counted)}
    return found | {text for sub in sums if found and (text := _row(sub))}


def _row(node: Node | None) -> str:
    """The letters of what stands below a name, four or more, of which none is there twice."""
    if not isinstance(node, Name) or node.text in names.GREEK or len(node.text) < 4:
        return ""
    plain = node.text.isalpha() and node.text.islower()
    return node.text if plain and len({*node.text}) == len(node.text) else ""


def _counts(row: str, rows: Set[str], alone: Set[str], counted: Set[str]) -> bool:
    """Whether each letter of a row is summed over, or is in another row or alone below a name, and
    one at least by itself: the d of ``q_{bhid}`` and ``k_{bhjd}``. The ``ijkl`` of any are no word,
    nor are letters without a vowel, such as the ``nchw`` of images beside a ``μ_c``; nor the
    ``tijk`` beside a t elsewhere, or below two names."""
    others = {letter for other in rows - {row} for letter in other}
    letters, single = {*row}, alone | counted
    if letters <= {*"ijklmn"} or (letters.isdisjoint("aeiouy") and letters & single):
        return True
    others |= {*"ijk"} if _are_places(row) else set()
    return letters <= others | single and bool(letters & single)


def _are_places(row: str) -> bool:
    """Whether i, j and k are all in a row, as in hardly a word."""
    return {*row} >= {*"ijk"}


def _names_above(row: str, below: Sequence[Script]) -> int:
    """How many names a row stands below."""
    return len({binders.bare(node) for node in below if _row(node.sub) == row})


def _alone(sub: Node | None) -> Iterator[str]:
    """The letters below a name, one by one."""
    match sub:
        case Juxt(parts) | Group(_, parts):
            names_below = [part.text for part in parts if isinstance(part, Name)]
        case Name(text):
            names_below = [text]
        case _:
            names_below = []
    yield from (name for name in names_below if len(name) == 1)
