"""``μ(\\{r_j\\}_{j=1}^G)`` beside ``σ(\\{r_j\\}_{j=1}^G)``: the mean and the deviation of a list,
which neither a factor μ nor an activation σ could be given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise

from notes2code.latex.tree import (
    Change,
    Formula,
    Frac,
    Group,
    Juxt,
    Name,
    Node,
    Relation,
    Script,
    alike,
    walk,
)

_CALLED = {"mu": "mean", "sigma": "std"}


def by_name(formula: Formula) -> Change | None:
    """The names by which functions of lists are known, where a formula divides by the one of a list
    of which it takes the other, too; networks and what a note defines have these letters, too."""
    if not _CALLED.keys() <= formula.words:
        return None
    found = [pair for node in formula.of(Juxt) for pair in _of_lists(node)]
    means = [given for letter, given in found if letter == "mu"]
    below = (node for frac in formula.of(Frac) for node in walk(frac.bottom))
    divided = chain.from_iterable(_of_lists(node) for node in below if isinstance(node, Juxt))
    deviations = [given for letter, given in divided if letter == "sigma"]
    lefts = (node.operands[0] for node in formula.of(Relation))
    if any([*_of_lists(left)] for left in lefts if isinstance(left, Juxt)):
        return None
    if not any(alike(one, other) for one in means for other in deviations):
        return None
    return _named


def _named(node: Juxt) -> Node:
    """A product, or a call, in which the letters that are given lists have such names."""
    factors = list(node.factors)
    for at, (name, given) in enumerate(pairwise(node.factors)):
        if isinstance(name, Name) and name.text in _CALLED and _is_of_list(given):
            factors[at] = replace(name, text=_CALLED[name.text])
    return replace(node, factors=tuple(factors))


def _of_lists(node: Juxt) -> Iterator[tuple[str, Node]]:
    """The letters that are given a list, and the list."""
    for name, given in pairwise(node.factors):
        if isinstance(name, Name) and name.text in _CALLED and _is_of_list(given):
            yield name.text, given


def _is_of_list(node: Node) -> bool:
    """Whether a node is ``(\\{r_j\\}_{j=1}^G)`` or ``(\\{r_1, …, r_G\\})``."""
    match node:
        case Group("(", (Group("{") | Script(Group("{")),)):
            return True
    return False
