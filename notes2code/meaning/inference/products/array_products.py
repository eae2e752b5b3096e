"""Products of two arrays that stand side by side: of matrices, of vectors, and of both."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeGuard

from notes2code.diagnostics import ProblemError, Span, error, note, warning
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import features
from notes2code.meaning.inference.products.gates import is_features, is_gated, is_sigmoid, mixes
from notes2code.meaning.inference.ranks import moving
from notes2code.meaning.inference.ranks.declared import is_of_said_kind
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import (
    Value,
    contract,
    dot,
    elementwise,
    join,
    outer,
    shape_text,
    uses,
)
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Ref


def matrix_product(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The product of two arrays of rank 1 or more that stand side by side."""
    moved = moving.is_step(run, left.body) or moving.is_step(run, right.body)
    if moved and left.rank == right.rank and left.row == right.row:
        return elementwise(run, left, right, ir.mul, where)
    if left.rank == right.rank and left.row == right.row and _are_of_activation(left, right):
        if left.rank > 1:
            return _by_element(run, left, right, where, "an activation acts on each number")
        return elementwise(run, left, right, ir.mul, where)
    if left.rank == 1 and right.rank == 1:
        return _vector_product(run, left, right, where)
    if left.rank > 2 or right.rank > 2:
        return _batched_product(run, left, right, where)
    if left.rank == right.rank and mixes(run, left, right):
        return _by_element(run, left, right, where, "one side is a gate")
    if _is_own_log(left.body, right.body):
        raise two_vectors(run, left, right, where)
    if is_sigmoid(run, left) and not left.row and is_features(right):
        raise error(
            "N2C033",
            f"`{run.quote(left.span)}` is a sigmoid: it may be a gate, or weigh the rows of "
            f"`{run.quote(right.span)}`",
            where,
            "write `\\odot` for a gate, or `^\\top` for weights",
        )
    if {left.rank, right.rank} == {1, 2} and any(_is_bent(run, side) for side in (left, right)):
        # The s of s x is a vector by its letter, or a number, and no matrix for want of a sign.
        run.unranged = two_vectors(run, left, right, where)
    if left.rank == 1 and _is_identity(right):
        run.pay(2.4)  # the σ_t^2 of σ_t^2 I is a number
    if isinstance(left.body, ir.Softmax) and left.rank == 2 and right.rank == 1:
        # Weights of several queries weigh the values of all keys, (x W), and none of one.
        run.pay(1.2 if is_made_a_row(right.body, right.axes[0]) else 0.0)
    if left.rank == 1 and not left.row and right.rank == 2:
        _tell_of_turned(run, left, right)
    return contract(run, left, right, 0, where)


def _is_identity(value: Value) -> bool:
    """Whether a matrix has ones on its diagonal and zeros beside it."""
    match value.body:
        case ir.Cases(((ir.Compare("=", Idx(), Idx()), one),), ir.ZERO):
            return value.rank == 2 and one == ir.ONE
    return False


def _tell_of_turned(run: Run, left: Value, right: Value) -> None:
    """The W_2 of ``f(W_1 x) W_2`` stands behind what is a column for the weight inside."""
    if not isinstance(right.body, Ref):
        return
    letter = names.base_letter(right.body.array)
    for part in ir.walk(left.body):
        if _is_made_a_column(part, left.axes[0]):
            weight = next(inner for inner in ir.walk(part) if isinstance(inner, Ref))
            if names.base_letter(weight.array) == letter and weight.array != right.body.array:
                mine, its = weight.array, right.body.array
                text = f"`{mine}` has columns behind it, and `{its}` rows before"
                hint = "write all weights on one side: several positions fit only then"
                run.problems.append(warning("N2C050", text, right.span, hint))
                return


def _is_bent(run: Run, value: Value) -> bool:
    """Whether a matrix is made of nothing but small letters of vectors."""
    matrices = {x.array for x in ir.walk(value.body) if isinstance(x, Ref) and len(x.at) > 1}
    return value.rank == 2 and bool(matrices) and matrices <= run.bent


