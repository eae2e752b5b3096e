r"""Projections before what they project: ``Attention(W^Q Q, …)`` and ``W^O Concat(head_1, …)``.

Attention takes and gives a row for each token. As products of matrices these would mix the tokens;
what is meant is the projection of each, ``Q (W^Q)^\top``.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from notes2code.diagnostics import Span, warning
from notes2code.latex.tree import Infix, Juxt, Node
from notes2code.meaning import ir, names
from notes2code.meaning.inference.products.array_products import matrix_product
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import Value, settled
from notes2code.meaning.ir import Equation
from notes2code.meaning.notation import binders

_ATTENTION = frozenset(["mha", "mhsa", "msa", "mqa", "gqa", "sdpa", "multihead", "att"])
_TOKENS = frozenset("QKVXHZYExhzqkv")
"""What has a row for each token."""


def arguments(
    run: Run, function: str, equation: Equation | None, items: Sequence[Node]
) -> list[Value]:
    """The arguments of a call, those of an attention of rows with a row for each token."""
    if _attends(function) and (equation is None or _is_of_rows(equation)):
        return [_projected(run, item) or run.lower(item) for item in items]
    return [run.lower(item) for item in items]


def _attends(function: str) -> bool:
    plain = names.as_word(function)
    return plain in _ATTENTION or "attn" in plain or "attention" in plain


def _is_of_rows(equation: Equation) -> bool:
    """Whether a function gives a row for each row that it gets first."""
    shapes = {one.name: one.shape for one in equation.inputs}
    first = shapes.get(equation.parameters[0], ()) if equation.parameters else ()
    indices = equation.value.indices
    return len(first) == len(indices) == 2 and indices[0].size == first[0]


def _projected(run: Run, item: Node) -> Value | None:
    match item:
        case Juxt((first, second)) | Infix("·", first, second) if binders.bare(first) == "W":
            weight, tokens = run.lower(first), run.lower(second)
        case _:
            return None
    if _is_matrix(weight, {"W"}) and _is_matrix(tokens, _TOKENS):
        return _of_each_row(run, weight, tokens, item.span)
    return None


def behind(run: Run, weight: Value, tokens: Value, where: Span) -> Value | None:
    """What a weight makes of the rows that a layer gives behind it, as attention does, or of
    matrices that are joined side by side, such as heads."""
    if tokens.rank != 2 or not _is_matrix(weight, {"W"}):
        return None
    body = settled(tokens.body)
    if isinstance(body, ir.Call) and _attends(body.function):
        equation = run.functions.get(body.function)
        if equation is None or _is_of_rows(equation):
            return _of_each_row(run, weight, tokens, where)
    if _is_of_layer(run, body, tokens):
        return _of_each_row(run, weight, tokens, where)
    last = ir.Idx(find_index(tokens.axes[-1]))
    joined = any(
        (isinstance(part, ir.Concat) and part.at == last)
        or (isinstance(part, ir.Fn) and part.name == "floordiv" and part.arguments[0] == last)
        for part in ir.walk(body)
    )
    return _of_each_row(run, weight, tokens, where) if joined else None


def _is_of_layer(run: Run, body: ir.Expr, tokens: Value) -> bool:
    """Whether a matrix with a row for each token is what a layer gives, or is added to that."""
    rows, features = map(find_index, tokens.axes)
    if find(rows.size).kind != "sequence" or find(features.size).kind == "sequence":
        return False
    if isinstance(body, ir.Ref) and body.array in run.defined:
        array = run.defined[body.array].array
        body = ir.substitute(array.body, dict(zip(array.indices, body.at, strict=True)))
    terms = ir.terms(body)
    calls = (term for term in terms if isinstance(term, ir.Call))
    return any(call.at[-1:] == (ir.Idx(features),) for call in calls)


def _of_each_row(run: Run, weight: Value, tokens: Value, where: Span) -> Value:
    where = weight.span.to(tokens.span)
    text = f"`{run.quote(where)}` is taken to project each row of `{run.quote(tokens.span)}`"
    hint = f"write the weight behind: `{run.quote(tokens.span)} {run.quote(weight.span)}`"
    run.problems.append(warning("N2C042", text, where, hint))
    turned = Value(weight.body, weight.axes[::-1], weight.span)
    return matrix_product(run, tokens, turned, where)


def _is_matrix(value: Value, letters: Set[str]) -> bool:
    """Whether a value is a matrix with a name, one of some letters, as it is."""
    named = isinstance(value.body, ir.Ref) and names.base_letter(value.body.array) in letters
    if value.rank != 2 or not named:
        return False
    body = settled(value.body)
    return isinstance(body, ir.Ref) and body.at[-2:] == tuple(map(ir.Idx, value.axes))


def is_of_columns(value: Value) -> bool:
    """Whether a matrix has a column for each token, since a weight makes its rows: ``W X``."""
    if value.rank != 2:
        return False
    rows, columns = map(find_index, value.axes)
    parts = [part for part in ir.walk(settled(value.body)) if isinstance(part, ir.Ref)]
    made = [part for part in parts if names.base_letter(part.array) == "W" and len(part.at) == 2]
    return any(part.at[0] == ir.Idx(rows) for part in made) and not any(
        ir.Idx(columns) in part.at for part in made
    )


def is_declared_of_columns(value: Value) -> bool:
    """Whether a matrix may have a column for each token by its declared axes, ``d × n``: features
    by their name, and something else behind them."""
    sizes = [find(find_index(axis).size) for axis in value.axes] if value.rank == 2 else []
    of_features = [names.base_letter(size.name).lower() == "d" for size in sizes if size.rank > 1]
    return of_features == [True, False] and sizes[1].name.isidentifier()
