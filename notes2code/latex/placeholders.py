"""Dots that hold the place of an argument: ``\\phi(\\cdot) = \\mathrm{ReLU}(\\cdot)`` and
``f = \\max(0, \\cdot)``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.characters import Token

_EXTREME = frozenset(["max", "min"])


def filled(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a letter that stands nowhere else in the place of such dots, where a function
    is defined with one. Others, ``g = \\sigma(\\cdot)``, hold the place of anything, but for what a
    number is compared with."""
    dots = [at for at in range(1, len(tokens) - 1) if tokens[at].text == "·"]
    if not dots:
        return list(tokens)
    places = [at for at in dots if _is_argument(tokens, at)]
    compared = [at for at in dots if _is_compared(tokens, at)]
    taken = {token.text for token in tokens}
    free = next((letter for letter in "xzu" if letter not in taken), "")
    defines = any(_is_defined(tokens, at) for at in places)
    if not free or not (defines or (compared and not places)):
        return list(tokens)
    out = list(tokens)
    for at in (*places, *compared):
        out[at] = Token("name", free, out[at].start, out[at].end)
    return out if places or not compared else _called(out, compared[0])


def _is_argument(tokens: Sequence[Token], at: int) -> bool:
    """Whether a dot stands alone in its parentheses."""
    return [token.kind for token in tokens[at - 1 : at + 2]] == ["open", "op", "close"]


def _is_defined(tokens: Sequence[Token], at: int) -> bool:
    """Whether a dot stands on the left-hand side of a definition."""
    return any(token.kind == "rel" for token in tokens[at + 2 : at + 3])


def _is_compared(tokens: Sequence[Token], at: int) -> bool:
    """Whether a dot is what ``\\max(0, \\cdot)`` compares a number with."""
    number_first = tokens[at - 1].kind == "sep"
    start = at - 3 if number_first else at - 1
    if start < 1 or tokens[start - 1].text not in _EXTREME:
        return False
    given = ["num", "op"] if number_first else ["op", "num"]
    kinds = [token.kind for token in tokens[start : start + 5]]
    return kinds == ["open", given[0], "sep", given[1], "close"]


def _called(tokens: list[Token], at: int) -> list[Token]:
    """The tokens with the letter in this place behind the name that stands before the last equals
    sign, too: ``f(x) = \\max(0, x)`` for ``f = \\max(0, x)``."""
    sign = max((k for k in range(at) if tokens[k].kind == "rel"), default=0)
    if sign == 0 or tokens[sign - 1].kind not in ("name", "word"):
        return tokens
    end = tokens[sign - 1].end
    argument = (Token("open", "(", end, end), tokens[at], Token("close", ")", end, end))
    return [*tokens[:sign], *argument, *tokens[sign:]]
