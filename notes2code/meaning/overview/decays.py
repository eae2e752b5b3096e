"""Numbers of what decays with the time: the s_0 and the λ of ``s_t = s_0 e^{-λ t}``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import (
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Nodes,
    Script,
    ungrouped,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview import exponents
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement

_NUMBERS = names.GREEK | frozenset("rsyT")
"""Letters of what decays as a number; vectors and weights decay, too, in noise and memories."""


def rates(seen: Survey, nodes: Nodes) -> set[str]:
    """The λ of ``e^{-λ t}``, the τ of ``\\exp(-t / τ)`` and the k of ``e^{-k (t - t_0)}``: what an
    index, or the time, is multiplied with in an exponent is a number, and no function of it."""
    found: set[str] = set()
    for node in nodes.of(Apply, Script):
        exponent = exponents.exponent(node)
        if not isinstance(exponent, Neg):
            continue
        factors = list(_factors(exponent.body))
        if any(_counts(seen, term) for factor in factors for term in terms(factor)):
            parts = [term for factor in factors for term in terms(factor)]
            uses = [seen.understood(part) for part in parts if not _counts(seen, part)]
            found.update(use.name for use in uses if use is not None and _is_rate(use))
    return found


def _is_rate(use: scripts.Use) -> bool:
    """Whether a letter may be a rate: the w of keys that fade is a vector, and A a matrix."""
    base = names.base_letter(use.name)
    return not use.indices and base.islower() and base != "w"


def _factors(node: Node) -> Iterator[Node]:
    """What is multiplied and divided in a node."""
    node = ungrouped(node)
    match node:
        case Juxt(factors):
            yield from (inner for factor in factors for inner in _factors(factor))
        case Infix("·" | "×" | "*", left, right) | Frac(left, right):
            yield from (*_factors(left), *_factors(right))
        case _:
            yield node


def _counts(seen: Survey, node: Node) -> bool:
    return isinstance(node, Name) and (node.text in seen.bound or node.text == "t")


def starts(
    seen: Survey, nodes: Nodes, statements: Sequence[Statement], found: set[str]
) -> Iterator[str]:
    """The s_0 and s_{min} of ``s_t = s_0 e^{-λ t} + s_{min}``, which are numbers as the rates
    ``found`` are."""
    targets = (s.target for s in statements if isinstance(s, Define) and s.target is not None)
    for target in targets if found else ():
        letter = binders.bare(target.factors[0] if isinstance(target, Juxt) else target)
        at = target.factors[-1] if isinstance(target, Juxt) else target
        place = at.items if isinstance(at, Group) else (getattr(at, "sub", None),)
        if letter not in _NUMBERS or not any(n is not None and _counts(seen, n) for n in place):
            continue
        uses = (seen.understood(node) for node in nodes.of(Script))
        for use in uses:
            labelled = use is not None and not use.indices and use.name != letter
            if use is not None and labelled and names.base_letter(use.name) == letter:
                yield use.name
