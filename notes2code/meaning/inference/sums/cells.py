"""A term that is written for one cell of the matrix it is added to: ``Q Kᵀ - m |i - j|``."""

from __future__ import annotations

from collections.abc import Set

from notes2code.diagnostics import note
from notes2code.latex.tree import Big, Infix, Node, walk, words_in
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.ir import Index
from notes2code.meaning.overview.index_letters import CELLS, are_scores, is_distance


def beside(run: Run, node: Infix, scores: Value) -> Value | None:
    """The right-hand term of a sum for each cell of the matrix on the left, or of the row that a
    query has there; None where it is not written for a cell."""
    told = words_in(node.right)
    for row, column in CELLS:
        cell = {row, column}
        if not cell <= told:
            continue
        apart = any(is_distance(part, cell) for part in walk(node.right))
        if where := _places(run, node, scores, (row, column), apart):
            break
        bare = apart and are_scores(node.left) and cell.isdisjoint(words_in(node.left))
        if bare and cell <= run.seen.bound:
            run.pay(2.4)  # rows and columns are apart in a matrix of scores only
    else:
        return None
    outer = {letter: run.indices.get(letter) for letter in where}
    run.indices.update(where)
    term = run.lower(node.right)
    for letter, index in outer.items():
        if index is None:
            del run.indices[letter]
        else:
            run.indices[letter] = index
    if term.rank == 0:
        quoted = run.quote(term.span)
        text = f"`{quoted}` is taken for row {row} and column {column} of what it is added to"
        run.problems.append(note("N2C039", text, term.span))
    else:
        run.pay(2.4)  # what is added to a cell is a number
    return term


def _places(
    run: Run, node: Infix, scores: Value, cell: tuple[str, str], apart: bool
) -> dict[str, Index]:
    """The places that the letters of a cell tell in the right-hand term of scores, where nothing
    else binds them or has them but other terms of the same sum: both letters, or that of the keys
    where the scores are those of a query, whose letter they have, ``q_i K^⊤ - m |i - j|``. Nothing
    where the term is written for no cell."""
    rest = _before(run, node, {*cell}, apart)
    if rest is None:
        return {}
    row, column = cell
    before = words_in(rest)
    others = run.on_left.union(run.summed, before)
    if scores.rank >= 2 and others.isdisjoint(cell):
        return dict(zip(cell, scores.axes[-2:], strict=True))
    of_query = scores.rank == 1 and apart and row in run.indices.keys() & before
    return {column: scores.axes[0]} if of_query and column not in others else {}


def _before(run: Run, node: Infix, cell: Set[str], apart: bool) -> Node | None:
    """The scores that terms are added to which have both letters of a cell; ``apart`` says that
    the last has how far a row is from a column."""
    rest: Node = node
    while isinstance(rest, Infix) and rest.op in ("+", "-") and words_in(rest.right) >= cell:
        rest = rest.left
    counted = apart and cell <= run.seen.bound
    if rest is node or not (run.seen.attends or (counted and are_scores(rest))):
        return None
    if any(isinstance(part, Big) for part in walk(node.right)):
        return None
    return rest if apart or cell != {"m", "n"} else None
