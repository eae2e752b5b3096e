"""Groups of heads that a formula defines: ``K_{g(i)}`` beside ``g(i) = ⌈i/r⌉`` is ``K_{⌈i/r⌉}``,
and ``k_{j,g}`` beside ``g = ⌈i/r⌉`` is ``k_{j,⌈i/r⌉}``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from notes2code.latex.tree import Group, Juxt, Name, Node, Script, put, rebuilt
from notes2code.meaning.notation import groups
from notes2code.meaning.stated import Define, Restated, Statement


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with ``K_{g(i)}`` as ``K_{⌈i/r⌉}``, where one of them is ``g(i) = ⌈i/r⌉``."""
    for statement in stated:
        written: Callable[[Node], Node]
        match statement:
            case Define(Juxt((Name(name), Group("(", (Name(letter),)))), (value,)) if (
                name in groups.NAMES
            ):
                written = partial(_called, name=name, letter=letter, value=value)
            case Define(Name(name), (value,)) if name in groups.NAMES and groups.group_of(value):
                written = partial(_named, name=name, value=value)
            case _:
                continue
        others = tuple(other for other in stated if other is not statement)
        if (restated := tuple(_with(other, written) for other in others)) != others:
            return written_out(restated)
    return tuple(stated), ()


def _called(node: Node, name: str, letter: str, value: Node) -> Node:
    """A node with each ``g(i)`` that stands below a name written out."""
    match node:
        case Script(sub=Juxt((Name(text), Group("(", (Name() as other,))))) if text == name:
            return replace(node, sub=put(value, letter, other))
    return rebuilt(node, partial(_called, name=name, letter=letter, value=value))


def _named(node: Node, name: str, value: Node) -> Node:
    """A node with each g that stands below a name written out."""
    if isinstance(node, Script) and node.sub is not None:
        node = replace(node, sub=put(node.sub, name, value))
    return rebuilt(node, partial(_named, name=name, value=value))


def _with(statement: Statement, written: Callable[[Node], Node]) -> Statement:
    """A statement with what is written of its nodes."""
    if not isinstance(statement, Define):
        return statement
    target = None if statement.target is None else written(statement.target)
    return replace(statement, target=target, values=tuple(map(written, statement.values)))
