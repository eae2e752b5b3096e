"""∞ times what is 0 or 1, as masks are written: ``-∞ · 𝟙[j > i]`` and ``(1 - M) · (-∞)``."""

from __future__ import annotations

from math import isinf

from notes2code.meaning import ir
from notes2code.meaning.ir import Cases, Compare, Expr, Mul, Num


def without_nan(expr: Expr) -> Expr:
    """A product with ∞ as what it means in a mask: 0 where the other factor is 0, which ∞ times 0
    is not for a computer. Any other expression as it is."""
    if not isinstance(expr, Mul):
        return expr
    infinite = [f for f in expr.factors if isinstance(f, Num) and isinf(f.value)]
    rest = [f for f in expr.factors if not isinstance(f, Num)]
    if not infinite or not rest:
        return expr
    factor = ir.mul(*rest)
    numbers = ir.mul(*(f for f in expr.factors if isinstance(f, Num)))
    match factor:
        case Cases(((holds, ir.ONE),), ir.ZERO):
            return Cases(((holds, numbers),), ir.ZERO)
    return Cases(((Compare("=", factor, ir.ZERO), ir.ZERO),), ir.mul(numbers, factor))
