"""What stands on the left of a definition: the name that it gives, and its arguments."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Matrix, Name, Node, Relation, Script


def is_positional(target: Node) -> bool:
    """Whether the parentheses of a left-hand side hold indices, as in ``PE(pos, 2i)``."""
    if not (isinstance(target, Juxt) and isinstance(target.factors[1], Group)):
        return False
    return any(isinstance(item, Juxt | Infix | Frac) for item in target.factors[1].items)


def told_indices(target: Juxt) -> Iterator[Name]:
    """What may be an index in the parentheses of a left-hand side: the s of ``a_t(s)``, the k of
    ``P(y = k | x)``."""
    group = target.factors[1]
    for item in group.items if isinstance(group, Group) else ():
        last = item.operands[-1] if isinstance(item, Relation) and item.signs == ("=",) else item
        if isinstance(last, Name):
            yield last


def target_scripts(target: Node) -> Iterator[Node]:
    """The names of a left-hand side: what is defined, then its parameters. A parameter such as
    ``\\{k_i\\}_{i=1}^m`` is all of them."""
    if isinstance(target, Juxt):
        name, arguments = target.factors[0], target.factors[1]
        yield name
        if isinstance(arguments, Script):
            yield arguments
            arguments = arguments.base
        for item in arguments.items if isinstance(arguments, Group) else ():
            if not (isinstance(item, Script) and isinstance(item.base, Group)):
                yield item
    elif isinstance(target, Matrix):
        yield from (cell for row in target.rows for cell in row if cell is not None)
    else:
        yield target


def arguments(target: Node | None) -> tuple[Node, ...]:
    """What stands in the parentheses of a left-hand side."""
    match target:
        case Juxt((_, Group(_, items))):
            return items
    return ()
