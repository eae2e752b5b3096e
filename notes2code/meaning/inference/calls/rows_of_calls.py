"""What a call, or attention, gives all places, beside what stands at one: the row of
``Attention(Q, K, V)`` that is meant in ``H_t + Attention(Q, K, V)``."""

from __future__ import annotations

from notes2code.diagnostics import note
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, free_roots
from notes2code.meaning.ir import Expr, Idx, Index
from notes2code.meaning.notation import positions


def at_one_place(run: Run, left: Value, right: Value) -> tuple[Value, Value]:
    """The terms of a sum, of a call or of attention that gives a matrix only the row that is at the
    place of the other term, where that is the place on the left-hand side."""
    if (left.rank, right.rank) == (1, 2) and (place := _place(run, left, right)) is not None:
        return left, _row(run, right, place)
    if (left.rank, right.rank) == (2, 1) and (place := _place(run, right, left)) is not None:
        return _row(run, left, place), right
    return left, right


def _place(run: Run, vector: Value, matrix: Value) -> Index | None:
    """The t of an h_t beside a call, or attention written out, and on the left; a layer is no
    place."""
    letters = [x for x in run.target_letters if x not in positions.LAYERS and x in run.indices]
    attends = any(isinstance(part, ir.Softmax) for part in ir.factors(_summed(matrix.body)))
    if len(letters) != 1 or not (isinstance(matrix.body, ir.Call) or attends):
        return None
    place = find_index(run.indices[letters[0]])
    match vector.body:
        case ir.Ref(_, (Idx(at), *_)) if find_index(at) is place:
            return None if place in free_roots(matrix.body) else place
    return None


def _summed(body: Expr) -> Expr:
    return body.body if isinstance(body, ir.Reduce) and body.kind == "sum" else body


def _row(run: Run, matrix: Value, place: Index) -> Value:
    """The row of a matrix at a place."""
    rows, features = map(find_index, matrix.axes)
    run.unify(rows.size, place.size, matrix.span)
    text = f"`{run.quote(matrix.span)}` is taken to be its row at `{place.name}`"
    run.problems.append(note("N2C039", text, matrix.span, "give it what stands at one place only"))
    return Value(ir.substitute(matrix.body, {rows: Idx(place)}), (features,), matrix.span)
