"""The vector of n ones without its font, ``K^\\top 1_n``: no number has anything else below it."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Name, Node, Num, Script
from notes2code.meaning import names


def as_vector(node: Script) -> Node | None:
    """The ``1_n`` as ``\\mathbf{1}_n``."""
    match node:
        case Script(Num("1") as one, Name(letter)) if letter in names.SIZE_BASES:
            return replace(node, base=Name("ones", one.span, "bold"))
    return None
