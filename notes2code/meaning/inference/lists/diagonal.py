"""Matrices with zeros beside a diagonal, or beside the blocks on one that are written with dots, as
the rotations of RoPE are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Dots, Group, Matrix, Node, Num, walk
from notes2code.meaning import ir, names
from notes2code.meaning.inference.lists import ellipsis
from notes2code.meaning.inference.lists.joined_arrays import chosen
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.targets import Target
from notes2code.meaning.inference.values import Value, fresh, settled
from notes2code.meaning.ir import Expr, Idx, Index, Size

_DIAGONAL = frozenset(["D", "Lambda"])
"""Degrees and eigenvalues: matrices of which only the diagonal is told."""


def on_diagonal(run: Run, left: Node | None, target: Target, value: Value) -> Value:
    """The matrix whose diagonal ``D_{ii} = …`` gives; of any other letter the diagonal alone. The t
    of ``P(x_t | x_{<t})`` and of ``P(x_t, x_{<t})`` on the ``left`` are no places in a matrix."""
    letters = {names.label(at.node) for at in target.indices}
    groups = [] if left is None else [node for node in walk(left) if isinstance(node, Group)]
    given = any("|" in group.separators or group.open == "(" for group in groups)
    if len(target.indices) != 2 or len(letters) != 1 or given:
        return value
    if value.rank > 1:
        run.pay(2.4)  # the c_i of B_{ii} = c_i is a number
    elif value.rank == 1 and names.base_letter(target.name) in _DIAGONAL:
        return of_vector(value, value.span)
    elif value.rank == 1:
        text = f"the value is the diagonal of `{target.name}` alone: what stands beside it is not"
        hint = f"write both cases, or `{target.name} = \\mathrm{{diag}}(…)`, for the whole matrix"
        run.problems.append(note("N2C039", f"{text} given", target.span, hint))
    return value


def of_vector(value: Value, span: Span) -> Value:
    """The matrix with a vector on its diagonal."""
    rows, columns = value.axes[0], fresh(find_index(value.axes[0]).size)
    there = ir.Compare("=", Idx(rows), Idx(columns))
    return Value(ir.Cases(((there, value.body),), ir.ZERO), (rows, columns), span)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The square blocks on a diagonal that the dots go on with: those before and behind them,
    each as its cells row by row."""

    before: tuple[tuple[Node, ...], ...]
    behind: tuple[tuple[Node, ...], ...]
    width: int


