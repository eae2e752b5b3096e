"""Functions of arrays that the field calls by name: maxima, norms and moments, traces, …"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from notes2code.diagnostics import ProblemError, Span, error, note, warning
from notes2code.latex.tree import Big, Dots, Group, Juxt, Name, Node, Script, walk, words_in
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls import linear, softmax
from notes2code.meaning.inference.indices.index_arithmetic import clipped
from notes2code.meaning.inference.indices.indexing import own_letter
from notes2code.meaning.inference.indices.reach import limit
from notes2code.meaning.inference.lists import concatenations, diagonal, ellipsis
from notes2code.meaning.inference.products import inverses, turns
from notes2code.meaning.inference.products.array_products import matrix_product
from notes2code.meaning.inference.ranks import pieces
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.sums import bigs
from notes2code.meaning.inference.values import (
    Value,
    elementwise,
    fresh,
    link,
    mapped,
    reduce_all,
    scalar,
    settled,
)
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.reading.pieces import SPLIT
from notes2code.meaning.rewriting import joined_heads, unit_rows

REDUCTIONS = {"sum": "sum", "mean": "mean", "avg": "mean", "max": "max", "min": "min"}


def _magnitudes(run: Run, body: Node) -> Value | None:
    """The absolute values of all elements of x, in ``max(|x|)``; None of anything but an array."""
    match body:
        case Group("|", (inner,)):
            value = run.lower(inner)
            if value.rank:
                return mapped(value, lambda e: ir.Fn("abs", (e,)), body.span)
    return None


def reduction(run: Run, kind: str, group: Group, span: Span) -> Value:
    """``max(a, b)`` of several, ``max(x_1, …, x_n)``, ``max(x)`` of one array's elements, and
    ``mean(x_i)`` over an index that stands nowhere else."""
    if len(group.items) == 1:
        own, (body,) = own_letter(run, group), group.items
        if not own and (magnitudes := _magnitudes(run, body)) is not None:
            return scalar(reduce_all(kind, magnitudes), span)
        value = None if own else run.lower(body)
        of_tokens = value is not None and _is_of_tokens(run, value)
        if value is not None and of_tokens and kind == "mean" and value.rank < 2:
            run.pay(2.2)  # the mean of X, and of a block Q_i, is that of its rows
        elif value is None or value.rank == 0:
            letters = [own] if own else [*run.seen.loose(body)]
            if len(letters) != 1:
                raise _unsaid(span)
            return bigs.big(run, Big(kind, Name(letters[0], span), None, body, span))
        if (part := _of_part(run, kind, value, span)) is not None:
            return part
        if value.rank > 1:
            return _of_matrix(run, kind, value, of_tokens, span)
        if kind in ("max", "min") and _is_of_numbers(run, body):
            raise _unsaid(span)
        return scalar(reduce_all(kind, value), span)
    if any(isinstance(item, Dots) for item in group.items):
        index, values = ellipsis.family(run, group.items, span)
        if len(values) == 1:
            return Value(ir.Reduce(kind, index, values[0].body), values[0].axes, span)
    if kind not in ("max", "min"):
        raise error("N2C037", f"`{kind}` of several arguments is not understood", span)
    values = [run.lower(item) for item in group.items]
    result = values[0]
    for value in values[1:]:
        if {result.rank, value.rank} == {1, 2}:
            run.pay(0.9)  # what bounds a matrix is a number, or as the matrix is
        both = _is_letter(result) and _is_letter(value)
        if both and {result.rank, value.rank} == {0, 1}:
            run.pay(0.7)  # the b of max(r, g, b) is no bias
        if _is_bound(result) != _is_bound(value) and max(result.rank, value.rank):
            run.pay(4.0)  # a quantity is what the note gives a greatest value
        result = elementwise(run, result, value, lambda a, b: _extreme(kind, a, b), span)
    return Value(result.body, result.axes, span, result.row)


def _is_letter(value: Value) -> bool:
    """Whether a value is an input, or the greatest of several, as it stands."""
    extreme = isinstance(value.body, ir.Fn) and value.body.name in ("max", "min")
    return isinstance(value.body, ir.Ref) or extreme


def _of_part(run: Run, kind: str, value: Value, span: Span) -> Value | None:
    """``mean(x_{≤t})``, over the places that may be reached; None where all of them may."""
    for axis in value.axes:
        if (within := limit(run, axis, axis)) is not None:
            rest = tuple(other for other in value.axes if other is not axis)
            return Value(ir.Reduce(kind, axis, value.body, within), rest, span)
    return None


def _unsaid(span: Span) -> ProblemError:
    hint = "write below the sign what changes"
    return error("N2C036", "over what this runs is not said", span, hint)


def _is_of_numbers(run: Run, node: Node) -> bool:
    """Whether a node is ``y(i s + a, j s + b)``, a function of several things of which none is
    known to be an array."""
    match node:
        case Juxt((_, Group("(", items, separators))) if "," in separators:
            given = words_in(*items)
            return all(name.islower() and name not in run.shapes for name in given)
    return False


def _is_bound(value: Value) -> bool:
    """Whether a value is the greatest or the least that there is of something: ``c_{max}``."""
    return isinstance(value.body, ir.Ref) and value.body.array.endswith(("_max", "_min"))


def _of_matrix(run: Run, kind: str, value: Value, of_tokens: bool, span: Span) -> Value:
    """``sum(A)`` over the last axis, and ``mean(X)`` over the rows, which are tokens."""
    if kind != "sum" and not of_tokens:
        raise error(
            "N2C041",
            f"over which axis the `{kind}` of a matrix goes is not said",
            span,
            "write the index below it",
        )
    if kind in ("max", "min"):
        run.pay(2.0)  # by itself the greatest of all is meant
    at, which = (-1, "last axis") if kind == "sum" else (-2, "rows")
    run.problems.append(note("N2C039", f"the {kind} is taken to go over the {which}", span))
    axes = [*value.axes]
    index = axes.pop(at)
    return Value(ir.Reduce(kind, index, value.body), tuple(axes), span)


def _is_of_tokens(run: Run, value: Value) -> bool:
    """Whether an array is a matrix with a row for each token by its letter, and nothing is
    normalised by it: that goes over the features."""
    if run.seen.normalises or not isinstance(value.body, ir.Ref):
        return False
    array = value.body.array
    known = array in run.shapes and len(run.shapes[array].axes) < 2
    return names.base_letter(array) in _TOKENS and not known


_TOKENS = frozenset("QKVXHZ")


def _extreme(kind: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if kind == "max" and ir.ZERO in (left, right):
        return ir.Fn("relu", (right if left == ir.ZERO else left,))
    return ir.Fn(kind, (left, right))


def _dropout(run: Run, name: Node, group: Group, span: Span) -> Value:
    """Dropout, which does nothing when a model is evaluated."""
    value = run.lower(group.items[0])
    run.problems.append(
        note("N2C039", "dropout is left out of the value: it acts only in training", span)
    )
    return Value(value.body, value.axes, span, value.row, value.along)


def _clip(run: Run, name: Node, group: Group, span: Span) -> Value:
    if len(group.items) not in (2, 3):
        raise error("N2C041", "`clip` takes a number and one bound or two", span)
    value, *bounds = (run.lower(item) for item in group.items)
    if any(bound.rank for bound in bounds):
        run.pay(2.2)  # the bounds are numbers
    for bound in bounds:  # or have one for each place
        value = elementwise(run, value, bound, lambda e, _: e, span)
    return mapped(value, lambda e: clipped(e, *(bound.body for bound in bounds)), span)


def _concatenation(run: Run, name: Node, group: Group, span: Span) -> Value:
    if run.quote(name.span) in joined_heads.SIGNS:
        run.problems.append(note("N2C039", "`\\oplus` is taken to be concatenation", name.span))
    return concatenations.concatenated(run, group.items, span, named=True)


def _variance(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The variance over the features, or the axis that is named below (population)."""
    value = _along_named(run, name, _vector(run, group, group, span))
    axis = find_index(value.axes[-1])
    mean = ir.Reduce("mean", axis, value.body)
    copy = ir.Index(axis.name, axis.size)
    centred = ir.add(ir.substitute(value.body, {axis: ir.Idx(copy)}), ir.negative(mean))
    body = ir.Reduce("mean", copy, ir.Pow(centred, ir.Num(2)))
    return Value(body, value.axes[:-1], span)


