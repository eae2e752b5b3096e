"""How sizes follow from the shapes of inputs, and shapes as text."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Fn, Idx, Input, Num, Pow, Ref, Size


def solve(inputs: Sequence[Input]) -> dict[Size, Expr]:
    """Each size that the inputs fix, as an expression of extents.

    The extent of axis k of the input x is ``Fn("extent", (Ref(x), Num(k)))``; a size that is an
    input itself is ``Ref``. Sizes that are found by division come after those they need.
    """
    solved: dict[Size, Expr] = {}
    equations: list[tuple[Expr, Expr]] = []
    for given in inputs:
        for axis, size in enumerate(given.shape):
            extent: Expr = Fn("extent", (Ref(given.name), Num(axis)))
            if isinstance(size, Size):
                solved.setdefault(size, extent)
            else:
                equations.append((size, extent))
    progress = True
    while progress:
        progress = False
        for size, extent in equations:
            unknown = {s for s in ir.walk(size) if isinstance(s, Size) and s not in solved}
            if len(unknown) == 1:
                target = unknown.pop()
                found = _isolated(size, target, extent)
                if found is not None:
                    solved[target] = found
                    progress = True
    return solved


def _isolated(expr: Expr, target: Size, total: Expr) -> Expr | None:
    """The target from ``expr = total``, where it occurs once, as a factor or a term, or is each of
    the terms: the d of ``d + d``."""
    if expr is target:
        return total
    if isinstance(expr, ir.Add) and all(term is target for term in expr.terms):
        return Fn("floordiv", (total, Num(len(expr.terms))))
    if isinstance(expr, ir.Add):
        mine = [t for t in expr.terms if target in list(ir.walk(t))]
        if len(mine) != 1:
            return None
        others = [ir.negative(t) for t in expr.terms if t is not mine[0]]
        return _isolated(mine[0], target, ir.add(total, *others))
    if isinstance(expr, ir.Mul):
        mine = [f for f in expr.factors if target in list(ir.walk(f))]
        if len(mine) != 1:
            return None
        rest = ir.mul(*(f for f in expr.factors if f is not mine[0]))
        if ir.is_inverse(mine[0]):
            return _isolated(mine[0].base, target, Fn("floordiv", (rest, total)))
        return _isolated(mine[0], target, Fn("floordiv", (total, rest)))
    return None


def text(expr: Expr) -> str:
    """An expression of sizes as Python writes it, such as ``h*d_v``."""
    return _text(expr, 0)


def _text(expr: Expr, level: int) -> str:
    match expr:
        case Num(value):
            if isinstance(value, Fraction) and value.denominator == 1:
                value = int(value)
            out, own = str(value), 3
        case Size(name=name, value=None):
            out, own = name, 3
        case Size(value=value) if value is not None:
            return _text(value, level)
        case Ref(array, ()):
            out, own = array, 3
        case Idx(index):
            out, own = index.name, 3
        case ir.Add(terms):
            parts = [_text(t, 1) for t in terms]
            out, own = parts[0], 1
            for part in parts[1:]:
                out += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        case ir.Mul(factors):
            own = 2
            above = [f for f in factors if not ir.is_inverse(f)]
            below = [f.base for f in factors if ir.is_inverse(f)]
            if above and above[0] == ir.MINUS_ONE and len(above) > 1:
                out = "-" + "*".join(_text(f, 2) for f in above[1:])
            else:
                out = "*".join(_text(f, 2) for f in above) or "1"
            for divisor in below:
                out += f"/{_text(divisor, 3)}"
        case Pow(base, exponent):
            out, own = f"{_text(base, 3)}**{_text(exponent, 3)}", 2
        case Fn("floordiv", (left, right)):
            out, own = f"{_text(left, 2)}//{_text(right, 3)}", 2
        case Fn(name, arguments):
            out, own = f"{name}({', '.join(_text(a, 0) for a in arguments)})", 3
        case _:
            out, own = str(expr), 3
    return f"({out})" if own < level else out
