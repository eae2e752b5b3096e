"""A factor as a fraction: what stands above its line, and what below, under one root."""

from __future__ import annotations

from fractions import Fraction

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Num, Pow


def fraction(factor: Expr) -> tuple[Expr, Expr]:
    """What something that is multiplied with a factor is multiplied with, and what it is divided
    by: nothing and c √d for d**-0.5 / c."""
    above: list[Expr] = []
    below: list[Expr] = []
    roots: list[Expr] = []
    for part in ir.factors(factor):
        match part:
            case Num(int() | Fraction() as value) if value > 0 and (1 / Fraction(value)) % 1 == 0:
                below.append(Num(int(1 / Fraction(value))))
            case Pow(base, Num(exponent)) if exponent == -ir.HALF.value:
                roots.append(base)
            case Pow(base, ir.MINUS_ONE):
                below.append(base)
            case Pow(base, Num(exponent)) if exponent < 0:
                below.append(Pow(base, Num(-exponent)))
            case _:
                above.append(part)
    if roots:
        below.append(Pow(ir.mul(*roots), ir.HALF))
    return ir.mul(*above), ir.mul(*below)
