"""A setting in words and signs: what tells a variant of a component from the others."""

from __future__ import annotations

from notes2code.components.around import HOLE
from notes2code.components.settings import expression, text
from notes2code.emit.fractions import fraction
from notes2code.meaning import ir
from notes2code.meaning.ir import Add, Expr, Fn, Idx, Index, Lambda, Mul, Num, Pow, Ref, Size

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_CLOSE = "\N{NO-BREAK SPACE}"
"""What stands between factors, which are not parted by the end of a line."""

_SUM, _PRODUCT, _POWER, _NAME = range(4)
"""How tightly a text holds together."""


def factor(setting: Lambda) -> str:
    """What a number that multiplies does: ``divided by c √d_k``, ``times tau``."""
    above, below = fraction(setting.body)
    return f"divided by {_sign(below)}" if above == ir.ONE else f"times {_sign(setting.body)}"


def words(setting: Lambda) -> str:
    """Any other setting: ``c tanh(x)``, ``-lambda_ |i - j|``, ``relu``."""
    if isinstance(setting.body, Fn) and setting.body.arguments == (Ref(HOLE),):
        return text(setting)
    places = [Idx(Index("j", Size("m"))), Idx(Index("i", Size("n")))]
    named = dict(zip(reversed(setting.indices), places, strict=False))
    return _sign(ir.substitute(setting.body, named))


def _sign(expr: Expr, level: int = _SUM) -> str:
    """An expression as it is written by hand."""
    match expr:
        case Mul(factors):
            out, own = _product(factors), _PRODUCT
        case Pow(base, ir.HALF):
            out, own = f"√{_sign(base, _NAME)}", _POWER
        case Pow(base, Num(int() as exponent)) if exponent > 1:
            out, own = _sign(base, _NAME) + str(exponent).translate(_RAISED), _POWER
        case Pow(_, Num(exponent)) if exponent < 0:
            out, own = _product((expr,)), _PRODUCT
        case Pow(base, exponent):
            out, own = f"{_sign(base, _NAME)}^({_sign(exponent)})", _POWER
        case Fn("abs", (inner,)):
            out, own = f"|{_sign(inner)}|", _NAME
        case Fn(name, arguments):
            out, own = f"{name}({', '.join(map(_sign, arguments))})", _NAME
        case Add(terms):
            out, own = " + ".join(map(_sign, terms)).replace(" + -", " - "), _SUM
        case _:
            return expression(expr)
    return f"({out})" if own < level else out


def _product(factors: tuple[Expr, ...]) -> str:
    """Factors side by side, and what they are divided by below a line."""
    above, below = fraction(ir.mul(*factors))
    parts = above.factors if isinstance(above, Mul) else (above,)
    sign = "-" if ir.MINUS_ONE in parts else ""
    rest = [_sign(part, _POWER) for part in parts if part != ir.MINUS_ONE]
    out = sign + (_CLOSE.join(rest) or "1")
    return out if below == ir.ONE else f"{out} / {_sign(below, _POWER)}"
