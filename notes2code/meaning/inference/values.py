"""Values while a formula is typed, and how arrays meet: broadcasting, products, transposes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from notes2code.diagnostics import ProblemError, Span, error, note
from notes2code.meaning import ir, names
from notes2code.meaning.inference import moving
from notes2code.meaning.inference.declared import is_of_said_kind
from notes2code.meaning.inference.reach import limit, refuse_fixed
from notes2code.meaning.inference.run import NO_FIT, Run, find, find_index
from notes2code.meaning.ir import Expr, Idx, Index, Lambda, Num, Ref, Size
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """An array under way: the element ``body`` and the axes that are still open, in order.

    ``row`` says that a vector was transposed, ``column`` that it stands, since a matrix before it
    made it: the ``W x``. ``along`` gives the same array with its softmax
    along another of its axes, where that is not settled yet. ``implied`` marks a softmax of a
    number whose index was not said; ``shifted`` a matrix to which a number was added.
    """

    body: Expr
    axes: tuple[Index, ...]
    span: Span
    row: bool = False
    along: Callable[[int], Expr] | None = None
    implied: bool = False
    shifted: bool = False
    column: bool = False

    @property
    def rank(self) -> int:
        """The number of open axes."""
        return len(self.axes)


def scalar(body: Expr, span: Span) -> Value:
    """A number."""
    return Value(body, (), span)


def fresh(size: Size) -> Index:
    """A new index over an axis."""
    return Index("", size)


def link(run: Run, keep: Index, drop: Index, where: Span) -> None:
    """Make two indices one; their sizes become one size."""
    keep, drop = find_index(keep), find_index(drop)
    if keep is drop:
        return
    run.unify(keep.size, drop.size, where)
    if not keep.name:
        keep.name = drop.name
    drop.link = keep


def _join(run: Run, left: Value, right: Value, axes: tuple[Index, Index], where: Span) -> None:
    """Make an axis of each of two operands one; an error names both with their shapes."""
    try:
        link(run, *axes, where)
    except ProblemError as problem:
        (mine, theirs) = (f"`{run.quote(v.span)}` is {shape_text(v)}" for v in (left, right))
        told = problem.problem.message.removeprefix(NO_FIT)
        raise error("N2C040", f"{NO_FIT}{mine} and {theirs}; {told}", where) from None


def shape_text(value: Value) -> str:
    """The shape for a message, such as ``n×d_k``; sizes without a name are ``·``."""
    if not value.axes:
        return "a number"
    return "×".join(size_text(find_index(axis).size) for axis in value.axes)


def size_text(size: Size) -> str:
    """The name or value of a size for a message."""
    size = find(size)
    if isinstance(size.value, Num):
        return str(size.value.value)
    return size.name or "·"


# --- elementwise -----------------------------------------------------------------------------


def align(run: Run, left: Value, right: Value, where: Span) -> tuple[Index, ...]:
    """Unify the axes of two operands of an element-wise sign; returns the axes of the result.

    A number meets every element. A vector meets the last axis of a matrix, or the first where
    only that fits.
    """
    if left.rank < right.rank:
        left, right = right, left
    if right.rank == 0:
        return left.axes
    spare = left.rank - right.rank
    if spare == 1 and right.rank == 2:
        left = _matrices_first(run, left, right, where)
    if spare and _numbered(left.body) & _numbered(right.body):
        run.pay(3.0)  # h_1 and h_2 are of one kind
    if spare == 0:
        pairs = list(zip(left.axes, right.axes, strict=True))
    elif _same_sizes(left.axes[: right.rank], right.axes) and not _same_sizes(
        left.axes[spare:], right.axes
    ):
        pairs = list(zip(left.axes, right.axes, strict=False))
    else:
        at = run.choose(f"align {where.start}-{where.end}", ((spare, 0.0), (0, 0.5)))
        pairs = list(zip(left.axes[at : at + right.rank], right.axes, strict=True))
        sizes = [[find(find_index(axis).size) for axis in pair] for pair in pairs]
        if any(mine.rank == 2 and theirs.value is not None for mine, theirs in sizes):
            run.pay(1.0)  # what is joined end to end is no row of a declared matrix
    for mine, theirs in pairs:
        _join(run, left, right, (mine, theirs), where)
    return left.axes


def _matrices_first(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The matrices of an array of three axes that meets a matrix, behind what counts them: those of
    ``B ∈ ℝ^{N×N×H}`` are one for each head."""
    sizes = [find(find_index(axis).size) for axis in left.axes]
    if [_counts_heads(size) for size in sizes] == [False, False, True]:
        text = f"`{run.quote(left.span)}` is taken to hold a matrix for each of {sizes[2].name}"
        run.problems.append(note("N2C039", text, left.span))
        return replace(left, axes=(left.axes[2], *left.axes[:2]))
    if sizes[0].rank == sizes[2].rank == 2 and sizes[0] is sizes[1] is not sizes[2]:
        raise error(
            "N2C041",
            f"`{run.quote(left.span)}` is {shape_text(left)} and `{run.quote(right.span)}` "
            f"{shape_text(right)}: which of its axes are meant is not said",
            where,
            "write it with indices",
        )
    return left


