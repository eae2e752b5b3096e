"""The axes of a value in the order of the indices on its left-hand side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Infix
from notes2code.meaning import ir
from notes2code.meaning.inference import sizes
from notes2code.meaning.inference.products.gates import HADAMARD
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.targets import Target
from notes2code.meaning.inference.values import Value, free_roots, link, uses
from notes2code.meaning.ir import Index

if TYPE_CHECKING:
    from notes2code.meaning.inference.equations import Attempt


def ordered(attempt: Attempt, value: Value, letters: list[str], target: Target) -> Value:
    """The value with an axis for each letter in front, then its own open axes."""
    run = attempt.run
    value = _elements(run, value, letters[: len(target.indices)], target)
    axes = list(value.axes)
    front: list[Index] = []
    free = free_roots(value.body) if letters else set()
    on_target = len(target.indices)
    counts = not free.isdisjoint(find_index(run.indices[x]) for x in letters[:on_target])
    made_of_places = on_target > 1 and bool(free) and not _reads_arrays(value.body)
    for position, letter in enumerate(letters):
        index = find_index(run.indices[letter])
        if index in free and index not in map(find_index, axes):
            front.append(index)
        elif position < on_target and axes and index not in map(find_index, axes):
            axis = axes.pop(0)
            if _hangs(run, value.body, axis, front):
                run.pay(2.4)  # the t of A_{i,t} = r_i - μ is no place in r_i
            link(run, axis, index, target.span)
            front.append(find_index(axis))
        elif position < on_target and (made_of_places or attempt.is_referred_to(target)):
            # The same everywhere along it: a mask of keys, or w_n = 1/N beside a sum over n.
            front.append(index)
        elif position < on_target and index not in map(find_index, axes):
            if counts:
                _repeat(run, index, target, position)
                front.append(index)
            elif on_target > 1:
                text = f"`{run.quote(target.span)}` is taken for a name without indices"
                run.problems.append(note("N2C039", text, target.span))
    return Value(value.body, (*front, *axes), value.span)


def _elements(run: Run, value: Value, letters: Sequence[str], target: Target) -> Value:
    """Of the matrix in ``S_{ij} = Q K^\\top + m (j - i)`` the element that is added to what is
    made of i and j; any other value as it is."""
    if len(letters) != 2 or value.rank != 2 or not isinstance(value.body, ir.Add):
        return value
    places = {find_index(run.indices[letter]) for letter in letters}
    axes = set(map(find_index, value.axes))
    terms = [free_roots(term) for term in value.body.terms]
    if not any(places <= used for used in terms) or any(
        used & places and used & axes for used in terms
    ):
        return value
    for axis, letter in zip(value.axes, letters, strict=True):
        link(run, axis, run.indices[letter], target.span)
    return Value(value.body, (), value.span)


def _hangs(run: Run, body: ir.Expr, axis: Index, front: Sequence[Index]) -> bool:
    """Whether an axis is that of names which have it by custom only: of one alone, where others
    have none such, or of all where nothing says that they are multiplied element by element; and
    nothing is added up to make it. ``front`` are the axes that are written."""
    axis = find_index(axis)
    parts = [*ir.walk(body)]
    if any(isinstance(p, ir.Reduce | ir.Softmax | ir.Call) and uses(p, axis) for p in parts):
        return False
    refs = [(part, uses(part, axis)) for part in parts if isinstance(part, ir.Ref)]
    having = [ref for ref, has in refs if has]
    others = any(ref.at for ref, has in refs if not has)
    by_elements = any(node.op in HADAMARD for node in run.seen.nodes.of(Infix))
    if len(having) == 1:
        return bool(front) or others
    return bool(front) and not by_elements


def _repeat(run: Run, index: Index, target: Target, position: int) -> None:
    """The same elements again and again along the j of ``P_{ij} = a_i``: as often as its
    range or the declared shape of P says."""
    shape = run.shapes.get(target.name)
    place = target.indices[position].node
    if shape and shape.is_sized and len(shape.axes) == len(target.indices):
        axis = sizes.parse(run, shape.axes[position])
        run.unify(index.size, axis, place.span)
    size = find(index.size)
    if not size.name and size.value is None:
        run.unranged = error(
            "N2C031",
            f"the index `{index.name}` stands on the left alone: nothing says how far it runs",
            place.span,
            f"give its range, `{index.name} = 1, \\dots, n`, or the shape of the array, or "
            "remove it",
        )


def _reads_arrays(body: ir.Expr) -> bool:
    """Whether an expression has elements of arrays or calls in it, not only places and numbers.
    What decides between the numbers of a mask is no part of them."""
    if isinstance(body, ir.Cases):
        values = [value for _, value in body.branches]
        return any(_reads_arrays(v) for v in (*values, body.otherwise) if v is not None)
    return any(
        isinstance(part, ir.Call) or (isinstance(part, ir.Ref) and bool(part.at))
        for part in ir.walk(body)
    )
