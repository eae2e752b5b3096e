"""Means: the N of ``\\frac{1}{N} Σ_i x_i`` says how many x_i there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from notes2code.diagnostics import Problem, note
from notes2code.latex.tree import (
    Big,
    Change,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
)
from notes2code.meaning import names
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.overview.survey import Survey

_MANY = {"N": "ijn", "M": "ijm", "B": "bi", "n": "ij", "m": "ij"}
"""Letters that count examples, and the letters of these."""

_COUNTS = frozenset("NMBTKLHWnm")
"""Letters that can be how many terms there are, among other things; the G of a g is another."""


def with_ends(formula: Formula) -> Change | None:
    """What a sum is divided by as its end, where it has none."""
    ends = {big.span: found for big, found in _means(formula)}
    indices = {n.sub.text for n in formula.of(Script) if isinstance(n.sub, Name)}

    def up_to_end(node: Big) -> Node | None:
        if node.span not in ends:
            return None
        inner = node.body
        for letter, end in reversed(ends[node.span].items()):
            below = _from_one(letter) if end.text in indices else letter
            inner = replace(node, sub=below, sup=end, body=inner)
        return inner

    return up_to_end if ends else None


def _from_one(letter: Name) -> Relation:
    """``i = 1``: the mean \\bar x_n is that of the first n."""
    one = Num("1", letter.span)
    return Relation((letter, one), ("=",), (letter.span,), letter.span)


def _means(nodes: Nodes) -> Iterator[tuple[Big, dict[Name, Name]]]:
    """The sums of means, and how many terms they have: the N, or the T of a sum over t; the N and
    the M of ``\\frac{1}{NM} Σ_i Σ_j``, and twice the N of ``\\frac{1}{N^2} Σ_{i,j}``."""
    for counts, total in _divided(nodes):
        counts = [end for end in counts if not _is_indexed(end.text, nodes)]
        signs = [*_in_a_row(total)]
        letters = [(sign, letter) for sign, found in signs for letter in found]
        named = {letter.text for _, letter in letters}
        if not all(end.text in _COUNTS or end.text.lower() in named for end in counts):
            continue
        if len(counts) == len(letters) > 1:
            pairs = dict(zip(letters, _in_order(counts, letters), strict=True))
        elif letters and len(signs[0][1]) == 1 and len({end.text for end in counts}) == len(counts):
            first = letters[0]
            fitting = [end for end in counts if _fits(end.text, first[1].text)]
            pairs = {first: fitting[0]} if len(fitting) == 1 else {}
        else:
            continue
        for sign, found in signs:
            if ends := {x: pairs[sign, x] for x in found if (sign, x) in pairs}:
                yield sign, ends


def _divided(nodes: Nodes) -> Iterator[tuple[list[Name], Big]]:
    """The sums that are divided by what can be how many terms they have, and these letters."""
    for node in nodes.of(Juxt):
        counts: list[Name] = []
        for factor in node.factors:
            match factor:
                case Frac(Num("1"), below) if found := _factors(below):
                    counts += found
                case Big("sum") if counts:
                    yield counts, factor
                    counts = []
                case _:
                    counts = []


def _factors(node: Node) -> list[Name]:
    """The letters that can count in ``N``, ``2N``, ``N^2``, ``N M`` and ``n h``."""
    match node:
        case Name(text) if _is_count(text):
            return [node]
        case Script(Name(text) as base, None, Num("2"), 0) if _is_count(text):
            return [base, base]
        case Juxt(factors):
            return [end for factor in factors for end in _factors(factor)]
        case Infix("·" | "×", left, right):
            return _factors(left) + _factors(right)
    return []


def _is_count(letter: str) -> bool:
    return letter in _COUNTS or (len(letter) == 1 and letter.isupper())


def _in_a_row(node: Node) -> Iterator[tuple[Big, list[Name]]]:
    """Sums without bounds, each right in front of the next, and the letters they count with."""
    while isinstance(node, Big) and node.op == "sum" and node.sup is None:
        match node.sub:
            case Name() as letter:
                yield node, [letter]
            case Juxt(items) | Group("", items) if all(isinstance(x, Name) for x in items):
                yield node, [x for x in items if isinstance(x, Name)]
            case _:
                return
        node = node.body


def _in_order(counts: Sequence[Name], letters: Sequence[tuple[Big, Name]]) -> list[Name]:
    """The ends of some letters: those of the same letters, ``B`` and ``T`` of ``b`` and ``t``, and
    the others as they stand."""
    named = {end.text.lower(): end for end in counts}
    same = {at: named[x.text] for at, (_, x) in enumerate(letters) if x.text in named}
    others = iter([end for end in counts if end not in same.values()])
    if len(named) < len(counts) or len({*map(id, same.values())}) < len(same):
        return list(counts)
    return [same[at] if at in same else next(others) for at in range(len(letters))]


def _fits(count: str, index: str) -> bool:
    """Whether an index counts up to a letter: an i up to N, and a t up to T."""
    return index in _MANY.get(count, "") or count.lower() == index != count


def _is_indexed(letter: str, nodes: Nodes) -> bool:
    """Whether a letter has elements, as the N_i of ``\\frac{1}{N} Σ_i N_i h_i``."""
    scripted = (node for node in nodes.of(Script) if not scripts.is_two(node.sup))
    return any(binders.bare(node) == letter for node in scripted)


def counted(seen: Survey, nodes: Nodes) -> Iterator[str]:
    """The sizes that the other sums of means are divided by: those without an index, those of
    ``\\frac{1}{N_b} · Σ_i x_i``."""
    for node in nodes.of(Juxt, Infix):
        if isinstance(node, Infix) and node.op not in "·×":
            continue
        for pair in pairwise(binders.multiplied(node)):
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


def uncounted(nodes: Nodes, equation: Equation) -> Iterator[Problem]:
    """A note for what a sum is divided by that could be how many terms it has, and is a number of
    its own."""
    free = {given.name for given in equation.inputs if not given.shape}
    for counts, total in _divided(nodes):
        for end in dict.fromkeys(counts):
            if end.text in free and total.sub is not None and total.sup is None:
                text = f"`{end.text}` is taken to be a number, and not how many terms the sum has"
                yield note("N2C039", text, end.span, f"write `{end.text}` above the sign if it is")
