"""Names on the import lines of emitted modules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def ordered(names: Iterable[str]) -> list[str]:
    """Names as ruff sorts them: constants, classes, functions."""
    return sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))


def joined(names: Sequence[str]) -> str:
    """Names for an import line, in parentheses where one line would be too long."""
    sequence = ordered(names)
    line = ", ".join(sequence)
    if len(line) < 70:
        return line
    return "(\n" + "".join(f"    {name},\n" for name in sequence) + ")"
