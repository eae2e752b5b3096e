"""Worked examples: results in the notes that do not follow from the numbers before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.tree import (
    Clause,
    Formula,
    Group,
    Matrix,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Tree,
    walk,
)
from notes2code.meaning import type_tree
from notes2code.meaning.scope import Scope
from notes2code.oracle import OracleError, tried
from notes2code.vault.model import Note, Paragraph

ROUGHLY = 0.05
"""What ``≈`` may be off, relative to the value."""

_UNITS = (1, *(base**power for power in range(1, 5) for base in (1000, 1024)))
"""What a result may be given in by a word behind the formula, such as ``GB``."""

_NUMBER = re.compile(r"\d*\.\d+|\d+")


def wrong_results(latex: str, tree: Tree, scope: Scope) -> Iterator[Problem]:
    """Warnings for what is said to be equal in a formula but, worked out, is not:
    ``112/8 = 13``."""
    for clause, behind in zip_longest(tree.clauses, tree.clauses[1:]):
        if not isinstance(clause.node, Relation) or _goes_on(latex, clause, behind):
            continue
        for sign, left, right in _equal(clause.node):
            given, said = (_worth(latex, side, scope) for side in (left, right))
            if given is None or said is None or given.shape != said.shape:
                continue
            units = _UNITS if right is clause.node.operands[-1] else (1,)
            if not any(_agree(sign, (left, given / unit), (right, said)) for unit in units):
                yield warning(
                    "N2C055",
                    f"the left-hand side is {_text(given)}",
                    right.span,
                    "one of the two is a slip; nothing is computed with it",
                )


def _agree(sign: str, *sides: tuple[Node, NDArray[Any]]) -> bool:
    """Whether two sides are one as far as their digits and the sign between them tell."""
    given, said = (value for _, value in sides)
    slack = max(_rounding(side, value) for side, value in sides)
    slack += ROUGHLY * float(np.abs(given).max()) if sign == "≈" else 0.0
    return np.allclose(given, said, rtol=1e-9, atol=slack)


def _goes_on(latex: str, clause: Clause, behind: Clause | None) -> bool:
    """Whether a comma only sets off thousands: the ``777`` of ``= 16,777``."""
    if behind is None or behind.before != ",":
        return False
    last = clause.node.span.end
    return bool(re.match(r",\d{3}(?!\d)", latex[last:])) and latex[last - 1].isdigit()


def _equal(relation: Relation) -> Iterator[tuple[str, Node, Node]]:
    """Neighbours in a chain of equalities, with the sign between them. What begins with ``· b`` is
    the end of something else."""
    if relation.operands[0] is None and relation.signs[0] != "=":
        return
    for at, (left, right) in enumerate(pairwise(relation.operands)):
        sign = relation.signs[at]
        if sign in ("=", "≈") and left is not None and right is not None:
            yield sign, left, right


def _worth(latex: str, node: Node, scope: Scope) -> NDArray[Any] | None:
    """The value of an expression of numbers alone; a logarithm may be to any base."""
    parts = list(walk(node))
    names = [part.text for part in parts if isinstance(part, Name)]
    if not any(isinstance(part, Num) for part in parts):
        return None
    if any(name == "log" or (len(name) == 1 and name != "e") for name in names):
        return None
    defined = Relation((Name("x", node.span), node), ("=",), (node.span,), node.span)
    typed = type_tree(latex, Tree(Formula([Clause(defined, "")])), scope)
    if typed.equation is None or typed.equation.inputs:
        return None
    try:
        value = tried(typed.equation, {})
    except OracleError:
        return None
    return value if np.isfinite(value).all() else None


def _rounding(node: Node, value: NDArray[Any]) -> float:
    """What a side may be off, as its numbers are rounded to the digits that are written."""
    parts = list(walk(node))
    numbers = [part.text for part in parts if isinstance(part, Num)]
    if all(isinstance(part, Num | Neg | Group | Matrix) for part in parts):
        return max(map(_half, numbers))
    shares = [_half(n) / float(n) for n in numbers if "." in n and float(n)]
    return sum(shares) * float(np.abs(value).max())


def _half(number: str) -> float:
    """Half a unit in the last digit of a number."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def _text(value: NDArray[Any]) -> str:
    numbers = [f"{number:.4g}" for number in np.ravel(value)]
    return ", ".join(numbers)


# --- weights on lines of their own --------------------------------------------------------------


def wrong_weights(note: Note, without: str) -> Iterator[Problem]:
    """Warnings for weights that are said to come from a softmax but add up to more than one:
    numbers on lines of their own, as the recognition of handwriting leaves them, below a line
    that names the softmax. Sections with the tag ``without`` are left out."""
    for weights in _weights(note, without):
        listed: list[str] = []
        for weight in weights:
            listed.append(weight.text.strip())
            total, slack = sum(map(float, listed)), sum(map(_half, listed))
            if total > 1 + slack:
                yield warning(
                    "N2C055",
                    f"{' + '.join(listed)} is {total:.4g}, but what a softmax gives adds up to 1",
                    Span(weight.start, weight.end),
                    "one of the numbers is a slip; nothing is computed with them",
                )
                break
            if total > 1 - slack:
                listed = []  # these are complete, and others may follow


def _weights(note: Note, without: str) -> Iterator[list[Paragraph]]:
    """The numbers between 0 and 1 below each line that names the softmax, up to the next."""
    weights: list[Paragraph] | None = None
    for paragraph in note.paragraphs:
        names = "softmax" in paragraph.text.lower() and len(paragraph.text.split()) <= 3
        if names or paragraph.heading or without in paragraph.tags:
            yield weights or []
            weights = [] if names else None
        elif weights is not None and _stands_alone(note, paragraph):
            weights += [paragraph] if 0 < float(paragraph.text) < 1 else []
    yield weights or []


def _stands_alone(note: Note, paragraph: Paragraph) -> bool:
    """Whether a number is all that there is on its line; in a table it is not."""
    line, _ = note.source.position(paragraph.start)
    text = paragraph.text.strip()
    return bool(_NUMBER.fullmatch(text)) and note.source.line(line).strip() == text