def _counts_heads(size: Size) -> bool:
    """Whether a size is the number of heads by its name: ``h``, ``n_h``, ``num_heads``."""
    base, _, label = size.name.partition("_")
    return (label or base).lower() in ("h", "heads") and base.lower() not in ("d", "dim")


def _numbered(body: Expr) -> set[str]:
    """The h of h_1, for all arrays that numbers tell apart in an expression without products."""
    parts = [*ir.walk(body)]
    if any(isinstance(part, ir.Reduce | ir.Call) for part in parts):
        return set()
    found = (part.array.rpartition("_") for part in parts if isinstance(part, Ref))
    return {base for base, _, number in found if number.isdigit()}


def elementwise(
    run: Run, left: Value, right: Value, join: Callable[[Expr, Expr], Expr], where: Span
) -> Value:
    """Join two values element by element."""
    axes = align(run, left, right, where)
    row, column = left.row or right.row, left.column or right.column
    return Value(join(left.body, right.body), axes, left.span.to(right.span), row, column=column)


def _same_sizes(left: tuple[Index, ...], right: tuple[Index, ...]) -> bool:
    """Whether axes are known to have the same sizes already."""
    pairs = zip(left, right, strict=True)
    return all(find(find_index(a).size) is find(find_index(b).size) for a, b in pairs)


def mapped(value: Value, change: Callable[[Expr], Expr], span: Span | None = None) -> Value:
    """A function applied to every element."""
    where = span or value.span
    return Value(change(value.body), value.axes, where, value.row, column=value.column)


# --- products --------------------------------------------------------------------------------


def contract(run: Run, left: Value, right: Value, at: int, where: Span) -> Value:
    """The matrix product: the left's last axis (of a vector, its only one) meets the right's
    axis ``at``, and both are summed over."""
    left = _settle_softmax(run, left, left.rank - 1)
    right = _settle_softmax(run, right, at)
    inner = left.axes[-1]
    reach = limit(run, inner, inner) or limit(run, right.axes[at], inner)
    if reach is not None:
        for side, axis in ((left, inner), (right, right.axes[at])):
            others = (other.body for other in (left, right) if other is not side)
            refuse_fixed(run, Lambda(side.axes, side.body), axis, next(others), side.span)
    _join(run, left, right, (inner, right.axes[at]), where)
    axes = left.axes[:-1] + right.axes[:at] + right.axes[at + 1 :]
    body = _sum_of_product(left.body, right.body, inner, reach)
    return Value(
        body,
        axes,
        left.span.to(right.span),
        row=left.row if left.rank == 1 else right.row and right.rank == 1,
        column=left.rank == 2 and right.rank == 1 and not right.row,
    )


def _settle_softmax(run: Run, value: Value, axis: int) -> Value:
    """The weights of a softmax are summed over the axis along which they were normalised."""
    if value.along is None:
        return value
    told = any(
        one.message.startswith(FIRST_AXIS) and value.span.start <= one.span.start < value.span.end
        for one in run.problems
    )
    if value.rank == 2 and axis == 0 and not told:
        run.problems.append(note("N2C039", f"{FIRST_AXIS}, which is summed over", value.span))
    return replace(value, body=value.along(axis), along=None)


FIRST_AXIS = "softmax is taken along the first axis"
"""What the author is told of a softmax that does not go along the last one."""


