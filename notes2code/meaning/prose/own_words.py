"""The words inside of a formula, as a passage of prose: the *where σ is the softmax* behind it."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\\(?:text(?:rm|normal)?|mbox)\s*\{([^{}]*)\}")
_PARTS = re.compile(r"(\\q?quad\b|\\[,;:! ]|[,;:()~])")
"""What parts the mathematics beside words."""


def own_words(latex: str) -> str:
    """What a formula says, with all but its words in ``$``; "" where it has none."""
    parts = _WORDS.split(latex)
    parts[::2] = map(_parted, parts[::2])
    return "".join(parts) if parts[1:] else ""


def _parted(latex: str) -> str:
    """Mathematics, each part of it in ``$``, and the signs between the parts."""
    parts = _PARTS.split(latex)
    parts[::2] = (f"${part.strip()}$" if part.strip() else "" for part in parts[::2])
    parts[1::2] = (sign if sign in ",;:()" else " " for sign in parts[1::2])
    return "".join(parts)
