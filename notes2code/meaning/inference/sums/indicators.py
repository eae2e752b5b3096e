"""Indicators: ``𝟙[j ≤ i]``, ``[k ≠ i]`` and ``δ_{ij}``, 1 where something holds, else 0."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from notes2code.diagnostics import error, note
from notes2code.latex.tree import (
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    ungrouped,
)
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.sums import conditions, worded
from notes2code.meaning.inference.sums.conditions import SIGNS
from notes2code.meaning.inference.values import Value, scalar
from notes2code.meaning.notation import scripts


def before_brackets(run: Run, factors: Sequence[Node], at: int) -> tuple[Value, int] | None:
    """``𝟙[j ≤ i]`` and ``1[j ≤ i]``; the ``𝟙[m_i]`` of a mask is 1 where that is not 0."""
    group = factors[at + 1]
    if not isinstance(group, Group):
        return None
    said = group.items[0]
    if are_conditions(group.items):
        return where_all_hold(run, group), at + 2
    if scripts.is_name(said) and _is_of_truth(factors[at], group):
        where = factors[at].span.to(group.span)
        text = f"`{run.quote(where)}` is taken to be 1 where `{run.quote(said.span)}` is not 0"
        run.problems.append(note("N2C039", text, where))
        said = Relation((said, Num("0", said.span)), ("≠",), (said.span,), said.span)
    if isinstance(said, Relation):
        return in_brackets(run, said), at + 2
    if _is_of_truth(factors[at], group):
        text = f"when `{run.quote(said.span)}` holds is not said"
        raise error("N2C037", text, said.span, "write a comparison, such as `x > 0`")
    return None


def may_be(name: Node, group: Group) -> bool:
    """Whether a name before parentheses may be an indicator; the I(i, j) of an image is none."""
    return is_one(name) and (len(group.items) == 1 or are_conditions(group.items))


def are_conditions(items: Sequence[Node]) -> bool:
    """Whether several comparisons are listed, or one in parentheses, with words between them or
    none."""
    compared = [item for item in items if not isinstance(item, Prose)]
    told = len(items) > 1 or isinstance(next(iter(items), None), Group)
    return told and all(map(_compares, compared))


def _compares(node: Node, signs: frozenset[str] = SIGNS) -> bool:
    """Whether a node is a comparison, in parentheses or without, or several that are joined."""
    match node:
        case Group("(", (inner,)):
            return _compares(inner, signs)
        case Group("(", items, ()) if signs == SIGNS:
            return are_conditions(items)
        case Infix(op, left, right) if op in conditions.JOINED:
            return _compares(left, signs) and _compares(right, signs)
        case Relation():
            return None not in node.operands and signs.issuperset(node.signs)
    return False


def where_all_hold(run: Run, group: Group) -> Value:
    """``𝟙[j ≤ i, i - j < w]``: 1 where what is listed holds, else 0."""
    held = worded.Conditions(run).read(group.items)
    return scalar(ir.Cases(((held, ir.ONE),), ir.ZERO), group.span)


def of_truth(run: Run, node: Group | Infix) -> Value | None:
    """``(j ≤ i)`` and ``(j ≤ i) ∧ (i - j < w)``, that are told to be 1 where they hold, else 0;
    None for anything else."""
    if not _compares(node, SIGNS - {"="}):
        return None
    text = f"`{run.quote(node.span)}` is taken to be 1 where it holds, else 0"
    run.problems.append(note("N2C039", text, node.span))
    held = conditions.condition(run, node)
    return scalar(ir.Cases(((held, ir.ONE),), ir.ZERO), node.span)


def _is_of_truth(node: Node, group: Group) -> bool:
    """Whether it is the 𝟙 of an indicator, or its bold 1 before square brackets, and no other."""
    blackboard = isinstance(node, Name) and (node.text, node.font) == ("1", "blackboard")
    return blackboard or (isinstance(node, Name) and node.text == "ones" and group.open == "[")


def in_brackets(run: Run, said: Relation) -> Value:
    """``[j ≤ i]``: 1 where it holds, else 0; of a layer, ``[W x + b > 0]`` and ``[z > 0]``, for
    each element."""
    match said:
        case Relation((Infix("+" | "-") | Name() | Script() as layer, Num() as bound), (sign,)) if (
            sign in SIGNS and (isinstance(layer, Infix) or _is_whole(run, layer))
        ):
            value = run.lower(layer)
            held = ir.Compare(sign, value.body, run.lower(bound).body)
            return replace(value, body=ir.Cases(((held, ir.ONE),), ir.ZERO), along=None)
    return scalar(ir.Cases(((conditions.condition(run, said), ir.ONE),), ir.ZERO), said.span)


def _is_whole(run: Run, node: Node) -> bool:
    """Whether a name has no index, and is none."""
    use = run.seen.understood(node)
    return use is not None and not use.indices and use.name not in run.indices


def is_one(node: Node) -> bool:
    """Whether a node may be the 1 or the I of an indicator."""
    match node:
        case Num("1") | Name("ones" | "I") | Name("1", _, "blackboard"):
            return True
    return False


_SIGNS = frozenset(["1", "ones", "I", "delta"])
"""What stands before what holds."""


def _is_kronecker(run: Run, letters: Set[str]) -> bool:
    """Whether the δ of ``δ_{ij}`` tells where two places are one: no note says what it is, and both
    letters count along one axis, as below the s of ``s_i (δ_{ij} - s_j)``. The δ_{nj} of a pattern
    and a neuron is an error."""
    if "delta" in run.shapes | run.defined or "delta" in run.scope.arrays:
        return False
    along: dict[tuple[str, int], set[str]] = {}
    for name, place, letter in run.seen.shifts:
        along.setdefault((name, place), set()).add(letter)
    return any(letters <= counted for counted in along.values())


def below(run: Run, node: Script) -> Value | None:
    """``𝟙_{[k ≠ i]}``, and the ``δ_{ij}`` that is 1 where both are one."""
    if not isinstance(node.base, Name | Num) or node.base.text not in _SIGNS:
        return None
    match node:
        case Script(Name("delta"), Juxt((left, right)) | Group("", (left, right)), None, 0):
            letters = {side.text for side in (left, right) if isinstance(side, Name)}
            if len(letters) == 2 and letters & run.indices.keys() and _is_kronecker(run, letters):
                return in_brackets(run, Relation((left, right), ("=",), (node.span,), node.span))
        case Script(one, sub, None, 0) if is_one(one):
            if isinstance(sub, Group) and are_conditions(sub.items):
                return where_all_hold(run, sub)
            said = ungrouped(sub)
            if isinstance(said, Relation) and None not in said.operands:
                return in_brackets(run, said)
    return None
