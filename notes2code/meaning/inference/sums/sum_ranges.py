"""The indices that a sum, a product or a maximum binds: where they begin and end, and what is said
of them below the sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from notes2code.diagnostics import ProblemError, error, note
from notes2code.latex.tree import (
    Big,
    Dots,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Relation,
    Script,
    children,
    walk,
)
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.index_arithmetic import count
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.sums import conditions
from notes2code.meaning.inference.symbols import counted
from notes2code.meaning.ir import Expr, Idx, Index, Size
from notes2code.meaning.notation import binders, positions, scripts
from notes2code.meaning.notation.in_turn import refuse_gaps
from notes2code.meaning.rewriting import nested
from notes2code.meaning.stated import Range


def refuse_condition(run: Run, node: Big) -> None:
    """The ``w_i = w`` of ``Σ_{i: w_i = w}``, which says what the sum runs over."""
    sub = node.sub
    if not isinstance(sub, Group) or binders.conditions_below(sub):
        return
    for at, sign in enumerate(sub.separators):
        said = sub.items[at + 1] if sign in (":", "|") and at + 1 < len(sub.items) else None
        if isinstance(said, Relation):
            raise error(
                "N2C032",
                f"the condition `{run.quote(said.span)}` is not computed",
                said.span,
                "write a factor that is one where it holds, and zero elsewhere",
            )


def free_letters(run: Run) -> list[str]:
    """The letters that count nothing but what a sum without an index adds up."""
    return [x for x in run.seen.free if x not in run.seen.targets]


def _stand_outside(run: Run, node: Big, letters: Sequence[str]) -> bool:
    """Whether letters count something else as well: of the i and the j of ``e^{s_ij} / Σ e^{s_ij}``
    the sum may run over one only."""
    inside = Counter(inner.text for inner in walk(node.body) if isinstance(inner, Name))
    every = Counter(name.text for name in run.seen.nodes.of(Name))
    return all(every[letter] > inside[letter] for letter in letters)


def unsaid(node: Big) -> ProblemError:
    """The refusal of a sign of which nothing says over what it runs."""
    text = "over what this runs is not said"
    return error("N2C036", text, node.span, "write the index below the sign")


def indices_below(run: Run, node: Big) -> list[tuple[Index, Expr | None]]:
    """The indices bound by an operator, each with the condition that its range sets."""
    sub = node.sub
    if sub is None:
        letters = free_letters(run)
        if not letters or (len(letters) > 1 and _stand_outside(run, node, letters)):
            raise unsaid(node)
        return [(Index(letter, Size("")), None) for letter in letters]
    if isinstance(sub, Group) and any(isinstance(item, Dots) for item in sub.items):
        head = sub.items[0]
        letters = binders.bound_letters(head)
        if letters and isinstance(head, Relation) and isinstance(head.operands[1], Num):
            refuse_gaps((head.operands[1], *sub.items[1:]))
            return [_bounded(run, letters[0], head.operands[1], sub.items[-1])]
    ranged = sub.items[0] if binders.conditions_below(sub) and isinstance(sub, Group) else sub
    if isinstance(ranged, Relation):
        return _related(run, node, ranged)
    letters = binders.bound_letters(sub)
    if not letters:
        raise error("N2C036", "the index below this sign is not understood", sub.span)
    if isinstance(node.sup, Name) and isinstance(sub, Name) and nested.is_end(node.sup):
        return [(Index(sub.text, count(run, node.sup, 1), run.seen.starts.get(sub.text, 0)), None)]
    return [_unbounded(run, letter) for letter in letters]


def _unbounded(run: Run, letter: str) -> tuple[Index, Expr | None]:
    known = run.seen.ranges.get(letter)
    if known is not None:
        return _ranged(run, known)
    return Index(letter, Size(""), run.seen.starts.get(letter, 0)), None


def _ranged(run: Run, known: Range) -> tuple[Index, Expr | None]:
    if isinstance(known.first, Num) and known.last is not None:
        return _bounded(run, known.index, known.first, known.last)
    return Index(known.index, Size("")), None


def _related(run: Run, node: Big, sub: Relation) -> list[tuple[Index, Expr | None]]:
    """``j=1``, ``j \\le i``, ``j \\ne i``, ``1 \\le j \\le n``, ``j \\in […]``."""
    letters = binders.bound_letters(sub)
    sign, operand = sub.signs[0], sub.operands[1]
    if len(letters) == 1 and sign == "=" and operand is not None:
        if isinstance(operand, Juxt) and any(isinstance(f, Dots) for f in operand.factors):
            return [_bounded(run, letters[0], operand.factors[0], operand.factors[-1])]
        return [_bounded(run, letters[0], operand, node.sup)]
    if len(letters) == 1 and len(sub.operands) == 3 and sub.operands[0] is not None:
        last = sub.operands[2]
        if last is not None:
            return [_bounded(run, letters[0], sub.operands[0], last)]
    if letters and sign in conditions.SIGNS and None not in sub.operands[1:]:
        pair = run.seen.pair(node)
        if pair:
            text = f"`{'` and `'.join((*letters, *pair))}` are both taken to be counted here"
            run.problems.append(note("N2C039", text, sub.span, "write it on a left-hand side too"))
        return [_unbounded(run, letter) for letter in (*pair, *letters)]
    if len(letters) == 1 and sign == "∈" and isinstance(operand, Group) and _is_range(operand):
        ends = [item for item in operand.items if not isinstance(item, Dots)]
        if len(ends) < len(operand.items):
            refuse_gaps(operand.items)
        return [_bounded(run, letters[0], ends[0], ends[-1])]
    more = conditions.with_one_more(sub)
    operand = more[0].operands[1] if more is not None else operand
    if len(letters) == 1 and sign == "∈" and operand is not None and scripts.is_name(operand):
        return [(Index(letters[0], Size("")), None)]
    raise error(
        "N2C036",
        f"the set `{run.quote(sub.span)}` that this runs over is not known",
        sub.span,
        "write a range, such as `j=1` below and `n` above",
    )


def _is_range(group: Group) -> bool:
    """Whether a group tells where a range begins and ends: ``[1, n]``, ``\\{1, …, n\\}``; in braces
    and without dots it lists numbers, each of which is one more than the last."""
    members = group.items
    if group.open != "{" or any(isinstance(item, Dots) for item in members):
        return bool(members)
    numbers = [int(item.text) for item in members if isinstance(item, Num) and item.text.isdigit()]
    counted = [numbers[0] + at for at in range(len(members))] if numbers else []
    return bool(members) and numbers == counted


def condition_below(run: Run, node: Big) -> Expr | None:
    """The condition of ``j ≤ i`` or ``j ≠ i`` below the sign."""
    sub = node.sub
    if isinstance(sub, Group) and (said := binders.conditions_below(sub)):
        first = _of_range(run, sub.items[0])
        return conditions.both(first, *(conditions.condition(run, relation) for relation in said))
    if isinstance(sub, Group):
        letters = set(binders.bound_letters(sub))
        each = _said_of_each(run, sub, letters)
        return conditions.both(*(conditions.condition(run, relation) for relation in each))
    return None if sub is None else _of_range(run, sub)


def _of_range(run: Run, sub: Node) -> Expr | None:
    """The condition of ``j ≤ i``; none of ``j = 1`` and ``1 ≤ j ≤ n``, which are bounds."""
    if isinstance(sub, Relation) and sub.signs == ("∈",) and not isinstance(sub.operands[1], Group):
        return conditions.condition(run, sub)
    if not isinstance(sub, Relation) or sub.signs[0] not in conditions.SIGNS - {"="}:
        return None
    if len(sub.operands) == 3:
        return None
    return conditions.condition(run, sub)


def _said_of_each(run: Run, sub: Group, letters: set[str]) -> Iterator[Relation]:
    """What is said below a sign of the letters that it binds: of one by another, as ``j < i`` is,
    or of each, as ``i, j ≤ 3`` and ``i, j ∈ S`` are. That i and j are at most n says nothing."""
    waiting: list[Node] = []
    for item in sub.items:
        if not isinstance(item, Relation):
            waiting.append(item)
            continue
        last = item.operands[-1]
        ends = [n for n in walk(last) if isinstance(n, Name | Num)] if last is not None else []
        named = {n.text for n in ends if isinstance(n, Name)}
        among = item.signs == ("∈",) and not isinstance(last, Group)
        if item.signs != ("=",) and named & letters:
            yield item
        elif item.signs != ("=",) and (among or len(named) < len(ends) or named & {*run.indices}):
            yield from (replace(item, operands=(n, *item.operands[1:])) for n in waiting)
            yield item
        waiting = []


def _bounded(run: Run, letter: str, first: Node, last: Node | None) -> tuple[Index, Expr | None]:
    """An index with bounds; a bound that depends on another index becomes a condition."""
    _refuse_unusual_bounds(run, first, last)
    if isinstance(last, Name) and last.text == "infty":
        text = f"what has no end here goes over all `{letter}` that there are"
        run.problems.append(note("N2C039", text, last.span))
        last = None
    if isinstance(first, Num) and first.text.isdigit():
        start = int(first.text)
        if last is None or not (depends_on_index(run, last) or _begins_another(run, last)):
            size = Size("") if last is None else count(run, last, start)
            return Index(letter, size, start), None
        index = Index(letter, Size(""), start)
        high = _end(run, last)
        conditions.compare(run, Idx(index), high)
        _remember_outer(run, index, high)
        return index, ir.Compare("≤", counted(index), high)
    start = next((run.indices[x].start for x in _letters(run, first)), 1)
    if positions.blocks(first) is not None:
        start = run.seen.starts.get(letter, start)
    fixed = last is not None and not depends_on_index(run, last)
    index = Index(
        letter, count(run, last, start) if fixed and last is not None else Size(""), start
    )
    low = _end(run, first)
    conditions.compare(run, Idx(index), low)
    if last is None or fixed:
        return index, ir.Compare("≥", counted(index), low)
    high = _end(run, last)
    conditions.compare(run, Idx(index), high)  # the i of Σ_{l=j+1}^i runs as far as the l and the j
    # The w of ``Σ_{j=i-w+1}^i`` says how wide a window is, and not how long what it moves over.
    parts = (part for end in (low, high) for part in ir.walk(end))
    run.windows.update(part.name for part in parts if isinstance(part, Size))
    inside = (ir.Compare("≥", counted(index), low), ir.Compare("≤", counted(index), high))
    return index, ir.Logic("and", inside)


def _remember_outer(run: Run, inner: Index, high: Expr) -> None:
    """Remember the i of ``Σ_{l=1}^L a_l Π_{i=1}^{l-1} s_i``: the s has as many elements as the a,
    where i does not go beyond the last l."""
    terms = ir.terms(high)
    letters = [term.index for term in terms if isinstance(term, Idx)]
    offsets = [term.value for term in terms if isinstance(term, ir.Num)]
    if len(letters) != 1 or len(letters) + len(offsets) != len(terms):
        return
    outer = letters[0]
    if outer.name in run.summed and sum(offsets) <= inner.start:
        run.nested.append((inner, outer))


def _begins_another(run: Run, last: Node) -> bool:
    """Whether the elements behind the last one are counted too: the m of ``Σ_{i=1}^m x_i +
    Σ_{i=m+1}^n g_i x_i`` is no size of x."""
    own = binders.bare(last)
    firsts = (
        first
        for big in run.seen.nodes.of(Big)
        if isinstance(big.sub, Relation) and big.sub.signs == ("=",)
        for first in big.sub.operands[1:]
    )
    return bool(own) and any(
        isinstance(first, Infix) and first.op == "+" and binders.bare(first.left) == own
        for first in firsts
    )


def _end(run: Run, node: Node) -> Expr:
    """The number that ends a range, such as the ``T_k`` of each k."""
    value = run.lower(node)
    if isinstance(value.body, ir.Ref) and value.body.at and "softmax" in run.latex.lower():
        raise error(
            "N2C036",
            f"the range ends at another `{run.quote(node.span)}` each time, and the softmax beside "
            "it does not say that it runs as far",
            node.span,
            "write the softmax out, with the same range in its sum",
        )
    if value.rank:
        raise error("N2C041", "a range ends with a number, not with an array", node.span)
    return value.body


def _refuse_unusual_bounds(run: Run, first: Node, last: Node | None) -> None:
    """A range that counts from below zero, or down: to a number from a name or a larger number."""
    if isinstance(first, Neg):
        raise error(
            "N2C036",
            "an index that counts from below zero is not understood",
            first.span,
            "count from 0 or 1 and shift the index in the body",
        )
    if not isinstance(last, Num | Neg) or depends_on_index(run, first):
        return
    if not (isinstance(first, Num) and isinstance(last, Num) and _number(first) <= _number(last)):
        raise error(
            "N2C036",
            f"the range from `{run.quote(first.span)}` to `{run.quote(last.span)}` counts down",
            last.span,
            "write the lower bound below the sign and the upper one above it",
        )


def _number(node: Num) -> float:
    return float(node.text)


def depends_on_index(run: Run, node: Node) -> bool:
    """Whether a bound depends on an index."""
    return bool(_letters(run, node))


def _letters(run: Run, node: Node) -> list[str]:
    """The indices that a bound depends on, not those of a label, as in ``T_{in}``."""
    if isinstance(node, Name):
        return [node.text] if node.text in run.indices else []
    use = run.seen.understood(node) if isinstance(node, Script) else None
    inside = children(node) if use is None else [at.node for at in use.indices]
    return [letter for inner in inside for letter in _letters(run, inner)]
