"""Letters that a note has in two fonts: the expert ``E_i`` and the set ``\\mathcal{E}`` of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress

from notes2code.diagnostics import ProblemError
from notes2code.latex.macros import Macro
from notes2code.latex.parser import parse
from notes2code.latex.signs import FONTS_SCRIPT
from notes2code.latex.tree import Name, Node, Script, children

_SCRIPT = re.compile(rf"\\(?:{'|'.join(sorted(FONTS_SCRIPT))})\s*\{{?\s*([A-Za-z])(?![A-Za-z])")


def in_two_fonts(
    formulas: Sequence[str], words: Set[str], macros: Mapping[str, Macro]
) -> frozenset[str]:
    """The letters that stand in the formulas of a note calligraphic and plain."""
    letters = frozenset(letter for latex in formulas for letter in _SCRIPT.findall(latex))
    plain: set[str] = set()
    for latex in formulas if letters else ():
        if any(letter in latex for letter in letters):
            with suppress(ProblemError, RecursionError):
                clauses = parse(latex, words, macros, letters).clauses
                plain.update(text for clause in clauses for text in _plain(clause.node))
    return letters & plain


def _plain(node: Node) -> Iterator[str]:
    """The letters without a font, but for those that are labels of names."""
    match node:
        case Name(text, _, ""):
            yield text
        case Script(base):
            yield from _plain(base)
        case _:
            for part in children(node):
                yield from _plain(part)
