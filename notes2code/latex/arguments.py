"""Functions of the field and what they are taken of, with parentheses or without."""

from __future__ import annotations

from abc import abstractmethod

from notes2code.diagnostics import warning
from notes2code.latex.characters import Token
from notes2code.latex.reader import TokenReader
from notes2code.latex.tree import (
    Accent,
    Apply,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Node,
    Num,
    Script,
    words_in,
)

FUNCTION_WORDS = frozenset("sin cos tan arcsin arccos arctan sinh cosh tanh exp log ln erf".split())
INDICES = frozenset("ijklmnstr")

_OF_ANGLES = ("sin", "cos", "tan")
_ANGLES = frozenset(["theta", "phi", "varphi", "omega"])


class Arguments(TokenReader):
    """The part of the parser that reads a function with its argument."""

    @abstractmethod
    def postfix(self) -> Node:
        """An operand with its scripts."""

    @abstractmethod
    def primary(self) -> Node:
        """One operand without its scripts."""

    @abstractmethod
    def scripts(self, base: Node, first: Token) -> Node:
        """The scripts and primes behind a base."""

    def function(self, first: Token) -> Node:
        """``\\exp(x)``, ``\\sin mθ``: a function of the field and its argument."""
        self.at += 1
        name = self.scripts(Name(first.text, first.span), first)
        start = self.peek()
        if start.kind in ("open", "{"):
            argument = self.scripts(self.primary(), start)
            if first.text in _OF_ANGLES and _is_distance(argument) and self.is_angle():
                argument = Juxt((argument, self.postfix()), self.span_from(start))
            return Apply(name, argument, self.span_from(first))
        if not self.starts_factor():
            return self.set_below(name)
        factors = [self.postfix()]
        while self.starts_factor() and not self.ends_argument(factors[-1]):
            factors.append(self.postfix())
        argument = factors[0] if len(factors) == 1 else Juxt(tuple(factors), self.span_from(start))
        return Apply(name, argument, self.span_from(first))

    def is_angle(self) -> bool:
        """Whether an angle comes next, as behind the ``(m - n)`` of ``\\cos(m - n)\\theta``."""
        return self.peek().kind == "name" and self.peek().text in _ANGLES

    def set_below(self, name: Node) -> Node:
        """A sine without an argument, but with something below it: that is its argument."""
        if not isinstance(name, Script) or name.sub is None or name.sup is not None:
            return name
        function = name.base
        if not isinstance(function, Name) or function.text not in _OF_ANGLES:
            return name
        text = f"TeX sets what `{function.text}` is taken of below it"
        if not any(problem.message == text for problem in self.problems):
            help = f"write `\\{function.text}(…)`; it is read so"
            self.problems.append(warning("N2C026", text, name.span, help))
        return Apply(function, name.sub, name.span)

    def ends_argument(self, last: Node) -> bool:
        """Whether an argument without parentheses ends before the next factor. The
        ``\\log \\frac{1}{n} \\sum_i x_i`` is one of the mean."""
        token = self.peek()
        match last:
            case Frac(Num(), Name() | Script() | Num() | Juxt()) if token.kind == "big":
                return False
        if token.kind in ("fn", "big") or token.text in FUNCTION_WORDS or token.kind == "env":
            return True
        if token.kind == "open":
            return not (isinstance(last, Name | Script) or self.is_place())
        return isinstance(last, Apply | Group | Frac)

    def transpose_beside(self, base: Node) -> Node | None:
        """The sign of a transpose that stands behind an array and not above it, ``q \\top k``: it
        is no factor."""
        sign = self.peek()
        if sign.kind != "name" or self.in_script or not isinstance(base, Name | Accent | Group):
            return None
        written = self.latex[sign.span.start : sign.span.end].strip()
        if written not in ("\\top", "\\intercal", "⊤"):
            return None
        self.at += 1
        text = f"`{written}` stands beside what is transposed, and not above it"
        self.problems.append(warning("N2C026", text, sign.span, "write `^\\top`; it is read so"))
        return Name(sign.text, sign.span)

    def is_place(self) -> bool:
        """Whether brackets hold an index or a label alone: ``\\log \\mathrm{softmax}(z)[i]``."""
        match [token.text for token in self.tokens[self.at : self.at + 7]]:
            case ["[", letter, "]", *_]:
                return letter in INDICES or letter in ("y", "c")
            case ["[", "y", "_", _, "]", *_] | ["[", "y", "_", "{", _, "}", "]"]:
                return True
        return False


def _is_distance(argument: Node) -> bool:
    """Whether an argument is a sum or difference in parentheses that holds no angle itself."""
    match argument:
        case Group("(", (Infix("+" | "-") as inner,)):
            named = words_in(inner)
            return _ANGLES.isdisjoint(named)
    return False
