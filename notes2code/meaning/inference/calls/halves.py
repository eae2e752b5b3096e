"""The halves of what a function is given: the x_1 and x_2 of ``f(x) = [-x_2, x_1]``, where the text
says that something is cut in two."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Juxt, Script
from notes2code.latex.tree import Num as Literal
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find, find_index
from notes2code.meaning.inference.values import Value, fresh
from notes2code.meaning.ir import Idx, Num, Size
from notes2code.meaning.notation.scripts import Use, is_name


def whole_of(use: Use) -> Use:
    """The x of an x_1."""
    return replace(use, name=use.name.rpartition("_")[0])


def is_half(run: Run, use: Use) -> bool:
    """Whether an x_1 or x_2 is the first or the second half of the x, all that a function is given:
    both stand in the formula, and no third part."""
    if not run.scope.halves or use.indices:
        return False
    whole = whole_of(use).name
    if run.whole_parameters != (whole,):
        return False
    parts = {name for name in run.seen.counted if name.rpartition("_")[0] == whole}
    told = use.name in run.shapes or use.name in run.defined
    return parts == {f"{whole}_1", f"{whole}_2"} and not told and not _are_numbers(run, parts)


def _are_numbers(run: Run, parts: Set[str]) -> bool:
    """Whether parts have weights that are numbers, ``w_1 x_1 + w_2 x_2``, or powers, ``x_1^2``."""
    for node in run.seen.nodes.of(Script):
        if is_name(node) and (use := run.seen.use(node)).name in parts and use.power is not None:
            return True
    for product in run.seen.nodes.of(Juxt):
        uses = [run.seen.use(one).name for one in product.factors if is_name(one)]
        beside = {one for one in uses if one not in parts}
        numbered = any(isinstance(one, Literal) for one in product.factors)
        weighed = any(one[:1].islower() and one.endswith(("_1", "_2")) for one in beside)
        if parts & {*uses} and (numbered or weighed):
            return True
    return False


def half(run: Run, use: Use, whole: Value) -> Value:
    """The first or the second half of the last axis of an array."""
    if not whole.axes:
        text = f"`{run.quote(use.span)}` would be a half of a number"
        raise error("N2C041", text, use.span, "write `\\mathbf{x}` for a vector")
    last = find_index(whole.axes[-1])
    match find(last.size).value:
        case ir.Mul((Num(2), Size() as size)):
            axis = fresh(size)
        case _:
            axis = fresh(Size("", 0, "feature"))
            run.unify(last.size, Size("", value=ir.mul(Num(2), axis.size)), use.span)
    place = ir.add(axis.size, Idx(axis)) if use.name.endswith("_2") else Idx(axis)
    text = f"`{run.quote(use.span)}` is taken to be a half of `{whole_of(use).name}`"
    if all(problem.message != text for problem in run.problems):
        run.problems.append(note("N2C039", text, use.span))
    return Value(ir.substitute(whole.body, {last: place}), (*whole.axes[:-1], axis), use.span)