def _deviation(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The root of the variance over the features (population), told where a σ stands for it."""
    if run.quote(name.span) == "\\sigma":
        quoted = run.quote(name.span.to(span))
        if "sigma" in run.scope.arrays:
            raise error(
                "N2C037",
                f"what the note makes of `{quoted}` may be another deviation",
                name.span,
                "write `\\mathrm{std}` if it is the one by 1/n, or write out what it is",
            )
        text = f"`{quoted}` is taken to be the deviation, by 1/n"
        run.problems.append(
            note("N2C039", text, name.span, "write `\\mathrm{std}` to make it plain")
        )
    return mapped(_variance(run, name, group, span), lambda e: ir.Pow(e, ir.HALF))


def _root_mean_square(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The root of the mean of the squares over the features."""
    value = _vector(run, name, group, span)
    mean = ir.Reduce("mean", value.axes[-1], ir.Pow(value.body, ir.Num(2)))
    return Value(ir.Pow(mean, ir.HALF), value.axes[:-1], span)


def _diagonal_matrix(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``diag(v)`` and ``diag(v_1, …, v_n)``: the matrix with a vector, or with numbers or blocks,
    on its diagonal."""
    if any(isinstance(item, Dots) for item in group.items):
        return _of_family(run, group, span)
    if len(group.items) > 1:
        raise error("N2C041", "`diag` is computed of a vector only", span, "write `diag([a, b])`")
    value = run.lower(group.items[0])
    if value.rank != 1:
        raise error("N2C041", "`diag` is computed of a vector only", span)
    return diagonal.of_vector(value, span)


def _of_family(run: Run, group: Group, span: Span) -> Value:
    """``diag(a_1, …, a_n)`` of numbers, or of blocks."""
    index, values = ellipsis.family(run, group.items, span)
    if len(values) > 1 or values[0].rank not in (0, 2):
        text = "only numbers or matrices can stand on a diagonal"
        raise error("N2C041", text, span, "declare the shape of the blocks")
    if values[0].rank == 2:
        return diagonal.of_matrices(index, values[0], span)
    body = values[0].body
    if isinstance(body, ir.Ref) and body.array[0].isupper() and len({*body.at}) > 1:
        run.pay(2.2)  # the R_{1,m}, …, R_{n,m} on a diagonal are blocks; D_{11}, …, D_{nn} are not
    rows, columns = index, fresh(find_index(index).size)
    on = ir.Compare("=", ir.Idx(rows), ir.Idx(columns))
    return Value(ir.Cases(((on, body),), ir.ZERO), (rows, columns), span)


def _of_rows(kind: str) -> Callable[[Run, Node, Group, Span], Value]:
    """``rowmax(S)`` and ``rowsum(P)``: a number for each row of a matrix."""

    def reduced(run: Run, name: Node, group: Group, span: Span) -> Value:
        value = run.lower(group.items[0])
        if value.rank < 2:
            run.pay(4.0)  # only a matrix has rows
        if not value.rank or len(group.items) > 1:
            raise error("N2C041", f"`{run.quote(name.span)}` is of the rows of a matrix", span)
        return Value(ir.Reduce(kind, value.axes[-1], value.body), value.axes[:-1], span)

    return reduced


def _trace(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The sum of a square matrix's diagonal."""
    value = _only(run, name, group, span)
    if value.rank != 2:
        raise error("N2C041", "the trace is computed of a matrix only", span)
    link(run, value.axes[0], value.axes[1], span)
    return scalar(ir.Reduce("sum", find_index(value.axes[0]), settled(value.body)), span)


def _determinant(run: Run, name: Node, group: Group, span: Span) -> Value:
    return inverses.determinant(run, _only(run, name, group, span), span)


def _product(run: Run, name: Node, group: Group, span: Span) -> Value:
    if len(group.items) != 2:
        raise error("N2C041", "`matmul` takes two arrays", span)
    return matrix_product(run, run.lower(group.items[0]), run.lower(group.items[1]), span)


def _log_softmax(run: Run, name: Node, group: Group, span: Span) -> Value:
    value = softmax.called(run, name, group, span)
    return mapped(value, lambda e: ir.Fn("log", (e,)), span)


def is_expectation(run: Run, name: Node, group: Group) -> bool:
    """``E[x]``, ``𝔼[x]``, and E(x) where a normalisation is written with E and Var."""
    while isinstance(name, scripts.SCRIPTED):
        name = name.base
    if not isinstance(name, Name) or name.text != "E":
        return False
    if name.font == "blackboard" or run.seen.normalises:
        return True
    # The E of E[x_t] may be the note's matrix of embeddings.
    return group.open == "[" and "E" not in run.shapes and "E" not in run.defined


def is_spread(run: Run, name: Node) -> bool:
    """The ``Var_B[x]`` of a normalisation, which names the axis that it goes over."""
    base = name.base if isinstance(name, Script) and name.sub is not None else None
    spread = isinstance(base, Name) and base.text.lower() in ("var", "std")
    return spread and run.seen.normalises


def spread(run: Run, name: Script, group: Group, span: Span) -> Value:
    """The variance, or its root, over the axis that is named."""
    assert isinstance(name.base, Name)
    return BY_NAME[name.base.text.lower()](run, name, group, span)


def _along_named(run: Run, name: Node, value: Value) -> Value:
    """An array whose last axis is the one that stands below a mean, the B of ``E_B[X]``, where that
    is one of its declared axes."""
    over = name.sub if isinstance(name, Script) else None
    if over is None:
        return value
    named = [axis for axis in value.axes if _is_size(axis, binders.bare(over))]
    if len(named) == 1:
        rest = [axis for axis in value.axes if axis is not named[0]]
        return replace(value, axes=(*rest, named[0]))
    if isinstance(over, Group):
        text = f"a mean over several axes, `{run.quote(over.span)}`, is not computed"
        raise error("N2C037", text, over.span, "write it as a sum with its indices")
    if binders.bare(over).lower() not in ("", "c", "d", "h", "x"):
        text = f"the mean goes over the features, whatever `{run.quote(over.span)}` says"
        hint = "write it as a sum with its index, where it goes over the examples of a batch"
        run.problems.append(warning("N2C050", text, name.span, hint))
    return value


def _is_size(axis: ir.Index, name: str) -> bool:
    size = find_index(axis).size
    return isinstance(size, ir.Size) and size.name == name


def expectation(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The mean over the features, where a normalisation is written with E and Var."""
    indexed = [n for n in walk(group) if scripts.is_name(n) and run.seen.use(n).indices]
    if not run.seen.normalises or indexed:
        mean = "write a mean over examples as `\\frac{1}{N} \\sum_{i=1}^{N}`"
        if len(group.items) == 1 and scripts.is_name(group.items[0]):
            text = "a row that is looked up, or an expectation, is not computed"
            row = "a lookup as a product with one-hot rows, such as `x_i = u_i E`"
            raise error("N2C037", text, span, f"{mean}, {row}")
        raise error("N2C037", "an expectation cannot be computed", span, mean)
    value = _along_named(run, name, _vector(run, group, group, span))
    return Value(ir.Reduce("mean", value.axes[-1], value.body), value.axes[:-1], span)


def _only(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The one argument of a function: what else it is given would change what it makes of it."""
    if len(group.items) > 1:
        text = f"`{run.quote(name.span)}` is of one array, and is given {len(group.items)} things"
        raise error("N2C041", text, span, "join the numbers to one vector, `[a, b]`")
    return run.lower(group.items[0])


def _vector(run: Run, name: Node, group: Group, span: Span) -> Value:
    value = _only(run, name, group, span)
    if value.rank == 0:
        raise error("N2C041", f"`{run.quote(name.span)}` of a single number", span)
    return value


def _unit_rows(run: Run, name: Node, group: Group, span: Span) -> Value:
    """Each row over its length."""
    value = _vector(run, group, group, span)
    length = ir.inverse(linear.length(value))
    return replace(value, body=ir.mul(value.body, length), span=span)


def _cosine(run: Run, name: Node, group: Group, span: Span) -> Value:
    """The cosine of the angle between two vectors."""
    if len(group.items) != 2:
        raise error("N2C041", "the cosine similarity takes two vectors", span)
    left, right = (run.lower(item) for item in group.items)
    return linear.cosine(run, left, right, span)


BY_NAME: dict[str, Callable[[Run, Node, Group, Span], Value]] = {
    "drop": _dropout,
    "dropout": _dropout,
    "clip": _clip,
    "clamp": _clip,
    "concat": _concatenation,
    "concatenate": _concatenation,
    "cat": _concatenation,
    "var": _variance,
    "std": _deviation,
    "rms": _root_mean_square,
    **dict.fromkeys(("diag", "blockdiag"), _diagonal_matrix),
    SPLIT: pieces.piece,
    "rowmax": _of_rows("max"),
    "rowsum": _of_rows("sum"),
    "rowmean": _of_rows("mean"),
    "det": _determinant,
    "tr": _trace,
    "trace": _trace,
    "logsoftmax": _log_softmax,
    "matmul": _product,
    **dict.fromkeys(("cosine", "cosinesimilarity", "cosinesim", "cossim"), _cosine),
    unit_rows.UNIT: _unit_rows,
    "re": lambda run, _, group, span: turns.real_part(run, group, span),
}
