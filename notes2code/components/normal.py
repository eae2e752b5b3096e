"""The normal form of an equation, in which formulas that mean the same look alike.

Definitions are written out; products of sums become sums of products, so that the order of
matrix products does not matter; factors that do not depend on a summed index stand before the
sum; exp over the sum of exp is softmax; the ways to write sigmoid, GELU and SiLU become one.
Sums and products stay unordered: the matcher tries orders.
"""

from __future__ import annotations

from notes2code.components.indicators import as_indicator, label_in
from notes2code.components.keys import key
from notes2code.components.pairs import has_pairs, paired
from notes2code.components.products import (
    at_label,
    function_of,
    power_of,
    product,
    sum_of,
    sum_over,
    without_constants,
)
from notes2code.components.renewed import Parts, renewed
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Definition,
    Equation,
    Expr,
    Fn,
    Lambda,
    Mul,
    Num,
    Pow,
    Reduce,
    Ref,
    Softmax,
)


def normal_form(equation: Equation) -> Lambda:
    """The value of an equation in normal form. Raises ``TooLong``."""
    definitions = {d.name: d for d in equation.definitions}
    normaliser = _Normaliser(definitions)
    value = Lambda(
        equation.value.indices, normaliser.expr(normaliser.parts.put(equation.value.body))
    )
    if has_pairs(value):
        value = Lambda(value.indices, normaliser.expr(paired(value).body))
    return value


class _Normaliser:
    def __init__(self, definitions: dict[str, Definition]) -> None:
        self.definitions = definitions
        self.parts = Parts()

    def expr(self, expr: Expr) -> Expr:
        """The normal form of an expression."""
        if isinstance(expr, Ref) and expr.array in self.definitions:
            array = renewed(self.definitions[expr.array].array)
            places = dict(zip(array.indices, expr.at, strict=True))
            return self.expr(self.parts.put(ir.substitute(array.body, places)))
        match ir.rebuild(expr, self.expr):
            case Add(terms):
                return sum_of(terms)
            case Mul((ir.MINUS_ONE, Cases() as cases)):
                return _negative(cases)
            case Mul(factors):
                return product(factors)
            case Pow(base, exponent):
                return power_of(base, exponent)
            case Fn("exp", (argument,)) if (place := label_in(argument)) is not None:
                return at_label(argument, place)
            case Fn(name, arguments):
                return function_of(name, arguments)
            case Reduce("mean", index, body, where) if where is None:
                return product((ir.inverse(index.size), sum_over(index, body)))
            case Reduce("sum", index, body, where):
                if where is not None:
                    body = product((as_indicator(where), _held(body, where)))
                return sum_over(index, body)
            case Cases(branches, otherwise):
                return Cases(tuple((c, _held(value, c)) for c, value in branches), otherwise)
            case Compare(op, left, right):
                return _compared(op, left, right)
            case Softmax(index, body, at, where):
                body = body if where is None else _held(body, where)
                return Softmax(index, without_constants(_with_mask(body), index), at, where)
            case other:
                return other


def _compared(op: str, left: Expr, right: Expr) -> Compare:
    """A comparison without the number that is added on both sides: j + 1 ≤ i + 1 is j ≤ i."""
    both = [[*side.terms] if isinstance(side, Add) else [side] for side in (left, right)]
    numbers = [next((term for term in side if isinstance(term, Num)), None) for side in both]
    if numbers[0] is None or numbers[0] != numbers[1]:
        return Compare(op, left, right)
    without = (sum_of([term for term in side if term != numbers[0]]) for side in both)
    return Compare(op, *without)


def _held(expr: Expr, where: Expr) -> Expr:
    """An expression of which only what a condition lets through is asked for: a case of which that
    condition is sure is the value."""
    match expr:
        case Cases(((condition, value),), _):
            if {*map(key, ir.conjuncts(condition))} <= {*map(key, ir.conjuncts(where))}:
                return _held(value, where)
    return ir.rebuild(expr, lambda child: _held(child, where))


def _with_mask(scores: Expr) -> Expr:
    """Scores that are −∞ in some cases as scores to which a mask is added."""
    if not isinstance(scores, Cases) or len(scores.branches) != 1 or scores.otherwise is None:
        return scores
    (condition, value), other = scores.branches[0], scores.otherwise
    if other == ir.MINUS_INFINITY:
        return sum_of((value, Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY)))
    if value == ir.MINUS_INFINITY:
        return sum_of((other, Cases(((condition, ir.MINUS_INFINITY),), ir.ZERO)))
    return scores


def _negative(cases: Cases) -> Cases:
    """Minus the value of cases, case by case: a mask of 0 and ∞ that is taken off hides."""
    branches = tuple((condition, ir.negative(value)) for condition, value in cases.branches)
    otherwise = None if cases.otherwise is None else ir.negative(cases.otherwise)
    return Cases(branches, otherwise)
