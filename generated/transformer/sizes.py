"""Sizes: what classes can be made with."""

from __future__ import annotations

from itertools import pairwise


def check_sizes(*, least: int = 1, **sizes: int) -> None:
    """Raise a ``ValueError`` where one of some sizes is too small."""
    for name, size in sizes.items():
        if size < least:
            raise ValueError(f"{name}={size} is less than {least}")


def check_multiples(**sizes: int) -> None:
    """Raise a ``ValueError`` unless each of some sizes is a multiple of the next."""
    check_sizes(**sizes)
    for (name, size), (divisor, by) in pairwise(sizes.items()):
        if size % by:
            raise ValueError(f"{name}={size} is not a multiple of {divisor}={by}")


def check_dropout(dropout: float) -> None:
    """Raise a ``ValueError`` unless the share of values to leave out is from none to all."""
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout={dropout} is not between 0 and 1")
