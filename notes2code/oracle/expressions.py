"""Typed expressions as Python expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from notes2code.meaning import ir
from notes2code.meaning.ir import Call, Concat, Expr, Fn, Idx, Index, Lambda, Num, Reduce, Ref, Size
from notes2code.oracle.arithmetic import (
    AND,
    ATOM,
    COMPARISON,
    NOT,
    OR,
    POWER,
    SIGN,
    SUM,
    TERNARY,
    Code,
    call,
    infix,
    number,
    product,
    quotient,
    total,
)
from notes2code.oracle.layout import Bracket, Chain, Doc, Row, flat
from notes2code.oracle.naming import HELPERS, Names
from notes2code.oracle.plan import is_single, table_index

_NUMPY = frozenset(
    "exp log sin cos tan arcsin arccos arctan sinh cosh tanh sign floor ceil round clip".split()
)
_EXTREMES = {"min": "np.minimum", "max": "np.maximum"}


@dataclass(slots=True)
class Expressions:
    """Prints the expressions of one function.

    ``functions`` are the names of the functions that it calls, ``whole_arguments`` which of their
    arguments are sizes, ``sizes`` which of its own are. ``of_numbers`` says that all inputs are
    numbers, for which arrays may stand. ``used`` collects the sizes that the code names.
    """

    names: Names
    functions: Mapping[str, str]
    whole_arguments: Mapping[str, frozenset[int]]
    sizes: frozenset[str]
    of_numbers: bool = False
    used: set[Size] = field(default_factory=set)

    def doc(self, expr: Expr) -> Doc:
        """An expression as code."""
        return self.code(expr).doc

    def code(self, expr: Expr) -> Code:
        """An expression as code that can become a part of other code."""
        match expr:
            case Num(value):
                return number(value)
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
                return total(terms, self.code)
            case ir.Mul():
                return product(quotient(expr), self.code)
            case ir.Pow() if quotient(expr).below:
                return product(quotient(expr), self.code)
            case ir.Pow(base, exponent):
                return self._power(base, exponent)
            case Fn("extent"):
                return self.whole(expr)
            case Fn(name, arguments):
                return self._function(name, [self.code(a) for a in arguments])
            case Reduce():
                return self._reduced(expr)
            case ir.Cases(branches, otherwise):
                return self._cases(branches, otherwise)
            case ir.Compare() | ir.Logic():
                return call("np.where", [self.condition(expr).doc, "1", "0"])
            case _:
                return self._inline(expr)

    # --- whole numbers -----------------------------------------------------------------------

    def whole(self, expr: Expr) -> Code:
        """An expression of sizes and positions as code that gives a Python int."""
        match expr:
            case Num(value) if _is_whole(expr):
                return number(int(value.real))
            case Size(value=inner) if inner is not None:
                return self.whole(inner)
            case Size() | Idx():
                return self.code(expr)
            case Ref(array, ()) if array in self.sizes:
                return Code(array)
            case ir.Add(terms) if _is_whole(expr):
                return total(terms, self.whole)
            case ir.Mul() | Fn("floor", (ir.Mul(),)) if _is_whole_quotient(expr):
                inside = expr.arguments[0] if isinstance(expr, Fn) else expr
                return product(quotient(inside), self.whole, "//")
            case Fn("floordiv", (left, right)) if _is_whole(left) and _is_whole_quotient(right):
                by = quotient(right)
                above, below = ir.mul(left, *by.below), ir.mul(*by.above)
                return infix(self.whole(above), "//", self.whole(below))
            case Fn("mod", (left, right)) if _is_whole(expr):
                return infix(self.whole(left), "%", self.whole(right))
            case Fn("clip", (value, low, high)) if _is_whole(expr):
                larger = call("max", [self.whole(value).doc, self.whole(low).doc])
                return call("min", [larger.doc, self.whole(high).doc])
            case Fn("min" | "max" | "abs" as name, arguments) if _is_whole(expr):
                return call(name, [self.whole(a).doc for a in arguments])
            case Fn("floor" | "ceil" as name, (argument,)):
                return call(f"math.{name}", [self.doc(argument)])
            case Fn("extent", (Ref(array), Num(axis))):
                return Code(f"{self.names.arrays[array]}.shape[{axis}]")
            case _:
                return call("round", [self.doc(expr)])

    # --- signs and functions -----------------------------------------------------------------

    def _power(self, base: Expr, exponent: Expr) -> Code:
        if exponent == ir.HALF:
            return call("np.sqrt", [self.doc(base)])
        powers = [e for e in ir.walk(exponent) if isinstance(e, ir.Pow) and not quotient(e).below]
        if powers and isinstance(base, Num) and isinstance(base.value, int):
            base = Num(float(base.value))  # as ints, 10 ** 10 ** 10 would never end
        docs = (self.code(base).at_least(ATOM), self.code(exponent).at_least(SIGN))
        if all(_is_simple(doc) for doc in docs):
            return Code(f"{flat(docs[0])}**{flat(docs[1])}", POWER)
        return Code(Chain((docs[0], Row(("** ", docs[1])))), POWER)

    def _function(self, name: str, arguments: Sequence[Code]) -> Code:
        docs = [argument.doc for argument in arguments]
        if name in ("mod", "floordiv"):
            return infix(arguments[0], "%" if name == "mod" else "//", arguments[1])
        if name in _EXTREMES:
            together = docs[-1]
            for doc in reversed(docs[:-1]):
                together = call(_EXTREMES[name], [doc, together]).doc
            return Code(together)
        if name in _NUMPY:
            return call(f"np.{name}", docs)
        if name in HELPERS or name == "abs":
            return call(name, docs)
        raise ValueError(f"the function {name} is not known")

    def _cases(self, branches: Sequence[tuple[Expr, Expr]], otherwise: Expr | None) -> Code:
        rest = Code("np.nan") if otherwise is None else self.code(otherwise)
        for when, what in reversed(branches):
            condition, value = self.condition(when), self.code(what)
            if self.of_numbers:
                rest = call("np.where", [condition.doc, value.doc, rest.doc])
                continue
            doc = rest.doc
            chain = doc.parts if isinstance(doc, Chain) and rest.level == TERNARY else (doc,)
            test = Row(("if ", condition.at_least(OR)))
            rest = Code(
                Chain((value.at_least(OR), test, Row(("else ", chain[0])), *chain[1:])), TERNARY
            )
        return rest

    def condition(self, expr: Expr) -> Code:
        """A condition as code."""
        match expr:
            case ir.Compare(op, left, right):
                left, right = _without_common_number(left, right)
                sides = (self.code(left).at_least(SUM), self.code(right).at_least(SUM))
                return Code(
                    Chain((sides[0], Row((f"{ir.PYTHON_SIGNS[op]} ", sides[1])))), COMPARISON
                )
            case ir.Logic(op, arguments) if self.of_numbers:
                together = [self.condition(argument).doc for argument in arguments]
                while len(together) > 2:
                    together[-2:] = [call(f"np.logical_{op}", together[-2:]).doc]
                return call(f"np.logical_{op}", together)
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
                added = Code(Bracket("sum(", generator, ")", ""))
                return infix(added, "/", self.whole(node.index.size))
            case "mean":
                return call("np.mean", [listed])
            case _:
                none = "-np.inf" if node.kind == "max" else "np.inf"
                spread = Row(("*", Bracket("(", generator, ")", "")))
                some = listed if node.where is None else Bracket("[", (none, spread), "]")
                return call(f"np.{node.kind}", [some])

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

    def _element(self, array: str, at: Sequence[Expr]) -> Doc:
        if not at:
            return array
        return Bracket(f"{array}[", tuple(self.whole(place).doc for place in at), "]")

    def array_of(self, value: Call | Concat) -> Code:
        """What a function gives, or vectors joined, as a whole."""
        if isinstance(value, Concat):
            parts = tuple(self._whole_array(part) for part in value.parts)
            return call("np.concatenate", [Bracket("[", parts, "]")])
        whole = self.whole_arguments.get(value.function, frozenset())
        arguments = [
            self.whole(argument.body).doc if place in whole else self._argument(argument)
            for place, argument in enumerate(value.arguments)
        ]
        return call(self.functions[value.function], arguments)

    def _argument(self, array: Lambda) -> Doc:
        if not array.indices:
            return self.doc(array.body)
        return call("np.array", [self.literal(array.indices, array.body)]).doc

    def _whole_array(self, part: Lambda) -> Doc:
        if is_single(part):
            return Bracket("[", (self.doc(part.body),), "]")
        return self.literal(part.indices, part.body)

    def _inline(self, expr: Expr) -> Code:
        """An element of an array that has no name, since not all of it can be computed."""
        match expr:
            case ir.Softmax(index, body, at, where):
                scores = body if where is None else ir.Cases(((where, body),), ir.MINUS_INFINITY)
                whole = call("softmax", [self.literal((index,), scores)])
                places: tuple[Expr, ...] = (at,)
            case Concat(_, at):
                whole, places = self.array_of(expr), (at,)
            case Call(_, _, at_):
                whole, places = self.array_of(expr), at_
            case _:
                raise ValueError(f"{type(expr).__name__} is no expression")
        return Code(Row((whole.doc, self._element("", places))))


def _is_simple(doc: Doc) -> bool:
    """Whether ``**`` stands without spaces around this operand, as Black has it."""
    text = flat(doc).lstrip("-").replace(".", "")
    return text.isidentifier() or text.isdigit()


def _is_whole(expr: Expr) -> bool:
    """Whether an expression, and every part of it, is a whole number by its form alone."""
    match expr:
        case Num(value):
            return bool(value == value.real // 1)
        case Idx() | Size():
            return True
        case ir.Add() | Fn("floordiv" | "mod" | "min" | "max" | "clip" | "abs"):
            return all(map(_is_whole, ir.children(expr)))
        case ir.Mul():
            return not quotient(expr).below and all(map(_is_whole, expr.factors))
        case _:
            return isinstance(expr, Fn) and expr.name in ("floor", "ceil", "extent")


def _is_whole_quotient(expr: Expr) -> bool:
    """Whether an expression divides one whole number by another, if rounded down."""
    inside = expr.arguments[0] if isinstance(expr, Fn) and expr.name == "floor" else expr
    return all(_is_whole(factor) for _, factor in quotient(inside).factors)


def _without_common_number(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """``j + 1 ≤ i + 1`` as ``j ≤ i``."""
    match left, right:
        case ir.Add((*mine, Num(number))), ir.Add((*theirs, Num(same))) if number == same:
            return ir.add(*mine), ir.add(*theirs)
    return left, right
