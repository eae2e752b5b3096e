"""Signs between conditions: the ``∧`` of ``j \\le i \\land i - j < w`` is the word *and*. One
between values stays a sign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from notes2code.latex.characters import Token

SIGNS = {"∧": "and", "∨": "or", "ampersand": "and"}
"""The words for signs; ``\\&`` is read as a name."""

_OPENS, _CLOSES = frozenset(["open", "{"]), frozenset(["close", "}"])
_BREAKS = frozenset(["sep", "quad", "row", "amp", "text", "quantifier", "env", "stop", "end"])
_WITHIN = frozenset(["amp", "text", "quantifier"])
"""What stands before a condition, as an opening parenthesis does: an ``=`` behind it defines
nothing."""

_COMPARES = frozenset("<>≤≥≠∈")


def as_words(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with words for the signs that stand between two conditions."""
    return [
        token._replace(kind="text", text=SIGNS[token.text]) if _joins(tokens, at) else token
        for at, token in enumerate(tokens)
    ]


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sign stands between two conditions."""
    if not _is_sign(tokens[at]):
        return False
    before, behind = _side(tokens, at, -1), _side(tokens, at, 1)
    start = at - len(before) - 1
    within = start >= 0 and (tokens[start].kind in _OPENS | _WITHIN or _is_sign(tokens[start]))
    return _is_condition(before[::-1], within) and _is_condition(behind, True)


def _is_sign(token: Token) -> bool:
    return token.kind in ("op", "name") and token.text in SIGNS


def _side(tokens: Sequence[Token], at: int, step: int) -> list[Token]:
    """What stands on one side of a sign, up to the next one or what ends a clause or a group."""
    found: list[Token] = []
    depth = 0
    opens, closes = (_OPENS, _CLOSES) if step == 1 else (_CLOSES, _OPENS)
    at += step
    while 0 <= at < len(tokens):
        token = tokens[at]
        depth += (token.kind in opens) - (token.kind in closes)
        if depth < 0 or (not depth and (token.kind in _BREAKS or _is_sign(token))):
            break
        found.append(token)
        at += step
    return found


def _is_condition(side: Sequence[Token], within: bool) -> bool:
    """Whether something compares at its own level, or is a group that does; ``within`` tells that
    an ``=`` is a comparison, too."""
    signs = {token.text for token in _outside(side) if token.kind == "rel"}
    if signs:
        return signs <= _COMPARES | ({"="} if within else set())
    if len(side) < 3 or side[0].kind != "open" or side[-1].kind != "close":
        return False
    inner = side[1:-1]
    return any(token.kind == "rel" and token.text in _COMPARES | {"="} for token in _outside(inner))


def _outside(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens that stand in no group."""
    depth = 0
    for token in tokens:
        depth += token.kind in _OPENS
        if not depth:
            yield token
        depth -= token.kind in _CLOSES
