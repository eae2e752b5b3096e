r"""Formulas with one transpose set, left out or moved, where shapes did not fit: ``QK`` may have
meant ``QK^\top``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notes2code.diagnostics import Span

_MOST = 6
"""The matrices in a product, beyond which nobody can tell which one is meant."""
_SIGN = re.compile(r"\s*\^\s*(?:T|\\top\b|\{\s*(?:T|\\top)\s*\})")
_MATRIX = re.compile(
    r"(?:(?<![\\_^])(?<![^_][a-z])(?<![_^]\{)[A-Z](?![a-z{])"
    r"|\\(?:mathbf|textbf|mathrm|boldsymbol|bm)\{[A-Z]\})(?:_(?:\w|\{[^{}]*\}))?"
    f"(?P<sign>{_SIGN.pattern})?"
)
"""A capital, plain or in a font, with what stands below it, and the sign of its transpose."""


def transposed(latex: str, span: Span) -> list[str]:
    """The formula with a transpose of a product set, left out, or moved to the neighbour; those
    with fewer transposes, and with the sign further to the right, come first. Nobody forgets that
    of the V behind ``softmax(q K) V``."""
    found = _factors(list(_MATRIX.finditer(latex)), span)
    if not 1 < len(found) <= _MOST:
        return []
    signs = [match["sign"] is not None for match in found]
    ways = sorted(_ways(signs), key=lambda way: (sum(way), [not sign for sign in way[::-1]]))
    kept = [latex[: match.start()].rstrip().endswith(")") for match in found]
    return [
        _written(latex, found, way)
        for way in ways
        if not any(keeps and now > was for keeps, now, was in zip(kept, way, signs, strict=True))
    ]


def _factors(found: list[re.Match[str]], span: Span) -> list[re.Match[str]]:
    """The matrices at a place, or on both sides of it, where a sign of multiplication stands."""
    here = [one for one in found if one.end() > span.start and one.start() < span.end]
    before = [one for one in found if one.end() <= span.start]
    behind = [one for one in found if one.start() >= span.end]
    return here or [*before[-1:], *behind[:1]]


def _ways(signs: list[bool]) -> Iterator[list[bool]]:
    """The signs with one changed, or with one moved to its neighbour."""
    for at, sign in enumerate(signs):
        yield [*signs[:at], not sign, *signs[at + 1 :]]
        if signs[at : at + 2] in ([True, False], [False, True]):
            yield [*signs[:at], *signs[at : at + 2][::-1], *signs[at + 2 :]]


def _written(latex: str, found: list[re.Match[str]], way: list[bool]) -> str:
    """The formula with the transposes that a way has, as the formula itself writes them."""
    first = _SIGN.search(latex)
    usual = first[0].strip() if first else r"^\top"
    for match, wanted in zip(found[::-1], way[::-1], strict=True):
        bare = match[0].removesuffix(match["sign"] or "")
        kept = match[0] if (match["sign"] is not None) == wanted else bare + usual * wanted
        behind = latex[match.end() : match.end() + 1]
        apart = " " if kept.endswith("\\top") and behind.isalpha() else ""
        latex = latex[: match.start()] + kept + apart + latex[match.end() :]
    return latex
