"""A setting in words and signs: what tells a variant of a component from the others."""

from __future__ import annotations

import unicodedata

from notes2code.components.around import HOLE
from notes2code.components.settings import expression, text
from notes2code.emit.fractions import fraction
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Add,
    Cases,
    Compare,
    Expr,
    Fn,
    Idx,
    Index,
    Lambda,
    Logic,
    Mul,
    Num,
    Pow,
    Ref,
    Size,
)

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_CLOSE = "\N{NO-BREAK SPACE}"
"""What stands between factors, which are not parted by the end of a line."""

_SUM, _PRODUCT, _POWER, _NAME = range(4)
"""How tightly a text holds together."""


def factor(setting: Lambda) -> str:
    """What a number that multiplies does: ``divided by c √d_k``, ``times τ``."""
    above, below = fraction(setting.body)
    return f"divided by {_sign(below)}" if above == ir.ONE else f"times {_sign(setting.body)}"


def term(setting: Lambda) -> str:
    """What is added: ``with 2 B added``, or ``with keys hidden unless i - j ≤ w``."""
    match _by_place(setting):
        case Cases(((condition, ir.ZERO),), ir.MINUS_INFINITY):
            return f"with keys hidden unless {_sign(condition)}"
        case Cases(((condition, ir.MINUS_INFINITY),), ir.ZERO):
            return f"with keys hidden where {_sign(condition)}"
        case added:
            return f"with {_sign(added)} added"


def words(setting: Lambda) -> str:
    """Any other setting: ``c tanh(x)``, ``relu``."""
    if isinstance(setting.body, Fn) and setting.body.arguments == (Ref(HOLE),):
        return text(setting)
    return _sign(_by_place(setting))


def _by_place(setting: Lambda) -> Expr:
    """A setting with i for the place of a query, and j for that of a key."""
    places = [Idx(Index("j", Size("m"))), Idx(Index("i", Size("n")))]
    named = dict(zip(reversed(setting.indices), places, strict=False))
    return ir.substitute(setting.body, named)


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
        case Logic("and", (Compare(first, a, b), Compare(second, same, c))) if same == b:
            out, own = f"{_sign(a)} {first} {_sign(b)} {second} {_sign(c)}", _SUM
        case Logic(op, arguments):
            out, own = f" {op} ".join(map(_sign, arguments)), _SUM
        case Compare(op, left, right):
            out, own = f"{_sign(left)} {op} {_sign(right)}", _SUM
        case Ref(array, _) if array != HOLE:
            return _letter(array)
        case _:
            return expression(expr)
    return f"({out})" if own < level else out


def _letter(name: str) -> str:
    """A name as its author writes it: λ for ``lambda_``, σ_q for ``sigma_q``."""
    first, sign, label = name.partition("_")
    return f"{_GREEK[first]}{sign}{label}".rstrip("_") if first in _GREEK else name


def _name(letter: str) -> str:
    return unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")


_SMALL = "αβγδεζηθικλμνξπρστυφχψω"
_GREEK = {
    **{_name(letter).lower(): letter for letter in _SMALL},
    **{_name(letter).capitalize(): letter for letter in _SMALL.upper()},
}


def _product(factors: tuple[Expr, ...]) -> str:
    """Factors side by side, and what they are divided by below a line."""
    above, below = fraction(ir.mul(*factors))
    parts = ir.factors(above)
    sign = "-" if ir.MINUS_ONE in parts else ""
    rest = [_sign(part, _POWER) for part in parts if part != ir.MINUS_ONE]
    out = sign + (_CLOSE.join(rest) or "1")
    return out if below == ir.ONE else f"{out} / {_sign(below, _POWER)}"
