"""Full stops between factors: ``W.x`` is a product, and ``A .* B`` one of elements; the stop that
ends a sentence stays."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Problem, error, note
from notes2code.latex.characters import Token

_BARS = frozenset(["bar", "dbar"])
_ENDS_FACTOR = _BARS | {"name", "num", "word", "close", "}", "prime"}
_BEGINS_FACTOR = _BARS | {"name", "word", "open", "{", "big", "fn", "cmd", "font", "blackboard"}
_BREAKS = frozenset(["sep", "quad", "row", "amp", "text", "quantifier", "end"])
_ENDS = frozenset(["row", "end", "stop"])
_BY_ELEMENTS = {"*": "⊙", "/": "⊘"}
_ABBREVIATIONS = ("eg", "ie", "iid", "st", "wrt")


def as_products(tokens: list[Token], problems: list[Problem]) -> list[Token]:
    """The tokens with a sign for each full stop that multiplies; each is told.

    Raises ProblemError (N2C033) where one may also end a formula before another.
    """
    out: list[Token] = []
    depths = _depths(tokens)
    skipped = _in_abbreviations(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "stop" and at and at not in skipped and depths[at] is not None:
            token = _read(tokens, at, bool(depths[at]), problems)
        elif token.kind == "op" and out and out[-1].text in ("⊙", "⊘") and _is_dotted(tokens, at):
            continue
        out.append(token)
    return out


def _depths(tokens: Sequence[Token]) -> list[int | None]:
    """How many parentheses and braces are open at each token; None within scripts, whose stops
    are those of labels."""
    found: list[int | None] = []
    scripts: list[bool] = []
    for at, token in enumerate(tokens):
        if token.kind in ("open", "{"):
            scripts.append(at > 0 and tokens[at - 1].kind in ("^", "_"))
        elif token.kind in ("close", "}") and scripts:
            scripts.pop()
        found.append(None if any(scripts) else len(scripts))
    return found


def _in_abbreviations(tokens: Sequence[Token]) -> set[int]:
    """The places of the stops of ``s.t.`` and ``i.i.d.``."""
    found: set[int] = set()
    for at, token in enumerate(tokens):
        for word in _ABBREVIATIONS if token.kind == "name" else ():
            letters, stops = (tokens[at + part : at + 2 * len(word) : 2] for part in (0, 1))
            spelled = "".join(one.text for one in letters) == word
            if spelled and all(one.kind == "stop" for one in stops):
                found.update(range(at + 1, at + 2 * len(word), 2))
    return found


def _read(tokens: Sequence[Token], at: int, inside: bool, problems: list[Problem]) -> Token:
    """What a full stop stands for."""
    before, token, behind = tokens[at - 1], tokens[at], tokens[at + 1]
    if before.kind not in _ENDS_FACTOR:
        return token
    if _is_dotted(tokens, at + 1):
        return token._replace(kind="op", text=_BY_ELEMENTS[behind.text], end=behind.end)
    if behind.kind not in _BEGINS_FACTOR:
        return token
    if not inside and _ends_sentence(tokens, at):
        return token
    text = "this full stop between two factors is taken for a product"
    problems.append(note("N2C039", text, token.span, "write `\\cdot`"))
    return token._replace(kind="op", text="·")


def _ends_sentence(tokens: Sequence[Token], at: int) -> bool:
    """Whether a full stop ends a sentence: before the number of an equation, or before a space and
    more than factors, such as another formula or words.

    Raises ProblemError (N2C033) where there is another equation behind, and no such space.
    """
    before, behind = _clause(tokens[at - 1 :: -1]), _clause(tokens[at + 1 :])
    if _is_number_of_equation(tokens, at + 1):
        return True
    equated = any(one.kind == "rel" for one in behind)
    if tokens[at - 1].end == tokens[at].start and tokens[at].end < tokens[at + 1].start:
        return equated or any(one.kind in ("sep", "text", "quantifier") for one in behind[-1:])
    if equated and any(one.kind == "rel" for one in before):
        text = "this full stop may be a product, or the end of a formula"
        hint = "write `\\cdot`, or the formulas one below the other"
        raise error("N2C033", text, tokens[at].span, hint)
    return False


def _is_number_of_equation(tokens: Sequence[Token], at: int) -> bool:
    """Whether ``(2)``, ``[2]`` or ``(1.2)`` is all that follows."""
    if tokens[at].kind != "open":
        return False
    end = at + 1
    while tokens[end].kind in ("num", "stop"):
        end += 1
    return end > at + 1 and tokens[end].kind == "close" and tokens[end + 1].kind in _ENDS


def _is_dotted(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sign is the second part of a ``.*`` or a ``./``."""
    stop, sign = tokens[at - 1], tokens[at]
    adjacent = stop.kind == "stop" and stop.end == sign.start
    return adjacent and sign.kind == "op" and sign.text in _BY_ELEMENTS


def _clause(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a clause that are in no parentheses, as far as it goes, with what ends it."""
    found: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind in ("open", "{", "close", "}"):
            depth += 1 if token.kind in ("open", "{") else -1
        elif depth == 0:
            found.append(token)
            if token.kind in _BREAKS:
                break
    return found
