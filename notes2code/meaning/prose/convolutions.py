"""Where the text speaks of convolutions, in which ``*`` is no product."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notes2code.meaning.prose.kinds import Passage

_CONVOLUTION = re.compile(
    r"convol[uv]|\bconv(?:1d|2d|net)?\b|\bcnns?\b|circonvol|faltung|свёртк|свертк|卷积|卷積|"
    r"畳み込み|합성곱|컨볼루션",
    re.IGNORECASE,
)

_NEAR = 2
"""How many formulas before and behind it a paragraph speaks of."""


class Convolutions:
    """The places where notes speak of convolutions."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._said: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for passage in passages:
            if _CONVOLUTION.search(passage.text):
                self._said.setdefault((passage.note, passage.section), []).append(passage.order)

    def near(self, note: str, section: tuple[str, ...], order: int) -> bool:
        """Whether a paragraph beside a formula, or a heading above it, speaks of one."""
        beside = self._said.get((note, section), ())
        return any(abs(order - at) <= _NEAR for at in beside) or any(
            map(_CONVOLUTION.search, section)
        )