def _sum_of_product(left: Expr, right: Expr, index: Index, where: Expr | None) -> Expr:
    """Σ left·right over an index; factors without the index stay outside, so that a scale
    stands in front of the sum wherever it was written."""
    inside: list[Expr] = []
    outside: list[Expr] = []
    for factor in (*_factors(left), *_factors(right)):
        (inside if uses(factor, index) else outside).append(factor)
    return ir.mul(*outside, ir.Reduce("sum", index, ir.mul(*inside), where))


def _factors(expr: Expr) -> tuple[Expr, ...]:
    return expr.factors if isinstance(expr, ir.Mul) else (expr,)


def uses(expr: Expr, index: Index) -> bool:
    """Whether an index occurs in an expression; indices linked to it count."""
    index = find_index(index)
    pending = [expr]
    while pending:
        inner = pending.pop()
        if isinstance(inner, Idx):
            if find_index(inner.index) is index:
                return True
        else:
            pending += ir.children(inner)
    return False


def dot(run: Run, left: Value, right: Value, where: Span) -> Value:
    """The dot product of two vectors."""
    return replace(contract(run, left, right, 0, where), row=False)


def outer(left: Value, right: Value) -> Value:
    """The matrix of all products of two vectors' elements."""
    body = ir.mul(left.body, right.body)
    return Value(body, left.axes + right.axes, left.span.to(right.span))


def transpose(value: Value, span: Span) -> Value:
    """The last two axes exchanged; a vector lies down, or stands up again. A softmax that is
    transposed goes along the axis that it has as it is written."""
    if value.rank == 0:
        return replace(value, span=span)
    if value.rank == 1:
        return replace(value, row=not value.row, span=span, column=False)
    axes = (*value.axes[:-2], value.axes[-1], value.axes[-2])
    return Value(value.body, axes, span)


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
    if _is_sigmoid(run, left) and not left.row and is_features(right):
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
    return contract(run, left, right, 0, where)


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
        factors = other.factors if isinstance(other, ir.Mul) else (other,)
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
        _join(run, left, right, pair, where)
    product = contract(run, left, right, batch, where)
    return replace(product, axes=(*left.axes[:-1], right.axes[-1]))


def _vector_product(run: Run, left: Value, right: Value, where: Span) -> Value:
    plain = _are_query_and_sum(run, left.body, right.body) or _is_weighed(left.body, right.body)
    if left.row == right.row and plain:
        text = f"`{run.quote(where)}` is taken to be the dot product"
        run.problems.append(note("N2C039", text, where, "write `^\\top` to make it plain"))
        return dot(run, left, right, where)
    if left.row == right.row and run.over_elements:
        return elementwise(run, left, right, ir.mul, where)
    if left.row == right.row and (mixes(run, left, right) or _is_gated(run, left, right)):
        return _by_element(run, left, right, where, "one side is a gate")
    if left.row == right.row and all(_is_bold(run, side) for side in (left, right)):
        run.unranged = two_vectors(run, left, right, where)  # what is bold is no number
        return dot(run, left, right, where)
    if left.row == right.row:
        raise two_vectors(run, left, right, where)
    if ir.ONE in (left.body, right.body) and not left.row:
        return outer(left, right)
    options: tuple[tuple[str, float], ...] = (("dot", 0.0), ("outer", 0.5))
    mine, theirs = (_source(side.body, side.axes[0]) for side in (left, right))
    form = left.row and not right.row and _is_form(run, mine)
    if form or (left.row and _are_plain(mine, theirs)) or _are_query_and_key(mine, theirs):
        options = options[:1]
    mapped = _is_mapped(mine) or _is_mapped(theirs)
    rows = left.row and is_made_a_row(mine, left.axes[0]) and is_made_a_row(theirs, right.axes[0])
    if (right.row or mapped or rows) and _are_key_and_value(mine, theirs):
        return outer(left, right)
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
        return outer(left, right)
    if right.row:
        run.rows.append(where)
        if stands or _are_declared(run, mine, theirs):
            text = f"`{run.quote(where)}` is taken to be the dot product of two rows"
            help_text = "write `q^\\top k` for it, or a capital on the left for the outer product"
            run.problems.append(note("N2C039", text, where, help_text))
    return dot(run, left, right, where)


