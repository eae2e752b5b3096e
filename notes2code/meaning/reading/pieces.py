"""Lists of the pieces that an array is cut into: ``[Q_1, \\dots, Q_h] = X W_Q`` says that each head
has its own columns, the first d of them, the next d, and so on."""

from __future__ import annotations

from notes2code.latex.tree import (
    Dots,
    Group,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    alike,
    changed,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.stated import Define, Range, Statement

SPLIT = "split"
"""The function whose i-th value is the i-th piece, ``\\mathrm{split}_i(X)``."""


def listed(node: Relation) -> list[Statement]:
    """The pieces that a relation lists of an array, as many as there are heads: the general one and
    how far its index runs; nothing of any other relation. What is in brackets may else be the rows
    of a matrix, or its columns, or numbers; and so may what is listed by semicolons, unless it is
    of one token."""
    match node:
        case Relation((Group("[" | "(", (first, *_, last) as items), whole), ("=",)) if whole:
            pass
        case _:
            return []
    if not any(isinstance(item, Dots) for item in items):
        return []
    letter = next((x for x in "irs" if x not in words_in(node)), "")
    found = _general(first, last, letter) if letter else None
    if found is None:
        return []
    piece, count = found
    if names.base_letter(names.label(piece)) not in names.ROLES or _may_be_rows(node, piece):
        return []
    split = Script(Name(SPLIT, whole.span), Name(letter, whole.span), None, 0, whole.span)
    value = Juxt((split, Group("(", (whole,), (), whole.span)), whole.span)
    one = Num("1", first.span)
    return [Define(piece, (value,), node.span), Range(letter, one, count, node.span)]


def cut(statement: Statement) -> tuple[Node, Node] | None:
    """The Q_i and the Q of ``Q_i = split_i(Q)``; None for any other statement."""
    match statement:
        case Define(target, (Juxt((Script(Name(name)), Group("(", (whole,)))),)) if name == SPLIT:
            return None if target is None else (target, whole)
    return None


def _may_be_rows(node: Relation, piece: Node) -> bool:
    """Whether queries of one index each are listed by semicolons: their matrix may have a column
    for each token."""
    match node.operands[0], piece:
        case Group(separators=signs), Script(_, sub, sup):
            return ";" in signs and not any(isinstance(at, Group) for at in (sub, sup))
    return False


def _general(first: Node, last: Node, letter: str) -> tuple[Node, Node] | None:
    """The Q_i of Q_1 and Q_h, and the h, where that counts heads."""
    for count in walk(last):
        if isinstance(count, Name | Script) and names.counts_heads(names.label(count)):
            piece = _put(last, count, Name(letter, count.span))
            ones = (one for one in walk(first) if isinstance(one, Num) and one.text == "1")
            if any(alike(piece, _put(first, one, Name(letter, one.span))) for one in ones):
                return piece, count
    return None


def _put(node: Node, old: Node, new: Node) -> Node:
    """A node with something else for one node in it."""
    return changed(node, type(old), lambda inner: new if inner is old else None)
