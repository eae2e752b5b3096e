"""Means: the N of ``\\frac{1}{N} Σ_i x_i`` says how many x_i there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from notes2code.latex.tree import (
    Big,
    Clause,
    Frac,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Script,
    rebuilt,
)
from notes2code.meaning import binders, names

if TYPE_CHECKING:
    from notes2code.meaning.survey import Survey

_MANY = {"N": "in", "M": "im", "B": "bi"}
"""Capitals that count examples, and the letters of these."""


def with_ends(clauses: Sequence[Clause], nodes: Nodes) -> tuple[Clause, ...]:
    """The clauses, made of these nodes, with what a sum is divided by as its end, where it has
    none."""
    ends = {id(big): end for big, end in _means(nodes)}
    if not ends:
        return tuple(clauses)

    def written(node: Node) -> Node:
        node, end = rebuilt(node, written), ends.get(id(node))
        return replace(node, sup=end) if end and isinstance(node, Big) else node

    return tuple(replace(clause, node=written(clause.node)) for clause in clauses)


def _means(nodes: Nodes) -> Iterator[tuple[Big, Name]]:
    """The sums of means, and how many terms they have: the N, or the T of a sum over t."""
    for share, total in (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors)):
        match share, total:
            case Frac(Num("1"), Name(count) as end), Big("sum", Name(index), None):
                counts = index in _MANY.get(count, "") or count.lower() == index != count
                if counts and not _is_indexed(count, nodes):
                    yield total, end


def _is_indexed(letter: str, nodes: Nodes) -> bool:
    """Whether a letter has elements, as the N_i of ``\\frac{1}{N} Σ_i N_i h_i``."""
    return any(binders.bare(node) == letter for node in nodes.of(Script))


def counted(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The sizes that the other sums of means are divided by: those without an index, those of
    ``\\frac{1}{N_b} · Σ_i x_i``."""
    for node in nodes.of(Juxt, Infix):
        if isinstance(node, Infix) and node.op not in "·×":
            continue
        for pair in pairwise(node.factors if isinstance(node, Juxt) else binders.chain(node)):
            match pair:
                case (Frac(Num("1"), below), Big("sum", None | Name() as index, None)):
                    use = seen.understood(below)
                    if use is None or use.bold or use.power is not None:
                        continue
                    if seen.counted.get(use.name, {0}) != {0}:
                        continue
                    letters = _MANY.get(names.base_letter(use.name), "")
                    if letters and (index is None or index.text in letters):
                        yield use.name