def _is_form(run: Run, left: Expr) -> bool:
    """Whether a row is the ``x^⊤ M`` of a form, which takes a vector behind it."""
    parts = (part for part in ir.walk(left) if isinstance(part, Ref))
    return any(part.array in run.seen.forms for part in parts)


def mixes(run: Run, left: Value, right: Value) -> bool:
    """Whether one of two arrays is a gate g beside ``1 - g``, or that, as the notes define it, or
    what they define as a sigmoid beside features; or an activation of a product with a weight
    beside another product of the same."""
    if are_of_gated_unit(left, right) or any(
        _is_sigmoid(run, mine) and is_features(other)
        for mine, other in ((left, right), (right, left))
    ):
        return True
    return is_gate(run, left) or is_gate(run, right)


def are_of_gated_unit(gate: Value, other: Value) -> bool:
    """Whether two arrays are the halves of ``\\mathrm{SiLU}(x W) (x V)``: what is transposed, ``f(X
    W) (X V)^⊤``, is none."""
    own = gated_by(gate)
    return bool(own and other.axes) and own == projected_on(other.body, other.axes[-1])


def gated_by(gate: Value) -> str:
    """The x of ``\\mathrm{SiLU}(x W)``, "" of anything else."""
    match gate.body:
        case ir.Fn("sigmoid" | "silu" | "gelu" | "relu", (argument,)) if gate.axes:
            return projected_on(argument, gate.axes[-1])
    return ""


def projected_on(value: Expr, feature: Index) -> str:
    """The array of which a value is the product with a weight, whose outputs ``feature`` counts,
    but for a bias; "" of anything else."""
    terms = value.terms if isinstance(value, ir.Add) else (value,)
    sums = [term for term in terms if isinstance(term, ir.Reduce) and term.kind == "sum"]
    parts = [*ir.walk(sums[0])] if len(sums) == 1 else []
    arrays = [part for part in parts if isinstance(part, Ref)]
    if len(arrays) != 2 or any(isinstance(part, ir.Fn) for part in parts):
        return ""
    own = [one.array for one in arrays if not uses(one, feature)]
    return own[0] if len(own) == 1 else ""


def _is_sigmoid(run: Run, value: Value) -> bool:
    """Whether a vector is what the notes define as a sigmoid, and no probabilities."""
    if value.rank != 1 or not isinstance(value.body, Ref):
        return False
    array = value.body.array
    defined = array in run.scope.sigmoids or _is_fn(run, array, "sigmoid")
    return defined and names.base_letter(array) not in names.PROBABILITIES


def _is_fn(run: Run, name: str, function: str) -> bool:
    """Whether the formula itself defines an array as a function of each of its elements."""
    made = run.defined[name].array.body if name in run.defined else None
    return isinstance(made, ir.Fn) and made.name == function


def is_features(value: Value) -> bool:
    """Whether an array holds features by its letter; those of weights make numbers of vectors."""
    return isinstance(value.body, Ref) and names.base_letter(value.body.array) in _FEATURES


_FEATURES = frozenset("efhxyzEFHXYZ")
"""Letters of what a network makes and is given."""


def is_gate(run: Run, value: Value) -> bool:
    """Whether a value is a g, or ``1 - g``, that the notes define as an array of its rank. The
    weights of a softmax are no gate."""
    terms = value.body.terms if isinstance(value.body, ir.Add) else (ir.ONE, value.body)
    gate = ir.negative(terms[-1]) if isinstance(terms[-1], ir.Mul) else terms[-1]
    if len(terms) != 2 or terms[0] != ir.ONE or not isinstance(gate, Ref):
        return False
    axes = tuple(Idx(axis) for axis in value.axes)
    if (
        gate.array not in run.seen.mixes | run.scope.opposites
        and not _is_opened_here(run, gate.array)
    ) or gate.at[len(gate.at) - len(axes) :] != axes:
        return False  # nor is G^⊤
    if gate.array in run.defined:
        return not _are_weights(run, gate)
    if gate.array in run.scope.opposites:
        return True
    if value.rank == 2 and names.base_letter(gate.array) in _MATRIX_GATES:
        return True
    declared = value.rank == 1 and gate.array in run.shapes
    return declared or (value.rank > 0 and gate.array in run.scope.ranks)


