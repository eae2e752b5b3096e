"""Matrices and columns written out, and definitions by cases."""

from __future__ import annotations

from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Dots, Group, Matrix, Node, Prose, Relation
from notes2code.meaning import ir
from notes2code.meaning.inference.lists import diagonal, joined_arrays, lists
from notes2code.meaning.inference.lists.joined_arrays import chosen
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.sums import conditions, worded
from notes2code.meaning.inference.values import Value, align, fresh
from notes2code.meaning.ir import Expr, Idx, Size


def matrix(run: Run, node: Matrix) -> Value:
    """The value of an environment."""
    if node.kind in ("cases", "dcases", "rcases") or _is_cases(node):
        return cases(run, node)
    if node.kind in ("vmatrix", "Vmatrix"):
        raise error("N2C037", "a determinant cannot be computed", node.span)
    if all(len(row) == 1 and row[0] is not None for row in node.rows):
        return lists.column(run, [row[0] for row in node.rows if row[0] is not None], node.span)
    if len(node.rows) == 1 and any(isinstance(cell, Dots) for cell in node.rows[0]):
        return lists.row(run, [cell for cell in node.rows[0] if cell is not None], node.span)
    if any(isinstance(cell, Dots) or cell is None for row in node.rows for cell in row):
        blocks = diagonal.blocks(node)
        if blocks is not None:
            return diagonal.block_diagonal(run, blocks, node.span)
        whole = diagonal.filled(node)
        if whole is not None:
            text = "the cells that are left out of this matrix are taken to be zeros"
            run.problems.append(note("N2C039", text, node.span))
            return _written_out(run, whole)
        raise error(
            "N2C037",
            "a matrix with cells left out is not understood here",
            node.span,
            "write the general element, such as `R_{ij} = …`",
        )
    return _written_out(run, node)


def _is_cases(node: Matrix) -> bool:
    """Whether behind the value of each row of an array stand conditions and words alone."""
    said = [[cell for cell in row[1:] if cell is not None] for row in node.rows]
    if node.kind != "array" or not all(said):
        return False
    cells = [cell for row in said for cell in row]
    return all(isinstance(cell, Relation | Group | Prose) for cell in cells) and any(
        isinstance(_unwrapped(cell), Relation) for cell in cells
    )


def _written_out(run: Run, node: Matrix) -> Value:
    """A matrix of numbers, cell by cell, where one column is a vector; or one of blocks."""
    width = max(len(row) for row in node.rows)
    if any(len(row) != width for row in node.rows):
        raise error("N2C041", "the rows of this matrix differ in length", node.span)
    values: list[list[Value]] = [[] for _ in node.rows]
    ranks: set[int] = set()
    for row, own in zip(node.rows, values, strict=True):
        for cell in row:
            assert cell is not None
            own.append(run.lower(cell))
            ranks |= {own[-1].rank} if own[-1].body != ir.ZERO else set()
            if len(ranks) > 1 or 1 in ranks or (2 in ranks and not _is_block(run, own[-1])):
                text = "the cells of a matrix must be numbers here, or all of them matrices"
                raise error("N2C041", text, cell.span)
    if ranks == {2}:
        return _of_blocks(run, values, node.span)
    cells = [[value.body for value in row] for row in values]
    rows = fresh(Size("", value=ir.Num(len(cells))))
    if width == 1:
        return Value(chosen(Idx(rows), [row[0] for row in cells]), (rows,), node.span)
    columns = fresh(Size("", value=ir.Num(width)))
    if len(cells) == 1:
        return Value(chosen(Idx(columns), cells[0]), (columns,), node.span, row=True)
    body = chosen(Idx(rows), [chosen(Idx(columns), row) for row in cells])
    return Value(body, (rows, columns), node.span)


def _is_block(run: Run, value: Value) -> bool:
    """Whether a cell is a matrix by its name or as declared, or a 0 among them: the θ of a
    rotation is a number."""
    arrays = [expr.array for expr in ir.walk(value.body) if isinstance(expr, ir.Ref)]
    return value.body == ir.ZERO or any(
        array[0].isupper() or array in run.shapes for array in arrays
    )


