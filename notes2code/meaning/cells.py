"""A term that is written for one cell of the matrix it is added to: ``Q Kᵀ - m |i - j|``."""

from __future__ import annotations

from notes2code.diagnostics import note
from notes2code.latex.tree import Big, Infix, Name, Node, walk
from notes2code.meaning.run import Run
from notes2code.meaning.values import Value

_ROW, _COLUMN = "i", "j"
_CELL = {_ROW, _COLUMN}


def beside(run: Run, node: Infix, matrix: Value) -> Value | None:
    """The right-hand term of a sum for each cell of the matrix on the left; None where it is not
    written for a cell."""
    if matrix.rank < 2 or not _is_for_cell(run, node):
        return None
    outer = {letter: run.indices.get(letter) for letter in (_ROW, _COLUMN)}
    run.indices.update(zip((_ROW, _COLUMN), matrix.axes[-2:], strict=True))
    term = run.lower(node.right)
    for letter, index in outer.items():
        if index is None:
            del run.indices[letter]
        else:
            run.indices[letter] = index
    if term.rank == 0:
        text = f"`{run.quote(term.span)}` is taken for row i and column j of what it is added to"
        run.problems.append(note("N2C039", text, term.span))
    return term


def _is_for_cell(run: Run, node: Infix) -> bool:
    """Whether i and j stand in the right-hand term of scores, and nothing else binds them or has
    them but other terms of the same sum."""
    rest: Node = node
    while isinstance(rest, Infix) and rest.op in ("+", "-") and _letters(rest.right) >= _CELL:
        rest = rest.left
    if rest is node or not run.seen.attends or any(isinstance(x, Big) for x in walk(node.right)):
        return False
    return _CELL.isdisjoint(run.on_left.union(run.summed) | _letters(rest))


def _letters(node: Node) -> set[str]:
    return {inner.text for inner in walk(node) if isinstance(inner, Name)}
