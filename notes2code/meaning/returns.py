"""Returns: what is discounted over time, the r of ``Σ_l γ^l r_{t+l}`` and the G and the r of ``G_t
= r_t + γ G_{t+1}``, are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from notes2code.latex.tree import Big, Group, Infix, Juxt, Name, Node, Nodes, Script, walk
from notes2code.latex.words import RATES
from notes2code.meaning import ahead, binders, scripts
from notes2code.meaning.quantities import terms
from notes2code.meaning.stated import Define, Statement

if TYPE_CHECKING:
    from notes2code.meaning.survey import Survey


_LAYERS = frozenset(["l", "ell"])


def discounted(seen: Survey, nodes: Nodes, statements: Sequence[Statement]) -> Iterator[str]:
    """The names of what is discounted."""
    found = [part for big in nodes.of(Big) for part in _of_sum(big)]
    for statement in statements:
        if isinstance(statement, Define):
            found += [part for value in statement.values for part in _beside(value)]
            found += _of_recursion(statement.target, statement.values)
    used = (seen.understood(node) for node in found if scripts.is_name(node))
    return (u.name for u in used if u is not None and not (u.transposed or u.bold))


def _of_sum(big: Big) -> Iterator[Node]:
    """The r of ``Σ_{l=t} γ^{l-t} r_l``: the further ahead, the less it counts. What lies behind
    counts less the longer ago in the ``Σ_m γ^{n-m} v_m`` of a decay, of whatever that is."""
    letters = () if big.sub is None else binders.bound_letters(big.sub)
    factors = _factors(big.body)
    for letter in letters:
        if any(_is_discount(factor, letter) for factor in factors):
            for term in (term for factor in factors for term in terms(factor)):
                at = term.sub if isinstance(term, Script) else None
                if at and (ahead.here(at, letter) or _is_at(at, letter)):
                    yield term


def _is_at(sub: Node, letter: str) -> bool:
    """Whether an index is ``l`` or ``l+1``."""
    found = scripts.shift(sub)
    return found is not None and found[0] == letter


def _beside(value: Node) -> Iterator[Node]:
    """The V_T and V_t of ``Σ_l γ^l r_{t+l} + γ^{T-t} V_T - V_t``."""
    added = terms(value)
    if any(isinstance(term, Big) and any(_of_sum(term)) for term in added):
        for term in added:
            yield from (node for node in _factors(term) if binders.bare(node) not in RATES)


def _is_discount(node: Node, letter: str) -> bool:
    """Whether a node is ``γ^k``, ``γ^{k-t}`` or ``(γ λ)^k``; a ``γ^l`` may be that of a layer."""
    if not isinstance(node, Script) or node.sub is not None or not _are_rates(node.base):
        return False
    if letter in _LAYERS and isinstance(node.base, Name) and isinstance(node.sup, Name):
        return False
    power = node.sup
    while isinstance(power, Infix) and power.op in "+-":
        power = power.left
    return isinstance(power, Name) and power.text == letter


def _are_rates(node: Node) -> bool:
    return all(part.text in RATES for part in walk(node) if isinstance(part, Name))


def _of_recursion(target: Node | None, values: Sequence[Node]) -> Iterator[Node]:
    """The G and the r of ``G_t = r_t + γ G_{t+1}``."""
    here = _place(target)
    for value in values if here is not None and here[1] not in _LAYERS else ():
        added = [term for term in terms(value) if isinstance(term, Script)]
        for term in terms(value):
            *rates, last = _factors(term)
            if rates and all(map(_are_rates, rates)) and _place(last) == _next(here):
                yield from (last, *added)


def _place(node: Node | None) -> tuple[str, str, int] | None:
    """The G, the t and the 1 of ``G_{t+1}``."""
    found = scripts.shift(node.sub) if isinstance(node, Script) and node.sub else None
    return None if node is None or found is None else (binders.bare(node), *found)


def _next(place: tuple[str, str, int] | None) -> tuple[str, str, int] | None:
    return place and (*place[:2], place[2] + 1)


def _factors(node: Node) -> tuple[Node, ...]:
    match node:
        case Group("(" | "[", (inner,)):
            return _factors(inner)
        case Juxt(factors):
            return tuple(inner for factor in factors for inner in _factors(factor))
        case Infix("·" | "×" | "*", left, right):
            return (*_factors(left), *_factors(right))
    return (node,)
