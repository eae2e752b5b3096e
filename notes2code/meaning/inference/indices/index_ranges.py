"""Parts of an axis, ``K_{≤i}`` and ``K_{i-w+1:i}``: open axes, and what is reached along them."""

from __future__ import annotations

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Node
from notes2code.meaning import ir, names
from notes2code.meaning.inference.indices.index_arithmetic import arithmetic
from notes2code.meaning.inference.run import Reach, Run, find
from notes2code.meaning.inference.values import fresh
from notes2code.meaning.ir import Expr, Idx, Index, Size
from notes2code.meaning.notation import slices
from notes2code.meaning.notation.scripts import At, Use, is_name


def open_range(run: Run, at: At, size: Size, use: Use) -> Index:
    """``K_{≤i}``: an open axis, and which of its elements may be reached."""
    if find(size).kind == "feature":
        run.conflict(3, f"a range of features ({find(size).name}), not of positions", use.span)
    axis = fresh(size)
    if at.relation == ":":
        condition = _between(run, at.node, axis, use)
    else:
        condition = ir.Compare(at.relation, Idx(axis), arithmetic(run, at.node, use))
    run.reach[axis] = Reach(condition, use.span)
    letters = sorted(ir.free_indices(condition) - {axis}, key=lambda index: index.name)
    run.compared += [(letter, axis) for letter in letters]  # the t of ``\\mathrm{mean}(x_{≤t})``
    return axis


def _between(run: Run, node: Node, axis: Index, use: Use) -> Expr:
    """What holds of the places of ``K_{i-w+1:i}``, both ends among them, and of ``x_{i:n}``."""
    first, last = slices.ends(node) or (None, None)
    said: list[Expr] = []
    if first is not None:
        said.append(ir.Compare("≥", Idx(axis), _end_of_part(run, first, use)))
    if last is not None and _counts_all(run, last):
        run.unify(axis.size, run.size(names.label(last)), use.span)
    elif last is not None:
        said.append(ir.Compare("≤", Idx(axis), _end_of_part(run, last, use)))
        text = f"`{run.quote(use.span)}` is taken to hold the last of its places, too"
        run.problems.append(note("N2C039", text, use.span))
    return said[0] if len(said) == 1 else ir.Logic("and", tuple(said))


def _counts_all(run: Run, last: Node) -> bool:
    """Whether a part ends with the n that counts all places."""
    return is_name(last) and names.label(last) not in run.indices


def _end_of_part(run: Run, end: Node, use: Use) -> Expr:
    """An end of a part of an axis: a place, and how far from it."""
    expr = arithmetic(run, end, use)
    terms = ir.terms(expr)
    if sum(isinstance(term, Idx) for term in terms) != 1 or len(ir.free_indices(expr)) != 1:
        raise error(
            "N2C032",
            f"the part `{run.quote(use.span)}` of an axis is not understood",
            end.span,
            "write its ends as places, such as `i` and `i - w + 1`",
        )
    return expr
