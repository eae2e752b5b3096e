"""Settings as text: short names where the field has them, else an expression."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from notes2code.components.around import HOLE
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    MINUS_ONE,
    Add,
    Cases,
    Compare,
    Expr,
    Fn,
    Idx,
    Lambda,
    Logic,
    Mul,
    Num,
    Pow,
    Ref,
    Size,
)

CAUSAL = "causal"
FAR_BELOW = -10_000
"""What masks are filled with for −∞: exp of this is 0 in float64 beside any usual score."""


def text(setting: Lambda) -> str:
    """A setting as ``inspect`` shows it: ``d_k**-0.5``, ``relu``, ``causal``, ``causal + B``."""
    body = setting.body
    parts = terms_of(body)
    if len(parts) > 1 and is_causal(setting):
        terms = [Lambda(setting.indices, term) for term in parts]
        shown = dict.fromkeys(map(text, sorted(terms, key=is_causal, reverse=True)))
        return " + ".join(shown)
    if is_causal(setting):
        return CAUSAL
    if isinstance(body, Fn) and body.arguments == (Ref(HOLE),):
        return body.name
    if isinstance(body, Mul) and any(part == Ref(HOLE) for part in ir.walk(body)):
        # σ(x) x and x σ(x) are one activation.
        return expression(replace(body, factors=tuple(sorted(body.factors, key=expression))))
    return expression(body)


def uncapped(settings: Mapping[str, Lambda]) -> Mapping[str, Lambda]:
    """The settings without a soft cap, c tanh(scale x / c), which keeps the scores within c."""
    if not {"scale", "score"} <= settings.keys():
        return settings
    scale, score = settings["scale"], settings["score"].body
    factors = ir.factors(score)
    bound = ir.mul(*(factor for factor in factors if factor != Fn("tanh", (Ref(HOLE),))))
    parts = ir.factors(scale.body)
    below = Num(1 / Fraction(bound.value)) if isinstance(bound, Num) else Pow(bound, MINUS_ONE)
    rest = [part for part in parts if part != below]
    if len(rest) == len(parts):
        return settings
    others = {name: value for name, value in settings.items() if name != "score"}
    return {**others, "scale": Lambda(scale.indices, ir.mul(*rest))}


def is_of_joined_sizes(scale: Expr) -> bool:
    """Whether a scale is 1 / √(d_h + d_r): that of keys which are joined of two parts."""
    match scale:
        case Pow(Add(terms), Num(exponent)) if exponent == Fraction(-1, 2):
            sizes = [term for term in terms if isinstance(term, Size)]
            return len(sizes) == len(terms) and all(one.name.startswith("d_") for one in sizes)
    return False


def is_causal(setting: Lambda) -> bool:
    """Whether a condition or mask lets a position see itself and those before it. The last of its
    indices counts the keys; without any, which one does is not asked."""
    body = setting.body
    key = Idx(setting.indices[-1]) if setting.indices else None
    parts = terms_of(body)
    if len(parts) > 1:
        return any(is_causal(Lambda(setting.indices, term)) for term in parts)
    if isinstance(body, Cases) and len(body.branches) == 1:
        condition, value = body.branches[0]
        if value == ir.ZERO and _is_minus_infinity(body.otherwise):
            return _is_not_after(condition, key)
        if _is_minus_infinity(value) and body.otherwise == ir.ZERO:
            return _is_after(condition, key)
        return False
    if isinstance(body, Cases) and len(body.branches) == 2:
        (first, zero), (second, minus) = sorted(
            body.branches, key=lambda branch: branch[1] != ir.ZERO
        )
        kinds = zero == ir.ZERO and _is_minus_infinity(minus)
        return kinds and _is_not_after(first, key) and _is_after(second, key)
    return _is_not_after(body, key)


def terms_of(body: Expr) -> tuple[Expr, ...]:
    """What is added to scores, or the condition under which they are taken, term by term: a mask of
    several conditions hides what the masks of each together hide."""
    terms = ir.terms(body)
    return tuple(part for term in terms for part in _taken_apart(term))


def of_each_head(body: Expr) -> str:
    """The array that is added to the scores of each head, ``B_{h,i,j}``; "" if there is not one."""
    parts = (part for term in terms_of(body) for part in ir.walk(term))
    found = {part.array for part in parts if isinstance(part, Ref) and len(part.at) == 3}
    return found.pop() if len(found) == 1 else ""


def _taken_apart(term: Expr) -> tuple[Expr, ...]:
    match term:
        case Logic("and", conditions):
            return conditions
        case Cases(((Logic("and", conditions), value),), otherwise) if is_mask(term):
            if value == ir.ZERO:
                return tuple(Cases(((one, value),), otherwise) for one in conditions)
        case Cases(((Logic("or", conditions), value),), otherwise) if is_mask(term):
            if otherwise == ir.ZERO:
                return tuple(Cases(((one, value),), otherwise) for one in conditions)
    return (term,)


def order_told(setting: Lambda) -> str:
    """What a mask of order that is not causal does, in words; "" for others. The last of its
    indices counts the keys."""
    terms = ir.terms(setting.body)
    key = Idx(setting.indices[-1]) if setting.indices else None
    for term in terms:
        order = order_of(condition_of(term))
        if order is None or key not in order[1:] or order[1] == order[2]:
            continue
        match order[0], order[1] == key:
            case "<", True:
                return "hides each position from itself, and all from the first"
            case "<", False:
                return "hides each position and those before it, and all from the last"
            case "≤", False:
                return "hides what comes before each position"
    return ""


def misfilled(setting: Lambda) -> str:
    """What is wrong with the numbers that a mask of order adds to scores; "" if it hides with −∞,
    or is no mask."""
    terms = ir.terms(setting.body)
    for term in terms:
        values = _values(term)
        if Num(float("inf")) in values:
            return "adds +∞: the softmax of that is no number"
        conditions = [c for c, _ in term.branches] if isinstance(term, Cases) else []
        ordered = bool(conditions) and all(order_of(condition) for condition in conditions)
        if ordered and values in ([ir.ZERO, ir.ONE], [ir.ONE, ir.ZERO]):
            return "adds 0 and 1 to the scores, which hides nothing: what is hidden gets −∞"
    return ""


def condition_of(mask: Expr) -> Expr:
    """The condition under which a mask is 0; of what is no mask, it itself."""
    if not (isinstance(mask, Cases) and is_mask(mask)):
        return mask
    kept = [condition for condition, value in mask.branches if value == ir.ZERO]
    if kept:
        return kept[0]
    hidden = mask.branches[0][0]
    negated = {"<": "≥", "≤": ">", ">": "≤", "≥": "<"}
    if isinstance(hidden, Compare) and hidden.op in negated and len(mask.branches) == 1:
        return Compare(negated[hidden.op], hidden.left, hidden.right)
    return mask


def fills_far_below(expr: Expr) -> bool:
    """Whether a mask is filled with a number for −∞."""
    return is_mask(expr) and any(
        value not in (ir.ZERO, ir.MINUS_INFINITY) for value in _values(expr)
    )


def keeps_own(mask: Expr) -> bool:
    """Whether a mask surely lets each position see itself."""
    order = order_of(condition_of(mask))
    return order is not None and order[0] == "≤"


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "≠": operator.ne, ">": operator.gt, "<": operator.lt, "≥": operator.ge,
    "≤": operator.le,
}  # fmt: skip


def chosen(mask: Expr, array: Ref, number: int) -> Expr | None:
    """What a mask is where an element of the array that decides it is a number."""
    if not isinstance(mask, Cases):
        return mask
    for condition, value in mask.branches:
        match condition:
            case Compare(op, left, Num(right)) if left == array and op in _COMPARED:
                if _COMPARED[op](number, right):
                    return value
            case _:
                return None
    return mask.otherwise


def with_infinity(mask: Cases) -> Cases:
    """A mask with −∞ where it is not 0."""
    branches = tuple((condition, _filled(value)) for condition, value in mask.branches)
    return Cases(branches, None if mask.otherwise is None else _filled(mask.otherwise))


def _filled(value: Expr) -> Expr:
    return value if value == ir.ZERO else ir.MINUS_INFINITY


def is_mask(expr: Expr) -> bool:
    """Whether it is 0 in some cases and −∞ in the others."""
    values = _values(expr)
    return bool(values) and all(v == ir.ZERO or _is_minus_infinity(v) for v in values)


def _values(expr: Expr) -> list[Expr]:
    """The values of cases; none of what is no cases."""
    if not isinstance(expr, Cases):
        return []
    values = [value for _, value in expr.branches]
    return values if expr.otherwise is None else [*values, expr.otherwise]


def _is_minus_infinity(expr: Expr | None) -> bool:
    """Whether it is −∞, or so far below all scores that the softmax gives exactly 0 for it."""
    match expr:
        case Num(value):
            return value <= FAR_BELOW
        case ir.Mul(factors):
            return ir.MINUS_ONE in factors and any(
                isinstance(f, Num) and f.value == float("inf") for f in factors
            )
    return False


def order_of(condition: Expr) -> tuple[str, Expr, Expr] | None:
    """A comparison of two indices, or of their difference with 0, with the smaller side on the
    left."""
    if not isinstance(condition, Compare):
        return None
    left, right, op = condition.left, condition.right, condition.op
    if op in (">", "≥"):
        left, right, op = right, left, {">": "<", "≥": "≤"}[op]
    if isinstance(left, Idx) and isinstance(right, Idx):
        return op, left, right
    match left, right:
        case (ir.ZERO, ir.Add((Idx() as larger, other))) if isinstance(ir.negative(other), Idx):
            return op, ir.negative(other), larger
        case (ir.Add((Idx() as smaller, other)), ir.ZERO) if isinstance(ir.negative(other), Idx):
            return op, smaller, ir.negative(other)
    return None


def _is_not_after(condition: Expr, key: Idx | None) -> bool:
    """Whether it says key ≤ query."""
    match order_of(condition):
        case ("≤", left, right):
            return left != right and key in (None, left)
    return False


def _is_after(condition: Expr, key: Idx | None) -> bool:
    """Whether it says query < key."""
    match order_of(condition):
        case ("<", left, right):
            return left != right and key in (None, right)
    return False


def expression(expr: Expr) -> str:
    """An expression as Python would write it, arrays without their indices."""
    return _text(expr, 0)


def _text(expr: Expr, level: int) -> str:
    match expr:
        case Num(value):
            out, own = _number(value), 3
            if out.startswith("-"):
                own = 1
        case Size(name=name, value=None):
            out, own = name, 3
        case Size(value=value) if value is not None:
            return _text(value, level)
        case Ref(array, _):
            out, own = ("x" if array == HOLE else array), 3
        case Idx(index):
            out, own = index.name, 3
        case ir.Add(terms):
            out, own = _joined_terms([_text(t, 1) for t in terms]), 1
        case ir.Mul(factors):
            out, own = _product(factors), 2
        case ir.Pow(base, exponent):
            power = _number(exponent.value) if isinstance(exponent, Num) else _text(exponent, 3)
            out, own = f"{_text(base, 3)}**{power}", 2
        case Fn("exp", (Num(value),)):
            out, own = repr(math.exp(value)), 3
        case Fn(name, arguments):
            out, own = f"{name}({', '.join(_text(a, 0) for a in arguments)})", 3
        case Compare(op, left, right):
            out, own = f"{_text(left, 1)} {ir.PYTHON_SIGNS[op]} {_text(right, 1)}", 0
        case ir.Logic(op, arguments):
            out, own = f" {op} ".join(_text(a, 1) for a in arguments), 0
        case Cases(branches, otherwise):
            out = "".join(f"{_text(v, 1)} if {_text(c, 1)} else " for c, v in branches)
            out, own = out + ("nan" if otherwise is None else _text(otherwise, 1)), 0
        case ir.Reduce(kind, index, body, _):
            out, own = f"{kind}({_text(body, 0)} for {index.name})", 3
        case ir.Call(function, arguments, _, _):
            out, own = f"{function}({', '.join(_text(a.body, 0) for a in arguments)})", 3
        case _:
            out, own = type(expr).__name__.lower() + "(…)", 3
    return f"({out})" if own < level else out


def _number(value: int | float | Fraction) -> str:
    if isinstance(value, Fraction):
        whole = float(value)
        short = f"{whole:.10g}"
        return short if Fraction(short) == value else f"{value.numerator}/{value.denominator}"
    return "inf" if value == float("inf") else str(value)


def _joined_terms(parts: list[str]) -> str:
    out = parts[0]
    for part in parts[1:]:
        out += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return out


def _product(factors: tuple[Expr, ...]) -> str:
    sign = "-" if ir.MINUS_ONE in factors else ""
    rest = [f for f in factors if f != ir.MINUS_ONE]
    above = [f for f in rest if not ir.is_inverse(f)]
    below = [f.base for f in rest if ir.is_inverse(f)]
    out = "*".join(_text(f, 2) for f in above) or "1"
    return sign + out + "".join(f"/{_text(f, 3)}" for f in below)
