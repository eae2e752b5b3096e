"""A list of vectors: one long vector, or the rows or the columns of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from notes2code.diagnostics import Span, note
from notes2code.latex.tree import Juxt, Name, Node, Nodes, Script, alike
from notes2code.meaning import ir, names
from notes2code.meaning.inference.lists.joined_arrays import doubt_vectors, end_to_end
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, uses
from notes2code.meaning.ir import Index, Ref
from notes2code.meaning.notation import binders

Ways = tuple[tuple[str, float], ...]
"""What something may be, and what each way costs."""


def ways_of_vectors(run: Run, index: Index, value: Value, rows: bool) -> Ways:
    """What ``[x_1, …, x_n]`` and ``[x_1; …; x_n]`` of vectors may be, and what it costs: one long
    vector, or the columns of a matrix, or its rows; with commas rows only where the shape of the
    whole is said, or weights stand behind it."""
    if rows and _are_mapped_alike(value, index):
        return ((ROWS, 0.0), (ONE_VECTOR, 0.8))
    if rows:
        return ((ONE_VECTOR, 0.0), (ROWS, 0.4))
    if isinstance(value.body, ir.Add):  # nobody joins the sums e_i + p_i of tokens
        return ((COLUMNS, 0.0), (ROWS, 0.4), (ONE_VECTOR, 0.8))
    if _is_mapped_by_rows(run):
        return ((ROWS, 0.0), (COLUMNS, 0.4), (ONE_VECTOR, 0.8))
    return ((ONE_VECTOR, 0.0), (COLUMNS, 0.4), (ROWS, 0.8))


def side_by_side(run: Run, index: Index, value: Value, ways: Ways, span: Span) -> Value:
    """A list of vectors: one long vector, or a matrix."""
    way = run.choose(f"list {span.start}", ways)
    run.problems.append(note("N2C039", f"`{run.quote(span)}` is taken to be {way}", span))
    if way == ONE_VECTOR:
        return end_to_end(run, index, value, span)
    if ONE_VECTOR in dict(ways):
        doubt_vectors(run, value)
    return Value(value.body, (*value.axes, index) if way == COLUMNS else (index, *value.axes), span)


ONE_VECTOR = "joined end to end"
ROWS, COLUMNS = "the rows of a matrix", "the columns of a matrix"


def are_kept(run: Run, items: Sequence[Node]) -> bool:
    """Whether a list goes on to the step of the query, as the ``[K_1, …, K_t]`` beside ``Q_t`` that
    a cache keeps: capitals, and one row for each step."""
    match items[-1]:
        case Script(Name(kept), Name() as step, None, 0) if kept.isupper():
            beside = (
                node for node in run.seen.nodes.of(Script) if names.label(node.base) in ("q", "Q")
            )
            return any(node.sub is not None and alike(node.sub, step) for node in beside)
    return False


def _are_mapped_alike(value: Value, index: Index) -> bool:
    """Whether vectors are made of others by one matrix, as the ``x_i E`` of patches are, and not
    by one of their own each."""
    counted = [
        part.at
        for part in ir.walk(value.body)
        if isinstance(part, Ref) and any(uses(at, index) for at in part.at)
    ]
    return not isinstance(value.body, Ref) and all(len(at) == 2 for at in counted)


def _is_mapped_by_rows(run: Run) -> bool:
    """Whether weights stand behind what the formula defines, here or elsewhere in the note: the X
    of ``X W_Q`` has tokens as rows, whatever stands between its brackets."""
    return not run.defines.isdisjoint(run.scope.mapped | mapped(run.seen.nodes))


def mapped(nodes: Nodes) -> set[str]:
    """The X of ``X W_Q``, behind which weights stand."""
    pairs = (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors))
    found = {binders.bare(left) for left, right in pairs if binders.bare(right) == "W"}
    return {name for name in found if name.isupper()}
