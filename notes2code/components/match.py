"""Matching an equation in normal form with a component's formula in normal form.

The component's inputs are *roles*: a role stands for an input of the note, whatever its name and
the order of its axes. Some of its inputs are *settings*: a setting in a product takes whatever
factors are left over (a scale), one in a sum the terms that are left over (a mask, a bias), and
a function among the settings takes the expression around what the formula puts into it (an
activation, a change of the score). A role that is a function stands for a function of the note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import permutations

from notes2code.components.around import HOLE, applied, parts, without
from notes2code.components.contractions import Contraction, hardness
from notes2code.components.distances import PAIR, relative
from notes2code.components.factors import factors_of
from notes2code.components.keys import key
from notes2code.components.pattern import Match, Pattern, Role, Subject
from notes2code.components.products import is_even, mirrored, without_swish
from notes2code.components.rows import by_row, is_placed, ordered, rows_of, with_place
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Call,
    Cases,
    Compare,
    Concat,
    Expr,
    Fn,
    Idx,
    Index,
    Iterate,
    Lambda,
    Logic,
    Mul,
    Num,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)

MOST_PARTS = 40
"""The terms of a sum, or factors of a product, among which those of a component are looked for."""

MAX_OUTER = 3
"""Axes that an equation may have besides those of a component: heads, positions, a batch."""


def matches(pattern: Pattern, subject: Subject) -> Iterator[Match]:
    """The ways in which an equation is the component's formula, best first.

    Axes of the equation that the formula does not have are free to occur anywhere; one that occurs
    nowhere, the y of ``PE_{(x, y, 2i)} = \\sin(x / …)``, is of something else.
    Raises ``TooManyWays``.
    """
    mine, theirs = pattern.value.indices, subject.value.indices
    if len(theirs) - len(mine) not in range(MAX_OUTER + 1):
        return
    for own in sorted(
        permutations(range(len(theirs)), len(mine)),
        key=lambda axes: axes[::-1],
        reverse=True,
    ):
        chosen = [theirs[at] for at in own]
        outer = frozenset(theirs).difference(chosen)
        if not outer <= subject.used:
            continue
        matcher = _Matcher(pattern, outer, subject)
        for start in matcher.extents(mine, chosen):
            for found in matcher.match(pattern.value.body, subject.value.body, start):
                if _counts_alike(found, pattern.divisors):
                    yield found


def _counts_alike(found: Match, divisors: Set[Size]) -> bool:
    """Whether what the formula divides by counts the axis that it counts in the note: the d of
    ``\\frac{1}{d} \\sum_{i=1}^{d} x_i^2`` is no other size."""
    return all(
        found.sizes.get(mine.size, theirs.size) is theirs.size
        for mine, theirs in found.indices.items()
        if mine.size in divisors
    )


class _Matcher:
    """Backtracking over the orders of sums and products; every method yields each way."""

    def __init__(self, pattern: Pattern, outer: frozenset[Index], subject: Subject) -> None:
        self.settings = pattern.settings
        self.biases = pattern.biases
        self.pairs = pattern.pairs
        self.reach = pattern.reach
        self.arity = pattern.arity
        self.outer = outer
        self.subject = subject

    def extents(self, mine: Sequence[Index], theirs: Sequence[Index]) -> Iterator[Match]:
        """The axes of the result; where the component computes a size, it must be that."""
        start = Match(dict(zip(mine, theirs, strict=True)))
        computed = [
            (own.size.value, other.size.value or other.size)
            for own, other in zip(mine, theirs, strict=True)
            if own.size.value is not None
        ]
        yield from self._all(computed, start)

    def match(self, mine: Expr, theirs: Expr, found: Match) -> Iterator[Match]:
        """The ways in which one expression of the formula is one of the note."""
        self.subject.take()
        match mine:
            case Ref(name, at) if name in found.states:
                if isinstance(theirs, Ref) and theirs.array == found.states[name]:
                    yield from self._all(list(zip(at, theirs.at, strict=False)), found)
            case Ref(name, _) if name in self.settings:
                yield from self._setting(mine, theirs, found)
            case Ref():
                yield from self._role(mine, theirs, found)
            case Call(function, _, _, _) if function in self.settings:
                yield from self._function_setting(mine, theirs, found)
            case Call():
                yield from self._call(mine, theirs, found)
            case Add(terms):
                yield from self._sum(terms, theirs, found)
            case Mul() | Reduce("sum"):
                yield from self._product(mine, theirs, found)
            case _:
                yield from self._node(mine, theirs, found)

    # --- leaves --------------------------------------------------------------------------

    def _role(self, mine: Ref, theirs: Expr, found: Match) -> Iterator[Match]:
        """A role is an input whose axes are the role's, in some order, or an outer index."""
        if not isinstance(theirs, Ref):
            return
        axes: list[int] = []
        outer: list[Expr] = []
        for place in theirs.at:
            taken = self._axis(mine, place, axes, found)
            if taken is not None:
                at, found = taken
                axes.append(at)
            elif isinstance(place, Idx) and place.index in self.outer:
                axes.append(-1)
                outer.append(place)
            else:
                return
        if sorted(a for a in axes if a >= 0) != list(range(len(mine.at))):
            return
        role = Role(theirs.array, tuple(axes), tuple(outer))
        known = found.roles.get(mine.array)
        if known is None:
            if any(r.array == theirs.array and n != mine.array for n, r in found.roles.items()):
                return
            yield replace(found, roles={**found.roles, mine.array: role})
        elif known == role:
            yield found

    def _axis(
        self, mine: Ref, place: Expr, before: Sequence[int], found: Match
    ) -> tuple[int, Match] | None:
        """The axis of the role that a place of the note's input is, if it is one."""
        for at, own in enumerate(mine.at):
            if at not in before:
                for way in self.match(own, place, found):
                    return at, way
        return None

    def _setting(self, mine: Ref, theirs: Expr, found: Match) -> Iterator[Match]:
        """A setting takes any expression over the indices that it has; a bias, an input with all
        of them."""
        heads, at, theirs = self._by_head(mine.at, theirs, found)
        places = self._indices_at(at, found)
        if places is None:
            return
        own = (*heads, *places)
        free = ir.free_indices(theirs)
        if not free <= self.outer | frozenset(own):
            return
        if mine.array in self.biases and not (isinstance(theirs, Ref) and free >= frozenset(own)):
            return
        if (kind := self.pairs.get(mine.array)) is not None:
            found_rows = relative(Lambda(own, theirs))
            if found_rows is None or (kind == "distance" and found_rows.kind == PAIR):
                return
        yield from self._set(mine.array, Lambda(own, theirs), found)

    def _by_head(
        self, at: Sequence[Expr], theirs: Expr, found: Match
    ) -> tuple[tuple[Index, ...], Sequence[Expr], Expr]:
        """An index for the heads of a setting that differs from head to head, its other places,
        and what it takes, with that index. Where heads are joined, the feature c of them all is
        one of the head c // d_v."""
        match at:
            case (Fn("floordiv", (Idx(feature), Size() as width)), *rest):
                joined, own = found.indices.get(feature), found.sizes.get(width)
                if joined is None or not isinstance(own, Size):
                    return (), rest, theirs
                head = Index("h", _heads(joined.size, own))
                by_head = ir.replaced(theirs, {Fn("floordiv", (Idx(joined), own)): Idx(head)})
                return (head,) if head in ir.free_indices(by_head) else (), rest, by_head
        return (), at, theirs

    def _indices_at(self, at: Sequence[Expr], found: Match) -> tuple[Index, ...] | None:
        """The note's indices for the places of a setting."""
        own = [found.indices.get(p.index) for p in at if isinstance(p, Idx)]
        if len(own) != len(at) or any(index is None for index in own):
            return None
        return tuple(index for index in own if index is not None)

    def _set(self, name: str, value: Lambda, found: Match) -> Iterator[Match]:
        value = Lambda(value.indices, without_swish(value.body))
        known = found.settings.get(name)
        if known is None:
            yield replace(found, settings={**found.settings, name: value})
        elif len(known.indices) == len(value.indices) and key(
            ir.substitute(
                known.body,
                {old: Idx(new) for old, new in zip(known.indices, value.indices, strict=True)},
            )
        ) == key(value.body):
            yield found

    # --- functions -----------------------------------------------------------------------

    def _function_setting(self, mine: Call, theirs: Expr, found: Match) -> Iterator[Match]:
        """A function setting is what stands around its argument; the argument must be there."""
        argument = applied(mine.arguments[0], mine.at)
        own = tuple(found.indices[i] for i in ordered(argument) if i in found.indices)
        for inner in parts(theirs):
            for way in self.match(argument, inner, found):
                around = without(theirs, inner)
                if around == Ref(HOLE):
                    if mine.function not in way.settings:
                        yield replace(way, plain=way.plain | {mine.function})
                elif mine.function in way.plain:
                    continue
                elif (free := ir.free_indices(around)) <= self.outer | frozenset(own):
                    # One that is the same everywhere can stand around arguments of any axes.
                    yield from self._set(mine.function, Lambda(own if free else (), around), way)

    def _call(self, mine: Call, theirs: Expr, found: Match) -> Iterator[Match]:
        """A function role is a function of the note; its parameters come first."""
        count = self.arity.get(mine.function, len(mine.arguments))
        if not isinstance(theirs, Call):
            return
        role = f"{mine.function}#{mine.site}"
        found = replace(found, functions={**found.functions, role: theirs})
        mine = with_place(mine, theirs)
        if is_placed(mine, theirs):
            given = (theirs.arguments[0], Lambda((), theirs.at[0]))
            theirs = Call(theirs.function, given, theirs.at[1:], theirs.site)
            count = 2
        if len(theirs.arguments) < count:
            return
        mine = Call(mine.function, mine.arguments[:count], mine.at, mine.site)
        if len(mine.at) == len(theirs.at) + 1:
            mine = by_row(mine, theirs)
        elif len(theirs.at) == len(mine.at) + 1:
            theirs = by_row(theirs, mine)
        if len(mine.at) == len(theirs.at):
            pairs = list(zip(mine.arguments, theirs.arguments, strict=False))
            places = list(zip(mine.at, theirs.at, strict=True))
            yield from self._arrays(pairs, places, found)

    def _arrays(
        self,
        pairs: Sequence[tuple[Lambda, Lambda]],
        places: Sequence[tuple[Expr, Expr]],
        found: Match,
    ) -> Iterator[Match]:
        if pairs:
            (mine, theirs), rest = pairs[0], pairs[1:]
            if len(mine.indices) != len(theirs.indices):
                return
            indices = dict(zip(mine.indices, theirs.indices, strict=True))
            inner = replace(found, indices={**found.indices, **indices})
            for way in self.match(mine.body, theirs.body, inner):
                yield from self._arrays(rest, places, way)
        else:
            yield from self._all(places, found)

    def _all(self, pairs: Sequence[tuple[Expr, Expr]], found: Match) -> Iterator[Match]:
        if not pairs:
            yield found
            return
        (mine, theirs), rest = pairs[0], pairs[1:]
        for way in self.match(mine, theirs, found):
            yield from self._all(rest, way)

    # --- sums and products -----------------------------------------------------------------

    def _sum(self, terms: Sequence[Expr], theirs: Expr, found: Match) -> Iterator[Match]:
        """Terms in any order; the rest goes to the setting among the terms."""
        others = ir.terms(theirs)
        collector = self._collector(terms)
        needed = [t for t in terms if t is not collector]
        for way, left in self._assigned(needed, list(others), found):
            yield from self._collected(collector, ir.add(*left), bool(left), way)

    def _collector(self, parts: Sequence[Expr]) -> Expr | None:
        """The setting that takes what is left over: a lone setting among terms or factors, or a
        function around one of several factors, since x σ(βx) is a function of x too."""
        lone = (p for p in parts if isinstance(p, Ref) and p.array in self.settings)
        around = (p for p in parts if isinstance(p, Call) and p.function in self.settings)
        return next(lone, None) or (next(around, None) if len(parts) > 1 else None)

    def _collected(
        self, collector: Expr | None, left: Expr, any_left: bool, found: Match
    ) -> Iterator[Match]:
        if any_left and collector is not None:
            yield from self.match(collector, left, found)
        elif not any_left and not isinstance(collector, Call):
            yield found

    def _assigned(
        self, needed: Sequence[Expr], others: list[Expr], found: Match
    ) -> Iterator[tuple[Match, list[Expr]]]:
        """Every way to give each needed part one of the others; with what is left."""
        if len(others) > MOST_PARTS:
            return
        if not needed:
            yield found, others
            return
        mine, rest = needed[0], needed[1:]
        for at, theirs in enumerate(others):
            for way in self.match(mine, theirs, found):
                yield from self._assigned(rest, others[:at] + others[at + 1 :], way)

    def _product(self, mine: Expr, theirs: Expr, found: Match) -> Iterator[Match]:
        """A product, possibly summed over indices: factors in any order, groups as wholes."""
        if isinstance(mine, Reduce):
            yield from self._contraction(mine, theirs, found)
            return
        assert isinstance(mine, Mul)
        others: list[Expr] = list(theirs.factors) if isinstance(theirs, Mul) else [theirs]
        collector = self._collector(mine.factors)
        needed = sorted((f for f in mine.factors if f is not collector), key=hardness)
        for way, left in self._assigned(needed, others, found):
            yield from self._collected(collector, ir.mul(*left), bool(left), way)

    def _contraction(self, mine: Expr, theirs: Expr, found: Match) -> Iterator[Match]:
        """A sum over indices of a product; its indices may correspond in any order."""
        my_indices, my_factors = factors_of(mine)
        their_indices, their_factors = factors_of(theirs)
        if len(my_indices) != len(their_indices):
            return
        needed = sorted(my_factors, key=hardness)
        inner = Contraction(self.match, self.settings, frozenset(my_indices), list(their_indices))
        yield from inner.assigned(needed, list(their_factors), found)

    # --- other nodes -----------------------------------------------------------------------

    def _node(self, mine: Expr, theirs: Expr, found: Match) -> Iterator[Match]:
        match (mine, theirs):
            case (Num(a), Num(b)):
                if a == b:
                    yield found
            case (Size(), Size()):
                yield from self._size(mine, theirs, found)
            case (Idx(a), Idx(b)):
                if found.indices.get(a) is b:
                    yield found
            case (Pow(base, exponent), Pow(other, power)):
                yield from self._all([(base, other), (exponent, power)], found)
                if isinstance(other, Add) and is_even(power):
                    yield from self._all([(base, mirrored(other)), (exponent, power)], found)
            case (Fn(name, arguments), Fn(other_name, others)):
                if name == other_name and len(arguments) == len(others):
                    yield from self._all(list(zip(arguments, others, strict=True)), found)
            case (Softmax(i, body, at, where), Softmax(j, other, place, condition)):
                yield from self._softmax((i, body, at, where), (j, other, place, condition), found)
            case (Iterate(), Iterate()):
                yield from self._iterate(mine, theirs, found)
            case (Reduce(kind, i, body, None), Reduce(other_kind, j, other, None)):
                if kind == other_kind:
                    inner = replace(found, indices={**found.indices, i: j})
                    yield from self.match(body, other, inner)
            case (Cases(branches, last), Cases(others, other_last)):
                yield from self._cases(branches, last, others, other_last, found)
            case (Compare(op, left, right), Compare(sign, other_left, other_right)):
                if op == sign:
                    yield from self._all([(left, other_left), (right, other_right)], found)
            case (Logic(op, arguments), Logic(sign, others)):
                if op == sign and len(arguments) == len(others):
                    yield from self._all(list(zip(arguments, others, strict=True)), found)
            case (Concat(parts, at), Concat(others, place)):
                if len(parts) == len(others):
                    pairs = list(zip(parts, others, strict=True))
                    yield from self._arrays(pairs, [(at, place)], found)

    def _iterate(self, mine: Iterate, theirs: Iterate, found: Match) -> Iterator[Match]:
        """A recursion: the same first state, the same step."""
        if len(mine.at) != len(theirs.at):
            return
        indices = {**found.indices, mine.index: theirs.index}
        states = {**found.states, mine.state: theirs.state}
        inner = replace(found, indices=indices, states=states)
        pairs = [(mine.initial, theirs.initial), (mine.step, theirs.step)]
        yield from self._arrays(pairs, list(zip(mine.at, theirs.at, strict=True)), inner)

    def _size(self, mine: Size, theirs: Size, found: Match) -> Iterator[Match]:
        """Sizes are the same if they are those of corresponding axes, which the proof checks."""
        if found.sizes.get(mine, theirs) is theirs:
            yield replace(found, sizes={**found.sizes, mine: theirs})

    def _softmax(
        self,
        mine: tuple[Index, Expr, Expr, Expr | None],
        theirs: tuple[Index, Expr, Expr, Expr | None],
        found: Match,
    ) -> Iterator[Match]:
        index, body, at, where = mine
        other_index, other, place, condition = theirs
        inner = replace(found, indices={**found.indices, index: other_index})
        for way in self._all([(body, other), (at, place)], inner):
            if condition is None and where is None:
                yield way
            elif condition is not None and where is None and self.reach and isinstance(place, Idx):
                rows = [way.indices[i] for i in rows_of(body, index) if i in way.indices]
                reached = ir.substitute(condition, {other_index: place})
                yield from self._set(self.reach, Lambda((*rows, place.index), reached), way)

    def _cases(
        self,
        branches: tuple[tuple[Expr, Expr], ...],
        last: Expr | None,
        others: tuple[tuple[Expr, Expr], ...],
        other_last: Expr | None,
        found: Match,
    ) -> Iterator[Match]:
        if len(branches) != len(others) or (last is None) != (other_last is None):
            return
        pairs = [
            pair
            for (c, v), (oc, ov) in zip(branches, others, strict=True)
            for pair in ((c, oc), (v, ov))
        ]
        if last is not None and other_last is not None:
            pairs.append((last, other_last))
        yield from self._all(pairs, found)


def _heads(joined: Size, width: Size) -> Size:
    """The number of heads, of which each has so many of the features of them all."""
    factors = joined.value.factors if isinstance(joined.value, Mul) else ()
    rest = [factor for factor in factors if factor != width]
    return rest[0] if len(rest) == 1 and isinstance(rest[0], Size) else Size("h")
