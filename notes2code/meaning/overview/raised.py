"""Names that an index above them raises, ``f(x) = Σ_k a_k x^k``."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.latex.tree import Big, Frac, Infix, Name, Node, Nodes, Num, Script, words_in
from notes2code.latex.words import RATES
from notes2code.meaning import names
from notes2code.meaning.notation import binders, left_hand_sides, positions
from notes2code.meaning.overview import exponents


def raised_names(nodes: Nodes, targets: Sequence[Node]) -> set[str]:
    """An index above a parameter, and above nothing else, is a power of it, as in
    ``f(x) = Σ_k a_k x^k``; so is the T at which a sum ends above a rate that it has powers of."""
    found: set[str] = set()
    above: dict[str, set[str]] = {}
    given = parameter_letters(targets)
    for node in (*nodes.of(Script), *targets):
        match node:
            case Script(base, _, Name(letter)):
                above.setdefault(letter, set()).add(binders.bare(base))
            case Script(Name(base, there), None, Num("1", written)) if there == written:
                found.add(base)  # the x of 1 + x + x^2 + … + x^n, which the rewriting wrote as x^1
    if any(
        big.sup is not None and "T" in words_in(big.sup) for big in nodes.of(Big)
    ):  # the γ of Σ_{t=0}^T γ^t r_t + γ^T v
        rates = above.get("T", set()) & RATES
        found |= {r for r in rates if any(r in above.get(x, ()) for x in names.INDEX_LETTERS)}
    for letter, bases in above.items():
        if letter in names.INDEX_LETTERS and len(bases) == 1 and bases <= given:
            found |= bases
    found |= {binders.bare(base) for base, _ in exponents.of_trials(nodes)}
    found.update(exponents.numbered(nodes))
    defined = {*map(binders.bare, targets)}
    for part in nodes.of(Frac):  # and as in the m_k / (1 - δ^k) of a bias that is corrected
        match part.bottom:
            case Infix("-", Num("1"), Script(Name(rate), _, Name())):
                found.add(rate)
            case Infix("-", Num("1"), Script(Name(rate), _, Infix() as at)) if positions.shift(at):
                found |= {rate} & RATES - defined
    return found


def parameter_letters(targets: Sequence[Node]) -> set[str]:
    """The letters of the parameters of what is defined."""
    return {
        n.text
        for target in targets
        for n in left_hand_sides.arguments(target)
        if isinstance(n, Name)
    }
