"""Numbers that count: the N of ``N - 1`` and ``N (N - 1) / 2``, and the h of ``h / h_{kv}``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from notes2code.latex.tree import Big, Group, Infix, Juxt, Name, Node, Nodes, Num, Script
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import arithmetic
from notes2code.meaning.stated import Define

_WHOLE = names.TOTALS | frozenset("FK")
"""Capitals that 1 is taken from: those of totals, and of the width of a filter."""


def numbers(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The letters that count steps, pairs, heads, and what a sum adds up."""
    yield from (*_of_heads(nodes, defines), *_before_sums(nodes))
    for node in arithmetic.sums(nodes):
        yield from _of_steps(node)
    for factors in arithmetic.products(nodes):
        yield from _of_pairs(factors)


def _of_steps(node: Infix) -> Iterator[str]:
    """The N of ``1 + N`` and the K of ``K - 1``, which count, and the T of ``T - t``, up to which
    the t counts; that of ``1 - C`` may be an array."""
    match node:
        case Infix("-", Name(letter), Name(counter)) if letter.lower() == counter != letter:
            yield from arithmetic.capitals(node) if counter in names.INDEX_LETTERS else ()
        case Infix("+", Name(letter), Num()) | Infix("+", Num(), Name(letter)):
            yield from arithmetic.capitals(node) if letter in names.TOTALS else ()
        case Infix("-", Name(letter), Num()):
            yield from arithmetic.capitals(node) if letter in _WHOLE else ()


def _of_pairs(factors: Sequence[Node]) -> Iterator[str]:
    """The N of ``N (N - 1)``, which counts pairs."""
    for left, right in pairwise(factors):
        match right:
            case Group("(", (Infix("+" | "-", inner, Num("1")),)):
                if binders.bare(left) and binders.bare(left) == binders.bare(inner):
                    yield from arithmetic.capitals(left)


def _before_sums(nodes: Nodes) -> Iterator[str]:
    """The N of ``N \\sum_i f_i P_i``, which undoes a mean, and counts."""
    for product in nodes.of(Juxt, Infix):
        for scale, total in pairwise(binders.multiplied(product)):
            if isinstance(total, Big) and total.op == "sum" and isinstance(scale, Name):
                yield from {"N"} & {arithmetic.plain(scale)}


def _of_heads(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The h and h_{kv} of ``G = h / h_{kv}`` and of ``h_{kv} = h``: as many heads there are, and as
    many keys and values for them."""
    sides = [*arithmetic.quotients(nodes)]
    sides += [(one.target, value) for one in defines if one.target for value in one.values]
    for side in (*((node,) for node in nodes.of(Script)), *sides):
        if any(map(_counts_heads, side)) and all(map(scripts.is_name, side)):
            yield from (script_reader.unindexed(node) for node in side)


def _counts_heads(node: Node) -> bool:
    match node:
        case Script(Name("h" | "H" | "n"), sub, None, 0) if sub is not None:
            return names.label(sub).lower() == "kv"
    return False
