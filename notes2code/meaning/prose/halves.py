"""Where the text says that something is cut into two halves."""

from __future__ import annotations

import re
from collections.abc import Iterable

from notes2code.meaning.prose.kinds import Passage

_HALVES = re.compile(
    r"\bin(?:to)? half\b|\bhalves\b|\brotat\w+ half\b|\btwo (?:equal )?(?:chunks|parts along)|"
    r"\bhalf of (?:the |its )?(?:\$|input|vector|hidden|feature|channel|dim|embedding|last)|"
    r"hälften|moitiés|mitades|metades|metà|половин|两半|兩半|[前后後]半|半分|절반",
    re.IGNORECASE,
)


class Halves:
    """The sections whose text, or heading, speaks of halves."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        said = (passage for passage in passages if _HALVES.search(passage.text))
        self._said = {(passage.note, passage.section) for passage in said}

    def near(self, note: str, section: tuple[str, ...]) -> bool:
        """Whether the text of a section speaks of halves."""
        return (note, section) in self._said
