"""Lists and families: ``[a; b]``, ``Concat(head_1, …, head_h)``, ``(e_{ij})_{j=1}^{n}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace

from notes2code.diagnostics import Span, error
from notes2code.latex.tree import Dots, Group, Infix, Juxt, Name, Node, Num, Relation, Script
from notes2code.meaning import ir, survey
from notes2code.meaning.indexing import count
from notes2code.meaning.ir import Concat, Idx, Index, Lambda, Size
from notes2code.meaning.run import Run, find_index
from notes2code.meaning.values import Value, fresh, link, settled, uses


def listed(run: Run, node: Group) -> Value:
    """A list in brackets: vectors joined end to end, numbers made a vector."""
    if node.open not in ("[", "(") or any(s == "|" for s in node.separators):
        raise error("N2C037", f"`{run.quote(node.span)}` is not understood as a value", node.span)
    return concatenated(run, node.items, node.span)


def joined(run: Run, node: Infix) -> Value:
    """``a ‖ b``."""
    parts: list[Node] = []
    left: Node = node
    while isinstance(left, Infix) and left.op == "‖":
        parts.insert(0, left.right)
        left = left.left
    return concatenated(run, (left, *parts), node.span)


def concatenated(run: Run, items: Sequence[Node], span: Span) -> Value:
    """Arrays joined along their last axis; with dots, a whole family of them."""
    flat = _flattened(items)
    if any(isinstance(item, Dots) for item in flat):
        return _family_joined(run, flat, span)
    values = [run.lower(item) for item in flat]
    if len(values) == 1:
        return replace(values[0], span=span)
    return _joined_values(run, values, span)


def column(run: Run, items: Sequence[Node], span: Span) -> Value:
    """A column of numbers is a vector; one of vectors is the vector of them all, end to end."""
    return replace(concatenated(run, items, span), row=False)


def _flattened(items: Sequence[Node]) -> list[Node]:
    """The items, with ``… head_h`` (a comma lost) as two of them."""
    flat: list[Node] = []
    for item in items:
        if isinstance(item, Juxt) and isinstance(item.factors[0], Dots):
            rest = item.factors[1:]
            flat.append(item.factors[0])
            flat.append(rest[0] if len(rest) == 1 else Juxt(rest, item.span))
        else:
            flat.append(item)
    return [item for i, item in enumerate(flat) if not (i and _dots(item) and _dots(flat[i - 1]))]


def _dots(node: Node) -> bool:
    return isinstance(node, Dots)


def _joined_values(run: Run, values: list[Value], span: Span) -> Value:
    rank = max(value.rank for value in values)
    if rank == 0:
        parts = tuple(Lambda((Index("", Size("", value=ir.ONE)),), v.body) for v in values)
        axis = fresh(Size("", value=ir.Num(len(values))))
        return Value(Concat(parts, Idx(axis)), (axis,), span)
    if any(value.rank != rank for value in values):
        raise error("N2C041", "only arrays of one rank can be joined", span)
    first = values[0]
    for value in values[1:]:
        for mine, theirs in zip(first.axes[:-1], value.axes[:-1], strict=True):
            link(run, mine, theirs, span)
    total = Size("", 0, "feature", value=ir.add(*(v.axes[-1].size for v in values)))
    axis = fresh(total)
    parts = tuple(Lambda((value.axes[-1],), value.body) for value in values)
    return Value(Concat(parts, Idx(axis)), (*first.axes[:-1], axis), span)


# --- families --------------------------------------------------------------------------------


def family(run: Run, items: Sequence[Node], span: Span) -> tuple[Index, Value]:
    """``x_1, …, x_n``: the index that runs, and the value of the general item."""
    first, last = items[0], items[-1]
    run.families += 1
    letter = f"family{run.families}"
    general, start, end = _general(first, last, letter)
    if general is None or start is None or end is None:
        raise error(
            "N2C036",
            "what the dots leave out cannot be told from the first and the last item",
            span,
            "write a first and a last item that differ in one index, such as `x_1, \\dots, x_n`",
        )
    counted = int(start.text)
    index = Index("", count(run, end, counted), counted)
    run.indices[letter] = index
    run.seen.bound.add(letter)
    value = run.lower(general)
    if not uses(value.body, index):
        raise error("N2C036", "the items of this list do not differ", span)
    return index, value


def _general(first: Node, last: Node, letter: str) -> tuple[Node | None, Num | None, Node | None]:
    """The item with the letter where the first has a number and the last its end."""
    if isinstance(first, Num) and first.text in ("0", "1") and first != last:
        return Name(letter, first.span), first, last
    if type(first) is not type(last):
        return None, None, None
    found: tuple[Num | None, Node | None] = (None, None)
    changes: dict[str, object] = {}
    for slot in _parts(first):
        mine, theirs = getattr(first, slot), getattr(last, slot)
        if isinstance(mine, tuple) and isinstance(theirs, tuple) and len(mine) == len(theirs):
            parts = list(mine)
            for at, (a, b) in enumerate(zip(mine, theirs, strict=True)):
                if hasattr(a, "span") and not _alike(a, b):
                    part, start, end = _general(a, b, letter)
                    if part is None:
                        return None, None, None
                    parts[at], found = part, (start, end)
            changes[slot] = tuple(parts)
        elif hasattr(mine, "span") and hasattr(theirs, "span"):
            if not _alike(mine, theirs):
                part, start, end = _general(mine, theirs, letter)
                if part is None:
                    return None, None, None
                changes[slot], found = part, (start, end)
        elif mine != theirs:
            return None, None, None
    return replace(first, **changes), *found  # type: ignore[arg-type]


def _alike(left: object, right: object) -> bool:
    """Whether two nodes are the same but for their places."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_alike, left, right))
    if not hasattr(left, "span"):
        return left == right
    return all(_alike(getattr(left, s), getattr(right, s)) for s in _parts(left))


