"""Conditions behind an equation, which say where it holds: ``e_{ij} = …, \\quad j ≤ i``.

A relation limits an equation if it is said of its indices. That one of them runs from a number up
to a size, or through a set, only says how many there are: ``1 ≤ i ≤ n``, ``i ∈ V``. What is said of
that which has the indices below its name, ``α_{ij} ≥ 0``, is a property. And what limits the index
of a sum belongs below the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import error
from notes2code.latex import suppositions
from notes2code.latex.joining import AND, GIVEN, IF, OR, WHERE
from notes2code.latex.tree import (
    Big,
    Clause,
    Group,
    Infix,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    alike,
    children,
    ungrouped,
    walk,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, recursions
from notes2code.meaning.notation.scripts import is_name
from notes2code.meaning.reading import ranges
from notes2code.meaning.stated import Define, Range, Statement

_COMPARES = frozenset("<>≤≥≠=∼≡")
_ALL = frozenset(["∀", "all", "each", "every", "any"])
"""Words that stand before what an index runs through."""

_FLIPPED = {">": "<", "≥": "≤"}
_WEAKER = {"<": "≤≠", "≤": "", "≠": "", "=": "≤", "∈": ""}

Comparison = tuple[object, str, object]


def ahead(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses with the condition of ``∀ j ≤ i: e_{ij} = …`` behind the equation, and those of
    further cases. Behind another equation only the colon says whose the condition is."""
    out: list[Clause] = []
    at, is_first = 0, True
    while at < len(clauses):
        first, second = clauses[at], clauses[at + 1] if at + 1 < len(clauses) else None
        if second is not None and (is_first or second.before == ":") and _is_ahead(first, second):
            out += [
                replace(second, before="" if is_first else "row"),
                replace(first, before="prose"),
            ]
            at += 2
        else:
            out.append(first)
            at, is_first = at + 1, False
    return tuple(out)


def _is_ahead(first: Clause, second: Clause) -> bool:
    """Whether the first of two clauses is the condition of the equation behind it."""
    match first.node, second.node:
        case Relation(signs=said), Relation(signs=signs):
            words = {*first.words.lower().split()}
            made = signs[0] in ("=", "←") and ("=" not in said or words <= WHERE)
            return made and bool(words) and words <= IF | _ALL
    return False


_ORDERS = frozenset("<>≤≥≠")


def _refuse_second_condition(relation: Relation, words: set[str], last: Define) -> None:
    """Refuse the ``m_j = 0`` of ``M_{ij} = −∞ if j > i or m_j = 0``, and the ``x < 1`` of
    ``y = 1 if x > 0 and x < 1``, which would be lost."""
    compares = not _ORDERS.isdisjoint(relation.signs)
    joins = not words.isdisjoint(OR) or (compares and not words.isdisjoint(AND))
    if last.conditions and joins:
        raise error(
            "N2C037",
            "the second of two conditions is not understood in this line",
            relation.span,
            "write a case for each, or both in one case of `\\begin{cases}`",
        )


def behind(clause: Clause, last: Define, listed: Sequence[Node]) -> tuple[Relation, ...]:
    """The conditions that a clause, and what is ``listed`` before it, are for the definition before
    it; none if it says something else. Raises ``ProblemError`` where a sum should say it."""
    relation = ungrouped(clause.node)
    if not isinstance(relation, Relation) or None in relation.operands:
        return ()
    words = {*clause.words.lower().split()}
    limited = _Equation(last, listed).limited(relation, words)
    if limited is None and relation.signs[0] in "∈∉" and not words.isdisjoint({"if", "when"}):
        raise error(
            "N2C037",
            "the set that this condition speaks of holds no index",
            relation.span,
            "say of an index where it is, such as `i \\in S`",
        )
    if limited is None:
        _refuse_second_condition(relation, words, last)
        return ()
    of_sums = limited & _summed(last)
    if of_sums and _is_said(relation, last):
        return ()
    if of_sums:
        raise error(
            "N2C037",
            "this condition stands behind the sum whose index it limits",
            relation.span,
            "write it below the sum, `\\sum_{j \\le i}`",
        )
    first, *others = relation.operands
    return tuple(replace(relation, operands=(one, *others)) for one in (*listed, first))


