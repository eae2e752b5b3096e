"""One of the numbers that a softmax makes, by its place: the y of ``e^{z_y} / Σ_j e^{z_j}``, which
counts nothing, and the y of ``exp(z[y]) / Σ_j exp(z[j])``, or their logarithms."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from notes2code.diagnostics import Span
from notes2code.latex.tree import (
    Apply,
    Big,
    Change,
    Dots,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Relation,
    Script,
    ungrouped,
    words_in,
)
from notes2code.meaning import names
from notes2code.meaning.notation import binders
from notes2code.meaning.overview.exponents import exponent


class _Counting(NamedTuple):
    letters: Set[str]
    below: Sequence[tuple[str, Set[str]]]


def by_place(formula: Formula) -> Change | None:
    """``softmax(z)_y`` for such a quotient, where the y is a class by custom, and no left-hand
    side, no sum and no other array counts with it."""
    counting = _counting(formula)

    def placed(node: Frac) -> Node | None:
        return _picked(exponent(ungrouped(node.top)), ungrouped(node.bottom), counting, node.span)

    return placed if _has_totals(formula) else None


def by_difference(formula: Formula) -> Change | None:
    """``-\\log softmax(z)_y`` for ``\\log Σ_j e^{z_j} - z_y``, in either order."""
    counting = _counting(formula)

    def placed(node: Infix) -> Node | None:
        match node:
            case Infix("-", Apply(Name("log" | "ln") as log, total), scores):
                pass
            case Infix("+", Neg(scores), Apply(Name("log" | "ln") as log, total)):
                pass
            case _:
                return None
        made = _picked(scores, ungrouped(total), counting, node.span)
        return None if made is None else Neg(Apply(log, made, node.span), node.span)

    return placed if _has_totals(formula) else None


def _has_totals(formula: Formula) -> bool:
    """Whether there are sums, and no list with dots, whose parts are told from each other."""
    return any(big.op == "sum" for big in formula.of(Big)) and not formula.of(Dots)


def _counting(formula: Formula) -> _Counting:
    """The letters that sums and left-hand sides count with, and those that stand below names."""
    relations = (clause.node for clause in formula.clauses if isinstance(clause.node, Relation))
    lefts = [node.operands[0] for node in relations if node.operands[0] is not None]
    bounds = [big.sub for big in formula.of(Big) if big.sub is not None]
    letters = {
        *(letter for left in lefts for letter in words_in(left) if len(letter) == 1),
        *(letter for below in bounds for letter in binders.bound_letters(below)),
    }
    below = [(node.base, node.sub) for node in formula.of(Script) if node.sub is not None]
    return _Counting(letters, [(names.label(base), words_in(sub)) for base, sub in below])


def _picked(above: Node | None, below: Node, counting: _Counting, span: Span) -> Node | None:
    """``softmax(z)_y`` for the z_y and the ``Σ_j e^{z_j}``."""
    if not isinstance(below, Big) or below.op != "sum" or below.sub is None:
        return None
    one, each = _element(above), _element(exponent(ungrouped(below.body)))
    if one is None or each is None or one[0] != each[0]:
        return None
    if [each[1].text] != binders.bound_letters(below.sub) or not _is_place(*one, counting):
        return None
    scores = Group("(", (Name(one[0], span),), (), span)
    return Juxt((Name("softmax", span), Script(scores, one[1], None, 0, span)), span)


def _element(node: Node | None) -> tuple[str, Name] | None:
    """The z and the j of ``z_j`` and of ``z[j]``."""
    match node:
        case Script(Name(array), Name() as place, None, 0):
            return array, place
        case Juxt((Name(array), Group("[", (Name() as place,)))):
            return array, place
    return None


def _is_place(array: str, name: Name, counting: _Counting) -> bool:
    """Whether a name tells a place by its value, and counts nothing."""
    others = (words for other, words in counting.below if other != array)
    alone = name.text not in counting.letters and not any(name.text in words for words in others)
    return name.text in names.CLASSES and alone
