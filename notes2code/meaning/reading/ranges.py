"""Ranges over several clauses: ``i = 1, …, n``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span
from notes2code.latex.joining import WHERE
from notes2code.latex.tree import (
    Accent,
    Clause,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation.in_turn import refuse_gaps
from notes2code.meaning.stated import Range


def enumerated(clauses: Sequence[Clause], at: int) -> tuple[Range, int] | None:
    """``i = 1, …, n`` over several clauses: the range, and where the next clause is."""
    node = clauses[at].node
    if not isinstance(node, Relation):
        return None
    everywhere = WHERE.isdisjoint(clauses[at].words.lower().split())
    if everywhere and (within := bounded(node)):
        return within, at + 1
    if node.signs not in (("=",), ("∈",)):
        return None
    letter = _letter(node.operands[0])
    if letter is None or node.operands[1] is None:
        return None
    first = node.operands[1]
    listed = node.signs == ("∈",) and isinstance(first, Group)
    counting = listed or isinstance(first, Num) or _ends(first) is not None
    if index_letter(node.operands[0]) is None and not counting:
        return None
    if node.signs == ("=",):
        for ahead in range(at + 1, min(at + 4, len(clauses) - 1)):
            if isinstance(clauses[ahead].node, Dots):
                last = clauses[ahead + 1].node
                if isinstance(last, Relation):
                    return None
                refuse_gaps((first, *(clause.node for clause in clauses[at + 1 : ahead])))
                return Range(letter, first, last, node.span.to(last.span)), ahead + 2
        ends = _ends(first)
        if ends:
            return Range(letter, *ends, node.span), at + 1
        counted = _counted(clauses, at, first)
        if counted > at:
            return Range(letter, first, clauses[counted].node, node.span), counted + 1
        index = index_letter(node.operands[0])
        lone = everywhere and clauses[at].before and isinstance(first, Num)
        if lone and index is not None and index.isascii():
            return Range(letter, first, first, node.span), at + 1
    elif isinstance(first, Group) and first.items:
        items = [item for item in first.items if not isinstance(item, Dots)]
        dotted = len(items) < len(first.items) or any(map(_ends, items))
        if not dotted and index_letter(node.operands[0]) is None:
            return None  # without dots only an index letter says that it is a range
        if first.open in ("[", "{", "(", *_HALF_OPEN) and items:
            inner = _ends(items[0]) if len(items) == 1 else (items[0], items[-1])
            if inner and not _is_interval(first):
                if len(items) < len(first.items):
                    refuse_gaps(first.items)
                return Range(letter, *_within(first.open, *inner), node.span), at + 1
    return None


_HALF_OPEN = ("[)", "(]")


def _within(opening: str, first: Node, last: Node) -> tuple[Node, Node]:
    """The first and the last whole number of an interval: that of ``[0, n)`` ends before n."""
    if opening in ("[)", "()"):
        last = _moved(last, -1)
    if opening in ("(]", "()"):
        first = _moved(first, 1)
    return first, last


def _moved(end: Node, by: int) -> Node:
    """The whole number behind or before one."""
    if isinstance(end, Num) and end.text.isdigit():
        return Num(str(int(end.text) + by), end.span)
    return Infix("+" if by > 0 else "-", end, Num("1", end.span), end.span, end.span)


def bounded(node: Relation) -> Range | None:
    """The range that is written as ``0 < i ≤ n``; a number between 0 and 1 counts nothing."""
    signs, operands = node.signs, node.operands
    if {*signs} <= {">", "≥"}:
        signs, operands = tuple(_FLIPPED[sign] for sign in reversed(signs)), operands[::-1]
    match operands:
        case (Num() as first, letter, last) if last is not None and {*signs} <= {"<", "≤"}:
            index = index_letter(letter)
            if index is None or last == Num("1", last.span):
                return None
            ends = ("(" if signs[0] == "<" else "[") + (")" if signs[1] == "<" else "]")
            return Range(index, *_within(ends, first, last), node.span)
    return None


_FLIPPED = {">": "<", "≥": "≤"}


def behind(node: Node) -> tuple[Node, tuple[Node, ...]] | None:
    """The ``h_l = f(h_{l-1})`` of ``h_l = f(h_{l-1})\\ (l = 1, \\dots, N)``, and what stands in the
    parentheses; None for what ends with no range of a letter in it, as ``P(1 \\le k \\le n)``."""
    match node:
        case Relation(operands) if (last := operands[-1]) is not None and (cut := behind(last)):
            span = Span(node.span.start, cut[0].span.end)
            whole = replace(node, operands=(*operands[:-1], cut[0]), span=span)
            letter = _counting(cut[1])
            named = any(isinstance(one, Name) and one.text == letter for one in walk(whole))
            return (whole, cut[1]) if named else None
        case Infix(right=last) if cut := behind(last):
            return replace(node, right=cut[0], span=Span(node.span.start, cut[0].span.end)), cut[1]
        case Juxt((*factors, last)) if said := in_parentheses(last) or _of_set(factors[-1], last):
            if len(factors) == 1:
                return factors[0], said
            span = Span(node.span.start, factors[-1].span.end)
            return replace(node, factors=tuple(factors), span=span), said
    return None


def _of_set(before: Node, last: Node) -> tuple[Node, ...]:
    """The ``v ∈ K`` of ``p_v\\ (v ∈ K)`` and of a quotient with that behind it; an event has the
    name of its probability before it."""
    match last:
        case Group("(", (Relation((Name(letter), _), ("∈",)) as said,)):
            called = isinstance(before, Name | Script | Accent)
            counted = any(isinstance(one, Name) and one.text == letter for one in walk(before))
            return () if called and not counted else (said,)
    return ()


def _counting(said: tuple[Node, ...]) -> str | None:
    """The letter of a range."""
    match said:
        case (Relation((left, *_)) as first, *_):
            within = bounded(first)
            return within.index if within else _letter(left)
    return None


def in_parentheses(node: Node) -> tuple[Node, ...]:
    """What stands between the parentheses of ``(k = 1, …, n)`` and ``(0 < k ≤ n)``; nothing of
    anything else."""
    match node:
        case Group("(", (Relation() as said,)) if bounded(said):
            return node.items
        case Group("(", (Relation((left, Num()), ("=",)), *rest)) if _letter(left) is not None:
            return node.items if any(isinstance(item, Dots) for item in rest) else ()
    return ()


def _is_interval(group: Group) -> bool:
    """Whether it is ``[0, 1]``, in which a number lies that counts nothing."""
    match group:
        case Group("[" | "[)" | "(]", (Num("0"), Num("1"))):
            return True
    return False


def _counted(clauses: Sequence[Clause], at: int, first: Node) -> int:
    """The clause with the last of ``i = 1, 2, 3``; the first where no numbers follow in turn."""
    number = int(first.text) if isinstance(first, Num) and first.text.isdigit() else None
    while number is not None and at + 1 < len(clauses):
        following = clauses[at + 1]
        number += 1
        if (
            following.before != ","
            or following.words
            or following.node != Num(str(number), following.node.span)
        ):
            break
        at += 1
    return at


def _ends(node: Node) -> tuple[Node, Node] | None:
    """The ends of ``0 … 7`` or ``1..n``."""
    if isinstance(node, Juxt) and any(isinstance(f, Dots) for f in node.factors):
        first, last = node.factors[0], node.factors[-1]
        if not isinstance(first, Dots) and not isinstance(last, Dots):
            return first, last
    return None


def _letter(node: Node | None) -> str | None:
    """A letter that dots can say the range of: any, since ``h = 1, …, H`` is said of h."""
    named = isinstance(node, Name) and len(node.text) == 1
    return node.text if named and isinstance(node, Name) else index_letter(node)


def index_letter(node: Node | None) -> str | None:
    """The letter of an index, None for anything else."""
    if isinstance(node, Name) and node.text in names.INDEX_LETTERS:
        return node.text
    return None