def _of_blocks(run: Run, blocks: list[list[Value]], span: Span) -> Value:
    """Matrices side by side and below each other; a 0 among them is as large as its row and its
    column of blocks say."""
    if any(value.rank == 0 for row in blocks for value in row):
        blocks = [[_filled(value) for value in row] for row in blocks]
    for row in blocks:
        for at, block in enumerate(row):
            run.unify(blocks[0][at].axes[1].size, block.axes[1].size, block.span)
    rows = [joined_arrays.joined_values(run, row, span) for row in blocks]
    return joined_arrays.stacked(run, rows, span) if len(rows) > 1 else rows[0]


def _filled(value: Value) -> Value:
    axes = value.axes or (fresh(Size("")), fresh(Size("")))
    return replace(value, axes=axes)


def cases(run: Run, node: Matrix) -> Value:
    """A value by cases: rows of a value and its condition."""
    branches: list[tuple[Expr, Value]] = []
    otherwise: Value | None = None
    said = worded.Conditions(run)
    for row in node.rows:
        value_node, condition = _split(node, row)
        value = run.lower(value_node)
        if conditions.is_otherwise(condition):
            otherwise = value
        else:
            branches.append((said.read(condition), value))
    if otherwise is None and _is_exhausted([condition for condition, _ in branches]):
        otherwise = branches.pop()[1]
    if otherwise is None and said.masks:
        raise error(
            "N2C037",
            "the words of these cases do not say what holds everywhere",
            node.span,
            "write `\\text{otherwise}` into the last row",
        )
    values = [value for _, value in branches] + ([otherwise] if otherwise is not None else [])
    widest = max(values, key=lambda value: value.rank)
    for value in values:
        align(run, widest, value, node.span)
    last = None if otherwise is None else otherwise.body
    body = ir.Cases(tuple((c, value.body) for c, value in branches), last)
    return Value(_rectified(body) or body, widest.axes, node.span)


def _rectified(body: ir.Cases) -> Expr | None:
    """``x`` where ``x > 0``, else 0: ReLU, whatever it is called."""
    match body:
        case ir.Cases(((ir.Compare(">" | "≥", left, ir.ZERO), value),), ir.ZERO):
            return ir.Fn("relu", (value,)) if left == value else None
        case ir.Cases(
            (
                (ir.Compare(">" | "≥", left, ir.ZERO), value),
                (ir.Compare("<" | "≤", other, ir.ZERO), ir.ZERO),
            ),
            None,
        ):
            return ir.Fn("relu", (value,)) if left == value == other else None
    return None


def _is_exhausted(conditions: list[Expr]) -> bool:
    """Whether the last condition holds wherever the one before it does not."""
    return len(conditions) > 1 and conditions[-1] == ir.opposite(conditions[-2])


def _split(node: Matrix, row: tuple[Node | None, ...]) -> tuple[Node, list[Node]]:
    """The value of a row, and what its condition is made of."""
    parts: list[Node] = []
    for cell in row:
        if cell is not None:
            grouped = isinstance(cell, Group) and cell.open == ""
            parts.extend(cell.items if isinstance(cell, Group) and grouped else (cell,))
    if not parts or isinstance(parts[0], Prose):
        raise error("N2C037", "a row of these cases has no value", node.span)
    rest = [part for part in map(_unwrapped, parts[1:]) if not _is_aside(part)]
    if not rest:
        raise error(
            "N2C037",
            "a row of these cases has no condition",
            parts[0].span,
            "write it behind `&`; where the rows are several ways to do one thing, write the name "
            "of each there, as in `& \\text{dot}`",
        )
    return parts[0], rest


def _unwrapped(part: Node) -> Node:
    """The condition in parentheses."""
    alone = isinstance(part, Group) and part.open == "(" and len(part.items) == 1
    return part.items[0] if isinstance(part, Group) and alone else part


def _is_aside(part: Node) -> bool:
    """Whether words in parentheses only explain a condition."""
    return isinstance(part, Prose) and part.text.startswith("(") and part.text.endswith(")")
