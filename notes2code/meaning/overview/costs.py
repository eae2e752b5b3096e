"""Costs: all letters of ``Ω(MSA) = 4 h w C^2 + 2 (h w)^2 C`` are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.latex.tree import (
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import arithmetic
from notes2code.meaning.stated import Define

_COUNTED = frozenset("parameters params flops macs".split())
"""Words of how much there is to learn or compute."""


def numbers(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The letters that costs are made of."""
    yield from (*_amounts(defines), *_squares(nodes, defines))


def worded(defines: Sequence[Define]) -> Iterator[str]:
    """The letters of what is a number by its word, ``\\text{cost} = B L``."""
    for define in defines:
        if define.target is not None and scripts.is_name(define.target):
            word = names.label(define.target).lower().partition("_")[0]
            yield from _of_cost(define) if word in names.COSTS else ()


def is_cost(target: Node, nodes: Nodes) -> bool:
    """Whether a left-hand side is the cost of something, ``Ω(MSA)``, or says in words how much
    there is to learn or compute, as ``\\text{GRU Parameters}`` does; without a number beside them,
    parameters may be those themselves."""
    name = target.factors[0] if isinstance(target, Juxt) else target
    grows = name is not target and binders.bare(name) in ("Omega", "Theta", "O")
    amount = not _COUNTED.isdisjoint(binders.bare(name).lower().split())
    return grows or (amount and bool(nodes.of(Num)))


def _squares(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The letters of products such as ``4 h w C^2``, for no matrix is squared between a number and
    other letters, and the M of ``N_w = M^2``."""
    for node in nodes.of(Juxt):
        first, *factors = node.factors
        squares = [_squared(factor) for factor in factors]
        letters = [_squared(factor) or _letter(factor) for factor in factors]
        if isinstance(first, Num) and all(letters) and len(letters) > 1 and any(squares):
            squared = {*filter(None, squares)}
            yield from letters if squared <= names.EXTENTS else ()
    for define in defines:
        if define.target is not None and binders.bare(define.target) in ("N", "n"):
            yield from filter(None, map(_squared, define.values))


def _letter(node: Node) -> str:
    match node:
        case Name(letter, _, "") if len(letter) == 1:
            return letter
    return ""


def _squared(node: Node) -> str:
    """The C of ``C^2``."""
    match node:
        case Script(base, None, Num(), 0):
            return _letter(base)
    return ""


def _amounts(defines: Sequence[Define]) -> Iterator[str]:
    """The capitals of ``T_{total} = T_a + N T_b`` and of ``\\text{memory} = H L``: what amounts to
    so much, as its name may say; and those of one measure made of others, ``PQ = SQ \\cdot RQ``."""
    for define in defines:
        target = define.target
        if target is None or not scripts.is_name(target):
            continue
        base, *labels = names.label(target).lower().split("_")
        if _is_abbreviation(target) and all(map(_is_of_abbreviations, define.values)):
            yield from _made_of(define)
        elif not _SPENT.isdisjoint(labels if base in _PAID else [base]):
            yield from _of_cost(define)
        elif base == "t" and labels:
            yield from _of_times(define)


def _of_times(define: Define) -> Iterator[str]:
    """The times of ``T_{step} = T_{data} + T_{forward}``, each with a word below it."""
    for terms in map(arithmetic.terms, define.values):
        parts = [term for term in terms if isinstance(term, Script)]
        found = [names.label(part) for part in parts if binders.bare(part) == "T"]
        if len(found) == len(terms) > 1 and all(len(name) > 4 for name in found):
            yield from map(script_reader.unindexed, parts)


def _of_cost(define: Define) -> Iterator[str]:
    """The M and the N of ``\\text{FLOPs} = 2 N M``: what amounts to so much is made of numbers,
    where it is made of plain names."""
    yield from _made_of(define) if all(map(_is_cost, define.values)) else ()


def _made_of(define: Define) -> Iterator[str]:
    """The names that a side is made of."""
    yield from filter(
        None, (arithmetic.plain(node) for value in define.values for node in walk(value))
    )


_SPENT = (
    names.COSTS
    | _COUNTED
    | frozenset(
        "total costs flop param memory mem vram cache bytes bs tokens time mfu compute gpu gpus "
        "active sparse".split()
    )
)
"""Words of what is spent, some of which are arrays too."""

_PAID = frozenset("bcflmnpt")
"""Letters of that, beside such a word."""


def _is_abbreviation(node: Node) -> bool:
    return isinstance(node, Name) and len(node.text) == 2 and node.text.isupper()


def _is_of_abbreviations(node: Node) -> bool:
    """Whether a side is a product of measures by their short names, ``SQ \\cdot RQ``."""
    factors = binders.multiplied(node)
    return len(factors) > 1 and all(map(_is_abbreviation, factors))


def _is_cost(node: Node) -> bool:
    """Whether a side is arithmetic of plain names, with quotients and roots."""
    match node:
        case Frac(top, bottom):
            return _is_cost(top) and _is_cost(bottom)
        case Root(body):
            return _is_cost(body)
        case Group(_, (body,)):
            return _is_cost(body)
        case Infix("+" | "-" | "·" | "×" | "*", left, right):
            return _is_cost(left) and _is_cost(right)
        case Juxt(factors):
            return all(map(_is_cost, factors))
        case Script(base, None, Num(), 0):
            return _is_cost(base)
    return arithmetic.is_count(node)
