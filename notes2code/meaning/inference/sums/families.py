"""Families: ``a_1 + a_2 + … + a_n`` and ``(e_{ij})_{j=1}^{n}``."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from notes2code.diagnostics import error
from notes2code.latex.tree import Group, Infix, Node, Num, Relation
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.index_arithmetic import count
from notes2code.meaning.inference.lists import ellipsis
from notes2code.meaning.inference.lists.list_items import is_dots
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Concat, Expr, Idx, Index, Size
from notes2code.meaning.notation import binders


def repeated(run: Run, node: Infix) -> Value | None:
    """``a_1 + a_2 + … + a_n``, and products of numbers written so; what stands before or behind all
    these, as the b of ``w_1 x_1 + … + w_n x_n + b``, is added to them."""
    terms = binders.chain(node)
    if node.op not in _REPEATED or not any(map(is_dots, terms[1:-1])):
        return None
    if node.op == "+" and not ellipsis.goes_up_to_last(terms):
        return None
    if node.op == "+" and (count := ellipsis.leading(terms)):
        first, rest = (
            reduce(lambda left, right: replace(node, left=left, right=right), part)
            for part in (terms[:count], terms[count:])
        )
        all_of_them = Group("(", (rest,), (), rest.span)
        return run.lower(replace(node, left=first, right=all_of_them))
    index, values = ellipsis.family(run, terms, node.span)
    kind = _REPEATED[node.op]
    if len(values) > 1 or (kind == "prod" and values[0].rank):
        raise error("N2C037", "what these dots leave out cannot be computed", node.span)
    return replace(values[0], body=ir.Reduce(kind, index, values[0].body), along=None)


_REPEATED = {"+": "sum", "·": "prod", "×": "prod", "*": "prod"}


def at_place(expr: Expr, axis: Index, place: int) -> Expr:
    """An expression at one place along an axis, where what is written out there is known."""
    match expr:
        case Idx(index) if find_index(index) is axis:
            return ir.Num(place)
        case Concat(parts, Idx(index)) if find_index(index) is axis:
            if all(part.indices[0].size.value == ir.ONE for part in parts):
                return ir.substitute(parts[place].body, {parts[place].indices[0]: ir.ZERO})
    expr = ir.rebuild(expr, lambda child: at_place(child, axis, place))
    match expr:
        case ir.Cases(((ir.Compare("=", ir.Num(at), ir.Num(wanted)), value),), other) if other:
            return value if at == wanted else other
    return expr


def indexed(run: Run, group: Group, sub: Relation, sup: Node | None) -> Value:
    """``(e_{ij})_{j=1}^{n}`` and ``(e_{ij})_{j ∈ [n]}``: the vector of a number for all values of
    an index."""
    letters = binders.bound_letters(sub)
    if len(group.items) > 1:
        text = f"`{run.quote(group.span)}` is a family of several things each, and no array"
        raise error("N2C041", text, group.span, "write a family for each of them")
    if len(letters) != 1:
        raise error("N2C036", "the range of this family is not understood", sub.span)
    start, size = _range(run, letters[0], sub, sup)
    index = Index(letters[0], size, start)
    outer = run.indices.get(letters[0])
    run.indices[letters[0]] = index
    value = run.lower(group.items[0])
    if outer is not None:
        run.indices[letters[0]] = outer
    else:
        del run.indices[letters[0]]
    return Value(value.body, (*value.axes, index), group.span)


def _range(run: Run, letter: str, sub: Relation, sup: Node | None) -> tuple[int, Size]:
    """What the index of a family counts from, and how many there are of it."""
    match sub.operands[1], sub.signs:
        case Num(first), ("=",):
            return int(first), Size("") if sup is None else count(run, sup, int(first))
        case Group("[", (last,)), ("∈",) if sup is None:
            return 1, count(run, last, 1)
        case None, ("∈",):
            return run.seen.starts.get(letter, 0), Size("")
    raise error("N2C036", "the range of this family is not understood", sub.span)
