"""The items of a list as they are written: the general one of a family, and several families."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Dots, Juxt, Node, Script, ungrouped
from notes2code.meaning import ir, names
from notes2code.meaning.inference.lists import ellipsis
from notes2code.meaning.inference.lists.joined_arrays import end_to_end, joined_values
from notes2code.meaning.inference.run import Run
from notes2code.meaning.inference.values import Value, fresh, link
from notes2code.meaning.ir import Concat, Idx, Index, Lambda, Ref, Size


def doubt_numbers(run: Run, last: Node, value: Value) -> None:
    """The ``z_i^{(1)}, …, z_i^{(h)}`` with the letter of a vector, a place below, and above what
    tells heads apart, are vectors."""
    match value.body, last:
        case Ref(array, (_, _)), Script(_, _, sup) if sup is not None and not value.rank:
            ends, letter = names.label(ungrouped(sup)), names.base_letter(array)
            bold = run.seen.is_bold(array)
            vector = names.element_ranks(array, 1, bold, False)[0] == 1
            if vector and (bold or letter not in ("x", "s")) and array not in run.shapes:
                run.pay(1.2 * (ends in run.seen.ends and not names.is_size_name(ends)))


def are_of_heads(run: Run, items: Sequence[Node]) -> bool:
    """Whether a list goes up to the head h, or H, and the weights of an output, W_O, stand in the
    formula: what is listed are the vectors of heads, laid end to end."""
    weights = (name for name in run.seen.counted if names.base_letter(name) == "W")
    if not any(name.rpartition("_")[2] in ("O", "o") for name in weights):
        return False
    match items[-1]:
        case Script(_, below, above):
            ends = [names.label(ungrouped(node)) for node in (below, above) if node is not None]
            return not {"h", "H"}.isdisjoint(ends)
    return False


def flattened(items: Sequence[Node]) -> list[Node]:
    """The items, with ``… head_h`` (a comma lost) as two of them."""
    flat: list[Node] = []
    for item in items:
        if isinstance(item, Juxt) and isinstance(item.factors[0], Dots):
            rest = item.factors[1:]
            flat.append(item.factors[0])
            flat.append(rest[0] if len(rest) == 1 else Juxt(rest, item.span))
        else:
            flat.append(item)
    return [
        item for i, item in enumerate(flat) if not (i and is_dots(item) and is_dots(flat[i - 1]))
    ]


def is_dots(node: Node) -> bool:
    """Whether an item of a list is dots."""
    return isinstance(node, Dots)


def refuse_transposed(run: Run, items: Sequence[Node]) -> None:
    """Matrices that are joined lie side by side; transposed, they may be meant below each other."""
    for item in items:
        use = run.seen.understood(item)
        if use is None or not use.transposed or use.name in run.shapes:
            continue
        if names.element_ranks(use.name, len(use.indices), use.bold, False)[0] == 2:
            raise error(
                "N2C033",
                f"`{run.quote(item.span)}` may be joined by features or by positions",
                item.span,
                "join first and transpose the whole, or declare the shape of the parts",
            )


def in_parts(run: Run, parts: Sequence[Sequence[Node]], span: Span) -> Value:
    """``[x_c; z_1; …; z_n]``, a family beside items of another kind, or beside another family:
    numbers make a vector; vectors are joined end to end, or are the rows of a matrix, as the
    patches of an image behind a token of their own, and the tokens behind a prompt."""
    found = [_part(run, part, span) for part in parts]
    first = found[0][1]
    if first.rank > 1 or any(value.rank != first.rank for _, value in found):
        raise error("N2C041", "only numbers or vectors can be joined with others here", span)
    if first.rank:
        several = sum(len(part) > 1 for part in parts) > 1
        ways = (("joined end to end", 0.25 * several), ("the rows of a matrix", 0.25))
        ways = ways[::-1] if several else ways
        way = run.choose(f"list {span.start}", ways)
        run.problems.append(note("N2C039", f"`{run.quote(span)}` is taken to be {way}", span))
        if way == "joined end to end":
            ends = [v if i is None else end_to_end(run, i, v, span) for i, v in found]
            return joined_values(run, ends, span)
    for _, value in found:
        for mine, theirs in zip(first.axes, value.axes, strict=True):
            link(run, mine, theirs, span)
    rows = [Lambda((i or Index("", Size("", value=ir.ONE)),), v.body) for i, v in found]
    sizes = [index.size for index, _ in found if index is not None]
    single = [ir.Num(len(found) - len(sizes))] if len(found) > len(sizes) else []
    axis = fresh(Size("", value=ir.add(*sizes, *single)))
    return Value(Concat(tuple(rows), Idx(axis)), (axis, *first.axes), span)


def _part(run: Run, part: Sequence[Node], span: Span) -> tuple[Index | None, Value]:
    """One item, or the general item of a family and what counts it."""
    if len(part) == 1:
        return None, run.lower(part[0])
    index, (value, *others) = ellipsis.family(run, part, span)
    if others:
        raise error("N2C041", "only numbers or vectors can be joined with others here", span)
    return index, value
