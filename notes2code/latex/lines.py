r"""Equations in lines of their own that no ``\\`` parts, or behind a space that is set.

TeX sets ``q = x W`` and, in the next line, ``k = x V`` side by side, as ``q = x W k = x V``. Where
a line begins with a name and an equals sign behind a whole equation, two equations are meant, and
so they are in ``q = x W \; \; k = x V``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.characters import Token

_OPENS = frozenset(["open", "{"])
_CLOSES = frozenset(["close", "}"])
_ENDS_AN_OPERAND = frozenset(["name", "word", "num", "close", "}", "prime"])
_BEGINS = frozenset(["name", "word", "font"])
_PARTS = frozenset(["env", "row", "amp"])
_SPACE = re.compile(r"(?:(?:\\[,;: ]|~)\s*){2}|\\(?:hspace|hskip|enspace)(?![A-Za-z])")
"""A space that is wider than any between two factors."""


def parted(tokens: Sequence[Token], latex: str, problems: list[Problem]) -> list[Token]:
    """The tokens with a row's end before each line that is an equation of its own."""
    apart = "\n" in latex.strip() or _SPACE.search(latex) is not None
    if not apart or any(token.kind in _PARTS for token in tokens):
        return list(tokens)
    out: list[Token] = []
    depth, equates = 0, False
    for at, token in enumerate(tokens):
        depth += (token.kind in _OPENS) - (token.kind in _CLOSES)
        gap = latex[out[-1].end : token.start] if out else ""
        broken = "\n" in gap
        spaced = _SPACE.search(gap) is not None and not out[-1].kind == token.kind == "word"
        if (broken or spaced) and equates and not depth and _begins_equation(tokens, at):
            if not spaced:
                text = "TeX sets this line beside the one before it"
                way = "end that one with `\\\\`; each is read as an equation of its own"
                problems.append(warning("N2C026", text, Span(token.start, token.end), way))
            out.append(Token("row", "\\\\", token.start, token.start))
            equates = False
        equates = equates or (not depth and token.kind == "rel" and token.text == "=")
        out.append(token)
    return out


def _begins_equation(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name with scripts and an equals sign stand there, behind a whole operand."""
    if tokens[at - 1].kind not in _ENDS_AN_OPERAND or tokens[at].kind not in _BEGINS:
        return False
    at = _behind(tokens, at + 1) if tokens[at].kind == "font" else at + 1
    while tokens[at].kind in ("_", "^", "prime"):
        at = at + 1 if tokens[at].kind == "prime" else _behind(tokens, at + 1)
    return tokens[at].kind == "rel" and tokens[at].text == "="


def _behind(tokens: Sequence[Token], at: int) -> int:
    """Where what stands behind a script begins."""
    depth = 0
    while tokens[at].kind != "end":
        depth += (tokens[at].kind == "{") - (tokens[at].kind == "}")
        at += 1
        if not depth:
            break
    return at


def without_repeated(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens without an equals sign at the end of a row that the next row begins with, too, as
    Russian typography has it: ``y = \\ = W x``."""
    out: list[Token] = []
    for at, token in enumerate(tokens):
        if token.kind == "row" and out and out[-1].kind == "rel":
            next_one = next(one for one in tokens[at + 1 :] if one.kind != "amp")
            if next_one.kind == "rel" and next_one.text == out[-1].text:
                out.pop()
        out.append(token)
    return out
