"""Vectors that are declared as matrices of one row, or of one column: the q_i ∈ ℝ^{1×d} of
``q_i k_j^\\top`` and the h_t ∈ ℝ^{d×1} of ``h_t^\\top s``."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import pairwise

from notes2code.latex.tree import Infix, Juxt, Name, Node, Script, walk
from notes2code.meaning import names
from notes2code.meaning.inference.run import Run
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import Use
from notes2code.meaning.scope import Shape


def as_vector(run: Run, use: Use, shape: Shape) -> Shape:
    """A declared shape, without the axis of length 1 where the formula has such a vector for each
    place and multiplies all of them as vectors are: by ``k_j^\\top q_i`` two rows would make a
    matrix."""
    if len(shape.axes) != 2 or shape.axes.count(1) != 1 or not use.name[0].islower():
        return shape
    row = shape.axes[0] == 1
    alike = {
        names.base_letter(name)
        for name, one in run.shapes.items()
        if name[0].islower() and len(one.axes) == 2 and (one.axes[0] == 1) == row and 1 in one.axes
    }
    counted = {names.base_letter(name) for name, counts in run.seen.counted.items() if any(counts)}
    if alike.isdisjoint(counted) or any(
        _makes_more(run, *pair, alike, row) for pair in _pairs(run)
    ):
        return shape
    return replace(shape, axes=shape.axes[1:] if row else shape.axes[:1])


def _pairs(run: Run) -> Iterator[tuple[Node, Node]]:
    """What stands beside each other in products without a dot between."""
    for juxt in run.seen.nodes.of(Juxt):
        yield from pairwise(juxt.factors)
    for infix in run.seen.nodes.of(Infix):
        if infix.op in ("@", "×", "*"):
            yield infix.left, infix.right


def _makes_more(run: Run, left: Node, right: Node, alike: Set[str], row: bool) -> bool:
    """Whether a product of such vectors is a matrix, or none at all: rows stand before what they
    are multiplied by, and columns, turned into rows, as well."""
    if _holds(left, alike) and _holds(right, alike):
        return (scripts.is_transposed(left), scripts.is_transposed(right)) != (not row, row)
    if _holds(left, alike) and _is_matrix(run, right):
        return scripts.is_transposed(left) == row
    if _holds(right, alike) and _is_matrix(run, left):
        return scripts.is_transposed(right) != row
    return False


def _holds(node: Node, alike: Set[str]) -> bool:
    """Whether such a vector stands in a node, in a function of it, too."""
    return any(binders.bare(inner) in alike for inner in walk(node) if isinstance(inner, Name))


def _is_matrix(run: Run, node: Node) -> bool:
    """Whether a node is a matrix by its letter, turned or not."""
    return isinstance(node, Name | Script) and run.seen.name_of(node)[:1].isupper()
