"""A term that is written for one cell of the matrix it is added to: ``Q Kᵀ - m |i - j|``."""

from __future__ import annotations

from collections.abc import Set

from notes2code.diagnostics import note
from notes2code.latex.tree import Big, Infix, Node, walk, words_in
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value
from notes2code.meaning.overview.index_letters import CELLS, are_scores, is_distance


def beside(run: Run, node: Infix, scores: Value) -> Value | None:
    """The right-hand term of a sum for each cell of the matrix on the left, or of the row that a
    query has there; None where it is not written for a cell."""
    told = words_in(node.right)
    for row, column in CELLS:
        if not {row, column} <= told:
            continue
        if scores.rank >= 2 and _is_for_cell(run, node, {row, column}):
            where = dict(zip((row, column), scores.axes[-2:], strict=True))
            break
        if scores.rank == 1 and _is_for_row(run, node, row, column):
            where = {column: scores.axes[0]}
            break
        if {row, column} <= run.seen.bound and _lies_apart(node, {row, column}):
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


def _is_for_cell(run: Run, node: Infix, cell: Set[str]) -> bool:
    """Whether a cell's letters stand in the right-hand term of scores, and nothing else binds them
    or has them but other terms of the same sum."""
    rest = _before(run, node, cell)
    return rest is not None and cell.isdisjoint(run.on_left.union(run.summed) | words_in(rest))


def _is_for_row(run: Run, node: Infix, row: str, column: str) -> bool:
    """Whether the right-hand term has the letter of the query whose scores stand before it, and
    that of its keys, which nothing else has or binds: ``q_i K^⊤ - m |i - j|``."""
    rest = _before(run, node, {row, column})
    apart = any(is_distance(part, {row, column}) for part in walk(node.right))
    if rest is None or not apart or row not in run.indices.keys() & words_in(rest):
        return False
    return column not in run.on_left.union(run.summed) | words_in(rest)


def _before(run: Run, node: Infix, cell: Set[str]) -> Node | None:
    """The scores that terms are added to which have both letters of a cell."""
    rest: Node = node
    while isinstance(rest, Infix) and rest.op in ("+", "-") and words_in(rest.right) >= cell:
        rest = rest.left
    apart = any(is_distance(part, cell) for part in walk(node.right))
    counted = apart and cell <= run.seen.bound
    if rest is node or not (run.seen.attends or (counted and are_scores(rest))):
        return None
    if any(isinstance(part, Big) for part in walk(node.right)):
        return None
    return rest if apart or cell != {"m", "n"} else None


def _lies_apart(node: Infix, cell: Set[str]) -> bool:
    """Whether a term has how far a row is from a column, and what it is added to neither."""
    apart = any(is_distance(part, cell) for part in walk(node.right))
    return apart and are_scores(node.left) and cell.isdisjoint(words_in(node.left))
