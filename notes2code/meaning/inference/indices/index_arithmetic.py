"""What is computed in an index, in counts from 0, and how many items that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notes2code.diagnostics import error
from notes2code.latex.tree import Frac, Group, Infix, Juxt, Name, Neg, Node, Num, Script
from notes2code.meaning import ir, names
from notes2code.meaning.inference.run import Run, find_index
from notes2code.meaning.ir import Equation, Expr, Idx, Size
from notes2code.meaning.notation.scripts import Use


def half_of(run: Run, node: Node) -> tuple[Size, Size]:
    """The sizes of a half, ``d/2``, and of its whole."""
    use = Use("the half", node.span)
    half = arithmetic(run, node, use)
    whole = ir.mul(half, ir.Num(2))
    return ir.as_size(half), ir.as_size(whole)


def arithmetic(run: Run, node: Node, use: Use) -> Expr:
    """An index expression in counts from 0: a plain index is itself."""
    match node:
        case Name(text) if text in run.indices:
            return Idx(find_index(run.indices[text]))
        case Script() if names.label(node) in run.indices:
            return Idx(find_index(run.indices[names.label(node)]))
        case Name() | Script():
            return run.size(names.label(node))
        case Num(text):
            return ir.Num(int(text)) if text.isdigit() else ir.Num(float(text))
        case Neg(body):
            return ir.negative(arithmetic(run, body, use))
        case Infix("+", left, right):
            return ir.add(arithmetic(run, left, use), arithmetic(run, right, use))
        case Infix("-", left, right):
            return ir.add(arithmetic(run, left, use), ir.negative(arithmetic(run, right, use)))
        case Infix("·" | "×" | "*", left, right):
            return ir.mul(arithmetic(run, left, use), arithmetic(run, right, use))
        case Frac(left, right):
            return ir.mul(arithmetic(run, left, use), ir.inverse(arithmetic(run, right, use)))
        case Juxt((Name("clip" | "clamp" as name), Group(_, items))) if len(items) in (2, 3):
            arguments = [arithmetic(run, item, use) for item in items]
            own = run.functions.get(name) or run.scope.functions.get(name)
            return clipped(*arguments) if own is None else _clipped_by(own, arguments, node)
        case Juxt((Name("min"), Group(_, (left, right)))):
            return ir.Fn("min", (arithmetic(run, left, use), arithmetic(run, right, use)))
        case Juxt(factors):
            return ir.mul(*(arithmetic(run, factor, use) for factor in factors))
        case Group("⌊", (item,)):
            return ir.Fn("floor", (arithmetic(run, item, use),))
        case Group("⌈", (item,)):
            return ir.Fn("ceil", (arithmetic(run, item, use),))
        case Group("|", (Name() | Script() as item,)) if names.label(item) not in run.indices:
            return arithmetic(run, item, use)  # how many there are
        case Group("|", (item,)):
            return ir.Fn("abs", (arithmetic(run, item, use),))
        case Group(_, (item,)):
            return arithmetic(run, item, use)
    raise not_understood(run, node)


def clipped(value: Expr, *bounds: Expr) -> Expr:
    """A number between two bounds; of one, ``clip(x, k)``, the other is minus that."""
    low, high = bounds if len(bounds) == 2 else (ir.negative(bounds[0]), bounds[0])
    return ir.Fn("clip", (value, low, high))


def _clipped_by(own: Equation, arguments: Sequence[Expr], node: Node) -> Expr:
    """A place by the note's own ``clip``, which must be one too: ``max(low, min(x, high))``."""
    named = own.parameters
    if len(named) == len(arguments) and (bounds := _bounds(own.value.body, named[0])) is not None:
        given = dict(zip(named, arguments, strict=True))
        low, high = (_put(bound, given) for bound in bounds)
        return ir.Fn("clip", (arguments[0], low, high))
    raise error(
        "N2C032",
        "this index is not understood: the note says itself what it is, and not that it is a "
        "number between two bounds",
        node.span,
        "define it as `\\max(low, \\min(x, high))`, with as many arguments as here",
    )


def _bounds(body: Expr, name: str) -> tuple[Expr, Expr] | None:
    """The low and the high of ``max(low, min(x, high))``, or of the same the other way round, and
    of ``clip(x, low, high)``."""
    match body:
        case ir.Fn("clip", (ir.Ref(mine), low, high)) if mine == name:
            return low, high
    outer, sides = _extreme(body)
    for bound, inside in (sides, sides[::-1]) if len(sides) == 2 else ():
        inner, others = _extreme(inside)
        if len(others) == 2 and inner != outer and ir.Ref(name) in others:
            other = others[1 - others.index(ir.Ref(name))]
            return (bound, other) if outer == "max" else (other, bound)
    return None


def _extreme(expr: Expr) -> tuple[str, tuple[Expr, ...]]:
    """What the larger or the smaller is taken of."""
    match expr:
        case ir.Fn("relu", (inner,)):
            return "max", (ir.ZERO, inner)
        case ir.Fn("max" | "min" as kind, sides):
            return kind, sides
    return "", ()


def _put(expr: Expr, given: Mapping[str, Expr]) -> Expr:
    """The expression with arguments in place of parameters."""
    if isinstance(expr, ir.Ref) and expr.array in given:
        return given[expr.array]
    return ir.rebuild(expr, lambda inner: _put(inner, given))


def not_understood(run: Run, node: Node) -> Exception:
    """The refusal of an index that is no arithmetic."""
    return error(
        "N2C032",
        f"the index `{run.quote(node.span)}` is not understood",
        node.span,
        "write an index as a letter, a letter ± a number, or the difference of two letters",
    )


def count(run: Run, end: Node, start: int) -> Size:
    """How many items there are from a start to an end."""
    use = Use("the list", end.span)
    last = arithmetic(run, end, use)
    if any(isinstance(part, Idx) for part in ir.walk(last)):
        text = (
            f"`{run.quote(end.span)}` counts here, and how long an array is cannot change with it"
        )
        raise error("N2C032", text, end.span, "write the whole, and where it is hidden a mask")
    total = ir.add(last, ir.Num(1 - start))
    if isinstance(last, ir.Num) and isinstance(last.value, int):
        return Size("", value=ir.Num(last.value + 1 - start))
    return ir.as_size(total)
