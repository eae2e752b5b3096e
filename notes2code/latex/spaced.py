"""Letters and words that are set apart and name one thing."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise
from operator import attrgetter

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.characters import Token
from notes2code.latex.words import CALLED, FIELD, LONGEST

_KIND = attrgetter("kind")
_TEXT = attrgetter("text")

_SPACE = re.compile(r"(?:[\s~]|\\[ ,;:])+")


def letters(tokens: Sequence[Token], known: Set[str], problems: list[Problem]) -> list[Token]:
    """Join what OCR set apart: ``p o s`` and ``P E`` where a known word comes out, and no product
    of letters that are known themselves."""
    apart = {
        at
        for at, (left, right) in enumerate(pairwise(tokens))
        if left.kind == right.kind == "name" and left.end < right.start
    }
    if not apart:
        return list(tokens)
    joined: list[Token] = []
    at = longest = 0
    while at < len(tokens):
        if at not in apart:
            joined.append(tokens[at])
            at += 1
            continue
        longest = longest or max([LONGEST, *map(len, known)])
        end, limit = at, min(at + longest, len(tokens))
        while end < limit and tokens[end].kind == "name" and _is_letter(tokens[end].text):
            end += 1
            if end < limit and tokens[end].start == tokens[end - 1].end:
                break
        for stop in range(end, at + 1, -1):
            word = "".join(token.text for token in tokens[at:stop])
            if known >= {*word}:
                continue
            if (len(word) > 2 and (word in FIELD or word in known)) or (
                word in ("PE", "LN", "BP") and stop < len(tokens) and tokens[stop].kind in "_("
            ):
                start, last = tokens[at].start, tokens[stop - 1].end
                problems.append(remark(word, start, last))
                joined.append(Token("word", word, start, last))
                at = stop
                break
        else:
            joined.append(tokens[at])
            at += 1
    return joined


def words(tokens: Sequence[Token], latex: str) -> list[Token]:
    """Words side by side that name one thing, such as ``capacity~factor``; in front of parentheses
    only where the space between them is set, as in ``Feed\\ Forward(x)``. A function is such a word
    where nothing is given to it, as in ``safe\\ softmax = …``."""
    if [*map(_KIND, tokens)].count("word") < 2:
        return list(tokens)
    joined: list[Token] = []
    for at, token in enumerate(tokens):
        if token.kind != "word" or not joined or joined[-1].kind != "word":
            joined.append(token)
            continue
        before = joined[-1]
        called = any(behind.kind in ("open", "{") for behind in tokens[at + 1 : at + 2])
        between = latex[before.end : token.start]
        defined = any(behind.kind == "rel" for behind in tokens[at + 1 : at + 2])
        if (
            not {before.text.lower(), token.text.lower()} <= _MULTIPLIED
            and before.text not in CALLED
            and (token.text not in CALLED or (defined and between.strip()))
            and _SPACE.fullmatch(between)
            and (not called or between.strip())
        ):
            joined[-1] = before._replace(text=f"{before.text} {token.text}", end=token.end)
        else:
            joined.append(token)
    return joined


_MULTIPLIED = frozenset(["query", "key", "value"])
"""Words that name nothing together: the scores of ``Query Key^\\top`` are a product."""


def cut(tokens: Sequence[Token]) -> list[Token]:
    """The ``\\text{top-}k`` of one word whose end is set in math, as ``\\text{top-k}`` is, and the
    ``h\\text{-swish}(x)`` of one that is called and begins in math."""
    if not any(token.kind in ("word", "text") and "-" in token.text for token in tokens):
        return list(tokens)
    joined: list[Token] = []
    for token, behind in pairwise((*tokens, _NOTHING)):
        before = joined[-1] if joined else _NOTHING
        called = before.kind in _ENDS and token.kind == "text" and behind.text == "("
        if before.kind == "word" and before.text.endswith("-") and token.kind in _ENDS:
            joined[-1] = before._replace(text=before.text + token.text, end=token.end)
        elif called and re.fullmatch(r"-[A-Za-z]+", token.text):
            joined[-1] = Token("word", before.text + token.text, before.start, token.end)
        else:
            joined.append(token)
    return joined


_ENDS = frozenset(["name", "word", "num"])
_NOTHING = Token("end", "", 0, 0)

_MODULES = frozenset("MSA MHA MHSA SA CA Attn Attention Head MLP FFN LN Norm".split())
"""What modules are called that have a kind before a hyphen: ``W-MSA``, ``Cross-Attn``."""


def hyphenated(tokens: Sequence[Token], problems: list[Problem]) -> list[Token]:
    """The ``SW-MSA`` of ``SW-MSA(x)``, whose hyphen TeX sets as a minus, as one word, and the
    ``Input-Embedding`` and the ``Position-wise`` of which no part stands alone."""
    joined = list(tokens)
    texts = set(map(_TEXT, tokens))
    if "-" not in texts:
        return joined
    places = _places(tokens)
    if not places and texts.isdisjoint(_MODULES):
        return joined
    for at in range(len(tokens) - 1, 1, -1):
        start = at - 1
        behind = tokens[at + 1] if at + 1 < len(tokens) else _NOTHING
        if tokens[at].text in _MODULES and behind.kind == "open":
            while start and tokens[at - 1].text == "-" and _is_kind(tokens[start - 1 : at + 1]):
                start -= 1
        elif at + 1 not in places:
            while start in places:
                start -= 2
            start += 1
            # What stands alone, in parentheses or as a side of an equation, is a difference.
            if start == at or (tokens[start - 1].kind in _OPENS and behind.kind in _CLOSES):
                continue
            problems.append(_hyphen(tokens[start : at + 1]))
        if start < at - 1:
            text = "".join(token.text for token in tokens[start : at + 1])
            joined[start : at + 1] = [Token("word", text, tokens[start].start, tokens[at].end)]
    return joined


_OPENS = frozenset(["open", "bar", "dbar", "rel"])
_CLOSES = frozenset(["close", "bar", "dbar", "end", "sep", "stop", "row", "quad"])

_CAPITALISED = re.compile("[A-Z][a-z]{2,}")
_SPELT = re.compile("[A-Z][a-z]{2,}|[a-z]{4,}")


def _places(tokens: Sequence[Token]) -> set[int]:
    """The places of hyphens right between two words of which the first begins with a capital, and
    that stand nowhere without one."""
    tight = {
        at
        for at in range(1, len(tokens) - 1)
        if tokens[at].text == "-"
        and tokens[at - 1].end == tokens[at].start
        and tokens[at].end == tokens[at + 1].start
    }
    if not tight:
        return tight
    alone = {
        token.text
        for at, token in enumerate(tokens)
        if token.kind == "word" and not {at - 1, at + 1} & tight
    }
    words = {
        at: token.text
        for at, token in enumerate(tokens)
        if token.kind == "word" and token.text not in alone | CALLED
    }
    return {
        at
        for at in tight
        if _CAPITALISED.fullmatch(words.get(at - 1, "")) and _SPELT.fullmatch(words.get(at + 1, ""))
    }


def _hyphen(tokens: Sequence[Token]) -> Problem:
    name = "".join(token.text for token in tokens)
    return warning(
        "N2C050",
        f"`{name}` is taken for one name, and not for a difference",
        Span(tokens[0].start, tokens[-1].end),
        f"write `\\text{{{name}}}` for the name, and spaces around a minus",
    )


def _is_kind(tokens: Sequence[Token]) -> bool:
    """Whether the first of some tokens says of which kind the last is, without a space between."""
    first = tokens[0]
    word = first.kind == "word" or (first.kind == "name" and first.text in ("S", "W"))
    return word and all(left.end == right.start for left, right in pairwise(tokens))


def remark(word: str, start: int, end: int) -> Problem:
    """The warning for letters that are read as a word."""
    return warning(
        "N2C027",
        f"letters set apart are read as the word `{word}`",
        Span(start, end),
        f"write `\\text{{{word}}}`",
    )


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isascii()