def blocks(node: Matrix) -> Blocks | None:
    """The blocks of a matrix with dots, if all outside them is zero or left out."""
    rows = [row for row in node.rows if not _is_dots_row(row)]
    gap = next((k for k, row in enumerate(node.rows) if _is_dots_row(row)), len(node.rows))
    width = max((len(row) for row in rows), default=0)
    cells = [list(row) + [None] * (width - len(row)) for row in rows]
    dotted = {k for row in cells for k, cell in enumerate(row) if isinstance(cell, Dots)}
    if not dotted:  # a single ellipsis on the diagonal marks its column as well as its row
        lone = [[k for k, cell in enumerate(row) if isinstance(cell, Dots)] for row in node.rows]
        dotted = {found[0] for found in lone if len(found) == 1}
    columns = [k for k in range(width) if k not in dotted]
    kept = [[row[k] for k in columns] for row in cells]
    size = len(kept)
    if not size or any(len(row) != size for row in kept):
        return None
    for side in (2, 1):
        if size % side == 0 and gap % side == 0 and 0 < gap < size and _only_diagonal(kept, side):
            found = [_block(kept, at, side) for at in range(0, size, side)]
            if all(None not in block for block in found):
                solid = [tuple(c for c in block if c is not None) for block in found]
                return Blocks(tuple(solid[: gap // side]), tuple(solid[gap // side :]), side)
    return None


def filled(node: Matrix) -> Matrix | None:
    """A matrix of which all outside the blocks on its diagonal is zero or left out, and nothing
    within them, with the zeros."""
    width = max(map(len, node.rows))
    cells = [list(row) + [None] * (width - len(row)) for row in node.rows]
    if len(cells) != width or any(isinstance(cell, Dots) for row in cells for cell in row):
        return None
    for side in range(1, width):
        whole = width % side == 0 and _only_diagonal(cells, side)
        if whole and all(None not in _block(cells, at, side) for at in range(0, width, side)):
            zero = Num("0", node.span)
            rows = (tuple(zero if cell is None else cell for cell in row) for row in cells)
            return replace(node, rows=tuple(rows))
    return None


def _is_dots_row(row: tuple[Node | None, ...]) -> bool:
    filled = [cell for cell in row if cell is not None]
    return bool(filled) and all(isinstance(cell, Dots) for cell in filled)


def _only_diagonal(cells: list[list[Node | None]], side: int) -> bool:
    return all(
        r // side == c // side or cell is None or (isinstance(cell, Num) and cell.text == "0")
        for r, row in enumerate(cells)
        for c, cell in enumerate(row)
    )


def _block(cells: list[list[Node | None]], at: int, side: int) -> list[Node | None]:
    return [cells[r][c] for r in range(at, at + side) for c in range(at, at + side)]


def block_diagonal(run: Run, found: Blocks, span: Span) -> Value:
    """The whole matrix: block k of the family on the diagonal, zeros elsewhere."""
    flat = [cell for block in found.before for cell in block]
    items = [*flat, Dots(span), *(cell for block in found.behind for cell in block)]
    index, values = ellipsis.family(run, items, span)
    if len(values) != found.width**2:
        raise error("N2C036", "the blocks of this matrix do not follow a rule", span)
    if found.width == 1 and values[0].rank == 2:
        return of_matrices(index, values[0], span)
    if any(value.rank for value in values):
        raise error("N2C041", "the cells of these blocks must be numbers", span)
    side = ir.Num(found.width)
    bodies = [value.body for value in values]
    return _spread(index, side, bodies, found.width, span)


def _spread(index: Index, side: Expr, bodies: list[Expr], width: int, span: Span) -> Value:
    rows = fresh(Size("", value=ir.mul(side, index.size)))
    columns = fresh(Size("", value=ir.mul(side, index.size)))
    row = ir.Fn("mod", (Idx(rows), side)) if width > 1 else ir.ZERO
    column = ir.Fn("mod", (Idx(columns), side)) if width > 1 else ir.ZERO
    lines = [chosen(column, bodies[k : k + width]) for k in range(0, len(bodies), width)]
    return _on_diagonal(index, chosen(row, lines), (rows, side), (columns, side), span)


def of_matrices(index: Index, value: Value, span: Span) -> Value:
    """Blocks that are matrices themselves, square or not."""
    high, wide = (axis.size for axis in value.axes)
    rows = fresh(Size("", value=ir.mul(index.size, high)))
    columns = fresh(Size("", value=ir.mul(index.size, wide)))
    places: dict[Index, Expr] = {
        find_index(value.axes[0]): ir.Fn("mod", (Idx(rows), high)),
        find_index(value.axes[1]): ir.Fn("mod", (Idx(columns), wide)),
    }
    body = ir.substitute(settled(value.body), places)
    return _on_diagonal(index, body, (rows, high), (columns, wide), span)


def _on_diagonal(
    index: Index, body: Expr, rows: tuple[Index, Expr], columns: tuple[Index, Expr], span: Span
) -> Value:
    """Blocks on the diagonal of a matrix of these rows and columns, each with a block's share."""
    mine, theirs = (ir.Fn("floordiv", (Idx(axis), side)) for axis, side in (rows, columns))
    block = ir.substitute(settled(body), {find_index(index): mine})
    cell = ir.Cases(((ir.Compare("=", mine, theirs), block),), ir.ZERO)
    return Value(cell, (rows[0], columns[0]), span)
