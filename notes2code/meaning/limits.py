"""Conditions behind an equation, which say where it holds: ``e_{ij} = …, \\quad j ≤ i``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import error
from notes2code.latex.tree import (
    Big,
    Clause,
    Group,
    Juxt,
    Name,
    Node,
    Relation,
    Script,
    children,
    ungrouped,
    walk,
)
from notes2code.latex.words import IF
from notes2code.meaning import binders, ranges
from notes2code.meaning.stated import Define, Statement


def stands_behind(clause: Clause, before: Sequence[Statement]) -> bool:
    """Whether a clause is the condition of the statement before it, if there is one."""
    relation, last = ungrouped(clause.node), before[-1] if before else None
    if not isinstance(last, Define) or not isinstance(relation, Relation):
        return False
    worded = any(word in IF for word in clause.words.lower().split())
    if worded and (_is_compared(clause.node) or _is_membership(relation, last)):
        return True
    return last.target is not None and _limits_indices(relation, last, last.target)


def _is_compared(node: Node) -> bool:
    """Whether numbers are compared: the ``i = 1`` of a range is none of these."""
    if not isinstance(node, Relation) or not all(sign in "<>≤≥≠=" for sign in node.signs):
        return False
    return not (ranges.index_letter(node.operands[0]) and node.signs == ("=",))


def _is_membership(relation: Relation, define: Define) -> bool:
    """Whether it is ``i ∈ T`` or ``i ∈ \\mathrm{TopK}(s)`` of an index on the left-hand side."""
    match relation:
        case Relation((Name(letter), Name(font="") | Script() | Juxt()), ("∈",)):
            return define.target is not None and letter in _indices_on(define.target)
    return False


def _limits_indices(relation: Relation, define: Define, target: Node) -> bool:
    """Whether a relation between indices of the left-hand side stands behind an equation:
    ``e_{ij} = q_i^\\top k_j, \\quad j ≤ i``, ``|i - j| ≤ w``, ``j ∈ N(i)``."""
    if len(relation.signs) != 1 or relation.signs[0] not in "<>≤≥≠∈":
        return False
    if any(side is None for side in relation.operands):
        return False
    letters, indices = set(_letters_alone(relation)), _indices_on(target)
    if relation.signs == ("∈",):
        member = binders.bare(relation.operands[0] or relation)
        named = {inner.text for inner in walk(relation) if isinstance(inner, Name)}
        return member in indices and len(named & indices) == 2
    if letters & indices:
        _refuse_limited_sum(relation, define, letters)
    return len(letters & indices) == 2


def _refuse_limited_sum(relation: Relation, define: Define, letters: set[str]) -> None:
    """The j of ``c_i = Σ_j a_{ij} h_j, \\quad j ≤ i`` is that of the sum, which does not say so."""
    for big in (node for value in define.values for node in walk(value) if isinstance(node, Big)):
        below = [inner for at in (big.sub, big.sup) if at is not None for inner in walk(at)]
        said = {inner.text for inner in below if isinstance(inner, Name)}
        if big.sub is not None and letters & {*binders.bound_letters(big.sub)} and letters - said:
            raise error(
                "N2C037",
                "this condition stands behind the sum whose index it limits",
                relation.span,
                "write it below the sum, `\\sum_{j \\le i}`",
            )


def _letters_alone(node: Node) -> Iterator[str]:
    """The letters in a node but for those of what has scripts: none of ``a_{ij} ≥ 0``."""
    if isinstance(node, Name):
        yield node.text
    for inner in children(node) if not isinstance(node, Script) else ():
        yield from _letters_alone(inner)


def _indices_on(target: Node) -> set[str]:
    """The letters in the scripts of a left-hand side but for those that count layers."""
    return set(letters_on(target)) - {"l", "ell"}


def letters_on(node: Node) -> Iterator[str]:
    """The letters in subscripts, below big signs, and alone above a name."""
    for inner in walk(node):
        if isinstance(inner, Script | Big) and inner.sub is not None:
            yield from (n.text for n in walk(inner.sub) if isinstance(n, Name))
        if isinstance(inner, Script) and isinstance(inner.sup, Name | Group):
            yield from (n.text for n in walk(inner.sup) if isinstance(n, Name))
