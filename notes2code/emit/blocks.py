"""Python text taken apart: the blocks of a module, what they define, and the names in them."""

from __future__ import annotations

import re

NAME = re.compile(r"(?<![\w.\"])[A-Za-z_]\w*")
"""A name in code; what stands behind a dot, or first in a string, is none."""


def without_docstrings(body: str) -> str:
    """The code of a text alone."""
    return re.sub(r'r?"""[\s\S]*?"""', "", body)


def blocks_of(text: str) -> list[str]:
    """The functions and classes of a text, which two empty lines part."""
    return re.split(r"\n\n\n+", text)


def name_of(block: str) -> str:
    """The name of the function or class that a block defines."""
    return re.split(r"[(:]", re.sub(r"^(@.*\n)*(def|class) ", "", block))[0]


def public_names(body: str) -> list[str]:
    """The classes and functions that a module defines at its top."""
    return re.findall(r"^(?:class|def) ([A-Za-z]\w*)", body, re.MULTILINE)
