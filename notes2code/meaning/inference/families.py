"""Lists and families: ``[a; b]``, ``Concat(head_1, …, head_h)``, ``(e_{ij})_{j=1}^{n}``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import (
    Dots,
    Group,
    Infix,
    Juxt,
    Node,
    Nodes,
    Num,
    Relation,
    Script,
    ungrouped,
)
from notes2code.meaning import ir, names
from notes2code.meaning.inference import caches, distances, ellipsis
from notes2code.meaning.inference.declared import is_of_said_kind
from notes2code.meaning.inference.indexing import count, own_letter
from notes2code.meaning.inference.members import all_of
from notes2code.meaning.inference.reach import refuse_limited
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import Value, fresh, link, settled, transpose, uses
from notes2code.meaning.ir import Concat, Expr, Idx, Index, Lambda, Ref, Size
from notes2code.meaning.notation import binders

Ways = tuple[tuple[str, float], ...]
"""What something may be, and what each way costs."""


def listed(run: Run, node: Group) -> Value:
    """A list in brackets: vectors joined end to end, numbers made a vector."""
    barred = "|" in node.separators and (node.open == "(" or set(node.separators) != {"|"})
    if node.open not in ("[", "(") or barred:
        raise error("N2C037", f"`{run.quote(node.span)}` is not understood as a value", node.span)
    flat = _flattened(node.items)
    if any(map(_dots, flat)) and node.separators:
        if (away := distances.listed(run, flat, node.span)) is not None:
            return away
        _refuse_transposed(run, flat)
        if len(parts := ellipsis.parts(flat)) > 1:
            return _in_parts(run, parts, node.span)
        index, values = ellipsis.family(run, flat, node.span)
        if len(values) == 1 and node.open == "(" and values[0].rank < 2:
            _doubt_vectors(run, values[0])
            turns = (("rows", 0.0), ("columns", 0.5)) if values[0].rank else (("rows", 0.0),)
            turned = run.choose(f"list {node.span.start}", turns) == "columns"
            axes = (*values[0].axes, index) if turned else (index, *values[0].axes)
            return Value(values[0].body, axes, node.span)
        if len(values) == 1 and values[0].rank == 1:
            ways = _ways(run, index, values[0], node.separators[0] == ";")
            ways = ((_JOINED, 0.0),) if _are_of_heads(run, flat) else ways
            return _side_by_side(run, index, values[0], ways, node.span)
        if node.separators[0] == ";" and all(_is_of_vector(run, value) for value in values):
            run.pay(1.2)  # [o_{t,1}; …; o_{t,n}] joins the vectors of all heads
        _doubt_numbers(run, flat[-1], values[0])
        if values[0].rank == 0 and _are_of_heads(run, flat):
            run.pay(4.0)
        if len(values) == 1 and (rows := _single_rows(run, index, values[0])) is not None:
            return rows
        run.pay(0.5 * (node.open == "(" and run.whole is node))  # a sequence is no concatenation
        return _together(run, index, values, node.span)
    below = node.open == "[" and set(node.separators) == {";"}
    joined = concatenated(run, node.items, node.span, below, node.open == "(")
    if joined.rank == 1 and isinstance(joined.body, Concat) and _may_be_rows(run, node):
        text = f"the vectors of `{run.quote(node.span)}` are taken to be joined into one"
        hint = "write them below each other in a matrix, where they are its rows"
        run.problems.append(note("N2C039", text, node.span, hint))
    return joined


def _may_be_rows(run: Run, node: Group) -> bool:
    """Whether vectors in brackets are alike, but for their numbers: ``[x_1 W, x_2 W]``."""
    texts = [run.quote(item.span).strip() for item in node.items]
    alike = {re.sub(r"\d+", "", text) for text in texts}
    numbered = len({*texts}) > 1 == len(alike) and any(map(str.isalpha, texts[0]))
    return numbered and {*node.separators} == {","}


def _single_rows(run: Run, index: Index, value: Value) -> Value | None:
    """The matrix of the rows ``x_i ∈ ℝ^{1×d}``, where they are not joined to one long row."""
    if value.rank != 2 or find(find_index(value.axes[0]).size).value != ir.ONE:
        return None
    ways = (("one long row", 0.0), ("the rows of a matrix", 0.5))
    if run.choose(f"rows {value.span.start}", ways) == ways[0][0]:
        return None
    body = ir.substitute(settled(value.body), {find_index(value.axes[0]): ir.ZERO})
    return Value(body, (index, value.axes[1]), value.span)


def _is_of_vector(run: Run, value: Value) -> bool:
    """Whether a number has the letter of a vector, and an index of that alone or a head's, too; in
    a softmax e_1 is a score."""
    if value.rank or not isinstance(value.body, Ref) or len(value.body.at) > 2:
        return False
    letter = names.base_letter(value.body.array)
    return letter in ("q", "k", "v", "o", "h") or (letter == "e" and "softmax" not in run.latex)


def _doubt_numbers(run: Run, last: Node, value: Value) -> None:
    """The ``z_i^{(1)}, …, z_i^{(h)}`` with the letter of a vector, a place below, and above what
    tells heads apart, are vectors."""
    match value.body, last:
        case Ref(array, (_, _)), Script(_, _, sup) if sup is not None and not value.rank:
            ends, letter = names.label(ungrouped(sup)), names.base_letter(array)
            bold = run.seen.is_bold(array)
            vector = names.element_ranks(array, 1, bold, False)[0] == 1
            if vector and (bold or letter not in ("x", "s")) and array not in run.shapes:
                run.pay(1.2 * (ends in run.seen.ends and not names.is_size_name(ends)))


def _are_of_heads(run: Run, items: Sequence[Node]) -> bool:
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


def _ways(run: Run, index: Index, value: Value, rows: bool) -> Ways:
    """What ``[x_1, …, x_n]`` and ``[x_1; …; x_n]`` of vectors may be, and what it costs: one long
    vector, or the columns of a matrix, or its rows; with commas rows only where the shape of the
    whole is said, or weights stand behind it."""
    if rows and _are_mapped_alike(value, index):
        return ((_ROWS, 0.0), (_JOINED, 0.8))
    if rows:
        return ((_JOINED, 0.0), (_ROWS, 0.4))
    if isinstance(value.body, ir.Add):  # nobody joins the sums e_i + p_i of tokens
        return ((_COLUMNS, 0.0), (_ROWS, 0.4), (_JOINED, 0.8))
    if _is_mapped_by_rows(run):
        return ((_ROWS, 0.0), (_COLUMNS, 0.4), (_JOINED, 0.8))
    return ((_JOINED, 0.0), (_COLUMNS, 0.4), (_ROWS, 0.8))


def _side_by_side(run: Run, index: Index, value: Value, ways: Ways, span: Span) -> Value:
    """A list of vectors: one long vector, or a matrix."""
    way = run.choose(f"list {span.start}", ways)
    run.problems.append(note("N2C039", f"`{run.quote(span)}` is taken to be {way}", span))
    if way == _JOINED:
        return end_to_end(run, index, value, span)
    _doubt_vectors(run, value)
    return Value(
        value.body, (*value.axes, index) if way == _COLUMNS else (index, *value.axes), span
    )


_JOINED = "joined end to end"
_ROWS, _COLUMNS = "the rows of a matrix", "the columns of a matrix"


def _are_mapped_alike(value: Value, index: Index) -> bool:
    """Whether vectors are made of others by one matrix, as the ``x_i E`` of patches are, and not
    by one of their own each."""
    counted = [
        part.at
        for part in ir.walk(value.body)
        if isinstance(part, Ref) and any(uses(at, index) for at in part.at)
    ]
    return not isinstance(value.body, Ref) and all(len(at) == 2 for at in counted)


def _is_mapped_by_rows(run: Run) -> bool:
    """Whether weights stand behind what the formula defines, here or elsewhere in the note: the X
    of ``X W_Q`` has tokens as rows, whatever stands between its brackets."""
    return not run.defines.isdisjoint(run.scope.mapped | mapped(run.seen.nodes))


def mapped(nodes: Nodes) -> set[str]:
    """The X of ``X W_Q``, behind which weights stand."""
    pairs = (pair for node in nodes.of(Juxt) for pair in pairwise(node.factors))
    found = {binders.bare(left) for left, right in pairs if binders.bare(right) == "W"}
    return {name for name in found if name.isupper()}


def joined(run: Run, node: Infix) -> Value:
    """``a ‖ b``."""
    return concatenated(run, binders.chain(node), node.span)


def concatenated(
    run: Run,
    items: Sequence[Node],
    span: Span,
    below: bool = False,
    paired: bool = False,
    named: bool = False,
) -> Value:
    """Arrays joined along their last axis; with dots, or an index that stands nowhere else, as in
    ``Concat(head_i)``, a whole family of them. Matrices are joined ``below`` each other as in
    ``[A; B]``, unless only the other way fits; what is ``paired``, ``(A, b)``, is of one kind. What
    is joined by name, as in ``Z = Concat(Z_1, …, Z_h)``, are no numbers, as those of a list are
    that has their letter."""
    flat = _flattened(items)
    _refuse_transposed(run, flat)
    if any(map(_dots, flat)):
        if len(parts := ellipsis.parts(flat)) > 1:
            return _in_parts(run, parts, span)
        index, values = ellipsis.family(run, flat, span)
        _doubt_numbers(run, flat[-1], values[0])
        if named and values[0].rank == 0:
            run.pay(4.0)
        if values[0].rank == 0 and _are_of_heads(run, flat):
            run.pay(4.0)
        return _together(run, index, values, span)
    if len(flat) == 1 and (letter := own_letter(run, flat[0])):
        outer, index = run.indices[letter], Index(letter, Size(""))
        run.indices[letter] = index
        value = run.lower(flat[0])
        run.indices[letter] = outer
        return _together(run, index, [value], span)
    if (members := all_of(run, flat)) is not None:
        return _together(run, members[0], [members[1]], span)
    values = [run.lower(item) for item in flat]
    if len(values) == 1:
        return replace(values[0], span=span)
    ranks = {value.rank for value in values}
    if paired and len(ranks) > 1 and max(ranks) > 1:
        text = f"`{run.quote(span)}` is a pair of unlike things, and no array"
        hint = "write a formula for each, or `[…; …]` to join them"
        run.unranged = error("N2C041", text, span, hint)
        return replace(values[0], span=span)
    if (grown := caches.grown(run, values, span)) is not None:
        return grown
    if any(value.rank != 2 for value in values):
        if len(ranks) > 1 and _are_siblings(values):
            run.pay(3.0)  # h_1 and h_2 are of one kind
        # The q^C and q^R of q are vectors, and so are e_word and e_image.
        run.pay(1.2 * sum(_is_labelled_number(run, value) for value in values))
        return joined_values(run, values, span)
    ways = [("side by side", 0.0), ("below each other", 3.0)]
    if all(map(_is_of_cache, values)):
        ways = [("below each other", 0.0), ("side by side", 3.0)]
    elif (
        below
        and all(_is_of_matrices(value) or _is_of_keys(value) for value in values)
        and not any(map(_is_head, values))
    ):
        ways = [("below each other", 0.0), ("side by side", 0.5)]
    way = run.choose(f"join {span.start}-{span.end}", ways)
    if below or way == "below each other":
        text = f"the matrices of `{run.quote(span)}` are taken to stand {way}"
        run.problems.append(note("N2C039", text, span))
    return (stacked if way == "below each other" else joined_values)(run, values, span)


def _are_siblings(values: Sequence[Value]) -> bool:
    """Whether arrays have one name, and numbers that tell them apart."""
    parts = [v.body.array.rpartition("_") if isinstance(v.body, Ref) else ("",) * 3 for v in values]
    return len({base for base, _, _ in parts}) == 1 and all(at.isdigit() for _, _, at in parts)


def _is_labelled_number(run: Run, value: Value) -> bool:
    """Whether a number has a word for its label, and no index, or the label of a part of the whole,
    whose letter it has."""
    if value.rank or not isinstance(value.body, Ref) or value.body.array in run.shapes:
        return False
    letter, _, label = value.body.array.partition("_")
    if len(letter) == 1 and label.isupper():
        return letter in map(names.base_letter, run.defines)
    number = len(letter) > 1 or letter in names.PROBABILITIES or label in _VALUES
    return len(label) > 1 and label.isalpha() and not (number or value.body.at)


_VALUES = frozenset("min max mean std low high start end true false yes no".split())
"""Words for numbers, whatever they are said of."""

_OF_CACHES = frozenset("old new past prev previous cache cached cur current".split())


def _is_of_cache(value: Value) -> bool:
    """Whether an array holds the keys or values of some positions, as ``K_{past}`` does."""
    if not isinstance(value.body, Ref):
        return False
    letter, _, label = value.body.array.partition("_")
    return letter in ("K", "V", "k", "v") and label.lower() in _OF_CACHES


def _is_head(value: Value) -> bool:
    """Whether a matrix is the result of one head, or of one direction of a recurrent network: each
    has features of its own."""
    if not isinstance(value.body, Ref):
        return False
    array = value.body.array
    return names.base_letter(array) == "head" or array.endswith(("_vec", "_back"))


def _is_of_matrices(value: Value) -> bool:
    """Whether an array is made of what capitals name, which no index makes a vector: ``K``, and
    neither ``k_t`` nor ``PE_x``."""
    arrays = [part for part in ir.walk(value.body) if isinstance(part, Ref)]
    bases = [names.base_letter(part.array) for part in arrays]
    return all(len(base) == 1 and base.isupper() for base in bases) and not any(
        len(part.at) > 2 for part in arrays
    )


def _is_of_keys(value: Value) -> bool:
    """Whether an array holds keys or values, perhaps of each head: ``P_k``, ``C W_v``."""
    arrays = [part.array for part in ir.walk(value.body) if isinstance(part, Ref)]
    return any(name.rpartition("_")[2] in tuple("kvKV") for name in arrays)


def _is_row(value: Value) -> bool:
    """Whether a vector has a capital, as the rows X_i of a matrix have."""
    return isinstance(value.body, Ref) and value.body.array[0].isupper()


def stacked(run: Run, values: list[Value], span: Span) -> Value:
    """Matrices of equally many columns below each other, and rows below rows."""
    parts = [_as_part(value) if value.rank == 1 else value for value in values]
    lying = [transpose(part, part.span) for part in parts]
    kinds = {find(find_index(part.axes[0]).size).kind for part in parts}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return transpose(joined_values(run, lying, span, kind), span)


def column(run: Run, items: Sequence[Node], span: Span) -> Value:
    """A column of numbers is a vector, one of rows a matrix; one of vectors is a vector or a matrix
    as the list of them in brackets is."""
    flat = _flattened(items)
    if any(map(_dots, flat)):
        index, values = ellipsis.family(run, flat, span)
        if len(values) == 1 and values[0].rank == 1 and (values[0].row or _is_row(values[0])):
            return Value(values[0].body, (index, *values[0].axes), span)
        if len(values) == 1 and values[0].rank == 2 and not _is_head(values[0]):
            lying = transpose(values[0], values[0].span)
            return transpose(end_to_end(run, index, lying, span), span)
        if len(values) == 1 and values[0].rank == 1:
            return _side_by_side(run, index, values[0], _ways(run, index, values[0], True), span)
        return replace(_together(run, index, values, span), row=False)
    values = [run.lower(item) for item in flat]
    if len(values) > 1 and all(value.rank == 2 or (value.rank and value.row) for value in values):
        return stacked(run, values, span)
    if len(values) > 1 and all(value.rank == 1 for value in values):
        ways = (("end to end", 0.0), ("the rows of a matrix", 0.5))
        if run.choose(f"column {span.start}", ways) != "end to end":
            text = f"`{run.quote(span)}` is taken to be the rows of a matrix"
            run.problems.append(note("N2C039", text, span))
            return stacked(run, values, span)
    return replace(concatenated(run, items, span), row=False)


def row(run: Run, items: Sequence[Node], span: Span) -> Value:
    """A row with dots: of numbers a row vector, of vectors a matrix whose columns they are."""
    index, values = ellipsis.family(run, _flattened(items), span)
    if len(values) == 1 and values[0].rank == 1:
        if isinstance(values[0].body, Ref) and values[0].body.array in run.defines:
            run.pay(2.2)  # the x_1, …, x_d of x are numbers
        return _side_by_side(run, index, values[0], ((_COLUMNS, 0.0), (_JOINED, 0.4)), span)
    return replace(_together(run, index, values, span), row=True)


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


def _refuse_transposed(run: Run, items: Sequence[Node]) -> None:
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


def _doubt_vectors(run: Run, value: Value) -> None:
    """Capitals and heads that are joined are matrices."""
    if value.rank == 1 and isinstance(value.body, Ref):
        array = value.body.array
        run.pay(1.2 * (array[0].isupper() or names.base_letter(array) == "head"))


def joined_values(run: Run, values: list[Value], span: Span, kind: str = "feature") -> Value:
    if not values:
        raise error("N2C024", "nothing stands in this matrix", span)
    refuse_limited(run, (axis for value in values for axis in value.axes))
    rank = max(value.rank for value in values)
    if rank == 0:
        parts = tuple(Lambda((Index("", Size("", value=ir.ONE)),), v.body) for v in values)
        axis = fresh(Size("", value=ir.Num(len(values))))
        return Value(Concat(parts, Idx(axis)), (axis,), span)
    if {value.rank for value in values} == {rank, rank - 1} and (rank > 1 or values[0].rank):
        if values[0].rank < rank:
            text = f"`{run.quote(values[0].span)}` is taken to be one row before those of a matrix"
            run.problems.append(note("N2C039", text, values[0].span))
        alike = [_as_part(value) if value.rank == rank - 1 else value for value in values]
        if rank < 2:
            _tell_numbers(run, values)
            return joined_values(run, alike, span)
        lying = [transpose(value, value.span) for value in alike]
        return transpose(joined_values(run, lying, span), span)
    if any(value.rank != rank for value in values):
        raise error("N2C041", "only arrays of one rank can be joined", span)
    first = values[0]
    for value in values[1:]:
        for mine, theirs in zip(first.axes[:-1], value.axes[:-1], strict=True):
            link(run, mine, theirs, span)
    total = Size("", 0, kind, value=_total([find_index(v.axes[-1]).size for v in values]))
    axis = fresh(total)
    parts = tuple(Lambda((value.axes[-1],), value.body) for value in values)
    return Value(Concat(parts, Idx(axis)), (*first.axes[:-1], axis), span)


def _tell_numbers(run: Run, values: Sequence[Value]) -> None:
    """Tell of the f_{ij} that is joined to the vectors h_i and h_j as a number, which nothing says
    that it is."""
    for value in values:
        match value.body:
            case Ref(array, (_, *_)) if not (value.rank or is_of_said_kind(run, array)):
                text = f"`{run.quote(value.span)}` is taken to be one number beside a vector"
                hint = "declare its shape where it is a vector, too"
                run.problems.append(note("N2C039", text, value.span, hint))


def _total(sizes: Sequence[Size]) -> Expr:
    """How long parts are together: a number where each is as long as a number says."""
    said = [size.value for size in map(find, sizes)]
    numbers = [value.value for value in said if isinstance(value, ir.Num)]
    return ir.Num(sum(numbers)) if len(numbers) == len(said) else ir.add(*sizes)


def _as_part(value: Value) -> Value:
    """What joins an array of one more axis is one more of its parts: ``[K; k]`` and ``[k; K]`` have
    one more row than K, and ``[x; 1]`` has one more number than x."""
    return Value(value.body, (fresh(Size("", value=ir.ONE)), *value.axes), value.span)


def _together(run: Run, index: Index, values: list[Value], span: Span) -> Value:
    """A family of arrays joined, or of numbers that repeat in groups."""
    return (
        _interleaved(index, values, span)
        if len(values) > 1
        else end_to_end(run, index, values[0], span)
    )


def end_to_end(run: Run, index: Index, value: Value, span: Span) -> Value:
    """Concat(h_1, …, h_n): element c is element c mod d of the item c div d."""
    if value.rank == 0:
        return Value(value.body, (index,), span)
    _doubt_vectors(run, value)
    last = value.axes[-1]
    axis = fresh(Size("", 0, "feature", value=ir.mul(index.size, last.size)))
    places: dict[Index, Expr] = {
        find_index(index): ir.Fn("floordiv", (Idx(axis), last.size)),
        find_index(last): ir.Fn("mod", (Idx(axis), last.size)),
    }
    body = ir.substitute(settled(value.body), places)
    return Value(body, (*value.axes[:-1], axis), span)


def _in_parts(run: Run, parts: Sequence[Sequence[Node]], span: Span) -> Value:
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


def _interleaved(index: Index, values: list[Value], span: Span) -> Value:
    """Numbers that repeat in groups: −x_2, x_1, −x_4, x_3, …"""
    if any(value.rank for value in values):
        raise error("N2C041", "the items of this list must be numbers", span)
    period = ir.Num(len(values))
    axis = fresh(Size("", 0, "feature", value=ir.mul(period, index.size)))
    group = {find_index(index): ir.Fn("floordiv", (Idx(axis), period))}
    bodies = [ir.substitute(settled(value.body), group) for value in values]
    return Value(chosen(ir.Fn("mod", (Idx(axis), period)), bodies), (axis,), span)


def chosen(which: Expr, values: Sequence[Expr]) -> Expr:
    """The value with a number, counted from 0; the same for all where they are the same."""
    if all(value == values[0] for value in values):
        return values[0]
    branches = tuple(
        (ir.Compare("=", which, ir.Num(at)), value) for at, value in enumerate(values[:-1])
    )
    return ir.Cases(branches, values[-1]) if branches else values[-1]


def repeated(run: Run, node: Infix) -> Value | None:
    """``a_1 + a_2 + … + a_n``, and products of numbers written so; what stands before or behind all
    these, as the b of ``w_1 x_1 + … + w_n x_n + b``, is added to them."""
    terms = binders.chain(node)
    if node.op not in _REPEATED or not any(map(_dots, terms[1:-1])):
        return None
    if node.op == "+" and not ellipsis.goes_up_to_last(terms):
        return None
    if node.op == "+" and (count := ellipsis.leading(terms)):
        first, rest = (
            reduce(lambda left, right: replace(node, left=left, right=right), part)
            for part in (terms[:count], terms[count:])
        )
        all_of_them = Group("(", (rest,), (), rest.span)
        return run.lower(replace(node, left=first, right=all_of_them))
    index, values = ellipsis.family(run, terms, node.span)
    kind = _REPEATED[node.op]
    if len(values) > 1 or (kind == "prod" and values[0].rank):
        raise error("N2C037", "what these dots leave out cannot be computed", node.span)
    return replace(values[0], body=ir.Reduce(kind, index, values[0].body), along=None)


_REPEATED = {"+": "sum", "·": "prod", "×": "prod", "*": "prod"}


def at_place(expr: Expr, axis: Index, place: int) -> Expr:
    """An expression at one place along an axis, where what is written out there is known."""
    match expr:
        case Idx(index) if find_index(index) is axis:
            return ir.Num(place)
        case Concat(parts, Idx(index)) if find_index(index) is axis:
            if all(part.indices[0].size.value == ir.ONE for part in parts):
                return ir.substitute(parts[place].body, {parts[place].indices[0]: ir.ZERO})
    expr = ir.rebuild(expr, lambda child: at_place(child, axis, place))
    match expr:
        case ir.Cases(((ir.Compare("=", ir.Num(at), ir.Num(wanted)), value),), other) if other:
            return value if at == wanted else other
    return expr


def indexed(run: Run, group: Group, sub: Relation, sup: Node | None) -> Value:
    """``(e_{ij})_{j=1}^{n}`` and ``(e_{ij})_{j ∈ [n]}``: the vector of a number for all values of
    an index."""
    letters = binders.bound_letters(sub)
    if len(group.items) > 1:
        text = f"`{run.quote(group.span)}` is a family of several things each, and no array"
        raise error("N2C041", text, group.span, "write a family for each of them")
    if len(letters) != 1:
        raise error("N2C036", "the range of this family is not understood", sub.span)
    start, size = _range(run, letters[0], sub, sup)
    index = Index(letters[0], size, start)
    outer = run.indices.get(letters[0])
    run.indices[letters[0]] = index
    value = run.lower(group.items[0])
    if outer is not None:
        run.indices[letters[0]] = outer
    else:
        del run.indices[letters[0]]
    return Value(value.body, (*value.axes, index), group.span)


def _range(run: Run, letter: str, sub: Relation, sup: Node | None) -> tuple[int, Size]:
    """What the index of a family counts from, and how many there are of it."""
    match sub.operands[1], sub.signs:
        case Num(first), ("=",):
            return int(first), Size("") if sup is None else count(run, sup, int(first))
        case Group("[", (last,)), ("∈",) if sup is None:
            return 1, count(run, last, 1)
        case None, ("∈",):
            return run.seen.starts.get(letter, 0), Size("")
    raise error("N2C036", "the range of this family is not understood", sub.span)
