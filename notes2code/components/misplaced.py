"""What stands in a strange place in attention: scales and values beside the softmax or in it."""

from __future__ import annotations

from collections.abc import Set

from notes2code.components.library import Library, plain
from notes2code.components.normal import normal_form
from notes2code.components.renewed import TooLong
from notes2code.diagnostics import Span
from notes2code.latex.tree import Name, Tree, walk
from notes2code.meaning.ir import (
    Call,
    Equation,
    Expr,
    Fn,
    Idx,
    Mul,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)
from notes2code.meaning.ir import walk as parts_of


def misplaced_softmax(equation: Equation, library: Library) -> str | None:
    """What is wrong with the softmax of queries, keys and values."""
    try:
        body = normal_form(equation).body
    except (TooLong, RecursionError):
        return None
    given = {given.name.lower() for given in equation.inputs}
    if not {"q", "k", "v"} <= given:
        return "the scale stands outside the softmax" if _scales_weights(body) else None
    parts = list(parts_of(body))
    softmaxes = [part for part in parts if isinstance(part, Softmax)]
    if any(_weighs(part.body, "v") and _weighs(part.body, "k") for part in softmaxes):
        return "the values stand inside the softmax"
    is_plain = not softmaxes and not any(isinstance(part, Call | Fn) for part in parts)
    if is_plain and not _is_linear(equation, library):
        return "the scores are multiplied by the values without a softmax"
    if softmaxes and isinstance(body, Mul) and any(map(_is_scale, body.factors)):
        return "the scale stands outside the softmax"
    return None


def lacks_transpose(equation: Equation) -> bool:
    """Whether a softmax is taken of Q K, which adds up over keys and not over features."""
    softmaxes = (part for part in parts_of(equation.value.body) if isinstance(part, Softmax))
    for part in (inner for softmax in softmaxes for inner in parts_of(softmax.body)):
        match part:
            case Reduce("sum", index, Mul((Ref("Q", (*_, query)), Ref("K", (key, _))))):
                if query == key == Idx(index):
                    return True
    return False


def place_of_softmax(tree: Tree) -> Span | None:
    """Where a formula says softmax, if it does so once."""
    nodes = (node for clause in tree.clauses for node in walk(clause.node))
    places = [n.span for n in nodes if isinstance(n, Name) and n.text.lower() == "softmax"]
    return places[0] if len(places) == 1 else None


def _weighs(expr: Expr, array: str) -> bool:
    """Whether an array stands in an expression."""
    return any(isinstance(part, Ref) and part.array.lower() == array for part in parts_of(expr))


def _scales_weights(body: Expr) -> bool:
    """Whether weights, and not the products that they are made of, are divided by the number of
    terms of these: ``softmax(Q K^T) / √d_k``."""
    match body:
        case Mul(factors):
            weights = [part for part in factors if isinstance(part, Softmax)]
            inside = [part for weight in weights for part in parts_of(weight.body)]
            arrays = {part.array for part in inside if isinstance(part, Ref)}
            if {name[0] for name in arrays}.isdisjoint("QKqk") and _is_one_weight(arrays):
                return False  # those of W x are of classes
            summed = [part.index.size for part in inside if isinstance(part, Reduce)]
            scales = (part.base for part in factors if isinstance(part, Pow))
            return any(isinstance(base, Size) and base in summed for base in scales)
    return False


def _is_one_weight(arrays: Set[str]) -> bool:
    """Whether one of all arrays is a weight."""
    return sum(name[0] in "WUwu" for name in arrays) == 1


def _is_linear(equation: Equation, library: Library) -> bool:
    """Whether linear attention is written out: its name says so, keys and values are multiplied
    first, a state or a mask stands beside queries, keys and values, or a sum ends at the place of
    the query. What is called attention has a softmax."""
    name = plain(equation.name)
    parts = list(parts_of(equation.value.body))
    sums = (part.body for part in parts if isinstance(part, Reduce))
    keys_first = any(_weighs(e, "k") and _weighs(e, "v") and not _weighs(e, "q") for e in sums)
    if name in map(plain, library.components["linear_attention"].calls) or keys_first:
        return True
    others = {given.name.lower() for given in equation.inputs if given.shape} - {"q", "k", "v"}
    causal = any(isinstance(part, Reduce) and part.where is not None for part in parts)
    return "att" not in name and bool(others or causal)


def _is_scale(expr: Expr) -> bool:
    """Whether a factor is a power of a size, such as 1/√d_k."""
    return isinstance(expr, Pow) and isinstance(expr.base, Size)
