r"""Names that were meant where one is not known: ``\matrm`` for ``\mathrm``."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 3
"""Letters of a name; shorter ones are all alike."""


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that is one slip away, "" where there is none or more than one; one with the
    same letters counts before the others."""
    if len(name) < _SHORTEST:
        return ""
    near = {other for other in known if _is_slip(name, other)}
    near = {other for other in near if sorted(other) == sorted(name)} or near
    return near.pop() if len(near) == 1 else ""


def _is_slip(name: str, other: str) -> bool:
    """Whether one letter is left out, added or another, or two have changed places. What only goes
    on, as ``\\triangleq`` does behind ``\\triangle``, is a name of its own."""
    same = next((at for at, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), None)
    if same is None:
        return len(name) == len(other) + 1
    a, b = name[same:], other[same:]
    return a[1:] in (b[1:], b) or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
