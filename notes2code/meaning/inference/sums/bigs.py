"""The values of sums, products, maxima and minima over indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notes2code.diagnostics import ProblemError, error, note, warning
from notes2code.latex.tree import Accent, Apply, Big, Group, Juxt, Node, walk, words_in
from notes2code.meaning import ir, names
from notes2code.meaning.inference.calls.optima import refuse_optimum
from notes2code.meaning.inference.lists import diagonal, joined_arrays
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.sums import conditions
from notes2code.meaning.inference.sums.sum_ranges import (
    condition_below,
    depends_on_index,
    free_letters,
    indices_below,
    refuse_condition,
    unsaid,
)
from notes2code.meaning.inference.values import Value, scalar, settled, uses
from notes2code.meaning.ir import Expr, Index, Ref
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.rewriting import nested, sets_above

_KINDS = frozenset(["sum", "prod", "max", "min", "mean"])
_NOT_COMPUTED = {
    "lim": "a limit", "int": "an integral", "argmax": "an argmax", "argmin": "an argmin",
    "union": "a union of sets",
}  # fmt: skip


def big(run: Run, node: Big) -> Value:
    """The value of a sum, product, maximum or minimum."""
    kind = {"avg": "mean"}.get(node.op, node.op)
    if kind not in _KINDS | {"concat"}:
        what = _NOT_COMPUTED.get(kind, f"`{kind}`")
        raise error("N2C037", f"{what} cannot be computed", node.span)
    refuse_condition(run, node)
    refuse_optimum(run, node)
    if (first := nested.unsaid_start(node)) and node.sub is not None:
        text = f"`{run.quote(node.sub.span)}` is taken to count from {first}"
        run.problems.append(note("N2C039", text, node.sub.span, "write where it begins"))
    if node.sub is None and kind != "concat" and not free_letters(run):
        return _over_elements(run, node, kind)
    bound = indices_below(run, node)
    outer = {index.name: run.indices.get(index.name) for index, _ in bound}
    for index, _ in bound:
        run.indices[index.name] = index
    run.summed.extend(index.name for index, _ in bound)
    where = condition_below(run, node)
    inner = bound[-1][0]
    reach = {
        index: conditions.both(condition, where if index is inner else None)
        for index, condition in bound
    }
    run.within.update({index: holds for index, holds in reach.items() if holds is not None})
    value = _body(run, node, [index for index, _ in bound])
    del run.summed[len(run.summed) - len(bound) :]
    for name, before in outer.items():
        if before is None:
            del run.indices[name]
        else:
            run.indices[name] = before
    if kind == "concat":
        return _joined(run, node, bound, value)
    if (
        node.sup is not None
        and depends_on_index(run, node.sup)
        and sets_above.goes_over_first(node)
    ):
        text = f"the first `{run.quote(node.sup.span)}` elements are added up here each time"
        hint = "write `\\in` below the sign, and the set, where its members are meant"
        run.problems.append(warning("N2C050", text, node.sup.span, hint))
    body = value.body
    if kind == "prod":
        _refuse_matrices(run, node, value)
    for index, _ in reversed(bound):
        _must_use(node, index, body)
        _note_first(run, node, index)
        body = ir.Reduce(kind, index, body, reach[index])
    return Value(body, value.axes, node.span, value.row)


_COUNTS = names.COUNTS - {"T"} | {"C", "E"}
"""Capitals that are numbers where many of them are multiplied, as transformations T are not."""


def _refuse_matrices(run: Run, node: Big, value: Value) -> None:
    """Refuse the product of matrices, which is not that of their elements. What may be one by its
    letter is nothing else for the sake of it; what hardly is one is told to be none."""
    name = value.body.array if isinstance(value.body, Ref) else ""
    base = names.base_letter(name)
    known = base in map(names.base_letter, run.shapes)
    accented = any(isinstance(part, Accent) for part in walk(node.body))
    capital = (base if accented else name).isupper() and not known
    capital = capital and base not in names.PROBABILITIES
    counts = base in _COUNTS
    if capital and counts and not value.rank:
        run.numbers[run.quote(value.span)] = value.span
    if value.rank > 1 or (capital and not counts):
        raise error(
            "N2C037",
            f"`{run.quote(node.body.span)}` may be a matrix: a product of these is not computed",
            node.span,
            "write it out, or declare what they are, such as `T_k \\in \\mathbb{R}`",
        )


def _joined(run: Run, node: Big, bound: Sequence[tuple[Index, Expr | None]], value: Value) -> Value:
    """``⊕_{i=1}^{n} R_i`` of blocks whose size is a number: they stand on a diagonal. Anything else
    is a concatenation, if it is plain how far that goes."""
    sizes = [find(find_index(axis).size).value for axis in value.axes]
    if len(sizes) == 2 and all(isinstance(size, ir.Num) for size in sizes) and len(bound) == 1:
        index, reach = bound[0]
        if reach is None and index.start < 2:
            _must_use(node, index, value.body)
            return diagonal.of_matrices(index, value, node.span)
    alone = node is run.whole or any(g.items == (node,) for g in run.seen.nodes.of(Group))
    one = alone and (_is_one(run, node.body) or _is_sum_of_members(node))
    plain = isinstance(node.body, Group) or one
    if plain and len(bound) == 1 and bound[0][1] is None and value.rank:
        _must_use(node, bound[0][0], value.body)
        run.problems.append(note("N2C039", "what is joined here is laid end to end", node.span))
        return joined_arrays.end_to_end(run, bound[0][0], value, node.span)
    raise error(
        "N2C033",
        "how far what is joined goes is not plain here",
        node.span,
        "write `\\mathrm{Concat}(\\mathrm{head}_1, \\dots, \\mathrm{head}_h)`",
    )


def _is_one(run: Run, node: Node) -> bool:
    """Whether a node is one operand: a name, or a call of a function."""
    match node:
        case Juxt((name, Group("("))) if scripts.is_name(name):
            return run.seen.name_of(name) in run.seen.called | names.GREEK
    return scripts.is_name(node) or isinstance(node, Apply)


def _is_sum_of_members(node: Big) -> bool:
    """Whether one sum is joined, ``‖_k Σ_j a^k_j W^k x_j``: nothing in it may be meant for all that
    is joined, as a ``W_O`` is."""
    if not isinstance(node.body, Big) or node.body.op != "sum":
        return False
    subs = [sub for sub in (node.sub, node.body.sub) if sub is not None]
    counted = {letter for sub in subs for letter in binders.bound_letters(sub)}
    return all(words_in(factor) & counted for factor in binders.multiplied(node.body.body))


def _body(run: Run, node: Big, bound: Sequence[Index]) -> Value:
    """What is added up. Where it cannot be read, and lacks a letter that counts, that is told
    first."""
    try:
        return run.lower(node.body)
    except ProblemError:
        written = words_in(node.body)
        for index in bound:
            if index.name.isalpha() and index.name not in written:
                raise _unused(node, index) from None
        raise


def _must_use(node: Big, index: Index, body: Expr) -> None:
    if not uses(body, index):
        raise _unused(node, index)


def _note_first(run: Run, node: Big, index: Index) -> None:
    """``Σ_{j=2}^n x_j``: the x that is given begins with x_2."""
    if index.start > 1 and node.sub is not None and index in run.begun:
        text = f"what is counted here is taken to begin with `{index.name} = {index.start}`"
        run.problems.append(note("N2C039", text, node.sub.span, "give it no elements before that"))


def _unused(node: Big, index: Index) -> ProblemError:
    return error(
        "N2C031",
        f"nothing in the body depends on the index `{index.name}`",
        node.sub.span if node.sub is not None else node.span,
        f"put `{index.name}` below what is to be added up, or name the index that is meant",
    )


def _over_elements(run: Run, node: Big, kind: str) -> Value:
    """``\\sum y \\log p`` of two vectors: over their elements, if all in it has these; the m of
    ``\\sum e^{x - m}`` need not. The weights of attention, ``\\sum \\alpha v``, add up vectors."""
    outside, run.over_elements = run.over_elements, True
    value = run.lower(node.body)
    run.over_elements = outside
    if value.rank != 1:
        raise unsaid(node)
    index = find_index(value.axes[0])
    body = settled(value.body)
    moved = set(_subtracted(body, index))
    arrays = [part for part in ir.walk(body) if isinstance(part, Ref) and part not in moved]
    bases = {names.base_letter(part.array) for part in arrays}
    weighs = not bases.isdisjoint(["a", "A", "alpha"])
    if not arrays or weighs or not all(uses(part, index) for part in arrays):
        raise unsaid(node)
    text = f"`{run.quote(node.span)}` is taken to run over the elements of what stands in it"
    run.problems.append(note("N2C039", text, node.span, "write the index below the sign"))
    return scalar(ir.Reduce(kind, index, value.body, None), node.span)


def _subtracted(body: Expr, index: Index) -> Iterator[Expr]:
    """The numbers that are taken off all elements in an exponent, as their largest is."""
    for part in ir.walk(body):
        match part:
            case ir.Fn("exp", (ir.Add(terms),)) if any(uses(term, index) for term in terms):
                others = (term for term in terms if not uses(term, index))
                yield from (number for other in others for number in ir.walk(other))
