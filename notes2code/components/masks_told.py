"""What a class is called for what its formula hides from a query, and adds to its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notes2code.components import settings
from notes2code.meaning import ir
from notes2code.meaning.ir import Compare, Expr, Idx, Lambda, Logic, Ref
from notes2code.meaning.names import is_mask

MASKS = frozenset(("mask", "reach"))
"""The settings of what is added to scores, and of the keys that a softmax is taken of."""

_CAUSAL = "Causal"
_BIASED = "Biased"
_BY_DISTANCE = "DistanceBiased"
_ORDERS = {("<", True): "Strict", ("<", False): "LaterOnly"}
"""The words for an order, and whether the key stands first in it."""


def words_of_masks(values: Mapping[str, Lambda]) -> list[str]:
    """The words for all that the settings of a component hide and add, ``Causal`` first."""
    words = [word for name in sorted(MASKS & values.keys()) for word in _words(values[name])]
    return sorted(dict.fromkeys(words), key=lambda word: word != _CAUSAL)


def hides(values: Mapping[str, Lambda]) -> bool:
    """Whether the settings of a component hide keys, which what is only added does not."""
    return not {_BIASED, _BY_DISTANCE}.issuperset(words_of_masks(values))


def _words(value: Lambda) -> Iterator[str]:
    for term in ir.terms(value.body):
        if isinstance(term, Compare | Logic) or settings.is_mask(term):
            yield from _words_of_mask(Lambda(value.indices, term))
        elif _counts(term):
            yield _BY_DISTANCE
        else:
            arrays = (part.array for part in ir.walk(term) if isinstance(part, Ref))
            yield "Masked" if any(map(is_mask, arrays)) else _BIASED


def _words_of_mask(mask: Lambda) -> list[str]:
    """The words for the conditions under which a key is seen."""
    kept = settings.condition_of(mask.body)
    parts = kept.arguments if isinstance(kept, Logic) and kept.op == "and" else (kept,)
    words = [_word_of_condition(Lambda(mask.indices, part)) for part in parts]
    return list(filter(None, words)) or ["Masked"]


def _word_of_condition(condition: Lambda) -> str:
    """The word for an order of keys and queries, or for a bound on how far they are apart."""
    if settings.is_causal(condition):
        return _CAUSAL
    order = settings.order_of(condition.body)
    if order is not None and condition.indices:
        key_first = order[1] == Idx(condition.indices[-1])
        return _ORDERS.get((order[0], key_first), "Reversed")
    compared = (part for part in ir.walk(condition.body) if isinstance(part, Compare))
    bounds = (part for part in compared if part.op not in "=≠" and _counts(part))
    return "Windowed" if any(len(ir.free_indices(part)) > 1 for part in bounds) else ""


def _counts(expr: Expr) -> bool:
    """Whether where keys stand is computed with, as in −λ|i − j| and b_{j−i}; an element b_{ij} is
    only found by it."""
    if isinstance(expr, Ref):
        return any(not isinstance(place, Idx) and ir.free_indices(place) for place in expr.at)
    return isinstance(expr, Idx) or any(map(_counts, ir.children(expr)))
