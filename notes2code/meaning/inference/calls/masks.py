"""Masks by their names: ``Mask(S)``, ``CausalMask(S)``, ``tril(S)``, ``masked_fill(S, M = 0, −∞)``.

A mask of scores is what is added to them: 0 where a key may be seen and −∞ where not.
"""

from __future__ import annotations

import re

from notes2code.diagnostics import Span, error, note, warning
from notes2code.latex.tree import Frac, Group, Juxt, Name, Node, Relation
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, Symbol, find_index
from notes2code.meaning.inference.sums import conditions
from notes2code.meaning.inference.values import Value, elementwise, free_roots, mapped
from notes2code.meaning.ir import Cases, Compare, Expr, Idx, Index, Ref

_MASK = frozenset("mask masked masking".split())
_BESIDE = _MASK | frozenset("apply attention attn padding pad scores".split())
_CAUSAL = frozenset("causal future autoregressive subsequent lookahead".split())
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def kind(run: Run, name: str) -> str:
    """What a function with this name does: ``causal``, ``mask``, ``tril`` or ``fill``; "" for all
    others, and for what the note defines."""
    if name in run.defined or name in run.shapes or name in run.scope.arrays:
        return ""
    if name.lower() in ("tril", "masked_fill", "maskedfill"):
        return "tril" if name.lower() == "tril" else "fill"
    return of_words(run, name)


def of_words(run: Run, name: str) -> str:
    """The kind of mask that the words of a name speak of; a ``MaskedAttention`` is no mask. Where
    anything in the formula is called causal, its mask is."""
    words = {word.lower() for word in _WORD.findall(name.replace("LookAhead", "Lookahead"))}
    if words & _CAUSAL and words <= _BESIDE | _CAUSAL:
        return "causal"
    attends = name.lower().endswith(("attention", "attn"))
    if words & _MASK and words <= _BESIDE and not attends:
        return "causal" if "causal" in run.latex.lower() else "mask"
    return ""


def called(run: Run, name: Node, group: Group, span: Span) -> Value | None:
    """The value of a function that masks; None for any other."""
    use = run.seen.use(name)
    asked = kind(run, use.name)
    if asked == "fill" and len(group.items) == 3:
        return _filled(run, group, span)
    if not asked or asked == "fill" or len(group.items) > 1:
        return None
    value = run.lower(group.items[0])
    return (
        _triangle(run, value, span)
        if asked == "tril"
        else masked(run, value, use.name, use.name, span)
    )


def masked(run: Run, value: Value, words: str, name: str, span: Span) -> Value:
    """Scores with the mask that words speak of: the causal one, or an input with a name."""
    query, key = _places(run, value, span)
    if of_words(run, words) == "causal":
        term: Expr = Cases(((_not_after(run, key, query), ir.ZERO),), ir.MINUS_INFINITY)
    else:
        term = _array(run, name, query, key, span)
    return mapped(value, lambda body: ir.add(body, term), span)


def warn_of_zeros(run: Run, node: Node) -> None:
    """Warn of scores whose lower triangle a softmax is taken of: ``tril`` puts 0 above it, which
    counts in a softmax as any other score does."""
    match node:
        case Group(_, (inner,)):
            warn_of_zeros(run, inner)
        case Frac(top, _):
            warn_of_zeros(run, top)
        case Juxt((Name() as name, Group())) if name.text.lower() == "tril":
            text = "`tril` puts zeros above the diagonal, which softmax does not leave out"
            run.problems.append(
                warning(
                    "N2C050",
                    text,
                    name.span,
                    "the code computes what is written; for a causal mask write "
                    "`\\mathrm{causal\\_mask}(…)` or add a mask that is −∞ there",
                )
            )


def _places(run: Run, value: Value, span: Span) -> tuple[Index, Index]:
    """The indices of the query and of the key of scores."""
    axes = list(map(find_index, value.axes))
    if [axis.size.name for axis in axes] == ["m", "n"]:
        return axes[1], axes[0]  # the columns are the queries, as in KᵀQ
    letters = (*run.target_letters, *run.seen.free, *run.summed)
    free = free_roots(value.body) - set(axes)
    named = [find_index(run.indices[x]) for x in dict.fromkeys(letters) if x in run.indices]
    found = [*(index for index in named if index in free), *axes]
    if len(found) < 2:
        raise error(
            "N2C041",
            "a mask needs the scores of all queries and keys",
            span,
            "write the scores as a matrix, or say which scores are hidden: `j \\le i`",
        )
    return found[-2], found[-1]


def _not_after(run: Run, key: Index, query: Index) -> Expr:
    conditions.compare(run, Idx(key), Idx(query))
    return Compare("≤", Idx(key), Idx(query))


def _array(run: Run, name: str, query: Index, key: Index, span: Span) -> Expr:
    """The element of a mask that is an input."""
    if name not in run.symbols:
        run.symbols[name] = Symbol(name, (query.size, key.size), name, span)
        text = (
            "the mask is taken to be added to the scores: 0 for keys that may be seen, −∞ for all"
        )
        run.problems.append(note("N2C039", f"{text} others", span))
    for axis, index in zip(run.symbols[name].axes, (query, key), strict=True):
        run.unify(axis, index.size, span)
    return Ref(name, (Idx(query), Idx(key)))


def _triangle(run: Run, value: Value, span: Span) -> Value:
    """The lower triangle of a matrix, with 0 above it."""
    if value.rank < 2:
        raise error("N2C041", "`tril` of what is no matrix", span)
    row, column = value.axes[-2:]
    below = _not_after(run, column, row)
    return mapped(value, lambda body: Cases(((below, body),), ir.ZERO), span)


def _filled(run: Run, group: Group, span: Span) -> Value:
    """``masked_fill(S, M, x)``: x wherever M is not 0, or where ``M = 0`` holds."""
    scores, where, number = group.items
    match where:
        case Relation((left, right), (sign,)) if left is not None and right is not None:
            mine, other = run.lower(left), run.lower(right)
        case _:
            sign, mine, other = "≠", run.lower(where), Value(ir.ZERO, (), span)
    if sign not in conditions.SIGNS or other.rank:
        raise error("N2C037", "this condition is not understood", where.span)
    whole, value = run.lower(scores), run.lower(number)

    def fill(score: Expr, entry: Expr) -> Expr:
        holds = Compare(sign, entry, other.body)
        if value.body in (ir.MINUS_INFINITY, ir.mul(ir.MINUS_ONE, ir.Num(float("inf")))):
            return ir.add(score, Cases(((holds, ir.MINUS_INFINITY),), ir.ZERO))
        return Cases(((holds, value.body),), score)

    return elementwise(run, whole, mine, fill, span)
