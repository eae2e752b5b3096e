"""Orders of growth, ``O(n^2 d)``, by which nothing is computed."""

from __future__ import annotations

import string
from itertools import pairwise

from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Node, words_in
from notes2code.meaning import names


def is_growth(node: Node | None) -> bool:
    """Whether a node is an order of growth, ``O(n^2 d)``, or is made of one: ``2nd + O(n^2)``."""
    match node:
        case Juxt((Name(letter), Group("("))) if letter in _ORDERS:
            return True
    return node is not None and _has_growth(node)


def _has_growth(node: Node) -> bool:
    """Whether an order of growth is among the terms and factors of a node."""
    match node:
        case Infix(_, left, right) | Frac(left, right):
            return _has_growth(left) or _has_growth(right)
        case Juxt(factors):
            return any(_is_order(name, group) for name, group in pairwise(factors))
    return False


def _is_order(name: Node, group: Node) -> bool:
    """Whether an O stands before what is made of counts, as in ``O(n \\log n)``: one before ``(x +
    y)`` may be a function or a factor."""
    match name, group:
        case Name(letter), Group("(", (of,)) if letter in _ORDERS:
            letters = words_in(of) - names.FUNCTIONS
            counted = bool(letters & _COUNTS) or not letters
            return counted and letters <= _COUNTS | _MAY_COUNT
    return False


_ORDERS = frozenset(["O", "Theta", "Omega"])
_COUNTS = names.SIZE_BASES | {"k", "epsilon", "varepsilon"}
_MAY_COUNT = frozenset(string.ascii_lowercase) - frozenset("xyzqv")
