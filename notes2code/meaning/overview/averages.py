"""Vectors that attention averages, as the letters below them say: the v of ``Σ_j a_{tji} v_{ji}``,
and words that weigh them: the weights of ``Σ_j \\text{weights}_j v_j``.

An i below the weights as well as below the values tells heads or batches apart: what is averaged
has its features besides.
"""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.latex.tree import Big, Infix, Juxt, Name, Nodes, children
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.overview.survey import Survey

_WEIGHTS = frozenset(["a", "A", "alpha"])
_VALUES = frozenset("vhxcozuy")
_ROLES = frozenset(["query", "key", "value", "values"])


def averaged(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The names of the values that a sum weighs, where nothing but its own index and those of the
    weights stands below them: behind weights of three indices, behind weights α the states a of
    an encoder, and the values v, which have all indices of their weights where each query has
    values of its own."""
    for over, uses in _sums(seen, nodes):
        match uses:
            case [Use() as weights, Use() as values] if _weighs(weights, values):
                if over <= _letters(values) < _letters(weights):
                    yield values.name
            case [Use() as weights, Use() as values] if names.base_letter(values.name) == "v":
                weighed = names.base_letter(weights.name) in _WEIGHTS and len(values.indices) > 1
                if weighed and over <= _letters(values) == _letters(weights):
                    yield values.name


def weights(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The words in a sum that have its index alone, and so are numbers: each weighs a vector. Such
    as say so, gates or probabilities, and else one before the values, in small letters or in those
    of other scripts."""
    for over, uses in _sums(seen, nodes):
        own = [use for use in uses if use and len(use.indices) == 1 and _letters(use) == over]
        words = [use for use in own if _is_word(use)]
        saying = [use for use in words if names.weighs(names.base_letter(use.name))]
        first = [use for use in words if use is uses[0] and not use.name[0].isupper()]
        values = (use for use in uses[1:] if use is not None and over <= _letters(use))
        yield from (use.name for use in saying or (first if any(map(_is_value, values)) else []))


def _is_word(use: Use) -> bool:
    base = names.base_letter(use.name)
    return len(base) > 1 and base not in names.GREEK and base not in _ROLES


def _sums(seen: Survey, nodes: Nodes) -> Iterator[tuple[set[str], list[Use | None]]]:
    """The letters that each sum of products runs over, and the names among the factors."""
    for big in nodes.of(Big):
        body = big.body
        if big.op == "sum" and big.sub is not None and isinstance(body, Juxt | Infix):
            factors = binders.chain(body) if isinstance(body, Infix) else children(body)
            yield {*binders.bound_letters(big.sub)}, [seen.understood(one) for one in factors]


def _is_value(use: Use) -> bool:
    base = names.base_letter(use.name)
    return base in _VALUES or base in _ROLES or _is_word(use)


def _weighs(weights: Use, values: Use) -> bool:
    bases = names.base_letter(weights.name), names.base_letter(values.name)
    if bases == ("alpha", "a"):
        return len(weights.indices) > 1
    return bases[0] in _WEIGHTS and bases[1] in _VALUES and len(weights.indices) > 2


def _letters(use: Use) -> set[str]:
    inner = (node for at in use.indices for node in positions.counted(at.node))
    return {node.text for node in inner if isinstance(node, Name)}
