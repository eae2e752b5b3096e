"""Among the k largest: ``i ∈ \\mathrm{TopK}(s, k)``, ``s_i ∈ \\mathrm{TopK}(\\{s_j\\}, k)`` and
"``s_i`` is in the top ``k`` elements of ``s``" say that fewer than k elements are larger, and are
written so: ``Σ_j 1[s_j > s_i] < k``. Of elements that are equal, all are among the largest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Big,
    Group,
    Juxt,
    Name,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    put,
    rebuilt,
    walk,
)
from notes2code.meaning import binders
from notes2code.meaning.stated import Define, Statement

_NAMES = frozenset(["topk", "argtopk"])
_AMONG = re.compile(r"(?:is|lies) (?:in|among|one of)(?: the)? top[ -]*$")
_WHOSE = re.compile(r"^(?:elements|entries|values|scores|logits|components) (?:of|in)(?: the)?$")


Pair: TypeAlias = tuple[Node, Node, Node, Node | None]
"""An element, another one, and what the other is bound by: what stands below and above a sum."""


def written_out(stated: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with what is among the largest as a comparison of numbers."""
    return tuple(
        _of_statement(statement) if isinstance(statement, Define) else statement
        for statement in stated
    )


def _of_statement(define: Define) -> Define:
    said = (*define.values, *define.conditions)
    elements = [node for one in said for node in walk(one) if isinstance(node, Script)]

    def written(node: Node) -> Node:
        match node:
            case Relation((member, called), ("∈" | "∉" as sign,)) if member and called:
                if (told := _told(member, called, elements)) is not None:
                    return told if sign == "∈" else replace(told, signs=("≥",))
            case Group("", (Prose() as word, Script() as member, among, count, Prose(whose), of)):
                told = _fewer(_element_of(member, of, elements), count, node.span)
                is_top = isinstance(among, Prose) and _AMONG.search(among.text.lower())
                if told is not None and is_top and _WHOSE.search(whose.lower()):
                    return replace(node, items=(word, told), separators=())
            case Big(op, Relation((Name() as letter, called), ("∈",)) as ran, above, body):
                if called and (told := _told(letter, called, elements)) is not None:
                    below = Group("", (letter, told), (":",), ran.span)
                    return Big(op, below, above, written(body), node.span)
        return rebuilt(node, written)

    values, conditions = (tuple(map(written, part)) for part in (define.values, define.conditions))
    return replace(define, values=values, conditions=conditions)


def _told(member: Node, called: Node, elements: Sequence[Script]) -> Relation | None:
    """``s_i ∈ \\mathrm{TopK}(…, k)`` as a comparison; None where no call of that name stands."""
    match called:
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
    if re.sub(r"[ _-]", "", name.lower()) not in _NAMES:
        return None
    return _fewer(_listed(member, of) or _element_of(member, of, elements), count, called.span)


def _fewer(pair: Pair | None, count: Node, span: Span) -> Relation | None:
    """``Σ_j 1[s_j > s_i] < k``."""
    if pair is None:
        return None
    own, other, below, above = pair
    larger = Group("[", (Relation((other, own), (">",), (span,), span),), (), span)
    one = Juxt((Name("1", span, "blackboard"), larger), span)
    return Relation((Big("sum", below, above, one, span), count), ("<",), (span,), span)


def _listed(member: Node, of: Node) -> Pair | None:
    """An element, and any of ``\\{s_j | 1 ≤ j ≤ n\\}`` or ``\\{s_j\\}_{j=1}^n``."""
    match of:
        case Group("{", (other, Relation((Num() as first, Name() as letter, last), ("≤", "≤")))):
            below = Relation((letter, first), ("=",), (letter.span,), letter.span)
            return (member, other, below, last)
        case Group("{", (other, Relation() as below)):
            return (member, other, below, None)
        case Script(Group("{", (other,)), Relation() as below, above, 0):
            return (member, other, below, above)
    return None


def _element_of(member: Node, of: Node, elements: Sequence[Script]) -> Pair | None:
    """An element of a vector, ``i`` or ``s_i`` of ``s``, and any other one. ``elements`` tell where
    an index stands: that of a column may be the first, as in the ``s_{i,t}`` of an ``s_t``."""
    match member:
        case Name(letter):
            own = next((one for one in elements if _is_at(one, of, letter)), _at(of, member))
        case Script(Name()) if binders.bare(member) == binders.bare(of):
            among = _letters_below(member) - _letters_below(of)
            if len(among) != 1:
                return None
            own, (letter,) = member, among
        case _:
            return None
    any_other = Script(Name(letter, member.span), None, None, 1, member.span)
    return (own, put(own, letter, any_other), any_other, None)


def _is_at(element: Script, of: Node, letter: str) -> bool:
    """Whether an element of a vector is the one at an index."""
    named = isinstance(of, Name | Script) and binders.bare(element) == binders.bare(of)
    return named and {letter} | _letters_below(of) <= _letters_below(element)


def _letters_below(node: Node) -> set[str]:
    sub = node.sub if isinstance(node, Script) else None
    return set() if sub is None else {n.text for n in walk(sub) if isinstance(n, Name)}


def _at(of: Node, place: Name) -> Node:
    """The element of a vector at an index."""
    span = of.span
    match of:
        case Script(Name() as name, sub, None, 0) if sub:
            below = sub.items if isinstance(sub, Group) and sub.open == "" else (sub,)
            both = Group("", (*below, place), (",",) * len(below), span)
            return Script(name, both, None, 0, span)
        case Name():
            return Script(of, place, None, 0, span)
        case Juxt((Name() as name, Group("(") as given)):
            return replace(of, factors=(Script(name, place, None, 0, name.span), given))
    return Script(Group("(", (of,), (), span), place, None, 0, span)
