"""Comparison signs written for angle brackets: ``a^{<t>}``, and the inner product ``<q, k>``."""

from __future__ import annotations

from notes2code.latex.characters import Token

_ANGLES = {("rel", "<"): ("rel", ">"), ("open", "⟨"): ("close", "⟩")}
_BEFORE_OPERANDS = frozenset({"rel", "op", "open", "{", "sep", "row", "quad", "amp", "fn", "text"})


def bracketed(tokens: list[Token]) -> list[Token]:
    """The tokens, with parentheses and angle brackets for the signs that are meant so."""
    return _inner_products(_without_angles_above(tokens))


def _inner_products(tokens: list[Token]) -> list[Token]:
    """``<q, k>`` as ``⟨q, k⟩``: the first sign stands where an operand begins, so that it compares
    nothing, and two items with a comma are between the two."""
    out = list(tokens)
    for at, first in enumerate(tokens):
        if (first.kind, first.text) != ("rel", "<"):
            continue
        if at and tokens[at - 1].kind not in _BEFORE_OPERANDS:
            continue
        if (end := _end_of_pair(tokens, at)) is not None:
            out[at] = first._replace(kind="open", text="⟨")
            out[end] = tokens[end]._replace(kind="close", text="⟩")
    return out


def _end_of_pair(tokens: list[Token], at: int) -> int | None:
    """Where the ``>`` stands that ends a list of two; None where there is none."""
    depth, commas = 0, list[int]()
    for place, token in enumerate(tokens[at + 1 :], at + 1):
        depth += {"open": 1, "{": 1, "close": -1, "}": -1}.get(token.kind, 0)
        if depth < 0 or (depth == 0 and token.kind in ("row", "end", "text", "quad")):
            return None
        if depth == 0 and token.kind == "sep":
            commas.append(place)
        elif depth == 0 and token.kind == "rel":
            whole = len(commas) == 1 and at + 1 < commas[0] < place - 1
            return place if whole and token.text == ">" else None
    return None


def _without_angles_above(tokens: list[Token]) -> list[Token]:
    """The index of ``a^{<t>}`` and ``a^{⟨t⟩}`` in parentheses, as in ``a^{(t)}``; that of
    ``a^{<t}`` stays."""
    out = list(tokens)
    for at in range(2, len(tokens)):
        first = tokens[at]
        last = _ANGLES.get((first.kind, first.text))
        if last is None or (tokens[at - 2].kind, tokens[at - 1].kind) != ("^", "{"):
            continue
        end = closing(tokens, at) - 1
        if (tokens[end].kind, tokens[end].text) == last:
            out[at] = Token("open", "(", first.start, first.end)
            out[end] = Token("close", ")", tokens[end].start, tokens[end].end)
    return out


def closing(tokens: list[Token], at: int) -> int:
    """Where the braces close that a place stands in; the end where they never do."""
    depth = 0
    for place, token in enumerate(tokens[at:], at):
        depth += (token.kind == "{") - (token.kind == "}")
        if depth < 0:
            return place
    return len(tokens) - 1
