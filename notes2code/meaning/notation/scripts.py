"""Names with scripts, and what can be told of a script by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TypeGuard

from notes2code.diagnostics import ProblemError, Span, error
from notes2code.latex.tree import Accent, Group, Juxt, Name, Node, Num, Script, Stroke, children
from notes2code.meaning import names
from notes2code.meaning.notation import positions
from notes2code.records import dataclass

HEAD = "h"
"""The letter of heads."""

SCRIPTED = (Script, Accent)
"""What stands around a letter or a word."""

ARROWS = frozenset(["vec", "back"])
"""What an arrow above a letter says: that it is a vector, in either direction."""


@dataclass(frozen=True, slots=True)
class At:
    """One index position of a name. ``relation`` is ``≤`` or ``<`` for a range such as ``K_{≤i}``,
    ``:`` for a part ``i-w+1:i`` of an axis, ``∀`` for a whole axis, the colon of ``Q_{i,:}``, ``=``
    where a label tells the place, as the ``y_i`` of ``p_{i,y_i}`` does."""

    node: Node
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """A name with its scripts resolved: ``W_i^Q`` is ``W_Q`` at i."""

    name: str
    span: Span
    indices: tuple[At, ...] = ()
    power: Node | None = None
    transposed: bool = False
    bold: bool = False
    steps: int = 0
    """Indices that only count steps of a recursion, such as the l of ``h_{l-1}``: left out."""
    above: int = 0
    """Indices that stand above the name; they count the first axes: ``α_i^t`` is the i of α^t."""


def is_name(node: Node | None) -> bool:
    """Whether a node is a letter or word, with accents and scripts or without."""
    while type(node) is not Name:
        if type(node) is not Script and type(node) is not Accent:
            return False
        node = node.base
    return True


def is_mark(node: Node | None) -> TypeGuard[Name]:
    """Whether what stands above a name marks it, as a transpose, a prime or a star does."""
    return isinstance(node, Name) and node.text in ("prime", "T", "top", "star")


def whole_names(node: Node) -> Iterator[Node]:
    """The names in a node, with their scripts."""
    if is_name(node):
        yield node
    else:
        for inner in children(node):
            yield from whole_names(inner)


def outside_scripts(node: Node) -> Iterator[Node]:
    """The nodes in a node that stand in no script."""
    yield node
    for inner in (node.base,) if isinstance(node, Script) else children(node):
        yield from outside_scripts(inner)


def looked_up(place: Node) -> ProblemError:
    """The refusal of a row whose place another array holds, such as ``E_{x_t}``."""
    if isinstance(place, Script) and isinstance(place.sup, Num) and place.sub is None:
        text, way = "the power stands below, in the index", "write it above, as in `x_i^2`"
        return error("N2C032", text, place.span, way)
    text = "a row that is looked up is not computed"
    way = (
        "write the lookup as a product with one-hot rows, such as `x_i = u_i E`; of a label, write "
        "the row that it is of too, as in `p_{i,y_i}`"
    )
    return error("N2C032", text, place.span, way)


def is_of_euler(node: Node) -> bool:
    """Whether a node can only be Euler's number to a power: nobody raises an array called e to
    ``-x`` or ``s_{ij}``, though it may have a number, as in ``e^t`` and ``e^{(l)}``."""
    match node:
        case Script(Name("e"), None, sup):
            return sup is not None and not isinstance(sup, Name | Num | Group)
    return False


def is_transposed(node: Node) -> TypeGuard[Script]:
    """Whether the sign of a transpose stands above a node; a small t may be a place."""
    match node:
        case Script(_, _, Name(mark)):
            return mark in names.TRANSPOSES - {"t"}
    return False


def is_two(node: Node | None) -> bool:
    """Whether a script is the 2 of a square."""
    return isinstance(node, Num) and node.text == "2"


def complement(left: Sequence[At], right: Sequence[At]) -> bool:
    """Whether indices are those of two parts of one array: every other element, or halves."""
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):
        mine, theirs = positions.stride(one.node), positions.stride(other.node)
        if mine and theirs and mine != theirs:
            return True
        if positions.halves(one.node, other.node) or positions.halves(other.node, one.node):
            return True
    return False


PARAMETERS = frozenset("theta phi psi omega".split())
"""What stands below a network for its parameters, ``C_\\phi(x)``, and what is made with them is
given: ``r_i(\\theta)``."""


ARRAYS = frozenset("QKVWUHEOqkvh")
"""Vectors and matrices, which nobody raises to a letter."""


def parts(node: Node, bound: Set[str]) -> tuple[Node, ...]:
    """The separate positions of a script: ``i,j`` and ``ij`` are two; the part ``:t`` is one."""
    if (
        isinstance(node, Group)
        and not node.separators
        and node.items
        and isinstance(node.items[0], Stroke)
    ):
        return (node,)
    if isinstance(node, Group) and ":" not in node.separators and len(node.items) != 1:
        if node.open in ("", "("):
            return tuple(inner for item in node.items for inner in parts(item, bound))
        return (node,)
    if isinstance(node, Group) and node.open == "(" and len(node.items) == 1:
        return parts(node.items[0], bound)
    if isinstance(node, Juxt) and all(
        isinstance(f, Num) or (is_name(f) and names.label(f) in bound) or _is_of_row(f, node, bound)
        for f in node.factors
    ):
        return (node,) if isinstance(node.factors[0], Num) else node.factors
    return (node,)


def _is_of_row(place: Node, beside: Juxt, bound: Set[str]) -> bool:
    """Whether a factor is the ``y_i`` of ``z_{i y_i}``, the label of the row i beside it."""
    match place:
        case Script(Name(), Name(letter), None, 0):
            rows = {factor.text for factor in beside.factors if isinstance(factor, Name)}
            return letter in rows & bound
    return False


def beside_number(script: Node, bound: Set[str]) -> tuple[Node, ...]:
    """The positions of a script such as ``i1``, ``i,1`` or ``1i``: numbers and bound letters; none
    of any other. Set apart in front, as in ``α_{1,i}``, a number is a label."""
    items = script.items if isinstance(script, Group) and not script.open else ()
    found = script.factors if isinstance(script, Juxt) else items
    if items and isinstance(items[0], Num):
        return ()
    numbers = sum(isinstance(part, Num) and part.text.isdigit() for part in found)
    letters = sum(isinstance(part, Name) and part.text in bound for part in found)
    return found if numbers and letters and numbers + letters == len(found) else ()
