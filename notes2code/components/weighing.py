"""What attention's weights weigh: values that go with the keys, over which the softmax goes."""

from __future__ import annotations

from collections.abc import Iterator

from notes2code.components.normal import TooLong, factors_of, normal_form
from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Equation, Expr, Fn, Idx, Index, Reduce, Ref, Softmax


def strange_weights(equation: Equation) -> str:
    """What is wrong with the sums of a softmax times values, in words; "" if nothing is."""
    arrays = (equation.value, *(definition.array for definition in equation.definitions))
    parts = [part for array in arrays for part in ir.walk(array.body)]
    if not any(isinstance(p, Softmax) or (isinstance(p, Fn) and p.name == "exp") for p in parts):
        return ""
    try:
        body = normal_form(equation).body
    except (TooLong, RecursionError):
        return ""
    return next(_strange(body, ()), "")


def _strange(expr: Expr, outer: tuple[Index, ...]) -> Iterator[str]:
    """What is wrong in an expression inside sums over some indices."""
    if not isinstance(expr, Reduce) or expr.kind != "sum":
        for child in ir.children(expr):
            yield from _strange(child, ())
        return
    over = (*outer, expr.index)
    if isinstance(expr.body, Reduce):
        yield from _strange(expr.body, over)
        return
    factors = factors_of(expr.body)[1]
    for weight in factors:
        if isinstance(weight, Softmax) and isinstance(weight.at, Idx):
            others = [factor for factor in factors if factor is not weight]
            yield from _misused(weight, weight.at.index, others, over)
    for factor in factors:
        yield from _strange(factor, ())


def _misused(
    weight: Softmax, at: Index, values: list[Expr], over: tuple[Index, ...]
) -> Iterator[str]:
    """What is wrong with a softmax beside other factors in a sum."""
    summed = [index for index in over if index in ir.free_indices(weight)]
    along = [index for index in over if any(index in ir.free_indices(v) for v in values)]
    if at not in over and set(summed) & set(along):
        names = f"`{at.name}`, and added up over `{(set(summed) & set(along)).pop().name}`"
        yield f"the weights are normalised over {names}"
    elif at in over and at not in along:
        yield "weights that add up to 1 are added up, and what they weigh is the same for all"
    elif at in over and weight.where is None and any(_cuts(value, at) for value in values):
        yield "the condition stands outside the softmax: what is left does not add up to 1"
    elif at in over and _are_queries(weight, at, values):
        yield "the values are the queries: usually they go with the keys"


def _cuts(expr: Expr, index: Index) -> bool:
    """Whether it is 1 for some places of an index, by their order, and 0 for the others."""
    match expr:
        case Cases(((condition, ir.ONE),), ir.ZERO):
            return isinstance(condition, ir.Compare) and Idx(index) in ir.children(condition)
    return False


def _are_queries(weight: Softmax, at: Index, values: list[Expr]) -> bool:
    """Whether the values are an array that the scores know as queries only."""
    refs = [part for part in ir.walk(weight.body) if isinstance(part, Ref)]
    queries = {ref.array for ref in refs if Idx(weight.index) not in ref.at}
    keys = {ref.array for ref in refs if len(ref.at) > 1 and ref.at[0] == Idx(weight.index)}
    used = {p.array for v in values for p in ir.walk(v) if isinstance(p, Ref) and Idx(at) in p.at}
    return bool(keys) and len(used) == 1 and used <= queries - keys
