"""Cases that are written in one line, ``M_{ij} = 0 if j ≤ i, −∞ otherwise``, as a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error
from notes2code.latex.joining import ELSE, IF, WHERE, any_of
from notes2code.latex.tree import (
    Clause,
    Group,
    Matrix,
    Name,
    Node,
    Prose,
    Relation,
    alike,
    ungrouped,
)
from notes2code.latex.words import HIDDEN, SEEN
from notes2code.meaning.notation.scripts import is_name

_ENDS = frozenset(["=", "≡"])
_COMPARES = frozenset("<>≤≥≠")
_LAST_WORDS = re.compile(rf"(?<!\w){any_of(ELSE - {'others'})}(?!\w)")


def tabled(given: Sequence[Clause], prose: str) -> tuple[Clause, ...]:
    """The clauses of a formula with ``prose`` behind; an equation and the cases behind it are one.
    Raises ``ProblemError`` where words such as ``otherwise`` speak of cases that are not
    understood."""
    clauses: list[Clause] = []
    at, found = 0, None
    while at < len(given):
        clause, before, found = given[at], found, _cases(given, at, prose)
        if before is None:
            _refuse_last_resort(clause.words, clause.node.span)
            if clauses:
                _refuse_condition(clause)
        clause, at = found or (clause, at + 1)
        clauses.append(clause)
    if clauses and found is None:
        _refuse_last_resort(prose, clauses[-1].node.span)
    return tuple(clauses)


def _refuse_last_resort(words: str, span: Span) -> None:
    if _says_last(words):
        raise error(
            "N2C037",
            "the cases in this line are not understood",
            span,
            "write each with its condition, `\\begin{cases} x & \\text{if } x > 0 \\\\ 0 & "
            "\\text{otherwise} \\end{cases}`",
        )


def _refuse_condition(clause: Clause) -> None:
    """The ``if c`` of ``f(c) = 2 if c is true``: it holds under a condition only."""
    word, *others = _parted(clause.words) or [""]
    if word in WHERE and not others and is_name(clause.node):
        raise error(
            "N2C037",
            "the condition behind this formula is not understood",
            clause.node.span,
            "write a comparison, such as `\\text{if } x > 0`",
        )


def _says_last(words: str) -> bool:
    return _LAST_WORDS.search(words.lower()) is not None


def _parted(words: str) -> list[str]:
    return [word.strip(",.:;()") for word in words.lower().split()]


def _cases(clauses: Sequence[Clause], at: int, prose: str) -> tuple[Clause, int] | None:
    """The equation at a clause with its cases, and where the clause behind them is."""
    clause = clauses[at]
    relation = clause.node
    if not isinstance(relation, Relation) or not _ENDS.issuperset(relation.signs):
        return None
    if (first := relation.operands[-1]) is None or relation.operands[0] is None:
        return None
    rows = _Rows(first, relation.operands[0])
    end = at + 1
    for following in clauses[at + 1 :]:
        taken = rows.words(following.words, following.node.span.start)
        if not taken or not rows.node(following.node):
            break
        end += 1
    if end == len(clauses):
        rows.words(prose, rows.rows[-1][-1].span.end)
    if len(rows.rows) < 2 or rows.otherwise or any(len(row) == 1 for row in rows.rows):
        return None
    span = first.span.to(rows.rows[-1][-1].span)
    table = tuple((row[0], Group("", tuple(row[1:]), (), span)) for row in rows.rows)
    operands = (*relation.operands[:-1], Matrix("cases", table, span))
    return replace(clause, node=replace(relation, operands=operands)), end


class _Rows:
    """The rows of cases as they are read: each is a value with the parts of its condition."""

    def __init__(self, first: Node, defined: Node) -> None:
        self.defined = defined
        self.rows: list[list[Node]] = [[first]]
        self.otherwise: Prose | None = None
        self.open = False  # whether words of a condition wait for what they are about
        self.joins: Prose | None = None  # the *and* or *or* behind a condition

    def words(self, text: str, end: int) -> bool:
        """Read words between values and conditions; False where they end the cases."""
        row, said = self.rows[-1], _parted(text)
        prose = Prose(text, Span(row[-1].span.end, end))
        if _says_last(text):
            if len(row) == 1:
                row.append(prose)
            else:
                self.otherwise = prose
            return True
        self.joins = prose if said in (["and"], ["or"]) and _is_comparison(row[-1]) else None
        if self.joins is not None:
            return True
        if IF.isdisjoint(said):
            if self.open and text:
                row.append(prose)
                self.open = False
            return not text or said == ["and"] or len(row) > 1
        if len(row) > 1:
            return False
        row.append(prose)
        self.open = SEEN.union(HIDDEN).isdisjoint(said)
        return True

    def node(self, node: Node) -> bool:
        """Read a value or a comparison; False where it ends the cases."""
        row = self.rows[-1]
        joins, self.joins = self.joins, None
        if joins is not None and _is_comparison(node):
            row += [joins, node]
            return True
        if len(row) > 1 and not self.open:
            node = self._value(node)
        if isinstance(node, Relation):
            compares = _COMPARES.issuperset(node.signs) or (self.open and set(node.signs) == {"="})
            if not compares or not (self.open or len(row) == 1):
                return False
            row.append(node)
            self.open = False
            return True
        if self.open:
            row.append(node)
            self.open = not _is_comparison(node)
            return isinstance(node, Name) or not self.open
        if len(row) == 1:
            return False
        self.rows.append([node] if self.otherwise is None else [node, self.otherwise])
        self.otherwise = None
        return True

    def _value(self, node: Node) -> Node:
        """The −∞ of ``M = −∞``, where the cases before it are of M, too."""
        if isinstance(node, Relation) and node.signs == ("=",):
            defined, value = node.operands
            if value is not None and alike(defined, self.defined):
                return value
        return node


def _is_comparison(node: Node) -> bool:
    """Whether a node is an order of two things, in parentheses or without."""
    compared = ungrouped(node)
    return isinstance(compared, Relation) and _COMPARES.issuperset(compared.signs)
