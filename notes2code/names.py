"""Names in Python: of packages, and of what notes call otherwise."""

from __future__ import annotations

import keyword
import re


def is_package_name(name: str) -> bool:
    """Whether a package beside its ``tests`` can have this name."""
    return (
        name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name != "tests"
    )


def snake(name: str) -> str:
    """``ScaledDotProductAttention`` as ``scaled_dot_product_attention``, ``RMSNorm`` as
    ``rms_norm``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
