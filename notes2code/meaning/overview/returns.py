"""Returns: what is discounted over time, the r of ``Σ_l γ^l r_{t+l}`` and the G and the r of ``G_t
= r_t + γ G_{t+1}``, are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import Big, Group, Infix, Juxt, Name, Node, Nodes, Script, walk
from notes2code.latex.words import RATES
from notes2code.meaning.notation import ahead, binders, positions
from notes2code.meaning.overview.arithmetic import terms
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define, Statement


def discounted(seen: Survey, nodes: Nodes, statements: Sequence[Statement]) -> Iterator[str]:
    """The names of what is discounted."""
    found = [part for big in nodes.of(Big) for part in _of_sum(big)]
    for statement in statements:
        if isinstance(statement, Define):
            rewards = [*_rewards(statement)]
            found += rewards
            found += [part for value in statement.values for part in _beside(value, rewards)]
            found += _of_recursion(statement.target, statement.values)
    used = map(seen.understood, found)
    return (u.name for u in used if u is not None and not (u.transposed or u.bold))


def _of_sum(big: Big) -> Iterator[Node]:
    """The r of ``Σ_{l=t} γ^{l-t} r_l`` and ``Σ_l γ^l r_{t+l}``: the further ahead, the less it
    counts. What lies behind counts less the longer ago in the ``Σ_m γ^{n-m} v_m`` of a decay, of
    whatever that is, as ``Σ_m γ^m v_m`` may be."""
    letters = () if big.sub is None else binders.bound_letters(big.sub)
    factors = _factors(big.body)
    for letter in letters:
        powers = [power for power in map(_power, factors) if _counts(power, letter)]
        for term in (term for factor in factors for term in terms(factor) if powers):
            at = term.sub if isinstance(term, Script) else None
            if at and (ahead.here(at, letter) or (_is_at(at, letter) and _is_since(powers[0]))):
                yield term


def _rewards(define: Define) -> Iterator[Node]:
    """The r of a return that is seen from its beginning, ``G = Σ_t γ^t r_t``. Those of ``y = Σ_t
    γ^t r_t`` and of ``G = Σ_t γ^t r_t W`` may be vectors: no name says that these are rewards, and
    more than γ is beside those."""
    target = define.target
    made = target.factors[0] if isinstance(target, Juxt) else target
    if made is None or binders.bare(made) not in _RETURNS:
        return
    for big in (node for value in define.values for node in walk(value) if isinstance(node, Big)):
        letters = set() if big.sub is None else {*binders.bound_letters(big.sub)} & {"t", "k"}
        factors = _factors(big.body)
        for pair in (factors, factors[::-1]) if len(factors) == 2 else ():
            match pair:
                case (Script(Name("gamma"), None), Script(Name("r" | "R"), at) as term) if at:
                    power = _power(pair[0])
                    yield from (term for x in letters if _counts(power, x) and _is_at(at, x))


_RETURNS = frozenset("GRV")
"""Letters of returns and values; a J is a number as it is."""


def _is_at(sub: Node, letter: str) -> bool:
    """Whether an index is ``l`` or ``l+1``."""
    found = positions.shift(sub)
    return found is not None and found[0] == letter


def _is_since(power: Node) -> bool:
    """Whether a power is that of the time since another, ``l-t``."""
    return any(
        isinstance(n, Infix) and n.op == "-" and isinstance(n.right, Name) for n in walk(power)
    )


def _beside(value: Node, rewards: Sequence[Node]) -> Iterator[Node]:
    """The V_T and V_t of ``Σ_l γ^l r_{t+l} + γ^{T-t} V_T - V_t``, and the v of ``Σ_t γ^t r_t + γ^T
    v`` with ``rewards``."""
    added = terms(value)
    sums = [term for term in added if isinstance(term, Big)]
    if any(any(_of_sum(big)) or _is_among(big, rewards) for big in sums):
        for term in added:
            yield from (node for node in _factors(term) if binders.bare(node) not in RATES)


def _is_among(big: Big, rewards: Sequence[Node]) -> bool:
    """Whether some of the rewards are added up in a sum."""
    return any(node is reward for node in walk(big) for reward in rewards)


def _power(node: Node) -> Node:
    """What a rate is raised to, the ``k-t`` of ``γ^{k-t}`` and ``(γ λ)^{k-t}``, else the node."""
    rate = isinstance(node, Script) and node.sub is None and _are_rates(node.base)
    return node.sup if rate and isinstance(node, Script) and node.sup else node


def _counts(power: Node, letter: str) -> bool:
    """Whether a power is ``l``, ``l-1`` or ``l-t``."""
    while isinstance(power, Infix) and power.op in "+-":
        power = power.left
    return isinstance(power, Name) and power.text == letter


def _are_rates(node: Node) -> bool:
    return all(part.text in RATES for part in walk(node) if isinstance(part, Name))


def _of_recursion(target: Node | None, values: Sequence[Node]) -> Iterator[Node]:
    """The G and the r of ``G_t = r_t + γ G_{t+1}``, and the V and the r of ``δ_t = r_t + γ V_{t+1}
    - V_t``."""
    for value in values:
        added = [term for term in terms(value) if isinstance(term, Script)]
        here = [place for node in (target, *added) if (place := _place(node)) is not None]
        ahead_of = [_next(place) for place in here if place[1] not in ("l", "ell")]
        for term in terms(value) if ahead_of else ():
            *rates, last = _factors(term)
            if rates and _place(last) in ahead_of and all(map(_are_rates, rates)):
                yield from (last, *added)


def _place(node: Node | None) -> tuple[str, str, int] | None:
    """The G, the t and the 1 of ``G_{t+1}``."""
    found = positions.shift(node.sub) if isinstance(node, Script) and node.sub else None
    return None if node is None or found is None else (binders.bare(node), *found)


def _next(place: tuple[str, str, int]) -> tuple[str, str, int]:
    return (*place[:2], place[2] + 1)


def _factors(node: Node) -> tuple[Node, ...]:
    match node:
        case Group("(" | "[", (inner,)):
            return _factors(inner)
        case Juxt(factors):
            return tuple(inner for factor in factors for inner in _factors(factor))
        case Infix("·" | "×" | "*", left, right):
            return (*_factors(left), *_factors(right))
    return (node,)
