"""Differentials: the ``dP`` of notes on gradients is one name, and no product of d and P.

A formula shows it by what it defines: nobody defines the product of a size and an array; by the
o_i beside ``do_i``, where d stands for nothing else; by the label of the mean v_{dW} of all dW; and
by the W that ``W - η dW`` updates. What one formula of a note defines so is one name in the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Clause,
    Formula,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Relation,
    Script,
    alike,
    rewritten,
    walk,
    words_in,
)

_DEFINING = ("=", "←")
_DEFINED = re.compile(
    r"(?:^|\\\\|[&,;.]|\\q?quad)[^\S\n]*(d[A-Z])(?:[_^](?:\w|\{[^{}]*\}))*\s*&?\s*:?=", re.MULTILINE
)


def differentials_of(formulas: Iterable[str]) -> frozenset[str]:
    """The ``dV`` that some formulas define: ``dV_j = \\sum_i P_{ij} dO_i``."""
    return frozenset(name for latex in formulas for name in _DEFINED.findall(latex))


def joined(formula: Formula) -> Formula:
    """The formula with each d joined to the name behind it, if it defines one that is made so, or
    takes it beside that name."""
    if "d" not in formula.words:
        return formula
    known = any(_defines_differential(one) or _updates_with_own(one) for one in formula.clauses)
    if not known and not _stand_beside_twins(formula) and not _are_averaged(formula):
        return formula
    return Formula(rewritten(formula.clauses, Juxt, _joined))


def _defines_differential(clause: Clause) -> bool:
    """Whether a name with a d is what a clause defines, or gives a multiple of."""
    node = clause.node
    if not isinstance(node, Relation) or node.signs[0] not in _DEFINING:
        return False
    match node.operands[0]:
        case Name(name) | Script(Name(name)):
            return name[:1] == "d" and name[1:] in _ARRAYS
        case Juxt((Name("d"), second)):
            return _is_letter(second)
        case Juxt() as product:
            return not _ARRAYS.isdisjoint(_pairs_in(product))
    return False


def _updates_with_own(clause: Clause) -> bool:
    """Whether a name is moved by what is made of its letter, ``w = w - η dw``, or a mean goes on
    with it, ``v = β v + (1 - β) dw``."""
    match clause.node:
        case Relation((target, Infix("-", left, step), *_), (sign, *_)) if sign in _DEFINING:
            own = target is not None and _is_letter(target) and alike(target, left)
            return own and target is not None and _letter(target) in _differentials(step)
        case Relation((target, Infix("+", left, step), *_), (sign, *_)) if sign in _DEFINING:
            mean = "" if target is None else _letter(target)
            return mean in _MEANS and mean in words_in(left) and bool(_differentials(step))
    return False


def _are_averaged(nodes: Nodes) -> bool:
    """Whether each d stands right before a letter with which it is a label of a mean: the dW beside
    v_{dW}, and the db beside s_{db}."""
    below = [node.sub for node in nodes.of(Script) if _letter(node) in _MEANS]
    pairs = [sub for sub in below if isinstance(sub, Juxt)]
    labels = {letter for sub in pairs for letter in _pairs_in(sub)}
    ours = {*map(id, pairs)}
    found = {letter for one in nodes.of(Juxt) if id(one) not in ours for letter in _pairs_in(one)}
    return bool(found) and found <= labels


_MEANS = frozenset("mMsSvV")


def _differentials(node: Node) -> set[str]:
    """The letters right behind a d in the products of a node."""
    products = (inner for inner in walk(node) if isinstance(inner, Juxt))
    return {letter for product in products for letter in _pairs_in(product)}


def _pairs_in(product: Juxt) -> Iterator[str]:
    for d, right in pairwise(product.factors):
        if _is_d(d) and d.span.end == right.span.start and _is_letter(right):
            yield _letter(right)


_ARRAYS = frozenset("AKOPQSVWXYZ")
"""Capitals that are arrays rather than counts."""


def _stand_beside_twins(nodes: Nodes) -> bool:
    """Whether each d stands right before an array that stands without it too, as the do_i of
    ``do_i^⊤ o_i`` and the dO of ``dO ∘ O`` do."""
    labelled = {id(node.base) for node in nodes.of(Script)}
    alone = [node for node in nodes.of(Name) if _is_d(node) and id(node) not in labelled]
    if not alone:
        return False
    products = (node.factors for node in nodes.of(Juxt))
    pairs = (pair for factors in products for pair in pairwise(factors) if _is_d(pair[0]))
    made = Counter(_array(right) for d, right in pairs if d.span.end == right.span.start)
    arrays = Counter(_array(node) for node in nodes if id(node) not in labelled)
    return made.total() == len(alone) and all(name and arrays[name] > made[name] for name in made)


def _is_d(node: Node) -> bool:
    return isinstance(node, Name) and node.text == "d"


def _array(node: Node) -> str:
    """The letter of an array: a capital, with scripts or without, or a small one with an index."""
    match node:
        case Script(Name(letter), sub):
            small = letter.islower() and len(letter) == 1 and sub is not None
            return letter if letter in _ARRAYS or small else ""
        case Name(letter):
            return letter if letter in _ARRAYS else ""
    return ""


def _is_letter(node: Node) -> bool:
    """Whether a node is a letter, with accents and scripts or without."""
    while isinstance(node, Script | Accent):
        node = node.base
    return isinstance(node, Name)


def _letter(node: Node) -> str:
    """The letter of a name, without its accents and scripts."""
    while isinstance(node, Script | Accent):
        node = node.base
    return node.text if isinstance(node, Name) else ""


def _joined(node: Juxt) -> Node:
    factors = tuple(_pairs(node.factors))
    return factors[0] if len(factors) == 1 else replace(node, factors=factors)


def _pairs(factors: Sequence[Node]) -> Iterator[Node]:
    """Factors, of which each d is put into the name behind it."""
    d: Name | None = None
    for factor in factors:
        if d is not None and _is_letter(factor):
            yield _of(d, factor)
            d = None
            continue
        if d is not None:
            yield d
        d = factor if isinstance(factor, Name) and factor.text == "d" else None
        if d is None:
            yield factor
    if d is not None:
        yield d


def _of(d: Name, node: Node) -> Node:
    """``dP`` for a d and a P, whatever stands around the P."""
    span = d.span.to(node.span)
    if isinstance(node, Name):
        return replace(node, text=f"d{node.text}", span=span)
    assert isinstance(node, Script | Accent)
    return replace(node, base=_of(d, node.base), span=span)