def _are_of_activation(left: Value, right: Value) -> bool:
    """Whether a product is the ``z σ(z)`` of an activation, which acts on each number of z by
    itself; that of ``p log p`` may be an entropy."""
    for mine, theirs in ((left, right), (right, left)):
        own, other = mine.body, theirs.body
        parts = [*ir.walk(other)]
        arrays = {part.array for part in parts if isinstance(part, Ref) and part.at}
        factors = ir.factors(other)
        acts = any(isinstance(part, ir.Fn) for part in parts)
        if isinstance(own, Ref) and arrays == {own.array} and acts:
            if _is_turned(mine) != _is_turned(theirs):
                return False  # the X ReLU(X^⊤) of a Gram matrix
            entropy = any(isinstance(part, ir.Fn) and part.name == "log" for part in factors)
            joins = any(isinstance(part, ir.Reduce | ir.Softmax) for part in parts)
            return not entropy and not joins
    return False


def _is_turned(value: Value) -> bool:
    """Whether the axes of a matrix are exchanged."""
    axes = tuple(Idx(axis) for axis in value.axes)
    parts = ir.walk(value.body)
    return any(isinstance(part, Ref) and part.at[-2:] == axes[::-1] != axes for part in parts)


def _is_own_log(left: Expr, right: Expr) -> bool:
    """Whether a product is the ``p log p`` of an entropy, and none of matrices."""
    match left, right:
        case Ref(array), ir.Fn("log", (Ref(own),)):
            return array == own
    return False


def _by_element(run: Run, left: Value, right: Value, where: Span, why: str) -> Value:
    span = left.span.to(right.span)
    text = f"`{run.quote(span)}` is taken to be element by element: {why}"
    run.problems.append(note("N2C039", text, span, "write `\\odot` to make it plain"))
    return elementwise(run, left, right, ir.mul, where)


