"""Quantised arrays: their scale and their zero point are numbers, the s and the z of ``x_q =
\\text{round}(x / s) + z`` and ``x = s (x_q - z)``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from notes2code.latex.tree import Group, Infix, Juxt, Name, Node, Nodes, Script, ungrouped
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.overview import arithmetic
from notes2code.meaning.stated import Define


def numbers(nodes: Nodes, defines: Sequence[Define]) -> Iterator[str]:
    """The letters of scales and zero points."""
    rounds = any(name.text == "round" for name in nodes.of(Name))
    for added in map(arithmetic.terms, arithmetic.sums(nodes)) if rounds else ():
        if any(arithmetic.quotient(_rounded(term)) for term in added):
            yield from (term.text for term in added if isinstance(term, Name) and term.text == "z")
    for factors in arithmetic.products(nodes):
        for scale, group in permutations(factors, 2) if len(factors) == 2 else ():
            match scale, group:
                case Name(letter, _, ""), Group("(", (Infix("-", whole, Name("z" | "Z" as z)),)):
                    yield from [letter] if _is_scale(letter, whole, z) else []
    for define in defines:
        made = "" if define.target is None else binders.bare(define.target)
        for factors in map(binders.multiplied, define.values):
            for scale, whole in permutations(factors, 2) if len(factors) == 2 else ():
                if isinstance(scale, Name) and binders.bare(whole) == made:  # W = s × W_q
                    yield from [scale.text] if _is_scale(scale.text, whole) else []


def points(nodes: Nodes) -> Iterator[str]:
    """The zero points that are added to what is rounded, by a capital or by words."""
    if any(name.text == "round" for name in nodes.of(Name)):
        added = (term for node in arithmetic.sums(nodes) for term in arithmetic.terms(node))
        yield from filter(_ZERO_POINT.fullmatch, map(binders.bare, added))


_ZERO_POINT = re.compile("[zZ]ero_?[pP]oint|Z")


def _rounded(term: Node) -> Node:
    """The quotient of ``round(x / s)``; of ``round(x / s + z)``, where it stands beside the z, and
    of anything else, the term itself."""
    match term:
        case Juxt((Name("round"), Group("(", (inner,)))):
            return ungrouped(inner)
    return term


def _is_scale(letter: str, whole: Node, zero: str = "") -> bool:
    """Whether a letter scales what is said to be quantised: the W_{int8}, and by its own letter
    the q and the x_q, which may as well be a query's. Capitals turn and map, but for an S, the
    scale beside the ``zero`` point Z."""
    own = letter in ("s", "Delta") or (letter == "S" and zero == "Z")
    match whole:
        case Name("q" | "Q"):
            return own
        case Script(Name(), label, None, 0) if label is not None:
            plain = (
                (len(letter) == 1 and letter.islower()) or letter in names.GREEK or letter == "S"
            )
            said = names.label(label)
            quantised = _LABEL.fullmatch(said) is not None
            return (own and said == "q") or (plain and quantised and letter not in names.WEIGHTS)
    return False


_LABEL = re.compile(r"int_?\d*|quant\w*")
