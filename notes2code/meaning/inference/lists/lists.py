"""Lists in brackets, ``[a; b]``, and the columns and rows of matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Group, Node
from notes2code.meaning import ir, names
from notes2code.meaning.inference.lists import distances, ellipsis
from notes2code.meaning.inference.lists.concatenations import concatenated, is_head
from notes2code.meaning.inference.lists.joined_arrays import (
    doubt_vectors,
    end_to_end,
    stacked,
    together,
)
from notes2code.meaning.inference.lists.list_items import (
    are_of_heads,
    doubt_numbers,
    flattened,
    in_parts,
    is_dots,
    refuse_transposed,
)
from notes2code.meaning.inference.lists.lists_of_vectors import (
    COLUMNS,
    ONE_VECTOR,
    ROWS,
    are_kept,
    side_by_side,
    ways_of_vectors,
)
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import Value, settled, transpose
from notes2code.meaning.ir import Concat, Index, Ref


def listed(run: Run, node: Group) -> Value:
    """A list in brackets: vectors joined end to end, numbers made a vector."""
    barred = "|" in node.separators and (node.open == "(" or set(node.separators) != {"|"})
    if node.open not in ("[", "(") or barred:
        raise error("N2C037", f"`{run.quote(node.span)}` is not understood as a value", node.span)
    flat = flattened(node.items)
    if any(map(is_dots, flat)) and node.separators:
        if (away := distances.listed(run, flat, node.span)) is not None:
            return away
        refuse_transposed(run, flat)
        if len(parts := ellipsis.parts(flat)) > 1:
            return in_parts(run, parts, node.span)
        index, values = ellipsis.family(run, flat, node.span)
        if len(values) == 1 and node.open == "(" and values[0].rank < 2:
            doubt_vectors(run, values[0])
            turns = (("rows", 0.0), ("columns", 0.5)) if values[0].rank else (("rows", 0.0),)
            turned = run.choose(f"list {node.span.start}", turns) == "columns"
            axes = (*values[0].axes, index) if turned else (index, *values[0].axes)
            return Value(values[0].body, axes, node.span)
        if len(values) == 1 and values[0].rank == 1:
            ways = ways_of_vectors(run, index, values[0], node.separators[0] == ";")
            ways = ((ONE_VECTOR, 0.0),) if are_of_heads(run, flat) else ways
            ways = ((ROWS, 0.0), (COLUMNS, 0.4)) if are_kept(run, flat) else ways
            return side_by_side(run, index, values[0], ways, node.span)
        if are_kept(run, flat):
            run.pay(2.4)
        if node.separators[0] == ";" and all(_is_of_vector(run, value) for value in values):
            run.pay(1.2)  # [o_{t,1}; …; o_{t,n}] joins the vectors of all heads
        doubt_numbers(run, flat[-1], values[0])
        if values[0].rank == 0 and are_of_heads(run, flat):
            run.pay(4.0)
        if len(values) == 1 and (rows := _single_rows(run, index, values[0])) is not None:
            return rows
        run.pay(0.5 * (node.open == "(" and run.whole is node))  # a sequence is no concatenation
        return together(run, index, values, node.span)
    below = node.open == "[" and set(node.separators) == {";"}
    joined = concatenated(run, node.items, node.span, below, node.open == "(")
    if joined.rank == 1 and isinstance(joined.body, Concat) and _may_be_rows(run, node):
        text = f"the vectors of `{run.quote(node.span)}` are taken to be joined into one"
        hint = "write them below each other in a matrix, where they are its rows"
        run.problems.append(note("N2C039", text, node.span, hint))
    return joined


def _may_be_rows(run: Run, node: Group) -> bool:
    """Whether vectors in brackets are alike, but for their numbers: ``[x_1 W, x_2 W]``."""
    texts = [run.quote(item.span).strip() for item in node.items]
    alike = {re.sub(r"\d+", "", text) for text in texts}
    numbered = len({*texts}) > 1 == len(alike) and any(map(str.isalpha, texts[0]))
    return numbered and {*node.separators} == {","}


def _single_rows(run: Run, index: Index, value: Value) -> Value | None:
    """The matrix of the rows ``x_i ∈ ℝ^{1×d}``, where they are not joined to one long row."""
    if value.rank != 2 or find(find_index(value.axes[0]).size).value != ir.ONE:
        return None
    ways = (("one long row", 0.0), ("the rows of a matrix", 0.5))
    if run.choose(f"rows {value.span.start}", ways) == ways[0][0]:
        return None
    body = ir.substitute(settled(value.body), {find_index(value.axes[0]): ir.ZERO})
    return Value(body, (index, value.axes[1]), value.span)


def _is_of_vector(run: Run, value: Value) -> bool:
    """Whether a number has the letter of a vector, and an index of that alone or a head's, too; in
    a softmax e_1 is a score."""
    if value.rank or not isinstance(value.body, Ref) or len(value.body.at) > 2:
        return False
    letter = names.base_letter(value.body.array)
    return letter in ("q", "k", "v", "o", "h") or (letter == "e" and "softmax" not in run.latex)


def column(run: Run, items: Sequence[Node], span: Span) -> Value:
    """A column of numbers is a vector, one of rows a matrix; one of vectors is a vector or a matrix
    as the list of them in brackets is."""
    flat = flattened(items)
    if any(map(is_dots, flat)):
        index, values = ellipsis.family(run, flat, span)
        if len(values) == 1 and values[0].rank == 1 and (values[0].row or values[0].is_capital):
            return Value(values[0].body, (index, *values[0].axes), span)
        if len(values) == 1 and values[0].rank == 2 and not is_head(values[0]):
            lying = transpose(values[0], values[0].span)
            return transpose(end_to_end(run, index, lying, span), span)
        if len(values) == 1 and values[0].rank == 1:
            return side_by_side(
                run, index, values[0], ways_of_vectors(run, index, values[0], True), span
            )
        return replace(together(run, index, values, span), row=False)
    values = [run.lower(item) for item in flat]
    if len(values) > 1 and all(value.rank == 2 or (value.rank and value.row) for value in values):
        return stacked(run, values, span)
    if len(values) > 1 and all(value.rank == 1 for value in values):
        ways = (("end to end", 0.0), ("the rows of a matrix", 0.5))
        if run.choose(f"column {span.start}", ways) != "end to end":
            text = f"`{run.quote(span)}` is taken to be the rows of a matrix"
            run.problems.append(note("N2C039", text, span))
            return stacked(run, values, span)
    return replace(concatenated(run, items, span), row=False)


def row(run: Run, items: Sequence[Node], span: Span) -> Value:
    """A row with dots: of numbers a row vector, of vectors a matrix whose columns they are."""
    index, values = ellipsis.family(run, flattened(items), span)
    if len(values) == 1 and values[0].rank == 1:
        if isinstance(values[0].body, Ref) and values[0].body.array in run.defines:
            run.pay(2.2)  # the x_1, …, x_d of x are numbers
        return side_by_side(run, index, values[0], ((COLUMNS, 0.0), (ONE_VECTOR, 0.4)), span)
    return replace(together(run, index, values, span), row=True)
