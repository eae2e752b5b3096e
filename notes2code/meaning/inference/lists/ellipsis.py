"""Ellipses: what dots leave out of a list, told from the items around them.

The first and the last item (or group of items, such as the pairs −x_2, x_1, −x_4, x_3, …) must
differ in numbers only; the second, where there is one, tells by how much they grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import (
    PARTS,
    Dots,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Script,
    alike,
)
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.index_arithmetic import arithmetic
from notes2code.meaning.inference.run import Run, same_size
from notes2code.meaning.inference.values import Value, uses
from notes2code.meaning.ir import Expr, Index, Size
from notes2code.meaning.notation.scripts import Use


@dataclass(frozen=True, slots=True)
class Step:
    """A place where items differ: what stands there in the first, second and last of them.

    ``alone`` is by how much the number grows where there is no second item."""

    first: Node
    second: Node | None
    last: Node
    alone: int = 1


def family(run: Run, items: Sequence[Node], span: Span) -> tuple[Index, list[Value]]:
    """``x_1, …, x_n``: the index that runs, and the values of the general item or group."""
    index, nodes = general(run, items, span)
    values = [run.lower(node) for node in nodes]
    if not any(uses(value.body, index) for value in values):
        raise error("N2C036", "the items of this list do not differ", span)
    return index, values


def general(run: Run, items: Sequence[Node], span: Span) -> tuple[Index, list[Node]]:
    """The index of a list with dots, bound in the run, and its general item or group of items."""
    refuse_idle(items)
    items = _with_two_indices(items)
    at = next(k for k, item in enumerate(items) if isinstance(item, Dots))
    before, behind = list(items[:at]), [i for i in items[at + 1 :] if not isinstance(i, Dots)]
    for period in sorted({1, len(behind)}):
        if not (before and behind) or len(before) % period or len(behind) % period:
            continue
        found = _grouped(run, before, behind, period)
        if found is not None:
            return found
    raise error(
        "N2C036",
        "what the dots leave out cannot be told from the items around them",
        span,
        "write a first and a last item that differ in one index, such as `x_1, \\dots, x_n`",
    )


def _with_two_indices(items: Sequence[Node]) -> Sequence[Node]:
    """``a_{1,1}, …, a_{n,n}`` for ``a_{11}, …, a_{nn}``: where the last has two indices, two digits
    below the others are two as well."""
    match items[0], items[-1]:
        case Script(sub=Num(digits)), Script(sub=Juxt((_, _))) if len(digits) == 2:
            return tuple(map(_apart, items))
    return items


def _apart(item: Node) -> Node:
    """``a_{1,2}`` for ``a_{12}``."""
    match item:
        case Script(sub=Num(digits, span)) if len(digits) == 2:
            pair: tuple[Node, ...] = tuple(Num(digit, span) for digit in digits)
        case Script(sub=Juxt((_, _) as pair, span)):
            pass
        case _:
            return item
    return replace(item, sub=Group("", pair, (",",), span))


def parts(items: Sequence[Node]) -> list[Sequence[Node]]:
    """A list in parts: each family with its dots, and each item before one that is of another
    kind, as the first of ``x_c, z_1, …, z_n``. What more stands behind the last family, or counts
    on from one, is of one part with all."""
    found: list[Sequence[Node]] = []
    rest = list(items)
    while (at := next((k for k, one in enumerate(rest) if isinstance(one, Dots)), 0)) > 0:
        kinds = (_counts_up_to(item, rest[at - 1]) for item in rest[: at - 1])
        first = next((k for k, alike in enumerate(kinds) if alike), at - 1)
        counts_on = bool(found) and _differences(found[-1][-1], None, rest[0], [])
        if at + 1 == len(rest) or counts_on:
            return [items]
        found += [*([item] for item in rest[:first]), rest[first : at + 2]]
        rest = rest[at + 2 :]
    return [items] if rest else found


def leading(items: Sequence[Node]) -> int:
    """How many items of another kind stand before the only family of a list."""
    found = parts(items)
    return len(found) - 1 if sum(len(part) > 1 for part in found) == 1 else 0


def _counts_up_to(item: Node, later: Node) -> bool:
    """Whether two items differ in numbers only, so that the dots may have begun with the first."""
    steps: list[Step] = []
    alike = type(item) is type(later) and _differences(item, None, later, steps)
    return alike and all(_whole(step.first) is not None for step in steps)


def goes_up_to_last(items: Sequence[Node]) -> bool:
    """Whether the last item is of the kind of the one before the dots, and not the b behind all of
    ``w_1 x_1 + … + w_n x_n + b``, where the one before it is."""
    at = next(k for k, item in enumerate(items) if isinstance(item, Dots))
    behind = items[at + 1 :]
    if len(behind) < 2 or isinstance(behind[0], Dots):
        return True
    return _counts_up_to(items[at - 1], behind[-1]) or not _counts_up_to(items[at - 1], behind[0])


def refuse_idle(items: Sequence[Node]) -> None:
    """Dots between neighbours, as in ``y_1, y_2, …, y_3``, or a last item that the first ones do
    not count up to: it has a slip. Raises ``ProblemError``."""
    for at, item in enumerate(items[1:-1], 1):
        if not isinstance(item, Dots):
            continue
        steps: list[Step] = []
        earlier = items[at - 2] if at > 1 else None
        if not _differences(items[at - 1], None, items[at + 1], steps) or len(steps) != 1:
            continue
        before, behind = _whole(steps[0].first), _whole(steps[0].last)
        growth = _step_before(items[at - 1], earlier)
        if before is None or behind is None:
            continue
        if (behind - before) % growth or (behind - before) // growth < 2:
            raise error(
                "N2C036",
                f"what the dots leave out between {before} and this cannot be told",
                steps[0].last.span,
                "write the number of the last item, or leave the dots out",
            )


def _step_before(item: Node, earlier: Node | None) -> int:
    """By how much the number in an item is larger than in the one before it: 1 if that shows
    nothing."""
    steps: list[Step] = []
    if earlier is None or not _differences(earlier, None, item, steps) or len(steps) != 1:
        return 1
    first, last = _whole(steps[0].first), _whole(steps[0].last)
    return 1 if first is None or last is None or first == last else last - first


def _grouped(
    run: Run, before: Sequence[Node], behind: Sequence[Node], period: int
) -> tuple[Index, list[Node]] | None:
    """The general group of a number of items, if the groups have one."""
    first, last = before[:period], behind[-period:]
    second: Sequence[Node | None] = before[period : 2 * period] or [None] * period
    steps: list[Step] = []
    for at, (mine, other, theirs) in enumerate(zip(first, second, last, strict=True)):
        own: list[Step] = []
        if not _differences(mine, other, theirs, own):
            return None
        if isinstance(mine, Juxt | Script) and any(step.first is mine for step in own):
            return None  # nobody counts from γ x_2 to c
        following, preceding = before[at::period], behind[at::period]
        if not (_in_order(run, following, own) and _in_order(run, preceding[::-1], own, -1)):
            return None
        steps += own
    if not steps:
        return None
    # Of the groups (−x_2, x_1), …, each has two numbers of its own; of (θ_1, θ_1), …, one.
    alone = len({_whole(step.first) for step in steps})
    return _index(run, first, second, last, [replace(step, alone=alone) for step in steps])


def _in_order(run: Run, items: Sequence[Node], steps: Sequence[Step], sign: int = 1) -> bool:
    """Whether items count on from the first of them: up from the first of the list, or with a
    negative sign down from its last."""
    use = Use("the list", items[0].span)
    for distance, item in enumerate(items[1:], 1):
        found: list[Step] = []
        if not _differences(items[0], None, item, found) or len(found) != len(steps):
            return False
        for step, own in zip(found, steps, strict=True):
            gap = ir.Num(sign * distance * (_growth(own) or 0))
            expected = ir.add(arithmetic(run, step.first, use), gap)
            if not same_size(arithmetic(run, step.last, use), expected):
                return False
    return True


def _index(
    run: Run,
    first: Sequence[Node],
    second: Sequence[Node | None],
    last: Sequence[Node],
    steps: list[Step],
) -> tuple[Index, list[Node]] | None:
    """The index that counts the groups, if all steps count the same number of them."""
    start = _whole(steps[0].first)
    counts: list[Expr] = []
    run.families += 1
    letter = f"family{run.families}"
    for step in steps:
        count = _count(run, step)
        if count is None or (counts and not same_size(counts[0], count)):
            return None
        counts.append(count)
    begin = start if start is not None and _growth(steps[0]) == 1 else 1
    if any(_whole(step.first) == 0 for step in steps):
        begin = 0
    size = ir.as_size(counts[0])
    index = Index("", size, begin)
    run.indices[letter] = index
    run.seen.bound.add(letter)
    general = _General(letter, begin, steps[0].alone)
    nodes = [general.node(a, b, c) for a, b, c in zip(first, second, last, strict=True)]
    return index, nodes


def _whole(node: Node | None) -> int | None:
    if isinstance(node, Num) and node.text.isdigit():
        return int(node.text)
    inner = _whole(node.body) if isinstance(node, Neg) else None
    return None if inner is None else -inner


def _growth(step: Step) -> int | None:
    """By how much a number grows from item to item: 1 unless the second says otherwise."""
    first, second = _whole(step.first), _whole(step.second)
    if step.second is None:
        return step.alone
    return None if first is None or second is None or first == second else second - first


def _count(run: Run, step: Step) -> Expr | None:
    """The number of items that a step counts."""
    growth = _growth(step)
    if growth is None or growth < 1:
        return None
    use = Use("the list", step.last.span)
    last = arithmetic(run, step.last, use)
    first = arithmetic(run, step.first, use)
    if isinstance(last, ir.Num) and isinstance(first, ir.Num) and last == first:
        return None
    steps = _difference(last, first)
    if ir.free_indices(steps):
        return None  # the length of a list is the same wherever it stands
    symbols = [t for t in ir.walk(steps) if isinstance(t, Size)]
    terms = ir.terms(steps)
    if symbols and all(isinstance(t, ir.Num) or ir.negative(t) in symbols for t in terms):
        return None  # from t - 1 down to t - n
    if growth == 1:
        return ir.add(steps, ir.ONE)
    whole = ir.add(steps, ir.Num(growth))
    return ir.mul(whole, ir.inverse(ir.Num(growth)))


def _difference(last: Expr, first: Expr) -> Expr:
    """``n - 2`` for ``t - 1`` less ``t - n + 1``."""
    left = list(ir.terms(last))
    for term in ir.terms(first):
        if term in left:
            left.remove(term)
        else:
            left.append(ir.negative(term))
    return ir.add(*sorted(left, key=lambda term: isinstance(term, ir.Num)))


# --- what differs ----------------------------------------------------------------------------


def _differences(mine: Any, other: Any, theirs: Any, steps: list[Step]) -> bool:
    """Collect the places where items differ; False if they differ in more than numbers."""
    if alike(mine, theirs):
        return other is None or alike(mine, other)
    if _is_node(mine) and _is_step(mine, theirs):
        if _counts(mine) and _counts(theirs):
            steps.append(Step(mine, other, theirs))
            return other is None or _whole(other) is not None
        return False
    if type(mine) is not type(theirs) or (other is not None and type(other) is not type(mine)):
        return False
    if isinstance(mine, tuple):
        if len(mine) != len(theirs):
            return False
        others = other if other is not None else [None] * len(mine)
        return all(map(lambda a, b, c: _differences(a, b, c, steps), mine, others, theirs))
    if not _is_node(mine):
        return False
    if isinstance(mine, Name):
        return False
    return all(
        _differences(getattr(mine, s), getattr(other, s, None), getattr(theirs, s), steps)
        for s in PARTS[type(mine)]
    )


def _is_step(mine: Any, theirs: Any) -> bool:
    """Whether two nodes are the numbers in which items differ, and not parts around them."""
    if isinstance(mine, Neg) and isinstance(theirs, Neg):
        return _whole(mine) is not None or _whole(theirs) is not None
    if _is_offset(mine) and _is_offset(theirs):
        return _counts_back(mine, theirs)
    return _whole(mine) is not None or type(mine) is not type(theirs)


def _is_offset(node: Any) -> bool:
    """Whether an index is a sum or a difference."""
    return isinstance(node, Infix) and node.op in "+-"


def _counts_back(mine: Infix, theirs: Infix) -> bool:
    """Whether two offsets differ as a whole, ``t-n+1`` from ``t-1``; and where less and less is
    taken off, ``t-n`` and ``t-1``, the items go up as the whole does."""
    if mine.op != theirs.op:
        return True
    less = (_whole(mine.right) or inf) > (_whole(theirs.right) or inf)
    return mine.op == "-" and alike(mine.left, theirs.left) and less


def _is_node(value: object) -> bool:
    return hasattr(value, "span")


def _counts(node: Node) -> bool:
    """Whether a node can be a number that counts items: ``1``, ``n``, ``d/2``, ``−k``."""
    if isinstance(node, Neg):
        return _counts(node.body)
    if isinstance(node, Infix):
        return _counts(node.left) and _counts(node.right)
    return isinstance(node, Num | Name | Frac | Script | Juxt)


@dataclass(frozen=True, slots=True)
class _General:
    """Writes an item with an index, which counts from ``begin``, in the places where items
    differ."""

    letter: str
    begin: int
    alone: int

    def node(self, mine: Any, other: Any, theirs: Any) -> Any:
        """The general item for the first, the second and the last."""
        if alike(mine, theirs):
            return mine
        if _is_node(mine) and _is_step(mine, theirs):
            return self._counted(Step(mine, other, theirs, self.alone))
        if isinstance(mine, tuple):
            others = other if other is not None else [None] * len(mine)
            return tuple(map(self.node, mine, others, theirs))
        changes = {
            s: self.node(getattr(mine, s), getattr(other, s, None), getattr(theirs, s))
            for s in PARTS[type(mine)]
        }
        return replace(mine, **changes)

    def _counted(self, step: Step) -> Node:
        """The number of a step in terms of the index."""
        span = step.first.span
        name: Node = Name(self.letter, span)
        first, growth = _whole(step.first), _growth(step) or 1
        if first is None:
            return name
        offset = first - growth * self.begin
        scaled = name if growth == 1 else Juxt((Num(str(growth), span), name), span)
        if offset == 0:
            return scaled
        sign = "+" if offset > 0 else "-"
        return Infix(sign, scaled, Num(str(abs(offset)), span), span, span)
