r"""The equations of a formula that is several, each as a formula of its own.

\begin{aligned} q &= x W, \quad k = x V \\ s &= q \cdot k \end{aligned}

One that is not understood then takes none of the others with it. What defines nothing, such as the
range behind an equation or the next side of a chain, stays with the equation before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from notes2code.latex.labelled import Part

_BEGIN = re.compile(r"\s*\\begin\{(aligned|align|gathered|gather|split)\*?\}")
_PIECE = re.compile(r"\\begin\b|\\end\b|\\left\b|\\right\b|\\q?quad\b|\\\\|\\.|[{}]", re.DOTALL)
_IDLE = r"(?:\\q?quad\b|\\[,;:!> ]|[\s&~,;.])*"
_EXPLAINS = re.compile(rf"{_IDLE}(?:\\text(?:rm)?|\\mathrm)\s*\{{\s*(?:where|with|for|if)\b")
_COUNTS = re.compile(rf"{_IDLE}[a-z]\s*&?=\s*(?:-?\d|\\\{{)")
"""A range, ``i = 1, …, n``."""

_NO_NAME = re.compile(r"[<>]|\\(?:in|le|ge|leq|geq|to|forall|sum|sim)\b|^\s*[-+]")
_SPACES = re.compile(r"\\q?quad\b")


def equations(latex: str) -> tuple[Part, ...]:
    """The equations of a formula, in order; none where it is not several."""
    begin = _BEGIN.match(latex)
    end = rf"\end{{{begin[0].strip()[7:-1]}}}" if begin else ""
    start, stop = 0, len(latex)
    if begin is not None:
        if not latex.rstrip().endswith(end):
            return ()
        start, stop = begin.end(), latex.rindex(end)
    parts: list[tuple[int, int]] = []
    for first, last in _pieces(latex, start, stop):
        if parts and not _defines(latex[first:last]):
            parts[-1] = (parts[-1][0], last)
        else:
            parts.append((first, last))
    defined = {_left(latex[first:last]) for first, last in parts}
    if len(defined) < len(parts) or len(parts) < 2 or not _defines(latex[slice(*parts[0])]):
        return ()  # two of one thing are its cases, or contradict each other
    around = ((r"\begin{aligned}", start), (r"\end{aligned}", stop)) if begin else ()
    return tuple(
        # The formula begins where its row does.
        Part("", ((" ", first), *around[:1], (latex[first:last], first), *around[1:]))
        for first, last in parts
    )


def _pieces(latex: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """What the ends of rows and wide spaces part, outside all braces and environments."""
    depth, first = 0, start
    for sign in _PIECE.finditer(latex, start, stop):
        if sign[0] in ("{", r"\begin", r"\left"):
            depth += 1
        elif sign[0] in ("}", r"\end", r"\right"):
            depth -= 1
        elif depth == 0 and sign[0] in (r"\\", r"\quad", r"\qquad"):
            yield first, sign.start()
            first = sign.end()
    yield first, stop


def _left(text: str) -> str:
    """What a piece defines, as it is written."""
    return re.sub(_IDLE, "", text.partition("=")[0])


def _defines(text: str) -> bool:
    """Whether a piece defines something of its own."""
    left, sign, _ = text.partition("=")
    if not sign or _COUNTS.match(text) or _EXPLAINS.match(text) or _NO_NAME.search(left):
        return False
    return re.search(r"[A-Za-z]", _SPACES.sub("", left)) is not None
