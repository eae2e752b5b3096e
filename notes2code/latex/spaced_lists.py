"""Lists in brackets that only spaces or dots part: ``[H_1\\ H_2]``, ``[x_1 x_2 \\dots x_n]``.

TeX shows no product so: a wide space stands between two things, and dots between the first and the
last of many. In parentheses there may be a product so, and a list has both: ``(h_1\\ \\dots\\
h_n)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from notes2code.diagnostics import Problem, Span, note
from notes2code.latex.characters import Token
from notes2code.latex.signs import ACCENTS

_WIDE = re.compile(r"\\[ ;:]|~")
_STARTS = frozenset(["name", "word", "text", "dots"])
_SCRIPTS = frozenset("_^")
_CLOSES = {"[": "]", "(": ")"}


def parted(tokens: list[Token], latex: str, problems: list[Problem]) -> list[Token]:
    """The tokens, with a comma between the items of each such list, of which the author is told."""
    if not any(token.kind == "open" and token.text in _CLOSES for token in tokens):
        return tokens
    commas: set[int] = set()
    for at, token in enumerate(tokens):
        if token.kind == "open" and token.text in _CLOSES:
            starts = [*_items(tokens, at + 1)]
            if len(starts) > 2 and _is_list(tokens, starts, latex):
                commas.update(starts[1:-1])
                where = Span(token.start, tokens[starts[-1]].end)
                text = "what stands side by side in these brackets is taken for a list"
                problems.append(note("N2C039", text, where, "write commas, or `&` in a `bmatrix`"))
    if not commas:
        return tokens
    out: list[Token] = []
    for at, token in enumerate(tokens):
        if at in commas:
            out.append(Token("sep", ",", out[-1].end, token.start))
        out.append(token)
    return out


def _items(tokens: Sequence[Token], at: int) -> Iterator[int]:
    """Where the items of a list begin, and where the bracket is that closes it; nothing more where
    something else than names with their scripts, or dots, stands between."""
    close = _CLOSES[tokens[at - 1].text]
    while at < len(tokens) and (tokens[at].kind in _STARTS or tokens[at].text in ACCENTS):
        yield at
        at = _behind(tokens, at + 1) if tokens[at].text in ACCENTS else at + 1
        while tokens[at].kind in _SCRIPTS or tokens[at].kind == "prime":
            at = _behind(tokens, at + 1) if tokens[at].kind in _SCRIPTS else at + 1
    if at < len(tokens) and tokens[at].kind == "close" and tokens[at].text == close:
        yield at


def _behind(tokens: Sequence[Token], at: int) -> int:
    """The place behind the braces, or the sign, that begin at one."""
    depth = 0
    while at < len(tokens) - 1:
        depth += (tokens[at].kind == "{") - (tokens[at].kind == "}")
        at += 1
        if depth == 0:
            break
    return at


def _is_list(tokens: Sequence[Token], starts: Sequence[int], latex: str) -> bool:
    """Whether what stands in brackets is closed, and is parted by dots or by wide spaces alone."""
    *items, closed = starts
    if tokens[closed].kind != "close":
        return False
    inside = [tokens[at].kind for at in items]
    if inside[0] == "dots" or inside[-1] == "dots":
        return False
    wide = all(_WIDE.search(latex, tokens[at - 1].end, tokens[at].start) for at in items[1:])
    goes_on = "dots" in inside
    return wide or goes_on if tokens[closed].text == "]" else wide and goes_on