def is_opposite(node: Node, clauses: Sequence[Clause]) -> bool:
    """Whether a clause says of two sides that they are equal, of which another one says ``≠``: the
    ``T_c = T_m`` behind a row is when that holds, and defines no T_c."""
    if not isinstance(node, Relation) or node.signs != ("=",):
        return False
    others = (ungrouped(other.node) for other in clauses)
    return any(
        isinstance(other, Relation)
        and other.signs == ("≠",)
        and all(
            mine is not None and theirs is not None and alike(mine, theirs)
            for mine, theirs in zip(node.operands, other.operands, strict=True)
        )
        for other in others
    )


def together(last: Define, more: tuple[Relation, ...], words: str) -> tuple[Node, ...]:
    """The conditions of a definition with those of a clause behind it, of which one holds where the
    words before it are an *or*."""
    if OR.isdisjoint(words.lower().split()) or not last.conditions:
        return (*last.conditions, *more)
    match last.conditions, more:
        case (first,), (second,):
            span = first.span.to(second.span)
            return (Infix("∨", first, second, span, span),)
    raise error(
        "N2C037",
        "which conditions this `or` stands between is not said",
        more[0].span,
        "write the cases in a table, with parentheses around what belongs together",
    )


def of_range(found: Range, last: Define) -> Relation | None:
    """The ``i - w ≤ j ≤ i`` of ``j = i - w, …, i`` behind an equation that has both indices."""
    first, end = found.first, found.last
    if last.target is None or first is None or end is None:
        return None
    letter, others = Name(found.index, found.span), indices_on(last.target) - {found.index}
    named = words_in(*(first, end))
    if found.index not in indices_on(last.target) or named.isdisjoint(others):
        return None
    return Relation((first, letter, end), ("≤", "≤"), (found.span, found.span), found.span)


def joined(stated: Sequence[Statement]) -> list[Statement]:
    """The statements with ``M_{ij} = 0 \\text{ if } j ≤ i, M_{ij} = 1 \\text{ if } j > i`` as one
    definition by cases."""
    out: list[Statement] = []
    for one in stated:
        last = next((other for other in reversed(out) if isinstance(other, Define)), None)
        if isinstance(one, Define) and last is not None and _are_cases(last, one):
            rows = [row for case in (last, one) for row in _rows(case)]
            cases = Matrix("cases", tuple(rows), last.span.to(one.span))
            out[out.index(last)] = replace(last, values=(cases,), span=cases.span, conditions=())
        else:
            out.append(one)
    return out


def kept(stated: Sequence[Statement]) -> list[Statement]:
    """The statements with ``S_{ij} ← −∞`` for j > i as cases, of which the other is S_{ij}: an
    update under a condition leaves the rest as it is. So does ``S_{ij} = −∞`` for j > i, since
    scores are hidden so; a mask ``M`` is made so, and says nothing of what is there before."""
    return [_updated(one) if isinstance(one, Define) else one for one in stated]


def _updated(define: Define) -> Define:
    """A definition as the update that it is."""
    target, rows = define.target, _rows(define)
    hidden = bool(rows) and isinstance(target, Script) and all(map(_is_hidden, rows))
    limited = define.keeps and bool(define.conditions)
    plain = replace(define, keeps=False) if define.keeps else define
    if not isinstance(target, Name | Script) or not (limited or hidden):
        return plain
    if names.is_mask(binders.bare(target)) or recursions.step_letter(define) is not None:
        return plain
    cases = Matrix("cases", (*rows, (target, Prose("otherwise", define.span))), define.span)
    return replace(define, values=(cases,), conditions=(), keeps=True)


def _is_hidden(row: Sequence[Node | None]) -> bool:
    """Whether a row of cases is −∞."""
    match row:
        case (Neg(Name("infty")), *_):
            return True
    return False


def _are_cases(first: Define, second: Define) -> bool:
    """Whether two definitions of one thing hold under conditions."""
    same = first.target is not None and _form(first.target) == _form(second.target)
    same = same and not (first.keeps or second.keeps)  # updates come one after another
    return same and bool(second.conditions) and all(_rows(one) for one in (first, second))


def _rows(case: Define) -> tuple[tuple[Node | None, ...], ...]:
    """A definition that holds under conditions as a row of cases, or the cases that it is."""
    match case:
        case Define(_, (value,), conditions=(_, *_)):
            return ((value, *case.conditions),)
        case Define(_, (Matrix("cases", rows),)):
            return rows
    return ()


