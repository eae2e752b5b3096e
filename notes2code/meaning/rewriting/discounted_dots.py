"""What lies ahead, discounted, with dots: ``r_t + γ r_{t+1} + γ^2 r_{t+2} + …`` is ``Σ_{l=0}^∞ γ^l
r_{t+l}``, and ends where a last item says so: ``… + γ^{T-t} r_T``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from notes2code.diagnostics import ProblemError, error
from notes2code.latex.tree import (
    Big,
    Change,
    Dots,
    Formula,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Relation,
    Script,
    ungrouped,
)
from notes2code.latex.words import RATES
from notes2code.meaning.notation import binders

Linear = Mapping[str, int]
"""A sum of letters, and of a number behind "", each so many times; what is there no times is left
out."""


@dataclass(frozen=True, slots=True)
class _Item:
    """``γ^2 r_{t+2}``: the rates, to what power, what is discounted, and where that stands."""

    rates: frozenset[str]
    power: Linear
    written: Node | None
    name: str
    place: Linear
    element: Script


def as_sum(formula: Formula) -> Change | None:
    """The sum over what lies ahead for some items of it, dots, and a last item or none."""
    if not formula.of(Dots) or formula.words.isdisjoint(RATES):
        return None
    letter = next((x for x in "lkji" if x not in formula.words), "")
    goes_on = {node.left.span for node in formula.of(Infix) if node.op == "+"}

    def summed(node: Infix) -> Node | None:
        match node:
            case Infix("+", before, Dots()) if node.span not in goes_on:
                last = None
            case Infix("+", Infix("+", before, Dots()), last):
                pass
            case _:
                return None
        return _sum(binders.chain(before), last, letter, node) if letter else None

    return summed


def _sum(before: tuple[Node, ...], last: Node | None, letter: str, node: Infix) -> Node | None:
    items = [_item(term) for term in before]
    first, rates = items[0], items[-1].rates if items[-1] else frozenset[str]()
    if first is None or len(items) < 2 or not rates:
        return None
    start = first.power.get("", 0)
    for distance, item in enumerate(items):
        if item is None or item.name != first.name or item.rates not in (rates, frozenset()):
            return None
        if item.power != _plus({}, start + distance) or item.place != _plus(first.place, distance):
            return None
    end: Node = Name("infty", node.span)
    if last is not None:
        final = _item(last)
        if final is None or final.name != first.name or final.rates != rates:
            return None
        expected = _less(final.place, _plus(first.place, -start))
        if final.power != expected or final.written is None:
            raise _ends_elsewhere(last, expected)
        end = final.written
    offset = first.place.get("", 0) - start
    return _written(first, rates, (letter, start, offset), end, node)


def _written(
    first: _Item, rates: frozenset[str], counted: tuple[str, int, int], end: Node, node: Infix
) -> Big | None:
    """``Σ_{l=0} γ^l r_{t+l}`` up to its end."""
    letter, start, offset = counted
    span = node.span
    here = [name for name, times in first.place.items() if name and times == 1]
    if len(here) != 1 or first.place.keys() - {here[0], ""} or offset < 0:
        return None
    index = Name(letter, span)
    place: Node = Infix("+", Name(here[0], span), index, span, span)
    if offset:
        place = Infix("+", place, Num(str(offset), span), span, span)
    names = tuple(Name(rate, span) for rate in sorted(rates))
    base: Node = names[0] if len(names) == 1 else Group("(", (Juxt(names, span),), (), span)
    power = Script(base, None, index, 0, span)
    element = Script(first.element.base, place, first.element.sup, first.element.primes, span)
    below = Relation((index, Num(str(start), span)), ("=",), (span,), span)
    return Big("sum", below, end, Juxt((power, element), span), span)


def _ends_elsewhere(last: Node, expected: Linear) -> ProblemError:
    """The ``(γλ)^{T-t+1} δ_{T-1}`` behind ``δ_t + γλ δ_{t+1} + …``, which is none of these."""
    return error(
        "N2C036",
        "the last item is none of those that the first ones go on to: its power and its place do "
        "not fit together",
        last.span,
        f"the power of that place would be `{_text(expected)}`",
    )


def _item(term: Node) -> _Item | None:
    """A product of rates, each to the same power, and of one name with a place."""
    factors = [*_factors(term)]
    powers = [found for factor in factors[:-1] if (found := _power(factor)) is not None]
    element = factors[-1]
    if len(powers) != len(factors) - 1 or not isinstance(element, Script) or element.sub is None:
        return None
    place, name = _linear(element.sub), binders.bare(element)
    if place is None or not name or name in RATES:
        return None
    rates = Counter(rate for names, _, _ in powers for rate in names)
    power = powers[0][1] if powers else {}
    if any(other != power for _, other, _ in powers) or any(n > 1 for n in rates.values()):
        return None
    return _Item(frozenset(rates), power, powers[0][2] if powers else None, name, place, element)


def _factors(node: Node) -> Iterator[Node]:
    match node:
        case Juxt(factors):
            yield from (inner for factor in factors for inner in _factors(factor))
        case Infix("·" | "×" | "*", left, right):
            yield from (*_factors(left), *_factors(right))
        case Group("(" | "[", (inner,)) if all(isinstance(f, Name) for f in _factors(inner)):
            yield from _factors(inner)
        case _:
            yield node


def _power(node: Node) -> tuple[list[str], Linear, Node] | None:
    """The rates of ``γ`` and ``(γλ)^2``, and what they are raised to."""
    base, above = (
        (node.base, node.sup) if isinstance(node, Script) and node.sub is None else (node, None)
    )
    names = [part.text for part in _factors(base) if isinstance(part, Name) and part.text in RATES]
    if not names or len(names) < len([*_factors(base)]):
        return None
    written = Num("1", node.span) if above is None else ungrouped(above)
    power = _linear(written)
    return None if power is None else (names, power, written)


def _linear(node: Node) -> Linear | None:
    """A sum of letters and numbers."""
    match node:
        case Name(text):
            return {text: 1}
        case Num(text) if text.isdigit():
            return _plus({}, int(text))
        case Infix("+" | "-" as sign, left, right):
            mine, theirs = _linear(left), _linear(right)
            if mine is None or theirs is None:
                return None
            return _sum_of(mine, theirs, 1 if sign == "+" else -1)
        case Group("(", (inner,)):
            return _linear(inner)
    return None


def _sum_of(left: Linear, right: Linear, times: int) -> Linear:
    both = {key: left.get(key, 0) + times * right.get(key, 0) for key in {*left, *right}}
    return {key: number for key, number in both.items() if number}


def _plus(left: Linear, number: int) -> Linear:
    return _sum_of(left, {"": number}, 1)


def _less(left: Linear, right: Linear) -> Linear:
    return _sum_of(left, right, -1)


def _text(linear: Linear) -> str:
    """A sum as it is written, letters first."""
    letters = sorted((key for key in linear if key), key=lambda key: (linear[key] < 0, key))
    terms = [("- " if linear[key] < 0 else "+ ") + key for key in letters]
    if number := linear.get("", 0):
        terms.append(f"{'-' if number < 0 else '+'} {abs(number)}")
    return " ".join(terms).removeprefix("+ ") or "0"
