"""Elements by what a function makes of two places, the ``K_{δ(i,j)}`` of a distance δ: one for
every two, whatever the function is, which the author is told."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import note
from notes2code.latex.tree import Group, Juxt, Nodes, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.stated import Restated, Statement, nodes_in


def are_there(nodes: Nodes) -> bool:
    """Whether such a row is among some nodes."""
    return any(map(_function, nodes.of(Script)))


def told(stated: Sequence[Statement]) -> Restated:
    """The statements as they are, and a note for the first row of each name."""
    rows = [node for node in nodes_in(stated).of(Script) if _function(node)]
    first = {binders.bare(node): node for node in reversed(rows)}
    hint = "what the function picks of a table is to be picked by the caller"
    return (*stated,), tuple(
        note(
            "N2C039",
            f"`{base}_{{{_function(node)}(…)}}` is taken to be an element for every two places: "
            f"these are the input, and `{_function(node)}` is not computed here",
            node.span,
            hint,
        )
        for base, node in reversed(first.items())
    )


def _function(node: Script) -> str:
    """The δ of ``K_{δ(i,j)}``; "" of any other name."""
    match node.sub:
        case Juxt((name, Group("(", (one, other)))) if scripts.is_name(name):
            if positions.place(one) is not None and positions.place(other) is not None:
                return names.label(name)
    return ""