def _is_opened_here(run: Run, name: str) -> bool:
    """Whether a gate is what the formula itself defines as a sigmoid, by its letter too."""
    return names.base_letter(name) in GATES and _is_fn(run, name, "sigmoid")


def _are_weights(run: Run, value: Expr) -> bool:
    """Whether a value is what the formula defines as a softmax, or as 1 less one."""
    match value:
        case Ref(name) if name in run.defined:
            return _are_weights(run, run.defined[name].array.body)
        case ir.Add((Num(1), ir.Mul((Num(-1), rest)))):
            return _are_weights(run, rest)
    return isinstance(value, ir.Softmax)


HADAMARD = frozenset("⊙∘")
"""The signs of a product element by element."""

_MATRIX_GATES = frozenset("FGMTZ")
"""Letters of gates and masks that are matrices, where ``1 - G`` is taken of them."""

GATES = frozenset("fgioruz")
"""Letters of the gates of recurrent networks."""


def _is_gated(run: Run, left: Value, right: Value) -> bool:
    """Whether one of two vectors that make a state is a gate by its letter: what the notes define,
    or the formula as a sigmoid."""
    arrays = [side.body.array for side in (left, right) if isinstance(side.body, Ref)]
    gates = [name for name in arrays if run.gives_state and names.base_letter(name) in GATES]
    bodies = (run.defined[name].array.body for name in gates if name in run.defined)
    sigmoids = any(isinstance(body, ir.Fn) and body.name == "sigmoid" for body in bodies)
    return sigmoids or any(name in run.scope.ranks for name in gates)


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
        case ir.Reduce("sum", summed, ir.Mul((first, Ref(_, (Idx(row), Idx(column)))))):
            made = find_index(row) is find_index(summed) and find_index(column) is find_index(axis)
            return made and not uses(first, axis)
    return False


def _are_plain(left: Expr, right: Expr) -> bool:
    """Whether xᵀy is surely a dot product: only keys and values, as rows, are multiplied so."""
    if not isinstance(left, Ref) or not isinstance(right, Ref):
        return False
    return right.array[0] not in "vV" and (left.array[0], right.array[0]) != ("v", "k")


def _are_key_and_value(left: Expr, right: Expr) -> bool:
    """Whether k vᵀ is what linear attention adds to its state: keys, or what a feature map makes of
    them, and values are no rivals. By their weights, ``x W_K`` and ``x W_V`` are these, too."""
    letters = {_role(e.arguments[0].body if _is_mapped(e) else e) for e in (left, right)}
    return letters == {"k", "v"}


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
    are: one is compared with the other."""
    arrays = [{e.array for e in ir.walk(side) if isinstance(e, Ref)} for side in (left, right)]
    labels = [{a.rpartition("_")[2].lower() for a in own if a[0] == "W"} for own in arrays]
    made = not isinstance(left, Ref) and not isinstance(right, Ref)
    letters = [{names.base_letter(a).lower() for a in own} & {*"qk"} for own in arrays if made]
    return sorted(labels, key=sorted) == [{"k"}, {"q"}] or letters == [{"q"}, {"k"}]


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


def reduce_all(kind: str, value: Value) -> Expr:
    """A sum, maximum, … over all open axes."""
    body = value.body
    for axis in reversed(value.axes):
        body = ir.Reduce(kind, axis, body)
    return body


def free_roots(body: Expr) -> set[Index]:
    """The indices that an expression uses and does not bind; linked ones count as one."""
    return {*ir.free_indices(body, find_index)}


def settled(body: Expr) -> Expr:
    """The expression with each linked index replaced by the one it stands for."""
    used = {expr.index for expr in ir.walk(body) if isinstance(expr, Idx)}
    linked = {index: Idx(find_index(index)) for index in used if index.link is not None}
    return ir.substitute(body, linked)


def is_logistic(value: Value) -> bool:
    """Whether an array is a number and a power of e for each element, ``1 + e^{-x}``, of which
    there is no other inverse than that of each."""
    match value.body:
        case ir.Add((ir.Num(), ir.Fn("exp"))) | ir.Add((ir.Fn("exp"), ir.Num())):
            return True
    return False
