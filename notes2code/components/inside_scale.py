"""Masks inside the scale: softmax(c (QKᵀ + M)) is softmax(c QKᵀ + c M)."""

from __future__ import annotations

from dataclasses import replace

from notes2code.components.around import HOLE
from notes2code.components.library import Component, Form
from notes2code.components.pattern import Match
from notes2code.components.settings import is_mask
from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Expr, Idx, Lambda, Mul, Num, Pow, Ref, Size


def taken_apart(component: Component, form: Form, found: Match) -> Match:
    """A match whose score is ``c (x + M)`` as one with a scale and a mask, where the component has
    both."""
    score, scale, mask = (component.settings.get(name) for name in ("score", "scale", "mask"))
    if score is None or scale is None or mask is None:
        return found
    value = found.settings.get(score.symbol)
    parts = None if value is None else _factor_and_terms(value.body)
    places = next(
        (
            e.at
            for e in ir.walk(form.pattern.value.body)
            if isinstance(e, Ref) and e.array == mask.symbol
        ),
        None,
    )
    if parts is None or places is None:
        return found
    factor, terms = parts
    settings = {symbol: v for symbol, v in found.settings.items() if symbol != score.symbol}
    known_scale, known_mask = settings.get(scale.symbol), settings.get(mask.symbol)
    outside = Lambda((), ir.ONE) if known_scale is None else known_scale
    settings[scale.symbol] = Lambda(outside.indices, ir.mul(outside.body, factor))
    indices = tuple(found.indices[p.index] for p in places if isinstance(p, Idx))
    added = [_scaled(factor, term) for term in terms]
    if known_mask is not None:
        added.append(known_mask.body)
    settings[mask.symbol] = Lambda(indices, ir.add(*added))
    return replace(found, settings=settings)


def _factor_and_terms(body: Expr) -> tuple[Expr, list[Expr]] | None:
    """c and the terms of M of a body ``c (x + M)``, where c is one number."""
    factors = ir.factors(body)
    sums = [f for f in factors if isinstance(f, Add) and Ref(HOLE) in f.terms]
    rest = [f for f in factors if f not in sums]
    if len(sums) != 1 or any(ir.free_indices(f) or _holds_argument(f) for f in rest):
        return None
    terms = [term for term in sums[0].terms if term != Ref(HOLE)]
    if len(terms) != len(sums[0].terms) - 1 or any(map(_holds_argument, terms)):
        return None
    return ir.mul(*rest), terms


def _holds_argument(expr: Expr) -> bool:
    return any(part == Ref(HOLE) for part in ir.walk(expr))


def _scaled(factor: Expr, term: Expr) -> Expr:
    """A term times a factor; a mask of 0 and −∞ stays what it is."""
    return term if is_mask(term) and _is_positive(factor) else ir.mul(factor, term)


def _is_positive(factor: Expr) -> bool:
    match factor:
        case Num(value):
            return value > 0
        case Size():
            return True
        case Pow(base, _):
            return _is_positive(base)
        case Mul(factors):
            return all(map(_is_positive, factors))
    return False