class _Equation:
    """An equation: the indices on its left-hand side and those of its sums."""

    def __init__(self, define: Define, listed: Sequence[Node]) -> None:
        self.define, self.listed = define, listed
        self.on_left = set() if define.target is None else indices_on(define.target)
        self.indices = self.on_left | _summed(define)

    def limited(self, relation: Relation, words: Set[str]) -> Set[str] | None:
        """The indices that a relation limits, none of them where it compares only numbers; None
        where it limits nothing."""
        worded = not words.isdisjoint(IF) or self._updates_where(relation, words)
        if relation.signs in (("∈",), ("∉",)):
            return self._member(relation, worded, not words.isdisjoint(_ALL))
        if not _COMPARES.issuperset(relation.signs):
            return None
        named = words_in(relation)
        if worded:
            counted = relation.signs == ("=",) and ranges.index_letter(relation.operands[0])
            step = recursions.step_letter(self.define)
            if counted and words.isdisjoint(WHERE) and not named <= self.on_left:
                return None  # for t = 1 says where something begins
            if step in named and _only_counts(relation, step or ""):
                return None  # t ≥ 1 says where the steps begin
            return named & self.indices
        return self._compared(relation, named)

    def _updates_where(self, relation: Relation, words: Set[str]) -> bool:
        """Whether an update is made "where" something holds; the η > 0 behind that word is only
        supposed."""
        said = self.define.keeps and not words.isdisjoint(GIVEN) and words.isdisjoint(AND)
        if not said or _ORDERS.isdisjoint(relation.signs) or _is_of_lone_name(relation):
            return False
        limits = words_in(relation) & self.indices - {"t"}
        return bool(limits) or not _is_supposed(relation, self.define)

    def _compared(self, relation: Relation, named: Set[str]) -> Set[str] | None:
        """What a comparison limits."""
        if any(isinstance(node, Big) for node in walk(relation)):
            return None
        alone = {*_letters_alone(relation)}
        found = alone & self.indices
        modular = any(isinstance(node, Infix) and node.op == "mod" for node in walk(relation))
        if not {"<", ">", "≤", "≥", "≠"}.isdisjoint(relation.signs):
            if len(found) > 1 or any(not _only_counts(relation, letter) for letter in found):
                return found
            sides = [{*letters_on(side)} & self.indices for side in relation.operands if side]
            return {*sides[0], *sides[-1]} if _are_apart(sides) and not alone else None
        return found if found and (modular or (named == found and len(found) > 1)) else None

    def _member(self, relation: Relation, worded: bool, each: bool) -> Set[str] | None:
        """What ``j ∈ N(i)`` and ``(i, j) ∈ E`` limit. A set of which nothing else is said is where
        an index runs, but for that of a sum or a softmax."""
        member, members = relation.operands
        assert member is not None and members is not None
        letters = {*_letters_alone(member)}
        if not letters or not letters <= self.indices:
            return None
        others = words_in(members) & self.indices - letters
        if relation.signs == ("∉",) or others:
            return letters | others
        if _is_everything(members):
            return None
        if len(letters) > 1:
            return letters
        listed = {node.text for node in self.listed if isinstance(node, Name)}
        if letters <= self.on_left:
            told = worded and not each
            return letters if told or self._is_normalised(*letters) else None
        ranged = {
            x for big, sub in _bigs(self.define) if big.sup for x in binders.bound_letters(sub)
        }
        return None if listed & self.on_left or letters <= ranged else letters

    def _is_normalised(self, letter: str) -> bool:
        """Whether a softmax goes over an index of the left-hand side."""
        nodes = [node for value in self.define.values for node in walk(value)]
        soft = [node for node in nodes if "softmax" in binders.bare(node).lower()]
        below = [node.sub for node in soft if isinstance(node, Script) and node.sub is not None]
        said = words_in(*below)
        return letter in said if said else bool(soft) and self.on_left == {letter}


def _only_counts(relation: Relation, letter: str) -> bool:
    """Whether a comparison says of an index from which number, and up to what, it runs."""
    for small, sign, large in _in_order(relation):
        beside = words_in(large)
        if sign not in "<≤" or (
            letter in beside and not (isinstance(small, Num) and {letter} == beside)
        ):
            return False
    return True


def _is_of_lone_name(relation: Relation) -> bool:
    """Whether a lone name is compared with numbers alone, ``0 < η < 1``."""
    others = [one for one in relation.operands if one is not None and words_in(one)]
    return len(others) == 1 and is_name(others[0])


