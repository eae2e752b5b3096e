"""What is only supposed behind an update, and no condition of it: ``η ≤ 1/L``, ``r < min(d, k)``.

A comparison that names only rates, and sizes that the update does not compute with, holds once and
for all: an update is never left out because of it.
"""

from __future__ import annotations

import re
from collections.abc import Set

_RATES = frozenset(["alpha", "beta", "gamma", "epsilon", "varepsilon", "eta", "lambda"])
_SIZES = frozenset("dkmnrLNT")
_BETWEEN = frozenset(
    "min max frac tfrac dfrac sqrt cdot left right dots ldots cdots quad "
    "le ge lt gt ne neq leq geq leqslant geqslant".split()
)
"""What may stand between names, and names nothing."""

_SCRIPT = re.compile(r"[_^]\s*(?:\{[^{}]*\}|\\[A-Za-z]+|\w)")
_WORD = re.compile(r"\\([A-Za-z]+)|([A-Za-z])|(\\?\|)")
_UP_TO_T = re.compile(r"(?<![A-Za-z\\])t\s*(?:<|≤|\\(?:le|leq|leqslant|lt)(?![A-Za-z]))\s*T\s*$")


def are_supposed(named: Set[str], target: Set[str], value: Set[str]) -> bool:
    """Whether a comparison of some names is only supposed of an update: its ``target`` is its
    state, whatever the letter, and what a rate multiplies in its ``value`` may be an array."""
    named = named - _BETWEEN
    return bool(named) and named <= (_RATES - target) | (_SIZES - target - value)


def is_supposed(condition: str, target: str, value: str) -> bool:
    """Whether the LaTeX of a condition is only supposed of that of an update; what names an index
    of the target, ``S_{nm}`` where m > n, says where it is made."""
    named, scripts = _words(condition), " ".join(_SCRIPT.findall(target))
    if _UP_TO_T.search(condition):
        named = named - {"t"}  # the steps there are
    limits = {*re.findall("[A-Za-z]+", condition)} & {*re.findall("[A-Za-z]", scripts)} - {"t"}
    return not limits and are_supposed(named, _words(target), _words(value))


def _words(latex: str) -> set[str]:
    """The letters and commands in LaTeX, without those in scripts."""
    return {"".join(found) for found in _WORD.findall(_SCRIPT.sub("", latex))}
