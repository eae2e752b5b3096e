"""Equations in lines of their own that no ``\\\\`` parts.

TeX sets ``q = x W`` and, in the next line, ``k = x V`` side by side, as ``q = x W k = x V``. Where
a line begins with a name and an equals sign behind a whole equation, two equations are meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.characters import Token

_OPENS = frozenset(["open", "{"])
_CLOSES = frozenset(["close", "}"])
_ENDS_AN_OPERAND = frozenset(["name", "word", "num", "close", "}", "prime"])
_PARTS = frozenset(["env", "row", "amp"])


def parted(tokens: Sequence[Token], latex: str, problems: list[Problem]) -> list[Token]:
    """The tokens with a row's end before each line that is an equation of its own."""
    if "\n" not in latex.strip() or any(token.kind in _PARTS for token in tokens):
        return list(tokens)
    out: list[Token] = []
    depth, equates = 0, False
    for at, token in enumerate(tokens):
        depth += (token.kind in _OPENS) - (token.kind in _CLOSES)
        before = out[-1] if out else None
        broken = before is not None and "\n" in latex[before.end : token.start]
        if broken and equates and not depth and _begins_equation(tokens, at):
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
    if tokens[at - 1].kind not in _ENDS_AN_OPERAND or tokens[at].kind not in ("name", "word"):
        return False
    at += 1
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
