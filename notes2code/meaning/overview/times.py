"""Times above names: the t of ``f^t = σ(W h^{t-1} + U x^t)``, which counts and raises nothing."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Infix, Nodes, Script, ungrouped
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.stated import Define


def above(define: Define) -> Iterator[str]:
    """The letter above what is defined, as that of ``f^t`` and of ``\\tilde{h}^{t+1}``."""
    node = define.target
    while isinstance(node, scripts.SCRIPTED):
        sup = ungrouped(node.sup) if isinstance(node, Script) else None
        if sup is not None and (shift := positions.shift(sup)) is not None:
            yield shift[0]
        node = node.base


def of_states(nodes: Nodes) -> Iterator[str]:
    """The t of ``h^{t-1}``, where h is a vector that nobody raises to a letter."""
    for node in nodes.of(Script):
        sup = ungrouped(node.sup)
        if not isinstance(sup, Infix) or binders.bare(node) not in scripts.ARRAYS:
            continue
        match positions.shift(sup):
            case ("t" as letter, int()):
                yield letter
