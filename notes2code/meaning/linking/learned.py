"""The gain and the bias of a norm, which are learned: no number that a note has by their name is
one of them, be it the ``β = (8N)^{-1/4}`` of a residual or what they are at first, ``γ = 1``."""

from __future__ import annotations

from notes2code.meaning import names
from notes2code.meaning.linking.entries import Parsed


def is_gain(name: str, mine: Parsed) -> bool:
    """Whether it is the γ or the β of a norm that has both, ``γ (x - μ) / σ + β``."""
    both = mine.mentioned & names.GAINS
    return mine.seen is not None and mine.seen.normalises and name in both and len(both) > 1


def is_constant(theirs: Parsed) -> bool:
    """Whether a formula makes a number of numbers and counts alone."""
    return all(names.base_letter(name) in names.COUNTS for name in theirs.mentioned - theirs.arrays)
