"""Names in Python: of packages, and of what notes call otherwise."""

from __future__ import annotations

import builtins
import keyword
import re
import sys

_IN_THE_WAY = frozenset(["tests", "torch", "numpy", "pytest"]) | sys.stdlib_module_names
"""Names that a package cannot have beside its tests: both import what is called so."""


def is_package_name(name: str) -> bool:
    """Whether a package beside its ``tests`` can have this name."""
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
    return plain and name not in _IN_THE_WAY


def snake(name: str) -> str:
    """``ScaledDotProductAttention`` as ``scaled_dot_product_attention``, ``RMSNorm`` as
    ``rms_norm``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def of_function(name: str) -> str:
    """What a function is called that computes a name of the notes, ``lambda_`` for a Λ."""
    called = snake(name)
    return f"{called}_" if keyword.iskeyword(called) or hasattr(builtins, called) else called
