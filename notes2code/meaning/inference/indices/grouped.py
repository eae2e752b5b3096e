"""Heads that share keys and values in groups: ``K_{g(i)}``, ``K_{⌈i/r⌉}``, ``K_{⌊i g/h⌋}``."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Group, Juxt, Name, Node, Num, Script
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.ir import Expr, Fn, Idx, Index, Size
from notes2code.meaning.notation import groups

_LENGTH = "r"
"""The name of the length of a group that a note gives as a number."""


def place(run: Run, node: Node, size: Size, name: str) -> Expr | None:
    """The place, from 0, of the group that an index belongs to, along an axis of groups of the
    array of a name; None for any other index."""
    match node:
        case Juxt((Name(number), Group("(", (Name(letter),)))) if letter in run.indices:
            return _by_name(run, number, find_index(run.indices[letter]), size, node)
    found = groups.group_of(node)
    if found is None:
        return None
    (counted, length, factor) = found
    if factor is not None and not _is_index(run, counted):
        counted, factor = factor, counted
    if not isinstance(counted, Name) or not _is_index(run, counted):
        return None
    index = find_index(run.indices[counted.text])
    assert isinstance(node, Group)
    up = node.open == "⌈"
    if index.start == 1 and not up:
        raise error(
            "N2C032",
            f"counted from 1, `{run.quote(node.span)}` does not begin with the first group",
            node.span,
            f"write `\\lceil … \\rceil`, or say that `{counted.text}` counts from 0",
        )
    if factor is None:
        many = _number(run, length, name, counted.text) or _size(run, length)
        return _of_length(run, index, many, size, node.span)
    # Of h heads in g groups: g is the number of groups, and h that of the heads.
    run.unify(index.size, _size(run, length), node.span)
    run.unify(_size(run, factor), size, node.span)
    return _of_number(index, size, up)


def _by_name(run: Run, name: str, index: Index, size: Size, node: Node) -> Expr:
    """``g(i)``, which nothing defines but as a quotient: groups of equal size, in order."""
    defined = run.scope.functions.get(name)
    attends = run.seen.attends or any(map(names.label_of_projection, run.seen.counted))
    if not attends or (defined is not None and not _is_quotient(defined.value.body)):
        raise error("N2C032", "this index is not understood", node.span)
    if find(size).rank < 2:  # else the note says how many groups there are: j = 1, …, g
        run.unify(run.size(name), size, node.span)
    text = f"`{run.quote(node.span)}` is taken to be the group of head `{index.name}`"
    run.problems.append(note("N2C039", f"{text}: groups of equal size, in order", node.span))
    return _of_number(index, size)


def _is_quotient(expr: Expr) -> bool:
    return isinstance(expr, Fn) and expr.name in ("floor", "ceil")


def _of_number(index: Index, groups: Size, up: bool = False) -> Expr:
    """The group of an index where there are so many groups; ``up``: of one that counts from 1, the
    quotient rounded up."""
    scaled = ir.mul(Idx(index), find(groups))
    if up:
        scaled = ir.add(scaled, find(groups), ir.MINUS_ONE)
    return Fn("floordiv", (scaled, find(index.size)))


def _of_length(run: Run, index: Index, length: Size, size: Size, where: Span) -> Expr:
    """The group of an index where each group, but perhaps the last, has so many."""
    last = ir.add(find(index.size), length, ir.MINUS_ONE)
    run.unify(Size("", value=Fn("floordiv", (last, length))), size, where)
    return Fn("floordiv", (Idx(index), length))


def _is_index(run: Run, node: Node) -> bool:
    return isinstance(node, Name) and node.text in run.indices


def _number(run: Run, node: Node, name: str, letter: str) -> Size | None:
    """How many heads, each with queries of its own, share keys and values, where a note gives it as
    a number; None for any other number, such as the 2 of the angles θ_{⌊i/2⌋} of pairs."""
    if not isinstance(node, Num) or not node.text.isdigit() or _LENGTH in run.seen.counted:
        return None
    parts = [found for one in run.seen.nodes.of(Group) if (found := groups.group_of(one))]
    numbers = {length.text for _, length, _ in parts if isinstance(length, Num)}
    queries = any(
        isinstance(one.sub, Name) and one.sub.text == letter and _role(run.seen.name_of(one)) == "q"
        for one in run.seen.nodes.of(Script)
    )
    if _role(name) not in ("k", "v") or not queries or len(numbers) > 1:
        return None
    text = f"`{node.text}` is taken to be how many heads a group has, and any number will do"
    run.problems.append(note("N2C039", text, node.span))
    return run.size(_LENGTH)


def _role(name: str) -> str:
    """The k of keys K and of their weight W_K."""
    base, _, label = name.lower().rpartition("_")
    return label if base in ("", "w") else ""


def _size(run: Run, node: Node) -> Size:
    if not isinstance(node, Name | Script):
        raise error("N2C032", "this number of groups is not understood", node.span)
    return run.size(names.label(node))
