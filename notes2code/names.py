"""Which names a generated package can have."""

from __future__ import annotations

import keyword


def is_package_name(name: str) -> bool:
    """Whether a package beside its ``tests`` can have this name."""
    return (
        name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name != "tests"
    )
