r"""Ends of rows that have lost a backslash, as where something took ``\\`` for an escaped one: the
``\begin{pmatrix} a & b \ c & d \end{pmatrix}`` of two rows, which TeX sets as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.characters import Token

_SPACE = re.compile(r"\\(?=\s)")
_ROWS = re.compile(r"([pbBvV]|small)?matrix|cases|aligned?|split")
_COLUMNS = re.compile(r"([pbBvV]|small)?matrix")
"""What may have rows of one cell."""


def restored(tokens: Sequence[Token], latex: str, problems: list[Problem]) -> list[Token]:
    """The tokens with a row's end for each such space in an environment that has no other rows."""
    if _SPACE.search(latex) is None:
        return list(tokens)
    out: list[Token] = []
    opened: list[int] = []
    for token in tokens:
        out.append(token)
        if token.kind == "env" and token.text.startswith("begin "):
            opened.append(len(out))
        elif token.kind == "env" and opened:
            start = opened.pop()
            name = token.text.partition(" ")[2].rstrip("*")
            ends = _lost(out[start:-1], latex, name)
            for at in reversed(ends):
                place = out[start + at].start
                out.insert(start + at, Token("row", "\\\\", place, place))
            if ends:
                text = "the rows of this are told apart by spaces: an end of a row is `\\\\`"
                where = Span(out[start - 1].start, token.end)
                problems.append(warning("N2C026", text, where, "write `\\\\`; it is read so"))
    return out


def _lost(inside: Sequence[Token], latex: str, name: str) -> list[int]:
    """Where rows begin behind such spaces, if these have equally many cells."""
    if not _ROWS.fullmatch(name) or any(token.kind in ("row", "env") for token in inside):
        return []
    found: list[int] = []
    cells, depth = [1], 0
    for at, token in enumerate(inside):
        gap = latex[inside[at - 1].end : token.start] if at else ""
        if not depth and _SPACE.search(gap) and inside[at - 1].kind not in ("text", "quantifier"):
            found.append(at)
            cells.append(1)
        depth += (token.kind in ("open", "{")) - (token.kind in ("close", "}"))
        cells[-1] += token.kind == "amp" and not depth
    several = cells[0] > 1 or _COLUMNS.fullmatch(name) is not None
    return found if several and len(set(cells)) == 1 else []
