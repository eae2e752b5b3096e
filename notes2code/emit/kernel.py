"""What templates see of a kernel: a function of the distance of query and key."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from notes2code.components.around import HOLE
from notes2code.emit.attention import Attention
from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Fn, Num, Pow, Ref

SQUARED, DISTANCE, DIFFERENCE = "squared", "distance", "difference"


class Kernel:
    """The kernel of a recognised attention.

    It is written with the squared distance, the distance, and, where neither will do, with the
    difference of numbers: with what a class can compute for queries and keys of any width.
    """

    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        form = attention.recognised.form.equation
        self.of_numbers = not next(i for i in form.inputs if i.name == "q").shape
        body = attention.recognised.settings["kernel"].body
        self.body = _of_difference(body) if self.of_numbers else _of_square(body)

    @property
    def is_normalised(self) -> bool:
        """Whether the weights are softmax of it, not its values over their sum."""
        body = self.attention.recognised.form.pattern.value.body
        return any(isinstance(expr, ir.Softmax) for expr in ir.walk(body))

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """What it is computed from: ``squared``, ``distance`` or ``difference``."""
        used = {expr.array for expr in ir.walk(self.body) if isinstance(expr, Ref)}
        return tuple(name for name in (SQUARED, DISTANCE, DIFFERENCE) if name in used)

    @property
    def code(self) -> str:
        """It as PyTorch."""
        return self.attention.rendered("kernel", self.body, {name: name for name in self.needs})

    @cached_property
    def slope(self) -> Expr | None:
        """The number c of a kernel that is c times the squared distance; None for others."""
        factors = ir.factors(self.body)
        rest = tuple(factor for factor in factors if factor != Ref(SQUARED))
        inside = any(isinstance(e, Ref) and e.array in self.needs for r in rest for e in ir.walk(r))
        return ir.mul(*rest) if len(rest) == len(factors) - 1 and not inside else None

    @property
    def is_fused(self) -> bool:
        """Whether torch's fused kernel can compute the attention."""
        return self.is_normalised and self.slope is not None

    @property
    def checks(self) -> str:
        """The class of what holds of every attention with such a kernel, in its tests."""
        if DIFFERENCE in self.needs:
            return "KernelChecks"
        return "FusedDistanceChecks" if self.is_fused else "DistanceChecks"

    @property
    def sharpness(self) -> str:
        """What half the squared distance is multiplied with, with the other sign."""
        assert self.slope is not None
        return self.attention.rendered("kernel", ir.mul(Num(-2), self.slope), {})


def _of_square(expr: Expr) -> Expr:
    """A kernel of the squared distance; a root of it is the distance, whose gradient at zero is
    zero."""
    match expr:
        case Pow(Ref(name), Num(power)) if name == HOLE and 0 < power < 1:
            return _power(DISTANCE, 2 * Fraction(power))
        case Ref(name) if name == HOLE:
            return Ref(SQUARED)
    return ir.rebuild(expr, _of_square)


def _of_difference(expr: Expr) -> Expr:
    """A kernel of the difference, which even powers and absolute values do not need."""
    match expr:
        case Pow(Ref(name), Num(int() as power)) if name == HOLE and power > 0 and power % 2 == 0:
            return _power(SQUARED, Fraction(power, 2))
        case Fn("abs", (Ref(name),)) if name == HOLE:
            return Ref(DISTANCE)
        case Ref(name) if name == HOLE:
            return Ref(DIFFERENCE)
    return ir.rebuild(expr, _of_difference)


def _power(name: str, power: Fraction) -> Expr:
    whole = int(power) if power.denominator == 1 else power
    return Ref(name) if whole == 1 else Pow(Ref(name), Num(whole))
