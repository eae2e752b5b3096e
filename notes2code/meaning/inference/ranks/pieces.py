"""The pieces of an array: each head's own part of the features."""

from __future__ import annotations

from notes2code.diagnostics import Span, error, note
from notes2code.latex.tree import Group, Name, Node, Script
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.inference.values import Value, fresh, settled
from notes2code.meaning.ir import Idx, Size


def piece(run: Run, name: Node, group: Group, span: Span) -> Value:
    """``\\mathrm{split}_i(X)``: of as many equal pieces of the features of X as i counts the i-th,
    whose feature b is feature ``i d + b`` of X."""
    match name, group.items:
        case Script(_, Name(letter), None), (whole,) if letter in run.indices:
            index, value = run.indices[letter], run.lower(whole)
        case _:
            text = f"into which pieces `{run.quote(span)}` cuts is not said"
            raise error("N2C037", text, span, "write `[Q_1, \\dots, Q_h] = …`")
    if value.rank == 0:
        raise error("N2C041", f"`{run.quote(value.span)}` is a number and has no pieces", span)
    text = f"the features of `{run.quote(value.span)}` are taken to be those of the heads in turn"
    run.problems.append(note("N2C039", text, value.span))
    last = find_index(value.axes[-1])
    axis = fresh(Size("", 0, "feature"))
    run.unify(last.size, Size("", value=ir.mul(index.size, axis.size)), span)
    place = ir.add(ir.mul(Idx(index), axis.size), Idx(axis))
    body = ir.substitute(settled(value.body), {last: place})
    return Value(body, (*value.axes[:-1], axis), span)
