"""Sets of one element each, ``j ∈ N(i)``: written as ``j ∈ N_i``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Relation, Script, rebuilt, walk
from notes2code.meaning.statements import Define, Statement


def written_out(stated: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with the sets that sums run over named by an index."""
    defines = [statement for statement in stated if isinstance(statement, Define)]
    sets = {name for define in defines for value in define.values for name in _run_over(value)}
    if not sets:
        return tuple(stated)

    def written(node: Node) -> Node:
        match node:
            case Juxt((Name(name) as base, Group("(", (Name() as element,)))) if name in sets:
                return Script(base, element, None, 0, node.span)
        return rebuilt(node, written)

    return tuple(
        replace(statement, values=tuple(map(written, statement.values)))
        if isinstance(statement, Define)
        else statement
        for statement in stated
    )


def _run_over(value: Node) -> Iterator[str]:
    """The names of the sets ``N(i)`` that something runs over."""
    for node in walk(value):
        match node:
            case Big(sub=Relation((_, Juxt((Name(name), Group("(", (Name(),))))), ("∈",))):
                yield name
