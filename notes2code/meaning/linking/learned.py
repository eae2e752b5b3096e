"""The gain and the bias of a norm, which are learned: no number that a note has by their name is
one of them, be it the ``β = (8N)^{-1/4}`` of a residual or what they are at first, ``γ = 1``."""

from __future__ import annotations

from itertools import chain

from notes2code.meaning import names
from notes2code.meaning.linking.entries import Parsed
from notes2code.meaning.overview import norms
from notes2code.meaning.stated import Define


def is_gain(name: str, mine: Parsed) -> bool:
    """Whether it is the γ or the β of ``γ (x - μ) / σ + β``: what alone scales a value that is
    normalised, and what alone is added to that; or the γ of ``γ ⊙ x / RMS(x)``. The β of ``γ (r -
    μ) / σ - β D`` is a number that the note may state."""
    if mine.seen is None or not mine.seen.normalises or name not in names.GAINS:
        return False
    values = (value for one in mine.stated if isinstance(one, Define) for value in one.values)
    scaling = chain.from_iterable(map(norms.scaling, values))
    if any(use.name == name for use in map(mine.seen.understood, scaling) if use is not None):
        return True
    for pair in norms.learned(mine.seen.nodes, mine.arrays):
        both = {use.name for use in map(mine.seen.understood, pair) if use is not None}
        if name in both and len(both & names.GAINS) > 1:
            return True
    return False


def is_constant(theirs: Parsed) -> bool:
    """Whether a formula makes a number of numbers and counts alone."""
    return all(names.base_letter(name) in names.COUNTS for name in theirs.mentioned - theirs.arrays)
