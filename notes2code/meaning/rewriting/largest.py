"""Among the k largest: ``i ∈ \\mathrm{TopK}(s, k)``, ``s_i ∈ \\mathrm{TopK}(\\{s_j\\}, k)`` and
"``s_i`` is in the top ``k`` elements of ``s``" say that fewer than k elements are larger, and are
written so: ``Σ_j 1[s_j > s_i] < k``. Of elements that are equal, all are among the largest, which
the reader is told. The members of ``S = \\mathrm{TopK}(s, k)`` are those of the call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from notes2code.diagnostics import Problem, Span, note
from notes2code.latex.tree import (
    Big,
    Group,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Prose,
    Relation,
    Script,
    children,
    put,
    rebuilt,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.stated import Define, Restated, Statement, rewritten

TIES = "of equal elements all are among the largest, also where these are more than are asked for"

_NAMES = frozenset(["topk", "argtopk"])
_AMONG = re.compile(r"(?:is|lies) (?:in|among|one of)(?: the)? top[ -]*$")
_WHOSE = re.compile(r"^(?:elements|entries|values|scores|logits|components) (?:of|in)(?: the)?$")


Pair: TypeAlias = tuple[Node, Node, Node, Node | None]
"""An element, another one, and what the other is bound by: what stands below and above a sum."""


def may_be_meant(nodes: Nodes) -> bool:
    """Whether a word, or prose, speaks of a top."""
    said = {node.text for node in nodes.of(Name, Prose)} - names.TRANSPOSES
    return any("top" in text.lower() for text in said)


def written_out(stated: Sequence[Statement]) -> Restated:
    """The statements with what is among the largest as a comparison of numbers, and notes on what
    that means of equal ones."""
    told: dict[Span, Problem] = {}
    found = rewritten(_unnamed(stated), lambda define: _of_definition(define, told))
    return found, tuple(told.values())


def _unnamed(stated: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with ``i ∈ \\mathrm{TopK}(s, k)`` for ``i ∈ S``, and with the number of the
    members for ``|S|``, where a statement beside them says what S is, and without that one."""
    for define in stated:
        if not isinstance(define, Define) or define.target is None or define.conditions:
            continue
        match define.values:
            case (called,) if _called(called) is not None and scripts.is_name(define.target):
                others = [one for one in stated if one is not define]
                written = _with_members(others, define.target, called)
                if written is not None:
                    return _unnamed(written)
    return tuple(stated)


def _with_members(
    stated: Sequence[Statement], named: Node, called: Node
) -> tuple[Statement, ...] | None:
    """The statements with a call for a set's name; None where none is a member of it, or where
    more is said of it."""
    name = names.label(named)
    letters: list[Name] = []

    def written(node: Node) -> Node:
        match node:
            case Relation((member, of), ("∈" | "∉",)) if of and names.label(of) == name:
                if isinstance(member, Name):
                    letters.append(member)
                return replace(node, operands=(member, called))
            case Group("|", (of,)) if letters and names.label(of) == name:
                among = Relation((letters[0], called), ("∈",), (node.span,), node.span)
                return Big("sum", letters[0], None, _one_where(among), node.span)
        return rebuilt(node, written)

    for _ in range(2):  # how many they are stands before the sum over them
        stated = rewritten(stated, lambda _: written)
    said = [node for one in stated if isinstance(one, Define) for node in one.values]
    left = any(names.label(inner) == name for node in said for inner in walk(node))
    return None if left or not letters else tuple(stated)


def _of_definition(define: Define, notes: dict[Span, Problem]) -> Callable[[Node], Node]:
    said = (*define.values, *define.conditions)
    outside = Nodes(node for one in said for node in _outside(one))

    def noted(found: Relation | None, called: Node, span: Span) -> Relation | None:
        if found is not None:
            notes.setdefault(called.span, note("N2C039", TIES, span))
        return found

    def written(node: Node) -> Node:
        match node:
            case Relation((member, called), ("∈" | "∉" as sign,)) if member and called:
                if (fewer := noted(_told(member, called, outside), called, node.span)) is not None:
                    return fewer if sign == "∈" else replace(fewer, signs=("≥",))
            case Script(base, Relation()):  # what a softmax runs over
                return replace(node, base=written(base))
            case Group("", (Prose() as word, Script() as member, among, count, Prose(whose), of)):
                is_top = isinstance(among, Prose) and _AMONG.search(among.text.lower())
                if is_top and _WHOSE.search(whose.lower()):
                    found = _fewer(_element_of(member, of, outside), count, node.span)
                    if (fewer := noted(found, of, node.span)) is not None:
                        return replace(node, items=(word, fewer), separators=())
            case Big(op, Relation((Name() as letter, called), ("∈",)) as ran, above, body):
                found = _told(letter, called, outside) if called else None
                if called and (fewer := noted(found, called, ran.span)) is not None:
                    below = Group("", (letter, fewer), (":",), ran.span)
                    return Big(op, below, above, written(body), node.span)
        return rebuilt(node, written)

    return written


