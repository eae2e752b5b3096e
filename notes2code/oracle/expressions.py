"""Typed expressions as Python expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import isfinite, isnan

from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Concat, Expr, Fn, Idx, Index, Lambda, Num, Reduce, Ref, Size
from notes2code.oracle.layout import Bracket, Chain, Doc, Row, flat
from notes2code.oracle.naming import HELPERS, Names
from notes2code.oracle.plan import MINUS_INFINITY, table_index

TERNARY, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
"""How tightly an expression binds."""

_NUMPY = frozenset("exp log sin cos tan sinh cosh tanh sign floor ceil clip".split())
_EXTREMES = {"min": "np.minimum", "max": "np.maximum"}
_SIGNS = {"<": "<", "≤": "<=", ">": ">", "≥": ">=", "=": "==", "≠": "!="}


@dataclass(frozen=True, slots=True)
class Code:
    """Code, and how tightly its outermost sign binds."""

    doc: Doc
    level: int = ATOM

    def at_least(self, level: int) -> Doc:
        """The code, in parentheses where it binds less tightly."""
        return self.doc if self.level >= level else Bracket("(", (self.doc,), ")")


@dataclass(slots=True)
class Expressions:
    """Prints the expressions of one function.

    ``functions`` are the names of the functions that it calls, ``whole_arguments`` which of their
    arguments are sizes. ``of_numbers`` says that all inputs are numbers, for which arrays may
    stand. ``used`` collects the sizes that the code names.
    """

    names: Names
    functions: Mapping[str, str]
    whole_arguments: Mapping[str, frozenset[int]]
    of_numbers: bool = False
    used: set[Size] = field(default_factory=set)

    def doc(self, expr: Expr) -> Doc:
        """An expression as code."""
        return self.code(expr).doc

    def code(self, expr: Expr) -> Code:
        """An expression as code that can become a part of other code."""
        match expr:
            case Num(value):
                return _number(value)
            case Size(value=inner) if inner is not None:
                return self.code(inner)
            case Size():
                self.used.add(expr)
                return Code(self.names.sizes[expr])
            case Idx(index):
                return Code(self.names.index(index))
            case Ref(array, at):
                return Code(self._element(array, at))
            case ir.Add(terms):
                return _sum(terms, self.code)
            case ir.Mul():
                return _product(_quotient(expr), self.code)
            case ir.Pow() if _quotient(expr).below:
                return _product(_quotient(expr), self.code)
            case ir.Pow(base, exponent):
                return self._power(base, exponent)
            case Fn(name, arguments):
                return self._function(name, [self.code(a) for a in arguments])
            case Reduce():
                return self._reduced(expr)
            case ir.Cases(branches, otherwise):
                return self._cases(branches, otherwise, self.code)
            case ir.Compare() | ir.Logic():
                return Code(Bracket("float(", (self.condition(expr).doc,), ")"))
            case _:
                return self._inline(expr)

    # --- whole numbers -----------------------------------------------------------------------

    def whole(self, expr: Expr) -> Code:
        """An expression of sizes and positions as code that gives a Python int."""
        match expr:
            case Num(value) if value == int(value.real):
                return _number(int(value.real))
            case Size(value=inner) if inner is not None:
                return self.whole(inner)
            case Size() | Idx():
                return self.code(expr)
            case ir.Add(terms) if not any(_quotient(term).below for term in terms):
                return _sum(terms, self.whole)
            case ir.Mul() | Fn("floor", (ir.Mul(),)):
                product = expr.arguments[0] if isinstance(expr, Fn) else expr
                return _product(_quotient(product), self.whole, "//")
            case Fn("floordiv", (left, right)):
                by = _quotient(right)
                above, below = ir.mul(left, *by.below), ir.mul(*by.above)
                return _infix(self.whole(above), "//", self.whole(below))
            case Fn("mod", (left, right)):
                return _infix(self.whole(left), "%", self.whole(right))
            case Fn("clip", (value, low, high)):
                larger = _call("max", [self.whole(value).doc, self.whole(low).doc])
                return _call("min", [larger.doc, self.whole(high).doc])
            case Fn("min" | "max" | "abs" as name, arguments):
                return _call(name, [self.whole(a).doc for a in arguments])
            case Fn("floor" | "ceil" as name, (argument,)):
                return _call(f"math.{name}", [self.doc(argument)])
            case Fn("extent", (Ref(array), Num(axis))):
                return Code(f"{self.names.arrays[array]}.shape[{axis}]")
            case _:
                return _call("round", [self.doc(expr)])

    # --- signs and functions -----------------------------------------------------------------

    def _power(self, base: Expr, exponent: Expr) -> Code:
        if exponent == ir.HALF:
            return _call("np.sqrt", [self.doc(base)])
        docs = (self.code(base).at_least(ATOM), self.code(exponent).at_least(SIGN))
        if all(_is_simple(doc) for doc in docs):
            return Code(f"{flat(docs[0])}**{flat(docs[1])}", POWER)
        return Code(Chain((docs[0], Row(("** ", docs[1])))), POWER)

    def _function(self, name: str, arguments: Sequence[Code]) -> Code:
        docs = [argument.doc for argument in arguments]
        if name in ("mod", "floordiv"):
            return _infix(arguments[0], "%" if name == "mod" else "//", arguments[1])
        if name in _EXTREMES:
            together = docs[-1]
            for doc in reversed(docs[:-1]):
                together = _call(_EXTREMES[name], [doc, together]).doc
            return Code(together)
        if name in _NUMPY:
            return _call(f"np.{name}", docs)
        if name in HELPERS or name == "abs":
            return _call(name, docs)
        raise ValueError(f"the function {name} is not known")

    def _cases(
        self,
        branches: Sequence[tuple[Expr, Expr]],
        otherwise: Expr | None,
        code: Callable[[Expr], Code],
    ) -> Code:
        rest = Code("np.nan") if otherwise is None else code(otherwise)
        for when, what in reversed(branches):
            condition, value = self.condition(when), code(what)
            if self.of_numbers:
                rest = _call("np.where", [condition.doc, value.doc, rest.doc])
                continue
            parts = rest.doc.parts if isinstance(rest.doc, Chain) and not rest.level else (rest.doc,)
            first = (value.at_least(OR), Row(("if ", condition.at_least(OR))))
            rest = Code(Chain((*first, Row(("else ", parts[0])), *parts[1:])), TERNARY)
        return rest

    def condition(self, expr: Expr) -> Code:
        """A condition as code."""
        match expr:
            case ir.Compare(op, left, right):
                left, right = _without_common_number(left, right)
                sides = (self.code(left).at_least(SUM), self.code(right).at_least(SUM))
                return Code(Chain((sides[0], Row((f"{_SIGNS[op]} ", sides[1])))), COMPARISON)
            case ir.Logic(op, arguments) if self.of_numbers:
                joining = f"np.logical_{op}"
                docs = [self.condition(argument).doc for argument in arguments]
                return _call(joining, docs) if len(docs) < 3 else _call(f"{joining}.reduce", [
                    Bracket("[", tuple(docs), "]")])  # fmt: skip
            case ir.Logic("not", (argument,)):
                return Code(Row(("not ", self.condition(argument).at_least(NOT))), NOT)
            case ir.Logic(op, arguments):
                level = AND if op == "and" else OR
                first, *others = (self.condition(a).at_least(level + 1) for a in arguments)
                return Code(Chain((first, *(Row((f"{op} ", other)) for other in others))), level)
            case _:
                return Code(Chain((self.code(expr).at_least(SUM), "!= 0")), COMPARISON)

    # --- along indices -----------------------------------------------------------------------

    def clause(self, index: Index) -> str:
        """``for i in range(n)``."""
        return f"for {self.names.index(index)} in range({flat(self.whole(index.size).doc)})"

    def _reduced(self, node: Reduce) -> Code:
        clauses: list[Doc] = [self.clause(node.index), *self._filter(node.where)]
        body = node.body
        while node.kind == "sum" and isinstance(body, Reduce) and body.kind == "sum":
            clauses += [self.clause(body.index), *self._filter(body.where)]
            body = body.body
        generator = (self.doc(body), *clauses)
        listed = Bracket("[", generator, "]", "")
        match node.kind:
            case "sum":
                return Code(Bracket("sum(", generator, ")", ""))
            case "prod":
                return Code(Bracket("math.prod(", generator, ")", ""))
            case "mean" if node.where is None:
                total = Code(Bracket("sum(", generator, ")", ""))
                return _infix(total, "/", self.whole(node.index.size))
            case "mean":
                return _call("np.mean", [listed])
            case "max":
                return _call("np.max", [listed, "initial=-np.inf"] if node.where else [listed])
            case _:
                return _call("np.min", [listed, "initial=np.inf"] if node.where else [listed])

    def _filter(self, where: Expr | None) -> list[Doc]:
        return [] if where is None else [Row(("if ", self.condition(where).at_least(OR)))]

    def literal(self, indices: Sequence[Index], body: Expr) -> Doc:
        """The elements over indices as nested lists."""
        if not indices:
            return self.doc(body)
        index, *rest = indices
        if isinstance(body, ir.Cases) and table_index(body) is index:
            assert body.otherwise is not None
            values = (*(what for _, what in body.branches), body.otherwise)
            return Bracket("[", tuple(self.literal(rest, value) for value in values), "]")
        return Bracket("[", (self.literal(rest, body), self.clause(index)), "]", "")

    # --- arrays ------------------------------------------------------------------------------

    def _element(self, array: str, at: Sequence[Expr]) -> str:
        if not at:
            return array
        return f"{array}[{', '.join(flat(self.whole(place).doc) for place in at)}]"

    def array_of(self, value: Call | Concat) -> Code:
        """What a function gives, or vectors joined, as a whole."""
        if isinstance(value, Concat):
            parts = tuple(self._whole_array(part) for part in value.parts)
            return _call("np.concatenate", [Bracket("[", parts, "]")])
        whole = self.whole_arguments.get(value.function, frozenset())
        arguments = [
            self.whole(argument.body).doc if number in whole else self._argument(argument)
            for number, argument in enumerate(value.arguments)
        ]
        return _call(self.functions[value.function], arguments)

    def _argument(self, array: Lambda) -> Doc:
        if not array.indices:
            return self.doc(array.body)
        return _call("np.array", [self.literal(array.indices, array.body)]).doc

    def _whole_array(self, part: Lambda) -> Doc:
        if all(index.size.value == ir.ONE for index in part.indices) and part.indices:
            return Bracket("[", (self.doc(part.body),), "]")
        return self.literal(part.indices, part.body)

    def _inline(self, expr: Expr) -> Code:
        """An element of an array that has no name, since not all of it can be computed."""
        match expr:
            case ir.Softmax(index, body, at, where):
                scores = body if where is None else ir.Cases(((where, body),), MINUS_INFINITY)
                whole = _call("softmax", [self.literal((index,), scores)])
                places: tuple[Expr, ...] = (at,)
            case Concat(_, at):
                whole, places = self.array_of(expr), (at,)
            case Call(_, _, at_):
                whole, places = self.array_of(expr), at_
            case _:
                raise ValueError(f"{type(expr).__name__} is no expression")
        return Code(Row((whole.doc, self._element("", places))))


# --- sums and products -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Quotient:
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


def _quotient(expr: Expr) -> _Quotient:
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
    return _Quotient(negative, tuple(factors))


def _factors(expr: Expr) -> list[Expr]:
    if isinstance(expr, ir.Mul):
        return [inner for factor in expr.factors for inner in _factors(factor)]
    return [expr]


def _product(parts: _Quotient, code: Callable[[Expr], Code], slash: str = "/") -> Code:
    """A product in the order of the note: what it is divided by stands where it stood, but never
    first, and in whole numbers last."""
    above = [code(factor) for factor in parts.above] or [Code("1")]
    if len(parts.factors) < 2 and not parts.below:
        positive = above[0]
    else:
        at = next((k for k, (divides, _) in enumerate(parts.factors) if not divides), 0)
        order = [*parts.factors[:at], *parts.factors[at + 1 :]] if parts.above else parts.factors
        if slash == "//":
            order = sorted(order, key=lambda pair: pair[0])
        chain: list[Doc] = [above[0].at_least(POWER)]
        for divides, group in groupby(order, key=lambda pair: pair[0]):
            docs = [code(factor).at_least(POWER) for _, factor in group]
            if divides and len(docs) > 1:
                together = Chain((docs[0], *(Row(("* ", doc)) for doc in docs[1:])))
                docs = [Bracket("(", (together,), ")")]
            chain += [Row((f"{slash if divides else '*'} ", doc)) for doc in docs]
        positive = Code(Chain(tuple(chain)), PRODUCT) if len(chain) > 1 else above[0]
    if not parts.negative:
        return positive
    return Code(Row(("-", positive.at_least(PRODUCT))), min(SIGN, positive.level))


def _sum(terms: Sequence[Expr], code: Callable[[Expr], Code]) -> Code:
    flat_terms = [t for term in terms for t in (term.terms if isinstance(term, ir.Add) else (term,))]
    first = next((t for t in flat_terms if not _is_negative(t)), flat_terms[0])
    others = [t for t in flat_terms if t is not first]
    parts = [code(first).at_least(SUM)]
    for term in others:
        sign = "- " if _is_negative(term) else "+ "
        positive = _opposite(term) if _is_negative(term) else term
        parts.append(Row((sign, code(positive).at_least(PRODUCT))))
    return Code(Chain(tuple(parts)), SUM)


def _is_negative(expr: Expr) -> bool:
    return _quotient(expr).negative


def _opposite(expr: Expr) -> Expr:
    """The expression without its minus sign."""
    parts = _quotient(expr)
    return ir.mul(*parts.above, *(ir.inverse(factor) for factor in parts.below))


def _infix(left: Code, sign: str, right: Code) -> Code:
    docs = (left.at_least(POWER), right.at_least(POWER))
    return Code(Chain((docs[0], Row((f"{sign} ", docs[1])))), PRODUCT)


def _call(function: str, arguments: Sequence[Doc]) -> Code:
    return Code(Bracket(f"{function}(", tuple(arguments), ")"))


def _is_simple(doc: Doc) -> bool:
    """Whether ``**`` stands without spaces around this operand, as Black has it."""
    return flat(doc).lstrip("-").replace(".", "").isidentifier() or flat(doc).isdigit()


def _without_common_number(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """``j + 1 ≤ i + 1`` as ``j ≤ i``."""
    match left, right:
        case ir.Add((*mine, Num(number))), ir.Add((*theirs, Num(same))) if number == same:
            return ir.add(*mine), ir.add(*theirs)
    return left, right


def _number(value: complex | Fraction) -> Code:
    if isinstance(value, complex):
        return Code(repr(complex(value)))
    if isinstance(value, Fraction) and value.denominator != 1:
        power = value.denominator
        for prime in (2, 5):
            while power % prime == 0:
                power //= prime
        if power != 1:
            top, bottom = Code(str(value.numerator), SIGN), Code(str(value.denominator))
            return Code(Chain((top.doc, Row(("/ ", bottom.doc)))), PRODUCT)
        value = float(value)
    if isinstance(value, float) and not isfinite(value):
        name = "np.nan" if isnan(value) else "np.inf" if value > 0 else "-np.inf"
        return Code(name, SIGN if value < 0 else ATOM)
    text = repr(value) if isinstance(value, float) else str(value)
    return Code(text, SIGN if value < 0 else ATOM)
