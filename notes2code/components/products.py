"""Sums, products and powers in normal form, and the softmax and the activations among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from notes2code.components.factors import factors_of, product_of, tied_groups
from notes2code.components.indicators import is_indicator, label_index, reach, same_condition
from notes2code.components.keys import key, left_of
from notes2code.components.renewed import TooLong
from notes2code.meaning import ir
from notes2code.meaning.diagonals import at_diagonal
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Expr,
    Fn,
    Idx,
    Index,
    Mul,
    Num,
    Pow,
    Reduce,
    Softmax,
)

MAX_FACTORS = 60
"""The factors of a product, which are compared with each other; no component has as many."""

MAX_BITS = 1_000
"""The length of a whole number up to which powers are worked out."""


# --- sums and products ------------------------------------------------------------------------


def sum_of(terms: Sequence[Expr]) -> Expr:
    """A flat sum with its numbers added up."""
    flat: list[Expr] = []
    total: int | float | Fraction = 0
    for term in terms:
        for part in ir.terms(term):
            if isinstance(part, Num):
                total = total + part.value
            else:
                flat.append(part)
    if total != 0:
        flat.append(Num(total))
    if not flat:
        return ir.ZERO
    return flat[0] if len(flat) == 1 else Add(tuple(flat))


def sum_over(index: Index, body: Expr) -> Expr:
    """A sum over one index more."""
    indices: list[Index] = [index]
    factors: list[Expr] = []
    for factor in ir.factors(body):
        inner, parts = factors_of(factor)
        indices.extend(inner)
        factors.extend(parts)
    return _assembled(indices, factors)


def product(factors: Sequence[Expr]) -> Expr:
    """A product: sums inside it are brought to the front, powers of one base gathered."""
    indices: list[Index] = []
    flat: list[Expr] = []
    for factor in factors:
        for part in ir.factors(factor):
            inner, parts = factors_of(part)
            indices.extend(inner)
            flat.extend(parts)
    return _assembled(indices, flat)


def _assembled(indices: list[Index], factors: list[Expr]) -> Expr:
    """The product of the groups of factors that summed indices tie together. Raises ``TooLong``."""
    if len(factors) > MAX_FACTORS:
        raise TooLong
    for at, index in enumerate(indices):
        if (left := at_diagonal(index, factors)) is not None:
            return _assembled([*indices[:at], *indices[at + 1 :]], [*map(_at_one_place, left)])
    factors = _gathered(factors)
    groups = tied_groups(indices, factors)
    outside = [f for f in factors if not any(f in group for _, group in groups)]
    parts = list(outside)
    for own, group in groups:
        body: Expr = group[0] if len(group) == 1 else Mul(tuple(group))
        for index in reversed(own):
            body = Reduce("sum", index, body)
        parts.append(body)
    parts = _without_repeated_reach(parts)
    unused = [i for i in indices if not any(i in own for own, _ in groups)]
    parts.extend(index.size for index in unused)
    return _recognised(product_of(parts))


def _at_one_place(expr: Expr) -> Expr:
    """An expression of which a case is sure, since its condition says that x = x."""
    match ir.rebuild(expr, _at_one_place):
        case Cases(((Compare("=", left, right), value),), _) if left == right:
            return value
        case other:
            return other


def _without_repeated_reach(parts: list[Expr]) -> list[Expr]:
    """Where a softmax reaches only some places, a sum over it need not say so again."""
    return [_reached(part) for part in parts]


def _reached(part: Expr) -> Expr:
    indices, factors = factors_of(part)
    for factor in factors:
        if not isinstance(factor, Softmax) or not isinstance(factor.at, Idx):
            continue
        where, index, at = reach(factor), factor.index, factor.at.index
        kept = [f for f in factors if not same_condition(f, where, index, at)]
        if len(kept) < len(factors):
            body: Expr = kept[0] if len(kept) == 1 else Mul(tuple(kept))
            for index in reversed(indices):
                body = Reduce("sum", index, body)
            return body
    return part


def _gathered(factors: Sequence[Expr]) -> list[Expr]:
    """Numbers multiplied, powers of one base added."""
    number: int | float | Fraction = 1
    powers: dict[str, tuple[Expr, list[Expr]]] = {}
    for factor in factors:
        if isinstance(factor, Num):
            number = number * factor.value
            continue
        base, exponent = (
            (factor.base, factor.exponent) if isinstance(factor, Pow) else (factor, ir.ONE)
        )
        powers.setdefault(key(base), (base, []))[1].append(exponent)
    if number == 0:
        return [ir.ZERO]
    if isinstance(number, float) and math.isclose(number, 1):
        number = 1
    gathered: list[Expr] = []
    for base, exponents in powers.values():
        whole = sum_of(exponents)
        if whole == ir.ONE:
            gathered.append(base)
        elif whole != ir.ZERO:
            gathered.append(Pow(base, whole))
    difference = next(filter(_is_difference, gathered), None) if number == -1 else None
    if isinstance(difference, Add):
        turned = Add(mirrored(difference).terms[::-1])
        return [turned if part is difference else part for part in gathered]
    return gathered if number == 1 else [Num(number), *gathered]


def _is_difference(expr: Expr) -> bool:
    """Whether a sum has a term that is added and one that is taken off: -(i - j) is j - i."""
    if not isinstance(expr, Add) or len(expr.terms) != 2:
        return False
    return sum(map(_is_negative, expr.terms)) == 1


def power_of(base: Expr, exponent: Expr) -> Expr:
    """A power; powers of powers are joined, products taken apart, even powers lose signs."""
    if exponent == ir.ONE:
        return base
    if isinstance(base, Pow):
        return power_of(base.base, product((base.exponent, exponent)))
    if isinstance(base, Mul) and _is_number(exponent):
        return product([power_of(factor, exponent) for factor in base.factors])
    if isinstance(base, Num) and isinstance(exponent, Num):
        return _number_power(base, exponent)
    if isinstance(base, Add) and is_even(exponent) and _is_negative(base.terms[0]):
        base = mirrored(base)
    return Pow(base, exponent)


def mirrored(expr: Add) -> Add:
    """A sum with all its signs turned round."""
    return Add(tuple(product((ir.MINUS_ONE, term)) for term in expr.terms))


def _is_negative(expr: Expr) -> bool:
    factors = ir.factors(expr)
    return any(isinstance(f, Num) and f.value < 0 for f in factors)


def _is_number(expr: Expr) -> bool:
    return isinstance(expr, Num)


def is_even(expr: Expr) -> bool:
    """Whether an exponent is an even whole number."""
    return isinstance(expr, Num) and isinstance(expr.value, int) and expr.value % 2 == 0


def _number_power(base: Num, exponent: Num) -> Expr:
    """An exact power where there is one."""
    if isinstance(exponent.value, int) and not isinstance(base.value, float) and base.value != 0:
        exact = Fraction(base.value)
        bits = max(exact.numerator.bit_length(), exact.denominator.bit_length())
        if bits * abs(exponent.value) > MAX_BITS:
            return Pow(base, exponent)
        value = exact**exponent.value
        return Num(int(value) if value.denominator == 1 else value)
    if isinstance(base.value, float) and 0 < base.value < math.inf:
        return Num(base.value ** float(exponent.value))
    root = math.isqrt(abs(base.value)) if isinstance(base.value, int) else 0
    if exponent.value == Fraction(1, 2) and root * root == base.value:
        return Num(root)
    return Pow(base, exponent)


def at_label(argument: Expr, place: Expr) -> Expr:
    """The exponential of what stands at a place is what stands there of the exponentials, which
    may be divided by their sum."""
    own = label_index(place)
    indices, factors = factors_of(argument)
    inside = _assembled([i for i in indices if i is not own], [f for f in factors if f != place])
    assert own is not None
    return sum_over(own, product((place, Fn("exp", (inside,)))))


# --- softmax ------------------------------------------------------------------------------------


def _recognised(expr: Expr) -> Expr:
    """exp over the sum of exp, as softmax."""
    if not isinstance(expr, Mul):
        return _activation(expr)
    for divisor in expr.factors:
        total = _sum_of_exponentials(divisor)
        if total is None:
            continue
        index, body, where = total
        for factor in expr.factors:
            replaced = _with_softmax(factor, index, body, where)
            if replaced is not None:
                rest = [f for f in expr.factors if f is not divisor and f is not factor]
                return product([*rest, replaced])
    return _activation(expr)


def _sum_of_exponentials(factor: Expr) -> tuple[Index, Expr, Expr | None] | None:
    """The index, exponent and condition of ``1/Σ exp(…)``."""
    if not ir.is_inverse(factor):
        return None
    if not (isinstance(factor.base, Reduce) and factor.base.kind == "sum"):
        return None
    index, body = factor.base.index, factor.base.body
    where: Expr | None = None
    parts = ir.factors(body)
    conditions = [part for part in parts if is_indicator(part)]
    rest = [part for part in parts if not is_indicator(part)]
    if len(conditions) == 1 and isinstance(conditions[0], Cases):
        where = conditions[0].branches[0][0]
    if len(rest) == 1 and isinstance(rest[0], Fn) and rest[0].name == "exp" and len(conditions) < 2:
        return index, rest[0].arguments[0], where
    return None


def _with_softmax(factor: Expr, index: Index, exponent: Expr, where: Expr | None) -> Expr | None:
    """A factor whose exp is replaced by the softmax that its normaliser makes of it."""
    indices, parts = factors_of(factor)
    for part in parts:
        if not (isinstance(part, Fn) and part.name == "exp"):
            continue
        for at in ir.free_indices(part):
            if key(ir.substitute(exponent, {index: Idx(at)})) != key(part.arguments[0]):
                continue
            if where and not any(same_condition(p, where, index, at) for p in parts):
                continue  # what stands above goes over all, the softmax would be 0 elsewhere
            soft = Softmax(index, without_constants(exponent, index), Idx(at), where)
            others = [p for p in parts if p is not part and not same_condition(p, where, index, at)]
            body = product([soft, *others])
            for summed in reversed(indices):
                body = sum_over(summed, body)
            return body
    return None


def without_constants(body: Expr, index: Index) -> Expr:
    """Softmax does not change when a number is added to all: terms without its index go."""
    if not isinstance(body, Add):
        return body
    kept = [term for term in body.terms if index in ir.free_indices(term)]
    return sum_of(kept) if kept else body


# --- activations --------------------------------------------------------------------------------

_ROOT_HALF = key(Pow(Num(2), Num(Fraction(-1, 2))))


def function_of(name: str, arguments: tuple[Expr, ...]) -> Expr:
    """A function of numbers in normal form."""
    if name == "max" and ir.ZERO in arguments and len(arguments) == 2:
        return Fn("relu", (arguments[0] if arguments[1] == ir.ZERO else arguments[1],))
    if name == "exp" and isinstance(inner := arguments[0], Mul):
        for factor in inner.factors:
            if isinstance(factor, Fn) and factor.name == "log" and _is_number(factor.arguments[0]):
                rest = [f for f in inner.factors if f is not factor]
                return power_of(factor.arguments[0], product(rest))
    return Fn(name, arguments)


def _activation(expr: Expr) -> Expr:
    """The ways to write sigmoid, SiLU and GELU."""
    match expr:
        case Pow(Add(terms), exponent) if exponent == ir.MINUS_ONE and len(terms) == 2:
            inner = next((t for t in terms if isinstance(t, Fn) and t.name == "exp"), None)
            if inner is not None and ir.ONE in terms:
                return Fn("sigmoid", (product((ir.MINUS_ONE, inner.arguments[0])),))
        case Mul(factors):
            return _gated(factors)
    return expr


def _gated(factors: tuple[Expr, ...]) -> Expr:
    """x σ(x) is SiLU, x Φ(x) is GELU, ½(1 + erf(x/√2)) is Φ(x), which a tanh approximates."""
    parts = [_activation(f) if not isinstance(f, Mul) else f for f in factors]
    for part in parts:
        if (argument := _of_tanh_gelu(part)) is not None:
            mine = ir.factors(argument)
            left = left_of([p for p in parts if p is not part], mine)
            if left is not None:  # the ½ may stand before a sum over the features of x
                return product([Fn("gelu_tanh", (argument,)), Num(2), *left])
    for part in parts:
        cdf = _normal_cdf(part)
        if cdf is not None:
            # The ½ of x ½(1 + erf(x/√2)) stands before a sum over the features of x.
            rest = left_of([p for p in parts if p is not part], [ir.HALF])
            others = [Num(2), *(p for p in parts if p is not part)] if rest is None else rest
            return product([cdf, *others]) if others else cdf
    for part in parts:
        if isinstance(part, Fn) and part.name in ("sigmoid", "normal_cdf"):
            argument = part.arguments[0]
            mine = ir.factors(argument)
            left = left_of([p for p in parts if p is not part], mine)
            if left is not None:
                name = "silu" if part.name == "sigmoid" else "gelu"
                return product_of([Fn(name, (argument,)), *left])
            rates = [factor for factor in mine if ir.is_scalar(factor)]
            inner = [factor for factor in mine if factor not in rates]
            left = left_of([p for p in parts if p is not part], inner)
            if rates and inner and left is not None and part.name == "sigmoid":
                return product_of([Fn(SWISH, (product_of(inner), product_of(rates))), *left])
    return Mul(tuple(parts))


SWISH = "swish"
"""x σ(βx), of x and β, in normal forms only: it is no product that may be taken apart."""


def without_swish(expr: Expr) -> Expr:
    """An expression of a normal form, written out."""
    expr = ir.rebuild(expr, without_swish)
    match expr:
        case Fn(name, (argument, rate)) if name == SWISH:
            return ir.mul(Fn("sigmoid", (ir.mul(rate, argument),)), argument)
    return expr


def _normal_cdf(part: Expr) -> Expr | None:
    """Φ(x) for the factor 1 + erf(x/√2), which is twice that."""
    if not (isinstance(part, Add) and len(part.terms) == 2 and ir.ONE in part.terms):
        return None
    erf = next((t for t in part.terms if isinstance(t, Fn) and t.name == "erf"), None)
    if erf is None:
        return None
    inside = erf.arguments[0]
    pieces = ir.factors(inside)
    rest = [p for p in pieces if key(p) != _ROOT_HALF]
    return Fn("normal_cdf", (product_of(rest),)) if len(rest) == len(pieces) - 1 else None


_CUBED = Num(Fraction(44715, 10**6))
"""What x³ is weighed with in the tanh that approximates a GELU."""


def _of_tanh_gelu(part: Expr) -> Expr | None:
    """The x of a factor 1 + tanh(√(2/π)(x + 0.044715 x³))."""
    match part:
        case Add((Fn("tanh", (Mul((Num(scale), Add(terms))),)), Num(1))) | Add(
            (Num(1), Fn("tanh", (Mul((Num(scale), Add(terms))),)))
        ) if math.isclose(scale, math.sqrt(2 / math.pi), rel_tol=1e-6):
            for cube in terms:
                x = sum_of([term for term in terms if term is not cube])
                if key(product((_CUBED, power_of(x, Num(3))))) == key(cube):
                    return x
    return None
