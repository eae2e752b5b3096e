"""Groups of heads that a formula defines: ``K_{g(i)}`` beside ``g(i) = ⌈i/r⌉`` is ``K_{⌈i/r⌉}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import Group, Juxt, Name, Node, Script, put, rebuilt
from notes2code.meaning.notation import groups
from notes2code.meaning.stated import Define, Restated, Statement


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with ``K_{g(i)}`` as ``K_{⌈i/r⌉}``, where one of them is ``g(i) = ⌈i/r⌉``."""
    for statement in stated:
        match statement:
            case Define(Juxt((Name(name), Group("(", (Name(letter),)))), (value,)) if (
                name in groups.NAMES
            ):
                others = tuple(other for other in stated if other is not statement)
                written = tuple(_with(other, name, letter, value) for other in others)
                if written != others:
                    return written_out(written)
    return tuple(stated), ()


def _with(statement: Statement, name: str, letter: str, value: Node) -> Statement:
    """A statement with each ``g(i)`` that stands below a name written out."""
    if not isinstance(statement, Define):
        return statement

    def written(node: Node) -> Node:
        match node:
            case Script(sub=Juxt((Name(text), Group("(", (Name() as other,))))) if text == name:
                return replace(node, sub=put(value, letter, other))
        return rebuilt(node, written)

    target = None if statement.target is None else written(statement.target)
    return replace(statement, target=target, values=tuple(map(written, statement.values)))
