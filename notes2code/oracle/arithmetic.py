"""Sums, products and numbers as code, with the parentheses that they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import pi

from notes2code.meaning import ir
from notes2code.meaning.ir import Expr, Num
from notes2code.oracle.layout import Bracket, Chain, Doc, Row

TERNARY, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
"""How tightly an expression binds."""


@dataclass(frozen=True, slots=True)
class Code:
    """Code, and how tightly its outermost sign binds."""

    doc: Doc
    level: int = ATOM

    def at_least(self, level: int) -> Doc:
        """The code, in parentheses where it binds less tightly."""
        return self.doc if self.level >= level else Bracket("(", (self.doc,), ")")


@dataclass(frozen=True, slots=True)
class Quotient:
    """A product: its sign, and its factors in order with whether each is divided by."""

    negative: bool
    factors: tuple[tuple[bool, Expr], ...]

    @property
    def above(self) -> list[Expr]:
        """What is multiplied."""
        return [factor for divides, factor in self.factors if not divides]

    @property
    def below(self) -> list[Expr]:
        """What it is divided by."""
        return [factor for divides, factor in self.factors if divides]


def quotient(expr: Expr) -> Quotient:
    """An expression as a product, if only of itself."""
    negative, factors = False, list[tuple[bool, Expr]]()
    for factor in _factors(expr):
        match factor:
            case Num(int() | float() | Fraction() as value) if value < 0:
                negative = not negative
                factors += [] if value == -1 else [(False, Num(-value))]
            case ir.Pow(base, Num(int() | float() | Fraction() as power)) if power < 0:
                factors.append((True, base if power == -1 else ir.Pow(base, Num(-power))))
            case _:
                factors.append((False, factor))
    return Quotient(negative, tuple(factors))


def _factors(expr: Expr) -> list[Expr]:
    if isinstance(expr, ir.Mul):
        return [inner for factor in expr.factors for inner in _factors(factor)]
    return [expr]


def product(parts: Quotient, code: Callable[[Expr], Code], slash: str = "/") -> Code:
    """A product as code, in the order of the note, but for a divisor that stands first."""
    first = next((k for k, (divides, _) in enumerate(parts.factors) if not divides), None)
    head = Code("1") if first is None else code(parts.factors[first][1])
    others = [pair for k, pair in enumerate(parts.factors) if k != first]
    if slash == "//":
        others.sort(key=lambda pair: pair[0])
    lone = head.level == POWER and parts.negative
    chain = [head.at_least(ATOM if lone else POWER)]
    for divides, group in groupby(others, key=lambda pair: pair[0]):
        docs = [code(factor).at_least(POWER) for _, factor in group]
        if divides and len(docs) > 1:
            together = Chain((docs[0], *(Row(("* ", doc)) for doc in docs[1:])))
            docs = [Bracket("(", (together,), ")")]
        chain += [Row((f"{slash if divides else '*'} ", doc)) for doc in docs]
    positive = Code(Chain(tuple(chain)), PRODUCT) if others else head
    if not parts.negative:
        return positive
    if positive.level == POWER:
        positive = Code(positive.at_least(ATOM))  # as formatters write -(x**2)
    return Code(Row(("-", positive.at_least(PRODUCT))), min(SIGN, positive.level))


def total(terms: Sequence[Expr], code: Callable[[Expr], Code]) -> Code:
    """A sum as code; it begins with a term that has no minus sign, if there is one."""
    flat = [t for term in terms for t in ir.terms(term)]
    flat.insert(0, flat.pop(next((k for k, t in enumerate(flat) if not _is_negative(t)), 0)))
    parts = [code(flat[0]).at_least(SUM)]
    for term in flat[1:]:
        sign = "- " if _is_negative(term) else "+ "
        positive = _opposite(term) if _is_negative(term) else term
        parts.append(Row((sign, code(positive).at_least(PRODUCT))))
    return Code(Chain(tuple(parts)), SUM)


def _is_negative(expr: Expr) -> bool:
    return quotient(expr).negative


def _opposite(expr: Expr) -> Expr:
    """The expression without its minus sign."""
    factors = quotient(expr).factors
    return ir.mul(*(ir.inverse(factor) if divides else factor for divides, factor in factors))


def infix(left: Code, sign: str, right: Code) -> Code:
    """Two operands of a sign that binds like a product's."""
    docs = (left.at_least(POWER), right.at_least(POWER))
    return Code(Chain((docs[0], Row((f"{sign} ", docs[1])))), PRODUCT)


def call(function: str, arguments: Sequence[Doc]) -> Code:
    """A call."""
    return Code(Bracket(f"{function}(", tuple(arguments), ")"))


def number(value: complex | Fraction) -> Code:
    """A number; a fraction as a decimal number where it is one."""
    if isinstance(value, complex):
        return Code(repr(complex(value)))
    if isinstance(value, Fraction) and value.denominator != 1:
        if not _is_decimal(value):
            return Code(f"{value.numerator} / {value.denominator}", PRODUCT)
        value = float(value)
    text = repr(value) if isinstance(value, float) else str(value)
    if value in (pi, -pi):
        text = "np.pi" if value > 0 else "-np.pi"
    if text.lstrip("-") in ("inf", "nan"):
        text = f"-np.{text[1:]}" if value < 0 else f"np.{text}"
    return Code(text, SIGN if text.startswith("-") else ATOM)


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1
