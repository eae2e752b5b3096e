"""Sums of powers with dots, ``1 + x + x^2 + … + x^n``: a power of x may be written without one."""

from __future__ import annotations

from dataclasses import replace

from notes2code.latex.tree import Dots, Infix, Juxt, Name, Node, Num, Script
from notes2code.meaning.notation import binders


def with_first_powers(node: Node) -> Node | None:
    """``a_0 + a_1 x^1 + a_2 x^2 + … + a_n x^n``, whose items count, for one with a plain x."""
    match node:
        case Infix("+", Infix("+", before, Dots()) as head, last):
            terms = binders.chain(before)
        case _:
            return None
    for letter in _raised(terms[-1]) & _raised(last):
        if any(_is_factor(letter, term) for term in terms[:-1]):
            return replace(node, left=replace(head, left=_with_first_power(letter, before)))
    return None


def _raised(term: Node) -> set[str]:
    """The letters with nothing but something above them that are factors of a term."""
    return {
        letter
        for factor in binders.multiplied(term)
        if isinstance(factor, Script)
        for letter in _plain_base(factor)
    }


def _plain_base(script: Script) -> set[str]:
    match script:
        case Script(Name(letter), None, Num() | Name() | Infix(), 0) if len(letter) == 1:
            return {letter}
    return set()


def _is_factor(letter: str, term: Node) -> bool:
    return any(isinstance(f, Name) and f.text == letter for f in binders.multiplied(term))


def _with_first_power(letter: str, node: Node) -> Node:
    """A sum with the letter to the power of one where it is a factor by itself."""
    match node:
        case Infix("+" | "·", left, right):
            sides = (_with_first_power(letter, side) for side in (left, right))
            return replace(node, left=next(sides), right=next(sides))
        case Juxt(factors):
            return replace(node, factors=tuple(_with_first_power(letter, f) for f in factors))
        case Name(text, span) if text == letter:
            return Script(node, None, Num("1", span), 0, span)
    return node