def _is_supposed(relation: Relation, update: Define) -> bool:
    """Whether a comparison is one of rates and sizes, which is only supposed of an update."""
    operands = [one for one in relation.operands if one is not None]
    named = _bases(*operands)
    if any(_bases(low) == {"t"} and _bases(top) == {"T"} for low, _, top in _in_order(relation)):
        named -= {"t"}  # the steps there are
    target = set() if update.target is None else _bases(update.target)
    return suppositions.are_supposed(named, target, _bases(*update.values))


def _bases(*nodes: Node) -> set[str]:
    """The names in some nodes, without those in scripts."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Script):
            found |= _bases(node.base)
        else:
            found |= {node.text} if isinstance(node, Name) else _bases(*children(node))
    return found


def _in_order(relation: Relation) -> Iterator[tuple[Node, str, Node]]:
    """The comparisons of a relation, the smaller side first."""
    for sign, (left, right) in zip(relation.signs, pairwise(relation.operands), strict=True):
        assert left is not None and right is not None
        flipped = sign in _FLIPPED
        yield (right, _FLIPPED[sign], left) if flipped else (left, sign, right)


def _are_apart(sides: Sequence[Set[str]]) -> bool:
    """Whether two sides are elements at other places, as ``x_i ≠ x_j`` and ``t_j ≤ t_i``."""
    return len(sides) == 2 and all(sides) and sides[0] != sides[1]


def _is_everything(members: Node) -> bool:
    """Whether a set is a range, the numbers, or all pairs: ``[n]``, ``ℕ``, ``V × V``, ``V^2``."""
    match members:
        case Group() | Infix("×") | Name(font="blackboard") | Script(Group()):
            return True
        case Script(Name(font="blackboard")) | Script(_, None, Num()):
            return True
    return False


# --- what a sum says itself --------------------------------------------------------------------


def _bigs(define: Define) -> Iterator[tuple[Big, Node]]:
    for node in (node for value in define.values for node in walk(value)):
        if isinstance(node, Big) and node.sub is not None:
            yield node, node.sub


def _summed(define: Define) -> set[str]:
    """The indices of an equation's sums, but for those that stand on its left-hand side."""
    letters = {letter for _, sub in _bigs(define) for letter in binders.bound_letters(sub)}
    return letters if define.target is None else letters - indices_on(define.target)


def _is_said(relation: Relation, define: Define) -> bool:
    """Whether the sums of an equation say themselves what a relation behind it does."""
    said = {told for big, sub in _bigs(define) for told in _told_by(big, sub)}
    return {*_comparisons(relation)} <= said


def _told_by(big: Big, sub: Node) -> Iterator[Comparison]:
    """What stands below a sum, and what follows from that."""
    for node in walk(sub):
        if isinstance(node, Relation) and None not in node.operands:
            told = [*_comparisons(node)]
            if big.sup is not None and node.signs == ("=",):
                told = [(_form(node.operands[0]), "≤", _form(big.sup))]
            for left, sign, right in told:
                yield from ((left, one, right) for one in (sign, *_WEAKER.get(sign, "")))
                if sign in ("<", "≠"):
                    yield right, "≠", left


def _comparisons(relation: Relation) -> Iterator[Comparison]:
    return ((_form(left), sign, _form(right)) for left, sign, right in _in_order(relation))


def _form(node: Node | None) -> object:
    """What is written in a node, wherever that stands."""
    inner = () if node is None else walk(node)
    return tuple((type(n), getattr(n, "text", getattr(n, "op", ""))) for n in inner)


# --- letters -----------------------------------------------------------------------------------


def _letters_alone(node: Node) -> Iterator[str]:
    """The letters in a node but for those of what has scripts: none of ``a_{ij} ≥ 0``."""
    if isinstance(node, Name):
        yield node.text
    for inner in children(node) if not isinstance(node, Script) else ():
        yield from _letters_alone(inner)


def indices_on(target: Node) -> set[str]:
    """The letters in the scripts of a left-hand side but for those that count layers."""
    return set(letters_on(target)) - {"l", "ell"}


def letters_on(node: Node) -> Iterator[str]:
    """The letters in subscripts, below big signs, and alone above a name."""
    for inner in walk(node):
        if isinstance(inner, Script | Big) and inner.sub is not None:
            yield from (n.text for n in walk(inner.sub) if isinstance(n, Name))
        if isinstance(inner, Script) and isinstance(inner.sup, Name | Group):
            yield from (n.text for n in walk(inner.sup) if isinstance(n, Name))
