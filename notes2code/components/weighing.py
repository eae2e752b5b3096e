"""What attention's weights weigh: values that go with the keys, over which the softmax goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.components.factors import factors_of
from notes2code.components.indicators import is_indicator, label_index
from notes2code.components.keys import key
from notes2code.components.normal import normal_form
from notes2code.components.renewed import TooLong
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Mul,
    Num,
    Pow,
    Reduce,
    Ref,
    Softmax,
)


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
    return next(_strange(body, ()), "") or _over_queries(body)


def beyond_range(equation: Equation) -> tuple[str, str] | None:
    """What is to be told of weights such as ``exp(e_{ij}) / Σ_{k ≤ i} exp(e_{ik})``, of which the
    formula gives some for j > i, too, which are no shares of the sum, and what to write for it;
    nothing of any others, such as those that are multiplied by ``1[j ≤ i]``."""
    body = equation.value.body
    factors = body.factors if isinstance(body, Mul) else ()
    bounded = {at for one in filter(is_indicator, factors) for at in ir.free_indices(one)}
    for part in factors:
        match part:
            case Pow(Reduce("sum", over, weight, Compare("<" | "≤" | ">" | "≥") as where), Num(-1)):
                free = {*equation.value.indices} - ir.free_indices(where) - bounded
                shares = {key(ir.substitute(weight, {over: Idx(at)})): at for at in free}
                if at := next(filter(None, (shares.get(key(one)) for one in factors)), None):
                    letter = at.letter or at.name
                    text = f"`{letter}` is taken to run over all places, and not only over those "
                    return text + "that the sum below adds up", _said_behind(letter, over, where)
    return None


def _said_behind(letter: str, over: Index, where: Compare) -> str:
    """How a formula says for which places it holds, those of a sum over an index."""
    sides = [_counted(where.left), _counted(where.right)]
    if None in sides or over not in sides:
        return f"say for which `{letter}` it holds"
    left, right = (letter if at is over else at.letter or at.name for at in sides if at)
    return f"say where it holds, `{left} {_SIGNS[where.op]} {right}`"


def _counted(side: Expr) -> Index | None:
    """The index that a side of a comparison is, as the note counts it."""
    match side:
        case Idx(index) if not index.start:
            return index
        case Add((Idx(index), Num(start))) if start == index.start:
            return index
    return None


_SIGNS = {"<": "<", "≤": r"\le", ">": ">", "≥": r"\ge"}


def _over_queries(body: Expr) -> str:
    """Weights of which those of all queries for one key add up to 1, told by the letters."""
    for part in ir.walk(body):
        if not isinstance(part, Softmax):
            continue
        refs = [inner for inner in ir.walk(part.body) if isinstance(inner, Ref)]
        along = {ref.array[:1] for ref in refs if part.index in ir.free_indices(ref)}
        if along == {"q"} and "k" in {ref.array[:1] for ref in refs}:
            return "the weights are normalised over the queries: usually they are over the keys"
    return ""


def _strange(expr: Expr, outer: tuple[Index, ...]) -> Iterator[str]:
    """What is wrong in an expression inside sums over some indices."""
    if not isinstance(expr, Reduce) or expr.kind != "sum":
        if isinstance(expr, Mul) and _is_limited_below(expr.factors):
            yield "the condition stands below alone: what is above goes over all keys"
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


def _is_limited_below(factors: Sequence[Expr]) -> bool:
    """Whether all ``exp(s_j) v_j`` are added up above, and only some ``exp(s_j)`` below."""
    above = [f.body for f in factors if isinstance(f, Reduce) and f.kind == "sum"]
    below = [f.base.body for f in factors if isinstance(f, Pow) and isinstance(f.base, Reduce)]
    weighed = any(ir.is_exponential(f) for body in above for f in factors_of(body)[1])
    return weighed and any(map(_is_limited, below)) and not any(map(_is_limited, above))


def _is_limited(body: Expr) -> bool:
    """Whether a condition stands beside an exponential."""
    factors = factors_of(body)[1]
    return any(map(ir.is_exponential, factors)) and any(map(is_indicator, factors))


def _depends(expr: Expr, index: Index) -> bool:
    return index in ir.free_indices(expr)


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
    elif at in over and (label := _of_scores(weight, values)):
        yield f"the values are made with `{label}`, which the scores are made with"
    elif at in over and _are_queries(weight, at, values):
        yield "the values are the queries: usually they go with the keys"


def _cuts(expr: Expr, index: Index) -> bool:
    """Whether it is 1 for some places of an index, by their order or as members of a set, and 0
    for the others."""
    match expr:
        case Cases(((condition, ir.ONE),), ir.ZERO) if label_index(expr) is not index:
            return isinstance(condition, Compare) and _depends(condition, index)
    return False


def _of_scores(weight: Softmax, values: list[Expr]) -> str:
    """The weight of queries or keys that makes the values too: ``Σ_j a_{ij} x_j W^K``. The log of
    the weights in their entropy, ``Σ_j a_{ij} \\log a_{ij}``, is no value."""
    if any(isinstance(part, Softmax) for value in values for part in ir.walk(value)):
        return ""
    scores = {part.array for part in ir.walk(weight.body) if isinstance(part, Ref)}
    made = {part.array for value in values for part in ir.walk(value) if isinstance(part, Ref)}
    found = (name for name in scores & made if name[:2] == "W_" and name[-1] in "QKqk")
    return next(found, "")


def _are_queries(weight: Softmax, at: Index, values: list[Expr]) -> bool:
    """Whether the values are an array that the scores know as queries only."""
    refs = [part for part in ir.walk(weight.body) if isinstance(part, Ref)]
    queries = {ref.array for ref in refs if Idx(weight.index) not in ref.at}
    keys = {ref.array for ref in refs if len(ref.at) > 1 and ref.at[0] == Idx(weight.index)}
    used = {p.array for v in values for p in ir.walk(v) if isinstance(p, Ref) and Idx(at) in p.at}
    return bool(keys) and len(used) == 1 and used <= queries - keys