def _batched_product(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The product of arrays of matrices: the last two axes are multiplied, and the leading ones
    are one batch, which both have or only one."""
    if right.rank == 2 or (right.rank == 1 and not right.row):
        return contract(run, left, right, 0, where)
    batch = left.rank - 2
    if left.rank < 2 or left.rank != right.rank:
        raise error(
            "N2C041",
            f"a product of arrays of more than two axes ({shape_text(left)} and "
            f"{shape_text(right)}) is not defined",
            where,
        )
    for pair in zip(left.axes[:batch], right.axes[:batch], strict=True):
        join(run, left, right, pair, where)
    product = contract(run, left, right, batch, where)
    return replace(product, axes=(*left.axes[:-1], right.axes[-1]))


def _vector_product(run: Run, left: Value, right: Value, where: Span) -> Value:
    if left.row == right.row:
        return _product_of_alike(run, left, right, where)
    if ir.ONE in (left.body, right.body) and not left.row:
        return outer(left, right)
    options: tuple[tuple[str, float], ...] = (("dot", 0.0), ("outer", 0.5))
    mine, theirs = (_source(side.body, side.axes[0]) for side in (left, right))
    form = left.row and not right.row and _is_form(run, mine)
    columns = _are_columns_by_themselves(run, left, right, where)
    if form or columns or _are_query_and_key(mine, theirs):
        options = options[:1]
    elif left.row and _are_plain(mine, theirs):
        # What a diagonal matrix is added to is the outer product of rows, I - k^⊤ k.
        options = (("dot", 0.0), ("outer", 2.0))[: 1 + bool(_DIAGONALS & run.seen.nodes.words)]
    elif features.are_weighed(run, where) and _are_weighed(left, right):
        options = options[:1]
    mapped = _is_mapped(mine) or _is_mapped(theirs)
    rows = left.row and is_made_a_row(mine, left.axes[0]) and is_made_a_row(theirs, right.axes[0])
    if (right.row or mapped or rows) and _are_key_and_value(mine, theirs):
        return outer(left, right)
    added = left.row and _are_added_up(run, mine, theirs) and "[" not in run.quote(where)
    if added:  # those of a block, K_{[i]}, are matrices
        options = (("outer", 0.0), ("dot", 2.0))
    same = right.row and _is_same(run, left, right)
    stands = left.column or (run.gives_matrix and not has_query_or_key(mine, theirs))
    stands = stands and len(options) > 1  # a query and a key are rows, however they are made
    if same or (
        right.row and (stands or _are_columns(mine, theirs) or _are_summed(run, mine, theirs))
    ):
        options = (("outer", 0.0), ("dot", 0.5))
    if rows:
        options = (("outer", 0.0), ("dot", 0.5))
    kind = run.choose(f"vectors {where.start}-{where.end}", options)
    if kind == "dot" and rows:
        text = f"`{run.quote(where)}` is taken to be the dot product of two rows"
        run.problems.append(note("N2C039", text, where, "write `^\\top` on the second"))
    if kind == "outer":
        if same and any(isinstance(t, Ref) and not t.at for t in _terms(left.body)):
            run.pay(1.2)  # the mean of vectors is a vector
        if added and not any(name[:1].isupper() for name in run.defines):
            text = f"`{run.quote(where)}` is taken to be the outer product of two rows"
            run.problems.append(note("N2C039", text, where, "write `k v^\\top` to make it plain"))
        return outer(left, right)
    if right.row:
        run.rows.append(where)
        if stands or _are_declared(run, mine, theirs):
            text = f"`{run.quote(where)}` is taken to be the dot product of two rows"
            help_text = "write `q^\\top k` for it, or a capital on the left for the outer product"
            run.problems.append(note("N2C039", text, where, help_text))
    return dot(run, left, right, where)


def _are_columns_by_themselves(run: Run, left: Value, right: Value, where: Span) -> bool:
    """Whether the ``(W x)^⊤ (U y)`` of ``Q^⊤ K = (W x)^⊤ (U y)`` is multiplied: it is the whole
    value, beside a product. What is added to a state has a name on the left, or is not all."""
    whole = run.whole is not None and run.whole.span == where and not any(run.defines)
    if not whole or not left.row or right.row:
        return False
    mine, theirs = (_source(side.body, side.axes[0]) for side in (left, right))
    columns = _is_made_a_column(mine, left.axes[0]) and _is_made_a_column(theirs, right.axes[0])
    alike = _holds_x(mine) == _holds_x(theirs)
    return columns and alike and not _are_key_and_value(mine, theirs)


def _product_of_alike(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The product of two vectors of which none, or each, is a row."""
    if _are_query_and_sum(run, left.body, right.body) or _is_weighed(left.body, right.body):
        text = f"`{run.quote(where)}` is taken to be the dot product"
        run.problems.append(note("N2C039", text, where, "write `^\\top` to make it plain"))
        return dot(run, left, right, where)
    if run.over_elements:
        return elementwise(run, left, right, ir.mul, where)
    if mixes(run, left, right) or is_gated(run, left, right):
        return _by_element(run, left, right, where, "one side is a gate")
    if all(_is_bold(run, side) for side in (left, right)):
        run.unranged = two_vectors(run, left, right, where)  # what is bold is no number
        return dot(run, left, right, where)
    raise two_vectors(run, left, right, where)


def _is_form(run: Run, left: Expr) -> bool:
    """Whether a row is the ``x^⊤ M`` of a form, which takes a vector behind it."""
    parts = (part for part in ir.walk(left) if isinstance(part, Ref))
    return any(part.array in run.seen.forms for part in parts)


def two_vectors(run: Run, left: Value, right: Value, where: Span) -> ProblemError:
    """The refusal of a product of two vectors whose kind no sign tells."""
    return error(
        "N2C033",
        f"`{run.quote(left.span)}` and `{run.quote(right.span)}` are two vectors side by side",
        where,
        "write `^\\top` on one, `\\cdot` for the dot product, or `\\odot`: element by element; "
        "or declare which is a number or a matrix",
    )


def _is_bold(run: Run, value: Value) -> bool:
    """Whether a value is a vector by its font, and nothing else is said of it."""
    name = value.body.array if isinstance(value.body, Ref) else ""
    return run.seen.is_bold(name) and name not in run.shapes


def _are_query_and_sum(run: Run, left: Expr, right: Expr) -> bool:
    """Whether vectors are φ(q) and the sum of all φ(k), written out or a state of the note that is
    defined or declared, by its letter or as Z_i."""
    if _is_mapped(left) and isinstance(right, ir.Reduce):
        return _is_mapped(right.body) and right.body.function == left.function
    if not _is_mapped(left) or not isinstance(right, Ref):
        return False
    declared = (name.rpartition("_")[0] or name for name in run.shapes)
    return right.array in run.scope.ranks or right.array in declared


def _is_weighed(left: Expr, right: Expr) -> bool:
    """Whether a row stands before a weight that makes a number of it, as in ``h_t w``."""
    match left, right:
        case Ref(_, (_, _)), Ref(weight, (_,)):
            return names.base_letter(weight) == "w"
    return False


def _terms(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum, without their signs."""
    terms = expr.terms if isinstance(expr, ir.Add) else ()
    return tuple(ir.negative(t) if isinstance(t, ir.Mul) else t for t in terms)


def _is_same(run: Run, left: Value, right: Value) -> bool:
    """Whether a product is ``v vᵀ`` of a whole expression: for a dot product people write ‖v‖²."""
    mine, theirs = (run.quote(value.span).replace(" ", "") for value in (left, right))
    return theirs.startswith((f"{mine}^", f"({mine})^"))


def _are_summed(run: Run, left: Expr, right: Expr) -> bool:
    """Whether a product is the ``x_i y_iᵀ`` of a sum over i; queries and keys are rows."""
    if not isinstance(left, Ref) or not isinstance(right, Ref):
        return False
    at = left.at[0]
    summed = isinstance(at, Idx) and at.index.name in run.summed and len(left.at) == 2
    return summed and right.at[0] == at and not {left.array[0], right.array[0]} & {*"qk"}


def _are_declared(run: Run, left: Expr, right: Expr) -> bool:
    """Whether two vectors are declared, and are no elements of families q_i and k_j."""
    both = [one for one in (left, right) if isinstance(one, Ref)]
    families = {names.base_letter(one.array) for one in both if len(one.at) > 1} == {"q", "k"}
    return len(both) == 2 and not families and all(is_of_said_kind(run, e.array) for e in both)


def _source(body: Expr, axis: Index) -> Expr:
    """The vector of whose elements those of a value are made, each of its own: the k of ``2 k`` and
    of ``\\exp(k) + 1``; the value itself where that is more than one."""
    if not isinstance(body, ir.Add | ir.Mul | ir.Fn | ir.Pow | ir.Cases | ir.Compare):
        return body
    sources = {_source(part, axis) for part in ir.children(body) if uses(part, axis)}
    return sources.pop() if len(sources) == 1 else body


def is_made_a_row(vector: Expr, axis: Index) -> bool:
    """Whether a vector is the ``x W`` of a row x, or what a function makes of it."""
    match vector:
        case ir.Call(_, (Lambda((own,), body),)):
            return is_made_a_row(body, own)
        case ir.Reduce("sum", summed, ir.Mul((first, Ref(_, (*_, Idx(row), Idx(column)))))):
            made = find_index(row) is find_index(summed) and find_index(column) is find_index(axis)
            return made and not uses(first, axis)
    return False


def _is_made_a_column(vector: Expr, axis: Index) -> bool:
    """Whether a vector is the ``W x`` of a column x."""
    match vector:
        case ir.Reduce("sum", summed, ir.Mul((Ref(_, (*_, Idx(row), Idx(column))), last))):
            made = find_index(row) is find_index(axis) and find_index(column) is find_index(summed)
            return made and not uses(last, axis)
    return False


def _holds_x(vector: Expr) -> bool:
    """Whether a vector is made of an x, which is no matrix where what stands beside it is one."""
    return any(isinstance(part, Ref) and part.array[0] == "x" for part in ir.walk(vector))


_DIAGONALS = frozenset(["I", "diag", "Diag"])


def _are_plain(left: Expr, right: Expr) -> bool:
    """Whether xᵀy is surely a dot product: only keys and values, as rows, are multiplied so."""
    if not isinstance(left, Ref) or not isinstance(right, Ref):
        return False
    return right.array[0] not in "vV" and (left.array[0], right.array[0]) != ("v", "k")


def _are_weighed(left: Value, right: Value) -> bool:
    """Whether xᵀy is the ``w^⊤ φ(x)`` of weights and of what a function gives, features, or
    ``φ(x)^⊤ w``: only keys and values, which may be mapped, too, are rows."""
    mine, theirs = left.body, right.body
    made = [isinstance(body, ir.Call | ir.Fn) for body in (mine, theirs)]
    kept = [body for body in (mine, theirs) if isinstance(body, Ref)]
    arrays = {e.array for body in (mine, theirs) for e in ir.walk(body) if isinstance(e, Ref)}
    keys = {name[0].lower() for name in arrays} | {name[-1].lower() for name in arrays}
    is_product = left.row and not right.row
    return is_product and made.count(True) == len(kept) == 1 and "k" not in keys


def _are_key_and_value(left: Expr, right: Expr) -> bool:
    """Whether k vᵀ is what linear attention adds to its state: keys, or what a feature map makes of
    them, and values are no rivals. By their weights, ``x W_K`` and ``x W_V`` are these, too."""
    letters = {_role(e.arguments[0].body if _is_mapped(e) else e) for e in (left, right)}
    return letters == {"k", "v"}


def _are_added_up(run: Run, left: Expr, right: Expr) -> bool:
    """Whether k_iᵀ v_i is what a sum over i, or each step of a state, adds: the rows of one place,
    for a key is compared with queries, and with no value."""
    if not isinstance(left, Ref) or not isinstance(right, Ref) or left.at[:-1] != right.at[:-1]:
        return False
    places = [at.index.name for at in left.at[:-1] if isinstance(at, Idx)]
    added = bool(run.seen.steps) or (bool(places) and {*places} <= {*run.summed})
    return added and _are_key_and_value(left, right)


def _role(vector: Expr) -> str:
    """The letter of a vector, or of what is made of it with one weight, ``x W_K``."""
    if isinstance(vector, Ref):
        return names.base_letter(vector.array)[0].lower()
    weights = {x.array for x in ir.walk(vector) if isinstance(x, Ref) and x.array[0] == "W"}
    label = weights.pop().rpartition("_")[2] if len(weights) == 1 else ""
    return label.lower()


def _is_mapped(expr: Expr) -> TypeGuard[ir.Call]:
    """Whether a vector is what a feature map gives, the φ(k) of linear attention."""
    return isinstance(expr, ir.Call) and expr.function in names.FEATURE_MAPS


def _are_query_and_key(left: Expr, right: Expr) -> bool:
    """Whether vectors are made with W_Q and W_K, or of a q and a k, as ``q_i R_i`` and ``k_j R_j``
    are, or are the ``Q_1`` of one place and ``K_j``: one is compared with the other."""
    arrays = [{e.array for e in ir.walk(side) if isinstance(e, Ref)} for side in (left, right)]
    labels = [{a.rpartition("_")[2].lower() for a in own if a[0] == "W"} for own in arrays]
    made = not isinstance(left, Ref) and not isinstance(right, Ref)
    made = made or any(len(own) == 1 and _NUMBERED.fullmatch("".join(own)) for own in arrays)
    letters = [{names.base_letter(a).lower() for a in own} & {*"qk"} for own in arrays if made]
    return sorted(labels, key=sorted) == [{"k"}, {"q"}] or letters == [{"q"}, {"k"}]


_NUMBERED = re.compile(r"[QK]_\d+")


def has_query_or_key(left: Expr, right: Expr) -> bool:
    """Whether one of two vectors is a query or a key by its letter."""
    names_of = (names.base_letter(one.array) for one in (left, right) if isinstance(one, Ref))
    return not {*"qk"}.isdisjoint(names_of)


def _are_columns(left: Expr, right: Expr) -> bool:
    """Whether u vᵀ is a matrix, as for columns. Queries and keys are rows here, and so is what
    has been multiplied by a weight, or two elements of one family."""
    if not isinstance(left, Ref) or not isinstance(right, Ref):
        return False
    if left.array == right.array:
        return left.at[:-1] == right.at[:-1]
    return not {left.array[0].lower(), right.array[0].lower()} & {*"qkhsx"}
