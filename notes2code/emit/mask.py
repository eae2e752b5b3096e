"""What templates see of an attention's mask: what its formula adds to the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from notes2code.components.distances import PAIR, Relative, relative
from notes2code.components.settings import (
    chosen,
    fills_far_below,
    is_causal,
    is_mask,
    keeps_own,
    order_of,
    terms_of,
    with_infinity,
)
from notes2code.emit.graph import EmitError
from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Compare, Expr, Idx, Index, Lambda, Logic, Ref

if TYPE_CHECKING:
    from notes2code.emit.attention import Attention

WINDOW = "2"
"""How wide windows are in tests: more is in them than each position itself, and not all."""


class Mask:
    """What a recognised attention adds to its scores, taken apart into what its class has an
    argument for (``causal``, ``bias``, ``keep_mask``), the ``table`` that it learns, and the rest,
    which depends on positions."""

    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        self.recognised = attention.recognised
        self.axes, self.rows, self.column = attention.axes, attention.rows, attention.column

    @cached_property
    def _terms(self) -> tuple[Expr, ...]:
        """What is added to the scores; a condition under which they are taken adds −∞ elsewhere."""
        terms: list[Expr] = []
        mask, reach = (self.recognised.settings.get(name) for name in ("mask", "reach"))
        if mask is not None:
            terms += terms_of(mask.body)
        if reach is not None:
            last = self.column or reach.indices[-1]
            condition = ir.substitute(reach.body, {reach.indices[-1]: Idx(last)})
            terms += terms_of(Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY))
        return tuple(map(_filled, terms))

    @property
    def causal(self) -> bool:
        """Whether a query sees only the keys up to its own position."""
        own = self.recognised.form.part.startswith("causal")
        return own or any(map(self._is_causal, self._terms))

    def _is_causal(self, term: Expr) -> bool:
        """Whether a term is a causal mask, and does not leave only what comes later."""
        if not (is_causal(Lambda((), term)) and isinstance(term, Cases) and self.column):
            return False
        condition, value = term.branches[0]
        order = order_of(condition)
        assert order is not None
        return (order[1] == Idx(self.column)) == (value == ir.ZERO)

    @property
    def adds(self) -> bool:
        """Whether the formula adds anything to the scores."""
        return bool(self._terms)

    @property
    def biases(self) -> tuple[str, ...]:
        """The inputs that are added to the scores: the class's argument ``bias``."""
        return tuple(bias[0].array for bias in map(self._bias, self._terms) if bias)

    @cached_property
    def keeps(self) -> Mapping[str, tuple[tuple[Index, ...], int]]:
        """The inputs of zeros and ones that say which keys a query sees, the class's argument
        ``keep_mask``: their axes, and the number that keeps a key."""
        return {
            name: (axes, kept) for name, axes, kept in filter(None, map(self._keep, self._terms))
        }

    def _keep(self, term: Expr) -> tuple[str, tuple[Index, ...], int] | None:
        conditions = (
            [condition for condition, _ in term.branches] if isinstance(term, Cases) else []
        )
        arrays = {c.left for c in conditions if isinstance(c, Compare)}
        if len(arrays) != 1 or not isinstance(array := arrays.pop(), Ref) or not array.at:
            return None
        if list(array.at) != [Idx(axis) for axis in self.axes][-len(array.at) :]:
            return None
        added = [chosen(term, array, number) for number in (0, 1)]
        if sorted(added, key=lambda value: value == ir.ZERO) != [ir.MINUS_INFINITY, ir.ZERO]:
            return None
        return array.array, self.axes[-len(array.at) :], added.index(ir.ZERO)

    @cached_property
    def table(self) -> Relative | None:
        """The learned numbers, one for each distance, that are added to the scores."""
        return next((found for found in map(self._table, self._terms) if found), None)

    def _table(self, term: Expr) -> Relative | None:
        if self.column is None or not self.rows:
            return None
        found = relative(Lambda((self.rows[-1], self.column), term))
        return None if found is None or found.kind == PAIR or found.heads else found

    def _bias(self, term: Expr) -> tuple[Ref, Expr] | None:
        """An input that is added to the scores, and the one number that it is multiplied with."""
        places = [Idx(axis) for axis in self.axes]
        factors = ir.factors(term)
        arrays = [f for f in factors if isinstance(f, Ref) and f.at]
        rest = ir.mul(*(f for f in factors if f not in arrays))
        if len(arrays) != 1 or ir.free_indices(rest):
            return None
        (array,) = arrays
        return (array, rest) if list(array.at) == places[-len(array.at) :] else None

    def bias_scale(self, numbers: Mapping[str, str] | None = None, **known: str) -> str:
        """What the formula multiplies its biases with, as PyTorch; "" if with nothing. ``numbers``
        gives the texts of numbers, which are the class's own by default."""
        scales = {bias[1] for bias in map(self._bias, self._terms) if bias}
        if len(scales) > 1:
            raise EmitError(
                f"what is added to the scores, {' and '.join(self.biases)}, is multiplied with "
                "several numbers, and the class has one argument for it"
            )
        (scale,) = scales or {ir.ONE}
        if scale == ir.ONE:
            return ""
        return self.attention.rendered("mask", scale, {}, known, within="*", numbers=numbers)

    def positions(self, has_table: bool = False, **known: str) -> str:
        """What else is added to the scores, as PyTorch; "" if nothing is. A class that has the
        ``table`` adds that by itself."""
        terms = _together(self.by_position(has_table))
        return self.attention.rendered("mask", ir.add(*terms), {}, known) if terms else ""

    def by_position(self, has_table: bool = False) -> tuple[Expr, ...]:
        """The terms that ``positions`` writes: they depend on nothing but where keys stand."""
        given = (self._bias, self._keep)
        own = (term for term in self._terms if all(found(term) is None for found in given))
        rest = tuple(term for term in own if not self._is_causal(term))
        of_keys = all(self.column in ir.free_indices(term) for term in rest)
        if self.recognised.component.normalised and not of_keys:
            raise EmitError(
                "what is added to the scores is the same for all keys: a softmax does not see it"
            )
        return tuple(term for term in rest if not (has_table and self._table(term)))

    @property
    def widths(self) -> frozenset[str]:
        """The numbers that stand in nothing but the conditions of masks, such as that of a window:
        they count positions."""
        masks = [term for term in self._terms if is_mask(term) and isinstance(term, Cases)]
        conditions = (condition for mask in masks for condition, _ in mask.branches)
        settings = self.recognised.settings.items()
        others = [value.body for name, value in settings if name not in ("mask", "reach")]
        others += [term for term in self._terms if term not in masks]
        return _numbers(conditions) - _numbers(others)

    @property
    def hides(self) -> bool:
        """Whether it hides other keys than those that come later, such as those far away."""
        return any(map(is_mask, self.by_position()))

    def counted(self, has_table: bool = False) -> Mapping[str, str]:
        """The names of the positions that ``positions`` uses: ``n`` of queries, ``m`` of keys."""
        used = {i for term in self.by_position(has_table) for i in ir.free_indices(term)}
        return {
            self.attention.position(axis): "nm"[axis is self.column]
            for axis in self.axes
            if axis in used
        }


def _numbers(parts: Iterable[Expr]) -> frozenset[str]:
    """The names of the inputs without places in expressions."""
    refs = (part for expr in parts for part in ir.walk(expr) if isinstance(part, Ref))
    return frozenset(ref.array for ref in refs if not ref.at)


def _together(terms: Sequence[Expr]) -> list[Expr]:
    """Terms with one for all those that are 0 under a condition and −∞ otherwise: the two sides of
    a window, of which each may be causal by itself, are one mask."""
    conditions: list[Expr] = []
    others: list[Expr] = []
    for term in terms:
        match term:
            case Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY):
                conditions.append(condition)
            case _:
                others.append(term)
    if not conditions:
        return others
    condition = Logic("and", tuple(conditions)) if len(conditions) > 1 else conditions[0]
    return [*others, Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY)]


def _filled(term: Expr) -> Expr:
    """A mask with −∞ for numbers far below all scores, where each query keeps a key beside them."""
    if not isinstance(term, Cases) or not fills_far_below(term):
        return term
    if not keeps_own(term):
        raise EmitError(
            "its mask has a large negative number where a query may see no key at all: write −∞"
        )
    return with_infinity(term)
