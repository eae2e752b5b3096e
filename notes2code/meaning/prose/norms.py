"""Which norm the text beside a formula speaks of: layer normalisation, whose mean goes over the
features of one position, or another, such as that of a batch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from notes2code.meaning.prose.kinds import Passage

_OF_LAYERS = re.compile(
    r"layer[\s-]?norm|層正規化|レイヤー正規化|层归一化|层标准化|레이어 정규화|層歸一化|"
    r"normali[sz]a\w* (?:de|por) (?:capa|camada|couche)|нормализаци\w+ сло",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:batch|group|instance)[\s-]?norm|mini[\s-]?batch|batch (?:mean|statistic|variance)|"
    r"\b(?:of|over|across|for) (?:the|each|a) batch|"
    r"\b(?:running|moving) (?:mean|averag|variance|statistic)|"
    r"批归一化|批量归一化|批标准化|批规范化|小批量|移动平均|移動平均|滑动平均|バッチ正規化|ミニバッチ|"
    r"배치 정규화|미니\s?배치|normali[sz]a\w* (?:por lotes?|em lotes?|par lots?)|"
    r"пакетн\w+ нормализ|мини-?батч",
    re.IGNORECASE,
)
_CONTRASTS = re.compile(
    r"unlike|instead|rather than|compare|versus|\bnot\b|independent|in contrast|statt|anders als|"
    r"gegensatz|contrairement|différence|diferen|contrario|contrário|отличие|не завис|不同|不是|"
    r"而非|相比|区别|無関係|異な|違|달리|아니",
    re.IGNORECASE,
)
"""Words by which a text speaks of one thing to tell what another is not."""

_MOMENTS_OF_BATCH = re.compile(
    r"[^.\n]*\b(?:mean|std|var|variance|deviation|moment|statistic)s?\b[^.\n]*\b(?:is|are)\b"
    r"(?: (?:those|that|taken|computed|calculated))? (?:of|over|across) (?:the|each|a) "
    r"(?:mini[\s-]?)?batch[^.\n]*",
    re.IGNORECASE,
)
"""A sentence by which the moments beside it are those of a batch."""

_NEAR = 8
"""How many formulas may stand between a formula and what is said of it, letters of a legend among
them."""


class Norms:
    """The paragraphs of notes that speak of norms, by the sections that they stand in."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._of: dict[tuple[str, tuple[str, ...]], list[Passage]] = {}
        for one in passages:
            if _OF_LAYERS.search(one.text) or _OTHERS.search(one.text):
                self._of.setdefault((one.note, one.section), []).append(one)

    def near(self, note: str, section: tuple[str, ...], order: int) -> str:
        """Of which norms the nearest heading that speaks of one speaks: "layers" or "others". Where
        none does, the nearest paragraph counts, unless it only contrasts the two; "" if nothing is
        said. What is said beside the formula of its moments counts before all."""
        if self._are_of_batch(note, section, order):
            return "others"
        headings = (*reversed(section), PurePosixPath(note).stem)
        for text in (*headings, *self._beside(note, section, order)):
            if _OF_LAYERS.search(text):
                return "layers"
            if _OTHERS.search(text):
                return "others"
        return ""

    def _are_of_batch(self, note: str, section: tuple[str, ...], order: int) -> bool:
        """Whether the text beside a formula says that its moments are those of the batch, and not
        what another norm does."""
        here = (x for x in self._of.get((note, section), ()) if -_NEAR <= x.order - order <= 1)
        said = (found[0] for one in here for found in _MOMENTS_OF_BATCH.finditer(one.text))
        return any("norm" not in one.lower() and not _CONTRASTS.search(one) for one in said)

    def _beside(self, note: str, section: tuple[str, ...], order: int) -> Iterator[str]:
        """The paragraphs before a formula that stands in a section behind so many others, the
        nearest first, then the one right behind it."""
        here = [x for x in self._of.get((note, section), ()) if not _CONTRASTS.search(x.text)]
        yield from reversed([one.text for one in here if order - _NEAR <= one.order <= order])
        yield from (one.text for one in here if one.order == order + 1)
