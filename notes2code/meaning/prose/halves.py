"""Where the text says that features are cut into two halves."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notes2code.meaning.prose.kinds import Passage

_HALVES = re.compile(
    r"\b(?:two|both|into|in|these|(?:is|are|for) the|as)(?: equal| equally sized)? halves\b"
    r"(?! (?:the|its|each|every|all|at|after)\b)|"
    r"\b(?:first|second|one|other|each) half of (?:the |its )?(?:\$|`|input|vector|hidden|feature|"
    r"channel|dim|embedding|last)|"
    r"\b(?:split\w*|divid\w+|chunk\w*|cuts?|partition\w*|slic\w+)\b.*\bin(?:to)? half\b|"
    r"\btwo (?:equal )?(?:chunks|parts along)|"
    r"hälften|moitiés|mitades|metades|metà|половин|两半|兩半|[前后後]半|半分|절반",
    re.IGNORECASE,
)
"""Two halves, as nouns, or what is cut in half; no loss that halves."""

_OF_FEATURES = re.compile(
    r"\b(?:features?|channels?|dim|dims|dimensions?|vectors?|input|hidden|embeddings?|axis)\b|"
    r"\bhal(?:ves|f) of (?:the |its )?\$?(?:\\(?:mathbf|boldsymbol|bm|vec) ?\{?)?[b-z]\b|"
    r"[`$](?:\\(?:mathbf|boldsymbol|bm|vec) ?\{?)?[huvxz]\}?[`$]|"
    r"\b[a-z](?:\}|\\)?_\{?[12]\b|"
    r"merkmal|kan[aä]l|vektor|eingab|vecteur|canaux|entrée|entrada|caracter[ií]st|característ|"
    r"vettor|ingress|канал|вектор|признак|вход|размерност|特[征徵徴]|通道|向量|[维維]度|[输輸]入|次元|"
    r"ベクトル|チャネル|入力|벡터|채널|차원|특징|입력",
    re.IGNORECASE,
)
"""What the halves are of."""

_OF_OTHERS = re.compile(
    r"\b(?:batch\w*|mini-?batch\w*|loss(?:es)?|rates?|epochs?|planes?|spaces?|data|datasets?|samples?|"
    r"number|cost|memory|errors?|time|tokens?|sequences?|layers?|networks?|half-life)\b",
    re.IGNORECASE,
)
"""What is cut in half and is no vector."""

_ROTATED = re.compile(r"\brotat(?:es?|ing)[ _]half\b(?! an?\b)|rotate\\?_half", re.IGNORECASE)

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|[。；]|\n\s*\n")


def _are_told(text: str) -> bool:
    """Whether one sentence speaks of the halves of features, or of rotating half of them."""
    return any(
        _ROTATED.search(one)
        or (_HALVES.search(one) and _OF_FEATURES.search(one) and not _OF_OTHERS.search(one))
        for one in _SENTENCE.split(text)
    )


class Halves:
    """The sections whose text, or heading, speaks of halves of features."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        said = (passage for passage in passages if _are_told(passage.text))
        self._said = {(passage.note, passage.section) for passage in said}

    def near(self, note: str, section: tuple[str, ...]) -> bool:
        """Whether the text of a section speaks of halves."""
        return (note, section) in self._said