def _parts(node: object) -> list[str]:
    """The names of a node's fields, but for its places."""
    assert is_dataclass(node)
    return [f.name for f in fields(node) if f.name not in ("span", "op_span")]


def _family_joined(run: Run, items: list[Node], span: Span) -> Value:
    """Concat(h_1, …, h_n): element c is element c mod d of the item c div d."""
    ends = [item for item in items if not isinstance(item, Dots)]
    index, value = family(run, (ends[0], ends[-1]), span)
    if value.rank == 0:
        return Value(value.body, (index,), span)
    last = value.axes[-1]
    total = Size("", 0, "feature", value=ir.mul(index.size, last.size))
    axis = fresh(total)
    places = {
        find_index(index): ir.Fn("floordiv", (Idx(axis), last.size)),
        find_index(last): ir.Fn("mod", (Idx(axis), last.size)),
    }
    body = ir.substitute(settled(value.body), places)
    return Value(body, (*value.axes[:-1], axis), span)


def indexed(run: Run, group: Group, sub: Relation, sup: Node | None) -> Value:
    """``(e_{ij})_{j=1}^{n}``: the vector of a number for all values of an index."""
    letters = survey.bound_letters(sub)
    first = sub.operands[1]
    if len(letters) != 1 or not isinstance(first, Num):
        raise error("N2C036", "the range of this family is not understood", sub.span)
    start = int(first.text)
    size = Size("") if sup is None else count(run, sup, start)
    index = Index(letters[0], size, start)
    outer = run.indices.get(letters[0])
    run.indices[letters[0]] = index
    value = run.lower(group.items[0])
    if outer is not None:
        run.indices[letters[0]] = outer
    else:
        del run.indices[letters[0]]
    return Value(value.body, (*value.axes, index), group.span)


__all__ = ["Script", "concatenated", "family", "indexed", "joined", "listed"]
