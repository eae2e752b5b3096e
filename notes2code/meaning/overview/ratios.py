"""Numbers that are divided, or divide: the S and the T of ``1 − S/T``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.latex.tree import (
    Accent,
    Big,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Root,
    Script,
    alike,
    ungrouped,
    unscripted,
    walk,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders, script_reader, scripts
from notes2code.meaning.overview import arithmetic


def numbers(nodes: Nodes) -> Iterator[str]:
    """The letters that are divided by a number, or divide one."""
    for added in map(arithmetic.terms, arithmetic.sums(nodes)):
        yield from _of_sum(added)
    for parts in arithmetic.quotients(nodes):
        yield from _statistics(*parts)
        if _are_numbers(*parts):
            yield from (name for part in parts for name in arithmetic.capitals(part))
        elif (name := binders.bare(parts[1])) and _divides_numbers(*parts):
            yield name
        else:
            yield from (*_scaled(*parts), *_shared_out(*parts), *_counted(parts[1]))
            yield from _of_words(*parts)


def _statistics(above: Node, below: Node) -> Iterator[str]:
    """The letters of ``s_1^2 / n_1``, the spread of a sample by how many are in it, and those of a
    mean by its error, ``(\\bar x - μ) / (s / \\sqrt{n})``."""
    match above, below:
        case Script(_, Name() | Num() as one, sup, 0), Script(Name("n" | "N"), other, None, 0):
            if scripts.is_two(sup) and alike(one, other):
                yield script_reader.unindexed(replace(above, sup=None))
    match ungrouped(above):
        case Infix("-", first, second) if _is_mean(first) and not Nodes(walk(below)).of(Big):
            divided = [*arithmetic.quotients(Nodes(walk(below)))]
            counts = (binders.bare(_under_root(count)) for _, count in divided)
            if not {"n", "N"}.isdisjoint(counts):
                yield from (script_reader.unindexed(n) for n in (first, second) if _is_mean(n))
                yield from (binders.bare(spread) for spread, _ in divided if type(spread) is Name)


def _is_mean(node: Node) -> bool:
    """Whether a node is ``\\bar x`` or ``\\bar x_1``."""
    base = unscripted(node)
    return isinstance(base, Accent) and base.mark == "bar"


def _under_root(node: Node) -> Node:
    return node.body if isinstance(node, Root) else node


def divisors(nodes: Nodes) -> set[str]:
    """The capitals alone that something is divided by, as in ``z / T``: nobody divides by more."""
    found = (below for _, below in arithmetic.quotients(nodes) if isinstance(below, Name))
    return {name for below in found for name in arithmetic.capitals(below)}


def _of_sum(terms: Sequence[Node]) -> Iterator[str]:
    """The capitals of a sum of which one term is a number for sure, ``1 − S/T``: no other is added
    to that, but for a scale or a bias of arrays."""
    sure = any(isinstance(term, Num) for term in terms) and any(map(_divides, terms))
    if all(map(arithmetic.is_arithmetic, terms)) and (sure or any(map(_is_number, terms))):
        yield from (name for term in terms for name in arithmetic.capitals(term))


def _divides(node: Node) -> bool:
    """Whether a node is a quotient with a capital below, rounded or not."""
    if isinstance(node, Group) and len(node.items) == 1:
        return _divides(node.items[0])
    parts = arithmetic.quotient(node)
    return parts is not None and bool(list(arithmetic.capitals(parts[1])))


def _is_number(node: Node) -> bool:
    """Whether a term is a quotient that is a number for sure."""
    parts = arithmetic.quotient(node)
    return parts is not None and _are_numbers(*parts)


def _are_numbers(above: Node, below: Node) -> bool:
    """Whether a quotient of capitals is a number for sure: above and below stands one letter, as in
    ``T_c / T_m``, or below one to a power, as in ``A / N^α``."""
    parts = (above, below)
    if not all(map(arithmetic.is_arithmetic, parts)):
        return _is_progress(above, below)
    if any(scripts.is_transposed(node) for part in parts for node in walk(part)):
        return False
    divided, divisors = (
        {names.base_letter(name) for name in arithmetic.capitals(part)} for part in parts
    )
    powered = isinstance(below, Script) and below.sup is not None and bool(divisors)
    plain = isinstance(above, Name) and isinstance(below, Name)
    return powered or (plain and divided <= names.TOTALS) or bool(divided & divisors)


def _is_progress(above: Node, below: Node) -> bool:
    """Whether a quotient is ``(t - T_a) / T_b``, where t counts up to what T does."""
    match above:
        case Infix("-", Name(letter), first) | Group(_, (Infix("-", Name(letter), first),)):
            bases = {binders.bare(part) for part in (first, below)}
            return letter.islower() and bases == {letter.upper()}
    return False


def _divides_numbers(above: Node, below: Node) -> bool:
    """Whether a capital below is a number: a temperature T, and the K of ``\\alpha / K``."""
    if not isinstance(below, Name) or not list(arithmetic.capitals(below)):
        return False
    return below.text == "T" or (
        arithmetic.is_arithmetic(above) and not list(arithmetic.capitals(above))
    )


def _shared_out(above: Node, below: Node) -> Iterator[str]:
    """The N of ``N / n_i``, which many share, with 1 added or not, and the M of ``M / N``."""
    added = arithmetic.terms(ungrouped(above))
    letters = {name for term in added for name in arithmetic.capitals(term)}
    if isinstance(below, Num) or not all(isinstance(term, Num | Name) for term in added):
        return
    if letters <= names.COUNTS or (letters == {"M"} and binders.bare(below) in names.COUNTS):
        yield from letters


def _scaled(above: Node, below: Node) -> Iterator[str]:
    """The L of ``m L / L'`` and ``L' / L``, the N of ``N_j / N``, both of ``T_{cur} / T_p``: what
    is divided by another of its kind is a number; and that of ``L / \\lambda_i``, a length."""
    match below:
        case Script(Name() as base, primes=1) if base.text in map(binders.bare, walk(above)):
            yield from arithmetic.capitals(base)
        case Script(Name(text), Name(), None, 0) if text in names.GREEK and arithmetic.is_alone(
            above
        ):
            yield from arithmetic.capitals(above)
    match above, below:
        case Script(Name(one), Name() | Juxt(), None), Script(
            Name(other), Name() | Juxt(), None
        ) if one == other:
            times = (above, below) if one in names.TOTALS else ()
            yield from map(script_reader.unindexed, times)
    match above:
        case Script(Name() as base, None, None, 1) if binders.bare(below) == base.text:
            yield from (name + end for name in arithmetic.capitals(base) for end in ("", "_prime"))
        case Script(Name() as base, Name(), None, 0) if alike(below, base):
            yield from arithmetic.capitals(base)


def _of_words(above: Node, below: Node) -> Sequence[str]:
    """The words of ``\\text{RSS} / \\text{TSS}``, which are of one kind where words alone are
    divided: what a matrix is divided by is called so, a scale or a temperature."""
    words = [[*_words(part)] for part in (above, below)]
    if not all(map(all, words)) or any(map(names.is_number, words[1])):
        return ()
    return [word for part in words for word in part]


def _words(node: Node) -> Iterator[str]:
    """The words that are added and multiplied in a node, or of which the largest is taken, "" for
    anything else in it."""
    match node:
        case Juxt((Name("max" | "min"), Group("(", items))):
            yield from (word for item in items for word in _words(item))
            return
    for term in arithmetic.terms(ungrouped(node)):
        for factor in binders.multiplied(term):
            name = arithmetic.plain(factor)
            base = names.base_letter(name)
            if not isinstance(factor, Num):
                yield name if len(base) > 1 and base not in names.GREEK | _GIVEN else ""


_GIVEN = frozenset("input query key value mean var std".split())
"""Words of arrays, and of what an array is normalised with."""


def _counted(below: Node) -> Iterator[str]:
    """The N of ``m_j / N_j``."""
    match below:
        case Script(Name(letter, _, ""), Name(), None, 0) if letter in names.COUNTS:
            yield letter
