"""Sets that sums run over: one for each element, ``j ∈ N(i)``, is written as ``j ∈ N_i``; a sum
over a list, ``Σ_{c ∈ \\{q, k\\}} W_c``, as its terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from notes2code.latex.tree import (
    Big,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    put,
    rebuilt,
    walk,
)
from notes2code.meaning.statements import Define, Statement


def written_out(stated: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with the sets that sums run over named by an index, or their terms."""
    defines = [statement for statement in stated if isinstance(statement, Define)]
    sets = {name for define in defines for value in define.values for name in _run_over(value)}

    def written(node: Node) -> Node:
        match node:
            case Juxt((Name(name) as base, Group("(", (Name() as element,)))) if name in sets:
                return Script(base, element, None, 0, node.span)
            case Big("sum", Relation((Name(letter), Group("{", items)), ("∈",)), None, body):
                if len(items) > 1 and not any(isinstance(item, Num | Dots) for item in items):
                    return _terms(written(body), letter, items)
        return rebuilt(node, written)

    return tuple(
        replace(statement, values=tuple(map(written, statement.values)))
        if isinstance(statement, Define)
        else statement
        for statement in stated
    )


def _terms(body: Node, letter: str, members: Sequence[Node]) -> Node:
    """What is added up for each member of a list."""

    def added(left: Node, right: Node) -> Node:
        return Infix("+", left, right, body.span, body.span)

    terms = (put(body, letter, member) for member in members)
    return Group("", (reduce(added, terms),), (), body.span)


def _run_over(value: Node) -> Iterator[str]:
    """The names of the sets ``N(i)`` that something runs over."""
    for node in walk(value):
        match node:
            case Big(sub=Relation((_, Juxt((Name(name), Group("(", (Name(),))))), ("∈",))):
                yield name
