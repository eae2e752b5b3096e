"""Where a value rests on the number that an index begins with, and nothing says which it is.

``|i − j|`` and ``i < j`` are the same whether i and j count from 0 or from 1, and so is an element
x_i; ``i x_i`` and ``i ≤ 3`` are not. Angles, and the frequencies ``b^{−2i/d}``, count from 0 by the
field's custom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite

from notes2code.diagnostics import Problem, Span, warning
from notes2code.latex.tree import Big, Name, Node, Num, Script, walk
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Expr, Idx, Size
from notes2code.meaning.overview import counting
from notes2code.meaning.overview.survey import Survey
from notes2code.meaning.stated import Define


def told(defines: Sequence[Define], seen: Survey, equation: Equation) -> Iterator[Problem]:
    """A warning for each letter of that kind, where it is computed with: it is taken to begin
    with 0."""
    conditions = [condition for define in defines for condition in define.conditions]
    unsaid = seen.bound - counting.said(seen.nodes, conditions, seen)
    unsaid -= {letter for define in defines for letter in _begun(define, seen.nodes)}
    if not unsaid:
        return
    moved = _Moved(unsaid)
    for array in (*(definition.array for definition in equation.definitions), equation.value):
        moved.look(array.body)
    nodes = (*seen.nodes, *(node for one in conditions for node in walk(one)))
    for letter in moved.letters:
        if (place := _place(letter, nodes)) is not None:
            yield warning(
                "N2C036",
                f"nothing says from what number `{letter}` counts: it is taken to begin with 0",
                place,
                f"say over what it runs, such as `{letter} = 1, \\dots, n`",
            )


def _begun(define: Define, nodes: Sequence[Node]) -> Iterator[str]:
    """The t of ``x_t = x_0 e^{−λ t}``: there is an x_0."""
    match define.target:
        case Script(Name(base), Name(letter)):
            for node in nodes:
                match node:
                    case Script(Name(other), Num("0")) if other == base:
                        yield letter


def _place(letter: str, nodes: Sequence[Node]) -> Span | None:
    """Where a letter is computed with: not where it stands below a name, or alone below a sum. None
    where it is not written, but an index of what another note defines."""
    below = {id(n) for s in nodes if isinstance(s, Script) and s.sub for n in walk(s.sub)}
    below |= {id(big.sub) for big in nodes if isinstance(big, Big)}
    uses = [node for node in nodes if isinstance(node, Name) and node.text == letter]
    first = min(uses, key=lambda use: (id(use) in below, use.span.start), default=None)
    return None if first is None else first.span


@dataclass(slots=True)
class _Moved:
    """What becomes of a value when all places count from one more.

    ``letters`` collects, in order, those unsaid ones that make a difference.
    """

    unsaid: Set[str]
    letters: dict[str, None] = field(default_factory=dict)

    def look(self, expr: Expr) -> None:
        """Collect the letters that an expression rests on."""
        if self._by(expr):
            self._tell(expr)

    def _by(self, expr: Expr) -> Fraction:
        """By how much an expression grows, where that is a number known beforehand; where it is
        not, its letters are collected, and it is said not to grow."""
        match expr:
            case Idx():
                return Fraction(1)
            case ir.Add(terms):
                return sum(map(self._by, terms), Fraction(0))
            case ir.Mul(factors):
                return self._product(expr, factors)
            case ir.Compare(sign, left, right):
                of_data = _is_bound(left, right) or (sign in "=≠" and _are_places(left, right))
                if not of_data and self._by(left) != self._by(right):
                    self._tell(expr)
            case ir.Fn("sin" | "cos"):
                pass
            case ir.Pow(_, exponent) | ir.Fn("exp", (exponent,)) if _is_fraction_of_axis(exponent):
                pass
            case ir.Softmax(_, body, _, where):
                self._by(body)  # scores that all grow alike have the same softmax
                if where is not None:
                    self.look(where)
            case ir.Ref():
                pass  # an element is the same, whatever its place is called
            case ir.Call(_, arguments) | ir.Concat(arguments):
                for argument in arguments:
                    if not isinstance(argument.body, Idx):  # which of the functions, or of places
                        self.look(argument.body)
            case ir.Iterate(_, _, initial, step):
                self.look(initial.body)
                self.look(step.body)
            case _:
                for part in ir.children(expr):
                    self.look(part)
        return Fraction(0)

    def _product(self, expr: Expr, factors: Sequence[Expr]) -> Fraction:
        grown = [(factor, by) for factor in factors if (by := self._by(factor))]
        scale = Fraction(1)
        for factor in factors:
            if len(grown) == 1 and factor is grown[0][0]:
                scale *= grown[0][1]
            elif isinstance(factor, ir.Num) and isfinite(factor.value) and len(grown) == 1:
                scale *= Fraction(factor.value)
            elif grown:
                self._tell(expr)
                return Fraction(0)
        return scale if grown else Fraction(0)

    def _tell(self, expr: Expr) -> None:
        """Collect the letters of the indices that are computed with in an expression."""
        if isinstance(expr, Idx) and expr.index.letter in self.unsaid:
            self.letters[expr.index.letter] = None
        elif not isinstance(expr, ir.Ref):
            for part in ir.children(expr):
                self._tell(part)


def _is_bound(*sides: Expr) -> bool:
    """Whether a comparison is one with the end of an axis."""
    return any(isinstance(part, Size) for side in sides for part in ir.walk(side))


def _are_places(*sides: Expr) -> bool:
    """Whether labels, which are places from 0, are compared with an index: ``1[y_i = j]``. The T of
    ``1[t = T]`` is no label, but the last."""
    last = any(isinstance(side, ir.Ref) and side.array.isupper() for side in sides)
    return {type(side) for side in sides} == {ir.Ref, Idx} and not last


def _is_fraction_of_axis(exponent: Expr) -> bool:
    """The ``2i/d`` of a frequency."""
    below = (part.base for part in ir.walk(exponent) if isinstance(part, ir.Pow))
    return any(isinstance(base, Size) for base in below)
