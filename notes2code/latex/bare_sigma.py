"""``\\Sigma`` for ``\\sum`` without an index: ``-\\Sigma y \\log p``, by what is added up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.characters import Token

_LOGARITHMS = frozenset(["log", "ln"])


def is_sum(behind: Sequence[Token]) -> bool:
    """Whether what stands behind a ``\\Sigma`` is nothing that a matrix would be multiplied with: a
    logarithm, a power of e, a difference squared."""
    if not behind or behind[0].kind in ("_", "^", "prime"):
        return False
    body = [*_of_term(behind)]
    texts = [token.text for token in body]
    raised = ["e", "^"] in (texts[:2], texts[1:3])  # with a brace before it or without
    return raised or not _LOGARITHMS.isdisjoint(texts) or _is_squared_difference(texts)


def _of_term(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands before the next sign of the same level, with all that is in its brackets."""
    depth = 0
    for token in tokens:
        if token.kind in ("open", "{"):
            depth += 1
        elif token.kind in ("close", "}"):
            depth -= 1
        if depth < 0 or (depth == 0 and (token.kind == "rel" or token.text in ("+", "-"))):
            return
        yield token


def _is_squared_difference(texts: Sequence[str]) -> bool:
    """Whether a term is ``(y - t)^2``."""
    ends = "".join(texts[-4:]).replace("{", "").replace("}", "").endswith(")^2")
    return texts[:1] == ["("] and "-" in texts and texts.count("(") == 1 and ends
