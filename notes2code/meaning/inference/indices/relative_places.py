"""Elements for the differences, sums and distances of places: ``b_{i-j}``, ``b_{|i-j|}``."""

from __future__ import annotations

from notes2code.diagnostics import error, note
from notes2code.meaning import ir
from notes2code.meaning.inference.run import Run
from notes2code.meaning.ir import Expr, Idx, Index, Size
from notes2code.meaning.notation.scripts import Use


def place_of_difference(run: Run, expr: Expr, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{i-j}``: one element for every difference, the most negative first. None is negative
    where j goes up to i, as in ``Σ_{j ≤ i} b_{i-j} x_j``."""
    if isinstance(expr, ir.Fn) and expr.name == "clip":
        low = expr.arguments[1]
        span = ir.add(expr.arguments[2], ir.negative(low), ir.ONE)
        run.unify(Size("", value=span), size, use.span)
        return ir.add(expr, ir.negative(low))
    if isinstance(expr, ir.Fn) and expr.name == "abs":
        return _distance(run, expr, letters, size, use)
    if isinstance(expr, ir.Fn) and expr.name == "min":
        return _nearest(run, expr, letters, size, use)
    if isinstance(expr, ir.Add) and {*map(Idx, letters)} <= {*expr.terms}:
        return _sum(run, expr, letters, size, use)
    plus = _leading(expr, use)
    other = next(index for index in letters if index is not plus.index)
    if _goes_up_to(run, other, plus):
        run.unify(plus.index.size, size, use.span)
        run.unify(other.size, size, use.span)
        text = f"`{use.name}` is taken to hold one element for every difference, from 0 on"
        run.problems.append(note("N2C039", text, use.span))
        return expr
    last = ir.add(other.size, ir.MINUS_ONE)
    run.unify(Size("", value=ir.add(plus.index.size, last)), size, use.span)
    ends = [index.name or "the other" for index in (other, plus.index)]
    text = f"`{use.name}` is taken to hold one element for every difference, "
    text += f"from −({ends[0]}'s last) to {ends[1]}'s last"
    run.problems.append(note("N2C039", text, use.span))
    return ir.add(expr, last)


def _goes_up_to(run: Run, index: Index, last: Idx) -> bool:
    """Whether an index counts to another one, and that from the same number."""
    counted, end = (ir.add(idx, ir.Num(idx.index.start)) for idx in (Idx(index), last))
    return run.within.get(index) == ir.Compare("≤", counted, end) and (
        index.start == last.index.start
    )


def _sum(run: Run, expr: ir.Add, letters: list[Index], size: Size, use: Use) -> Expr:
    """``x_{t+l}``: one element for every sum, the first for the first of both."""
    offset = [term for term in expr.terms if not isinstance(term, Idx)]
    if any(letter in run.within for letter in letters) or not all(
        isinstance(term, ir.Num) for term in offset
    ):
        raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)
    first, second = letters
    run.unify(Size("", value=ir.add(first.size, second.size, ir.MINUS_ONE)), size, use.span)
    text = f"`{use.name}` is taken to hold one element for every sum of "
    run.problems.append(
        note("N2C039", f"{text}`{first.name}` and `{second.name}`, from the first on", use.span)
    )
    return ir.add(Idx(first), Idx(second))


def _distance(run: Run, expr: ir.Fn, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{|i-j|}``: one element for every distance, the same in both directions."""
    _leading(expr.arguments[0], use)
    first, second = letters
    run.unify(first.size, second.size, use.span)
    run.unify(first.size, size, use.span)
    named = first.name and second.name
    places = f"`{first.name}` and `{second.name}`" if named else "a row and a column"
    text = f"`{use.name}` is taken to hold one element for every distance of {places}, from 0 on"
    run.problems.append(note("N2C039", text, use.span))
    return expr


def _nearest(run: Run, expr: ir.Fn, letters: list[Index], size: Size, use: Use) -> Expr:
    """``b_{min(|i-j|, c)}``: one element for every distance up to c."""
    distance, furthest = expr.arguments
    if not isinstance(distance, ir.Fn) or distance.name != "abs" or ir.free_indices(furthest):
        raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)
    _leading(distance.arguments[0], use)
    run.unify(letters[0].size, letters[1].size, use.span)
    run.unify(Size("", value=ir.add(furthest, ir.ONE)), size, use.span)
    return expr


def _leading(expr: Expr, use: Use) -> Idx:
    """The i of ``i - j``."""
    if isinstance(expr, ir.Add) and len(expr.terms) == 2:
        for plus, minus in (expr.terms, reversed(expr.terms)):
            if isinstance(plus, Idx) and isinstance(ir.negative(minus), Idx):
                return plus
    raise error("N2C032", f"the index of `{use.name}` is not understood", use.span)
