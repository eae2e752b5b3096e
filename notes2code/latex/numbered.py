"""Numbers above names that count layers and states, as in ``h^1 = f(h^0)``, and raise nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Dots,
    Formula,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    rewritten,
    walk,
)
from notes2code.latex.words import RATES

_FIRST = {"0", "1"}
"""What nobody raises a name to."""


def counted(formula: Formula) -> Formula:
    """The formula, with ``h^{(1)}`` for each ``h^1`` whose number is none of a power: names with a
    0 or a 1 above them are numbered, and what stands on the left numbers all others of its number,
    as weights do: the b² beside b¹, W¹ and W² is the bias of the second. Raises ``ProblemError``
    where it may be both."""
    raised = [node for node in formula.of(Script) if _number(node)]
    if not raised:
        return formula
    listed = bool(formula.of(Dots))
    sides = (node.operands[0] for node in formula.of(Relation))
    targets: Sequence[Node] = [side for side in sides if side is not None and _number(side)]
    paired = {x for node in formula.of(Relation) for x in _of_a_pair(node) | _of_a_projection(node)}
    if listed or not (paired or any(_number(node) in _FIRST for node in raised)):
        return formula
    bases = {_base(node) for node in raised if _number(node) in _FIRST}
    bare = _bare(formula)
    numbered = {base for base in bases if base.isupper() or base not in bare}
    numbered |= bases & {_base(node) for node in targets}
    if all(clause.node in raised for clause in formula.clauses):  # a list, which raises nothing
        targets = raised
    beside = {_number(node) for node in raised if _base(node).isupper() and _base(node) in numbered}
    numbers = paired | {_number(node) for node in targets if _base(node) in numbered}
    for node in raised:
        base, number = _base(node), _number(node)
        told = base.isupper() or number in numbers | beside | _FIRST
        if base in numbered and not told:
            _refuse_power(node, targets)

    def change(node: Script) -> Node | None:
        if node.sup is None or not _number(node):
            return None
        if _base(node) not in numbered and _number(node) not in numbers:
            return None
        return replace(node, sup=Group("(", (node.sup,), (), node.sup.span))

    return Formula(rewritten(formula.clauses, Script, change))


def _of_a_pair(node: Relation) -> set[str]:
    """The 1 and 2 of ``α_{1,2} = q^1 · k^2``: what the left-hand side is of, two factors are."""
    match node:
        case Relation((Script(_, below), right, *_)) if below is not None and right is not None:
            numbers = [one.text for one in walk(below) if isinstance(one, Num)]
            places = [*"".join(numbers)] if len(numbers) == 1 else numbers
            above = [_number(inner) for inner in walk(right) if _number(inner)]
            added = any(isinstance(inner, Infix) and inner.op in "+-" for inner in walk(right))
            return {*places} if len(places) == 2 and above == places and not added else set()
    return set()


def _of_a_projection(node: Relation) -> set[str]:
    """The 2 of ``q^2 = W^q a^2``, the query of the second: nobody defines its square."""
    match node:
        case Relation((Script(Name(query)) as made, Juxt((Script(Name(weight)), given)))):
            if query in _ROLES and weight.isupper() and _number(made) == _number(given):
                return {_number(made)}
    return set()


def _number(node: Node) -> str:
    """The number above a name; "" where there is none, or what is raised to it."""
    if isinstance(node, Script) and isinstance(node.sup, Num) and isinstance(node.base, Name):
        return node.sup.text if node.sup.text.isdigit() and node.base.text not in _RAISED else ""
    return ""


_RAISED = RATES | {"e"}

_ROLES = frozenset("qkv")
"""Queries, keys and values."""


def _base(node: Node) -> str:
    assert isinstance(node, Script) and isinstance(node.base, Name)
    return node.base.text


def _bare(nodes: Nodes) -> set[str]:
    """The names that stand somewhere without anything above them."""
    inside = {id(node.base) for node in nodes.of(Script)}
    plain = (node for node in nodes.of(Name) if id(node) not in inside)
    lowered = (node.base for node in nodes.of(Script) if node.sup is None)
    return {node.text for node in (*plain, *lowered) if isinstance(node, Name)}


def _refuse_power(node: Node, targets: Sequence[Node]) -> None:
    """Refuse the x² beside x¹ where neither is defined: it may be a power, or the second x."""
    base, number = _base(node), _number(node)
    if base not in map(_base, targets):
        raise error(
            "N2C033",
            f"`{base}^{number}` may be a power here, or the `{base}` with this number",
            node.span,
            f"write `{base}^{{({number})}}` for the number, or no 0 and 1 above `{base}`",
        )
