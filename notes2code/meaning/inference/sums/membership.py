"""Members of sets: a set is an input that holds 1 for its members and 0 for the others."""

from __future__ import annotations

from collections.abc import Sequence

from notes2code.diagnostics import error, note
from notes2code.latex.tree import Node, Relation
from notes2code.meaning import ir
from notes2code.meaning.inference.indices.indexing import place
from notes2code.meaning.inference.run import Run, Symbol
from notes2code.meaning.inference.values import Value, scalar
from notes2code.meaning.ir import Expr, Idx, Index, Ref, Size
from notes2code.meaning.notation import binders, scripts
from notes2code.meaning.notation.scripts import Use


def told(run: Run, said: Relation) -> Expr | None:
    """``i ∈ M`` and ``i ∉ M`` of what an index counts, and ``(i, j) ∈ M`` of pairs; None where
    that is not said."""
    match said:
        case Relation((member, members), ("∈" | "∉" as sign,)) if member and members:
            letters = binders.bound_letters(member)
            if letters and {*letters} <= run.indices.keys() and scripts.is_name(members):
                indices = [run.indices[letter] for letter in letters]
                element = _element(run, run.seen.use(members), indices)
                return ir.Compare("≠" if sign == "∈" else "=", element, ir.ZERO)
    return None


def number(run: Run, node: Node) -> Value | None:
    """``|M|`` of a set that is spoken of: how many members it has."""
    use = run.seen.understood(node)
    if use is None or use.name not in run.seen.sets:
        return None
    index = Index("", Size(""))
    holds = ir.Compare("≠", _element(run, use, [index]), ir.ZERO)
    return scalar(ir.Reduce("sum", index, ir.Cases(((holds, ir.ONE),), ir.ZERO)), node.span)


def _element(run: Run, use: Use, indices: Sequence[Index]) -> Expr:
    """What says whether that which some indices count is a member."""
    places = (place(run, at, Size(""), use) for at in use.indices)
    order = [*(i.index for i in places if isinstance(i, Idx)), *indices]
    symbol = run.symbols.get(use.name)
    if symbol is None:
        axes = tuple(Size("") for _ in order)
        symbol = run.symbols[use.name] = Symbol(use.name, axes, run.quote(use.span), use.span)
        text = f"the set `{run.quote(use.span)}` is taken as an input of ones and zeros"
        run.problems.append(note("N2C039", text, use.span))
    if len(order) != len(symbol.axes) or use.name in run.defined:
        raise error(
            "N2C032",
            f"`{run.quote(use.span)}` is a set here and something else elsewhere",
            use.span,
            "give one of the two another name",
        )
    for mine, axis in zip(order, symbol.axes, strict=True):
        run.unify(mine.size, axis, use.span)
    return Ref(use.name, tuple(Idx(mine) for mine in order))
