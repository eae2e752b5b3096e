"""What can stand on the left-hand side of a definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.latex.tree import (
    Accent,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    walk,
)
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import (
    own_steps,
    positions,
    recursions,
    script_reader,
    scripts,
)
from notes2code.meaning.notation.scripts import is_name


def definable(node: Node) -> bool:
    """Whether a node can be the left-hand side of a definition: a name, an indexed name, a call."""
    if is_name(node):
        return not _is_power(node)
    if isinstance(node, Matrix):
        return _is_pair(node)
    if isinstance(node, Juxt) and len(node.factors) == 2:
        name, arguments = node.factors
        if isinstance(arguments, Script):
            arguments = arguments.base
        return (
            is_name(name)
            and isinstance(arguments, Group)
            and arguments.open in ("(", "[")
            and all(_is_parameter(item) for item in arguments.items)
        )
    return False


def steps_above(node: Node, values: Sequence[Node]) -> bool:
    """Whether what stands above a left-hand side counts the next step and is no exponent: the
    ``t + 1`` of ``x^{t+1} = A x^t``, where x stands nowhere without its t, and that of the message
    ``m_v^{t+1} = Σ_u h_u^t``, which a step makes of its states, or of what is at its own step."""
    if own_steps.own_step(node, values) is not None:
        return True
    match node:
        case Script(Name() as base, _, Infix("+" | "-", Name(letter), Num()), 0):
            if letter not in names.INDEX_LETTERS or base.text in RATES | {"e"}:
                return False
            inside = [inner for value in values for inner in walk(value)]
            uses = sum(isinstance(inner, Name) and inner.text == base.text for inner in inside)
            if uses == 0:
                return recursions.made_in_step(node, values) is not None
            steps = [
                positions.shift(inner.sup)
                for inner in inside
                if isinstance(inner, Script) and inner.sup is not None
                if isinstance(inner.base, Name) and inner.base.text == base.text
            ]
            return uses == len(steps) > 0 and all(step and step[0] == letter for step in steps)
        case Script(Accent(), _, Infix("+" | "-", Name(letter), Num()), 0):
            return (
                letter in names.INDEX_LETTERS and recursions.made_in_step(node, values) is not None
            )
    return False


def spread(node: Node) -> Node:
    """A left-hand side such as ``KL(p ‖ q)`` with the two as its parameters, ``Ω(W-MSA)``, the
    cost of something, with one name for that, and ``[y]_i`` and ``[f(x)]_i`` without the brackets;
    any other itself."""
    match node:
        case Script(Group("[" | "(", (Name() as name,)), sub, None, 0) if sub is not None:
            return replace(node, base=name)
        case Script(Group("[" | "(", (Juxt((name, Group("(") as given)),)), sub, None, 0) if (
            sub is not None
        ):
            return Juxt((name, replace(node, base=given)), node.span)
        case Juxt((Name("Omega") as cost, Group("(", (Infix("-") as said,)) as group), whole):
            letters = [inner for inner in walk(said) if isinstance(inner, Name)]
            if all(letter.text.isupper() for letter in letters):
                word = Name("".join(letter.text for letter in letters), said.span)
                return Juxt((cost, replace(group, items=(word,))), whole)
        case Juxt((name, Group(opening, (Infix("‖", left, right),), _, span)), whole):
            if is_name(left) and is_name(right):
                return Juxt((name, Group(opening, (left, right), ("‖",), span)), whole)
    return node


def _is_pair(node: Matrix) -> bool:
    """Whether a matrix is a column of two elements of one array, ``y_{2i}`` over ``y_{2i+1}``."""
    cells = [cell for row in node.rows for cell in row if cell is not None]
    if len(node.rows) != 2 or len(cells) != 2 or not all(map(is_name, cells)):
        return False
    letters = frozenset(n.text for cell in cells for n in walk(cell) if isinstance(n, Name))
    first, second = (script_reader.read(cell, letters, as_target=True) for cell in cells)
    return first.name == second.name and scripts.complement(first.indices, second.indices)


def _is_euler(node: Node) -> bool:
    return isinstance(node, Name) and node.text == "e"


def _is_power(node: Node) -> bool:
    """Whether a name carries arithmetic above it, as ``e^{iφ}`` does."""
    while isinstance(node, Script | Accent):
        if isinstance(node, Script) and isinstance(node.sup, Infix | Neg | Frac):
            shift = positions.shift(node.sup) if node.sub is not None else None
            return shift is None or shift[0] != "l"  # the l - 1 of h_n^{l-1} counts layers
        if isinstance(node, Script) and isinstance(node.sup, Juxt) and _is_euler(node.base):
            return True
        node = node.base
    return False


def _is_parameter(node: Node) -> bool:
    """Whether a node can stand in the parentheses of what is defined."""
    match node:
        case Name() | Script() | Accent() | Num() | Dots():
            return True
        case Juxt((Num(), Name())):
            return True
        case Relation((left, right), ("=",)) if left is not None and right is not None:
            return is_name(left) and (is_name(right) or isinstance(right, Num))
        case Infix("+" | "-", Juxt((Num(), Name())) | Name(), Num()):
            return isinstance(node.left, Juxt)
        case Group(_, items):
            return all(map(_is_parameter, items))
        case _:
            return False