def _outside(node: Node) -> Iterator[Node]:
    """The nodes of a formula that stand in no call of this kind."""
    yield node
    for inner in children(node):
        if _called(inner) is None:
            yield from _outside(inner)


def _called(node: Node) -> tuple[Node, Node] | None:
    """What the largest are taken of, and how many, in ``\\mathrm{TopK}(s, k)``."""
    match node:
        case Juxt((Name(name), Group("(", (of, count)))):
            pass
        case Juxt((Script(Name(name), count, None), Group("(", (of,)))) if count:
            pass
        case Juxt((Name(name, where), Group("(", (of,)))) if "-" in name:
            name, number = name.split("-", 1)
            count = Num(number, where) if number.isdigit() else Name(number, where)
            name += "k" if number.isdigit() or number in "kK" else number
        case _:
            return None
    return (of, count) if re.sub(r"[ _-]", "", name.lower()) in _NAMES else None


def _told(member: Node, called: Node, outside: Nodes) -> Relation | None:
    """``s_i ∈ \\mathrm{TopK}(…, k)`` as a comparison; None where no call of that name stands, or
    one that may mean something else."""
    found = _called(called)
    if found is None:
        return None
    of, count = found
    elsewhere = {node.text for node in outside.of(Name)} | words_in(of) | words_in(member)
    if isinstance(count, Name) and count.text in elsewhere:
        return None  # what counts, or has a value of its own, says not how many
    return _fewer(_listed(member, of) or _element_of(member, of, outside), count, called.span)


def _fewer(pair: Pair | None, count: Node, span: Span) -> Relation | None:
    """``Σ_j 1[s_j > s_i] < k``."""
    if pair is None:
        return None
    own, other, below, above = pair
    larger = _one_where(Relation((other, own), (">",), (span,), span))
    return Relation((Big("sum", below, above, larger, span), count), ("<",), (span,), span)


def _one_where(said: Relation) -> Node:
    """1 where a relation holds, else 0."""
    one = Name("1", said.span, "blackboard")
    return Juxt((one, Group("[", (said,), (), said.span)), said.span)


def _listed(member: Node, of: Node) -> Pair | None:
    """An element, and any of ``\\{s_j | 1 ≤ j ≤ n\\}`` or ``\\{s_j\\}_{j=1}^n``, under a letter of
    its own."""
    match of:
        case Group("{", (one, Relation((Num() as first, Name(letter), last), ("≤", "≤")))):
            above = last
        case Script(Group("{", (one,)), Relation((Name(letter), Num() as first), ("=",)), above, 0):
            pass
        case _:
            return None
    own = put(one, letter, member) if isinstance(member, Name) else member
    place = _another(Name(letter, one.span))
    below = Relation((place, first), ("=",), (one.span,), one.span)
    return (own, put(one, letter, place), below, above)


def _element_of(member: Node, of: Node, outside: Nodes) -> Pair | None:
    """An element of a vector, ``i`` or ``s_i`` of ``s``, and any other one. What stands ``outside``
    tells where an index stands: that of a column may be the first, as in the ``s_{i,t}`` of an
    ``s_t``."""
    scripted = outside.of(Script)
    match member:
        case Name(letter):
            found = (one for one in scripted if _is_at(one, of, letter))
            own = next(found, None) or _at(of, member, outside)
        case Script(Name()) if binders.bare(member) == binders.bare(of):
            among = _letters_below(member) - _letters_below(of)
            own, letter = (member, among.pop()) if len(among) == 1 else (None, "")
        case _:
            return None
    if own is None:
        return None
    other = _another(Name(letter, member.span))
    return (own, put(own, letter, other), other, None)


def _another(letter: Name) -> Script:
    """Another index of the same kind: ``i'``."""
    return Script(letter, None, None, 1, letter.span)


def _is_at(element: Script, of: Node, letter: str) -> bool:
    """Whether an element of a vector is the one at an index."""
    named = isinstance(of, Name | Script) and binders.bare(element) == binders.bare(of)
    return named and {letter} | _letters_below(of) <= _letters_below(element)


def _letters_below(node: Node) -> set[str]:
    sub = node.sub if isinstance(node, Script) else None
    return set() if sub is None else words_in(sub)


def _at(of: Node, place: Name, outside: Nodes) -> Node | None:
    """The element of a vector at an index; None where an index, or more than a name or a call of a
    letter, stands for the vector."""
    indices = {x for node in outside.of(Script) for x in _letters_below(node)}
    match of:
        case Script(Name() as name, sub, None, 0) if sub and place.text not in words_in(sub):
            below = sub.items if isinstance(sub, Group) and sub.open == "" else (sub,)
            both = Group("", (*below, place), (",",) * len(below), of.span)
            return Script(name, both, None, 0, of.span)
        case Name(text) if text not in indices:
            return Script(of, place, None, 0, of.span)
        case Juxt((Name(text) as name, Group("(") as given)) if len(text) == 1:
            return replace(of, factors=(Script(name, place, None, 0, name.span), given))
    return None
