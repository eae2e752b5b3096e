"""What the text says that signs in circles mean: ``⊗`` an outer product, a Kronecker product, or a
product of each element, and ``⊕`` that arrays are joined, or added up."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notes2code.meaning.prose.kinds import Passage

_PRODUCTS = {
    "outer": r"outer[\s-]product|äußere\w* Produkt|dyadi\w+|produit extérieur|"
    r"produ[ck]to (?:exterior|externo)|produto externo|prodotto esterno|"
    r"внешн\w+ произведени|外积|外積|외적",
    "kronecker": r"kronecker|кронекер|克罗内克|克羅內克|クロネッカー|크로네커",
    "elements": r"element[\s-]?wise|elementweise|hadamard|элементн|поэлементн|адамар|逐元素|"
    r"要素ごと|アダマール|哈达玛|哈達瑪|원소별|아다마르|elemento a elemento|terme à terme",
}
_SUMS = {
    "joined": r"concat|konkat|concaté|конкатен|拼接|串接|连接|連接|連結|結合|이어\s?붙|연결",
    "added": r"addition|add(?:s|ed|ing)?\b|\bsum|suma\b|somme|сложен|сумм|相加|加法|加算|덧셈|더하",
}


class Circled:
    """What the notes say of a sign: by name, which holds in the section and in those below it, or
    of products beside a formula."""

    def __init__(self, passages: Iterable[Passage], sign: str = "⊗") -> None:
        kinds, written = (_PRODUCTS, r"\\otimes") if sign == "⊗" else (_SUMS, r"\\oplus")
        words = "|".join(f"(?P<{kind}>{words})" for kind, words in kinds.items())
        self._kinds, self._sign = re.compile(words, re.IGNORECASE), re.compile(f"{written}|{sign}")
        self._named: dict[tuple[str, tuple[str, ...]], str] = {}
        self._beside: dict[tuple[str, tuple[str, ...]], list[tuple[range, str]]] = {}
        for passage in passages:
            place = passage.note, passage.section
            kind, by_name = self._said(passage.text)
            if by_name:
                self._named.setdefault(place, kind)
            elif kind in ("outer", "kronecker"):
                behind = passage.order + passage.text.count("$") // 2
                orders = range(passage.order - 1, behind + 1)
                self._beside.setdefault(place, []).append((orders, kind))

    def near(self, note: str, section: tuple[str, ...], order: int) -> str:
        """The kind of product that is said for a formula, which stands in a section behind so many
        others; "" if nothing is."""
        for orders, kind in self._beside.get((note, section), ()):
            if order in orders:
                return kind
        sections = (section[:depth] for depth in range(len(section), -1, -1))
        return next(filter(None, (self._named.get((note, one), "") for one in sections)), "")

    def _said(self, text: str) -> tuple[str, bool]:
        """The kind that a text speaks of nearest to the sign, and whether the sign stands there."""
        kinds = [(match.start(), str(match.lastgroup)) for match in self._kinds.finditer(text)]
        signs = [match.start() for match in self._sign.finditer(text)]
        if not kinds:
            return "", False
        if not signs:
            return kinds[0][1], False
        return min((abs(at - sign), kind) for at, kind in kinds for sign in signs)[1], True
