"""The product of two neighbours: a number that scales, or arrays that are multiplied."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, note, warning
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import projected
from notes2code.meaning.inference.products import exponentials, norms, scaling
from notes2code.meaning.inference.products.array_products import (
    matrix_product,
    two_vectors,
)
from notes2code.meaning.inference.products.scaling import (
    is_gain,
    is_rate_of_many,
    is_weight,
)
from notes2code.meaning.inference.ranks.declared import is_of_said_kind
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import (
    Value,
    dot,
    elementwise,
    shape_text,
)


def product(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The product of two neighbours: scaling, or a matrix product."""
    exponentials.refuse_of_matrix(run, left, right, where)
    if left.rank == 1 and norms.has_unit_columns(right):
        return elementwise(run, left, right, ir.mul, where)
    number, array = (left, right) if left.rank <= right.rank else (right, left)
    ranks = (number.rank, array.rank)
    if ranks == (0, 0) and _is_score(left, right):
        text = f"`{run.quote(where)}` is a product of numbers, not of a query and a key"
        run.conflict(3, text, where)
    if ranks in ((0, 1), (1, 2)):
        _refuse_two_vectors(run, left, right, where)
    if number.rank == 0:
        scaling.weigh(run, left, right, where)
        scaling.tell(run, left, right, where)
        return scaling.scaled(left, right)
    alike = ranks == (1, 1) and left.row == right.row
    if alike and is_scale(left, right):
        return shifted(run, left, right, where)
    if alike and _is_exponential(left.body):
        text = f"`{run.quote(left.span)}` is multiplied element by element, as it is made"
        run.problems.append(note("N2C039", text, where, "write `\\odot` to make it plain"))
        return elementwise(run, left, right, ir.mul, where)
    if ranks == (2, 2) and (left.shifted or right.shifted):
        return shifted(run, left, right, where)
    if is_gain(run, left) or is_gain(run, right) or scales(left, right):
        return elementwise(run, left, right, ir.mul, where)
    if right.rank == 1 and _is_normalised(right) and _is_small(left):
        run.pay(2.2)  # the e_s of e_s · GroupNorm(h) + e_b is no matrix
    if left.rank == 1 and right.rank == 2 and is_weight(left):
        run.pay(2.2)  # the W of W X is a matrix
    if (left.rank, right.rank) == (2, 2) and is_weight(left):
        _tell_of_mixed_rows(run, left, right)
    of_rate = left.rank == 1 and not left.row and (right.row or right.rank == 2)
    if of_rate and is_rate_of_many(run, left):
        text = f"`{run.quote(left.span)}` is a vector here, and a rate is a number"
        run.conflict(3, text, where)  # the β of β X^⊤ q
    projection = projected.behind(run, left, right, where)
    if projection is not None:
        return projection
    return matrix_product(run, left, right, where)


def _refuse_two_vectors(run: Run, left: Value, right: Value, where: Span) -> None:
    """The x of ``w x``, where w is said to be a vector, is one too: that the product of two vectors
    is not understood makes it no matrix and no number."""
    for said, other in ((left, right), (right, left)):
        match said.body, other.body:
            case ir.Ref(name, at), ir.Ref(array, places) if said.rank == len(at) == 1:
                known = array in run.scope.ranks.keys() | run.defined.keys()
                known = known or is_of_said_kind(run, array)
                custom = names.element_ranks(array, len(places) - other.rank, False, False)[0]
                small = names.base_letter(array).islower()
                if name in run.shapes and not known and small and custom == 1:
                    raise two_vectors(run, left, right, where)


def _is_score(left: Value, right: Value) -> bool:
    """Whether two numbers are the elements q_i and k_j of different places."""
    match left.body, right.body:
        case ir.Ref("q", (mine,)), ir.Ref("k", (theirs,)):
            return mine != theirs
    return False


def _is_exponential(body: ir.Expr) -> bool:
    """Whether a vector is the ``e^{u + k}`` of another; the kernel of a square is of numbers."""
    if not isinstance(body, ir.Fn) or body.name != "exp":
        return False
    parts = ir.walk(body)
    return not any(isinstance(part, ir.Pow) and part.exponent == ir.Num(2) for part in parts)


def is_scale(left: Value, right: Value) -> bool:
    """Whether one of two vectors is a ``1 + w``, and the other is made of something else."""
    if left.shifted == right.shifted:
        return False
    used = [
        {part.array for part in ir.walk(value.body) if isinstance(part, ir.Ref)}
        for value in (left, right)
    ]
    return used[0].isdisjoint(used[1])


def shifted(run: Run, left: Value, right: Value, where: Span) -> Value:
    """``S (1 + B)``: a number added to an array is no matrix algebra, so the factors are taken
    element by element."""
    text = run.quote((left if left.shifted else right).span)
    run.problems.append(
        note(
            "N2C039",
            f"`{text}` is multiplied element by element, since a number is added to a "
            f"{'matrix' if left.rank == 2 else 'vector'}",
            where,
            "write `\\odot` to make it plain",
        )
    )
    return elementwise(run, left, right, ir.mul, where)


def is_capital(value: Value) -> bool:
    """Whether an array has a capital, or is the cosine or the sine of one."""
    match value.body:
        case ir.Ref(array) | ir.Fn("cos" | "sin", (ir.Ref(array),)):
            return array[0].isupper()
    return False


def scales(left: Value, right: Value) -> bool:
    """Whether a vector stands before what a normalisation gives: ``e_s · GroupNorm(h)``. The w of
    ``w · LayerNorm(h)`` maps it to a number."""
    return left.rank == right.rank == 1 and _is_small(left) and _is_normalised(right)


def _is_small(value: Value) -> bool:
    """Whether a value is of a small letter that makes no number of a vector."""
    array = value.body.array if isinstance(value.body, ir.Ref) else ""
    return array[:1].islower() and names.base_letter(array) not in ("w", "v", "u", "a", "q", "k")


def _is_normalised(value: Value) -> bool:
    """Whether a value is what a normalisation gives."""
    called = value.body.function if isinstance(value.body, ir.Call) else ""
    word = called.rstrip("_0123456789").lower()
    return word.endswith("norm") or word == "ln"


def _tell_of_mixed_rows(run: Run, left: Value, right: Value) -> None:
    """The W_2 of ``W_2 \\mathrm{ReLU}(X W_1^\\top)``: it mixes rows that other weights, behind
    them, act on one by one."""
    row, parts = find_index(right.axes[0]), [*ir.walk(right.body)]
    if any(isinstance(part, ir.Call) for part in parts):
        return  # with weights of its own
    refs = [part for part in parts if isinstance(part, ir.Ref) and len(part.at) == 2]
    weights = [ref for ref in refs if names.base_letter(ref.array) == "W"]
    if not weights or len(refs) == len(weights) or any(ir.Idx(row) in ref.at for ref in weights):
        return
    text = f"`{run.quote(left.span)}` mixes the rows of `{run.quote(right.span)}`"
    hint = f"`{weights[0].array}` acts on each row: a weight behind would, too"
    run.problems.append(warning("N2C050", text, left.span, hint))


def inner(run: Run, left: Value, right: Value, where: Span) -> Value:
    """``⟨x, y⟩``."""
    if left.rank != 1 or right.rank != 1:
        raise error(
            "N2C041",
            f"an inner product needs two vectors, not {shape_text(left)} and {shape_text(right)}",
            where,
        )
    return dot(run, left, right, where)
