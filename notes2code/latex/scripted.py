"""Scripts that are struck out, ``x^{\\cancel{(s)}}``, or stand apart, ``x^{(s)}{}^\\top``."""

from __future__ import annotations

from notes2code.latex.angles import closing
from notes2code.latex.characters import Token


def without_struck(tokens: list[Token]) -> list[Token]:
    """A script that is struck out as a whole, the ``^{\\cancel{(s)}}`` of weights that no longer
    differ from head to head, is none."""
    dropped = set[int]()
    for at, token in enumerate(tokens):
        if (token.kind, token.text) != ("cmd", "cancel") or tokens[at + 1].kind != "{":
            continue
        first, last = at - 1, closing(tokens, at + 2)
        while tokens[first].kind == "{" and tokens[last + 1].kind == "}":
            first, last = first - 1, last + 1
        if tokens[first].kind in ("^", "_"):
            dropped.update(range(first, last + 1))
    return [token for at, token in enumerate(tokens) if at not in dropped] if dropped else tokens


def joined(tokens: list[Token]) -> list[Token]:
    """The ``k^{(s)}{}^\\top`` of those who set a transpose behind another script as
    ``k^{(s)\\top}``, and ``x{}_i`` as ``x_i``: the empty braces between them hold nothing."""
    out = list(tokens)
    for at in range(len(out) - 4, 0, -1):
        if out[at].kind != "{" or out[at + 1].kind != "}":
            continue
        sign, inner = out[at + 2], out[at + 3]
        if sign.kind not in ("^", "_") or out[at - 1].kind not in _ENDS:
            continue
        first = _script_before(out, at, sign.kind)
        turned = out[at + 4] if inner.kind == "{" and out[at + 5].kind == "}" else inner
        if first is None:
            del out[at : at + 2]
        elif sign.kind == "^" and turned.text in ("T", "top"):
            braced = out[first + 1].kind == "{"
            before = out[first + 2 : at - 1] if braced else out[first + 1 : at]
            opened, closed = (sign._replace(kind=text, text=text) for text in "{}")
            end = at + 4 if turned is inner else at + 6
            out[first:end] = [out[first], opened, *before, turned, closed]
    return out


_ENDS = frozenset(["name", "word", "num", "}", "close", "prime"])


def _script_before(tokens: list[Token], at: int, sign: str) -> int | None:
    """Where the script with a sign begins that ends right before a place, if one does."""
    start = at - 2
    if tokens[at - 1].kind == "}":
        depth = 1
        while depth and start >= 0:
            depth += {"}": 1, "{": -1}.get(tokens[start].kind, 0)
            start -= 1
    return start if start >= 0 and tokens[start].kind == sign else None
