"""Sums over several indices as sums within sums: ``Σ_{i, j = 1}^n`` is ``Σ_{i=1}^n Σ_{j=1}^n``, and
``Σ_{1 ≤ j < i}`` is ``Σ_{j=1}^{i-1}``, as ``Σ_j^{i-1}`` is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from notes2code.latex.tree import (
    Big,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    children,
    walk,
)
from notes2code.meaning.names import label
from notes2code.meaning.notation import positions
from notes2code.meaning.rewriting import primed

_OF_SEVERAL = frozenset(["sum", "prod", "max", "min"])

Bounds = tuple[Node, Node, Node | None]
"""A letter, and what it counts from and to."""


def in_turn(node: Big) -> Node | None:
    """A sign for each letter that counts."""
    found = _bounds(node)
    if node.sub is None or not found:
        return None
    inner, span = node.body, node.sub.span
    for letter, first, last in reversed(found):
        below = Relation((letter, first), ("=",), (span,), span)
        inner = replace(node, sub=below, sup=last, body=inner)
    return inner


def _bounds(node: Big) -> list[Bounds]:
    """The letters below a sign with their bounds, where these are not written as those of one;
    none where something else is said, too."""
    if node.op not in _OF_SEVERAL:
        return []
    if is_end(node.sup) and (letters := _without_start(node.sub)):
        start = "0" if _counts_from_zero(node, letters) else "1"
        return _each(letters, [Num(start, node.sup.span)] * len(letters), node.sup)
    match node.sub:
        case Relation((_, _, _, *_)) as chain if node.sup is None:
            return _chained(node.op, chain)
        case Relation((Group("(", items) | Juxt(items), first), ("=",)) if first is not None:
            return _each(items, [first] * len(items), node.sup)
        case Group("", items, separators) if set(separators) == {","}:
            return _begun(items, node.sup) if node.sup is not None else _between(items)
    return []


def is_end(sup: Node | None) -> TypeGuard[Node]:
    """Whether what stands above a sign ends its range, and is no mark."""
    match sup:
        case None | Name("prime" | "star" | "infty") | Group("("):
            return False
    return True


def _without_start(sub: Node | None) -> Sequence[Node]:
    """The letters of ``Σ_i^n`` and of ``Σ_{i,j}^n``, which count from 1, as custom has it where a
    range only says how far it goes."""
    match sub:
        case Name() | Script(Name(), None, None):
            return (sub,)
        case Juxt(letters) | Group("", letters) if all(map(_is_letter, letters)):
            return letters
    return ()


def _counts_from_zero(node: Big, letters: Sequence[Node]) -> bool:
    """Whether a range that only says how far it goes, ``Σ_k^{K-1}``, ends one before how many there
    are. The t of ``Σ_t^{T-1} x_{t+1} - x_t`` counts from 1, and so does what ends at an index, as
    ``Σ_j^{i-1}`` does."""
    match node.sup:
        case Infix("-", Name(size), Num("1")) if size.isupper():
            moved = {
                positions.shift(inner) for inner in walk(node.body) if isinstance(inner, Infix)
            }
            return moved.isdisjoint((label(letter), 1) for letter in letters)
    return False


def unsaid_start(node: Big) -> str:
    """The start of a range that is not written, and counts: the 1 of ``Σ_t^T γ^t r_t``, and the 0
    of ``Σ_k^{K-1} x_k``, which others would take for 1; "" of any other."""
    match node:
        case Big(_, Relation((Name(letter), Num(first, start)), ("=",)), end) if end is not None:
            if start == end.span and (first == "0" or letter in _numbers(node.body)):
                return first
    return ""


def _numbers(node: Node) -> set[str]:
    """The letters in a node, but for those below names and those in parentheses above them."""
    match node:
        case Name(text):
            return {text}
        case Script(base, _, Group("(")):
            return _numbers(base)
        case Script(base, _, sup):
            return _numbers(base).union(_numbers(sup) if sup is not None else ())
    return set().union(*map(_numbers, children(node)))


def _chained(op: str, chain: Relation) -> list[Bounds]:
    """``1 ≤ j < n`` and ``1 ≤ i < j ≤ n``, where each letter counts from the one before it: what
    has no terms for the last i adds nothing."""
    first, *letters, last = chain.operands
    if not set(chain.signs) <= {"≤", "<"} or first is None or last is None:
        return []
    if len(letters) > 1 and op not in ("sum", "prod"):
        return []
    found: list[Bounds] = []
    end = _moved(last, -1) if chain.signs[-1] == "<" else last
    for letter, sign in zip(letters, chain.signs, strict=False):
        if not isinstance(letter, Name):
            return []
        found.append((letter, _moved(first, 1) if sign == "<" else first, end))
        first = letter
    return found


def _moved(node: Node, by: int) -> Node:
    """The number behind a bound, or before it."""
    if isinstance(node, Num) and node.text.isdigit() and int(node.text) + by >= 0:
        return replace(node, text=str(int(node.text) + by))
    return Infix("+" if by > 0 else "-", node, Num("1", node.span), node.span, node.span)


def _between(items: Sequence[Node]) -> list[Bounds]:
    """``1 ≤ i, j ≤ n``."""
    match items:
        case [
            Relation((_, Name() as left), (low,)) as before,
            *others,
            Relation((right, _), (high,)) as behind,
        ]:
            letters = [left, *others, right]
            chains = [
                replace(
                    before,
                    operands=(before.operands[0], letter, behind.operands[1]),
                    signs=(low, high),
                )
                for letter in letters
            ]
            return [one for chain in chains for one in _chained("sum", chain)]
    if not items or not isinstance(items[-1], Relation):
        return []
    match items[-1].operands:
        case (last, Juxt((first, Dots(), end))) if items[-1].signs == ("=",):  # i, j = 1, …, n
            return _each([*items[:-1], last], [first] * len(items), end)
    return []


def _begun(items: Sequence[Node], sup: Node) -> list[Bounds]:
    """``i, j = 1`` and ``i = 1, j = 1``, with what stands above the sign."""
    letters: list[Node | None] = []
    firsts: list[Node] = []
    for item in items:
        match item:
            case Name():
                letters.append(item)
            case Relation((letter, first), ("=",)) if first is not None:
                letters.append(letter)
                firsts += [first] * (len(letters) - len(firsts))
            case _:
                return []
    return _each(letters, firsts, sup)


def _each(letters: Sequence[Node | None], firsts: Sequence[Node], sup: Node | None) -> list[Bounds]:
    """Each letter with what it counts from, and with its own end, or the one of all."""
    names = [letter for letter in letters if _is_letter(letter)]
    if not len(names) == len(letters) == len(firsts):
        return []
    listed = isinstance(sup, Group) and sup.open in ("", "(") and len(sup.items) == len(names)
    ends = sup.items if isinstance(sup, Group) and listed else [sup] * len(names)
    if len(names) > 1 and isinstance(sup, Juxt) and len(sup.factors) == len(names):
        ends = sup.factors  # the HW of Σ_{h,w}^{HW}
    starts = firsts[0].items if _is_list(firsts[0], len(names)) else firsts
    return list(zip(names, starts, ends, strict=True))


def _is_letter(node: Node | None) -> TypeGuard[Name | Script]:
    """Whether a node is ``i``, or ``i'``."""
    return isinstance(node, Name) or (isinstance(node, Script) and bool(primed.letter(node)))


def _is_list(node: Node, count: int) -> TypeGuard[Group]:
    """Whether a node is a ``(1, 1)`` of so many."""
    return isinstance(node, Group) and node.open == "(" and len(node.items) == count
