"""From an expression over indices to a tensor graph: one array operation for all elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction

from notes2code.emit import branches, calls, places, repeats, sums
from notes2code.emit.arithmetic import Arithmetic, is_decimal
from notes2code.emit.graph import EmitError, Graph, Kind, Node, is_tensor
from notes2code.emit.layout import Axes, Value, align, align_all
from notes2code.emit.simplify import simplified
from notes2code.meaning import ir
from notes2code.meaning.ir import Equation, Expr, Fn, Idx, Index, Lambda, Num, Pow, Ref, Size


@dataclass(slots=True)
class Lowering:
    """The nodes of one function. ``arrays`` are the inputs and definitions by name, each with
    the indices its places stand for, ``sizes`` what is known of sizes, ``functions`` the Python
    name and the equation of those that may be called. ``guarded`` is set inside conditions, where
    an index may leave its range.
    """

    graph: Graph
    math: Arithmetic
    arrays: dict[str, tuple[Axes, Value]] = field(default_factory=dict)
    sizes: dict[Size, Node] = field(default_factory=dict)
    functions: Mapping[str, tuple[str, Equation | None]] = field(default_factory=dict)
    guarded: bool = False
    done: dict[tuple[Expr, Axes, bool], Value] = field(default_factory=dict)

    def array(self, array: Lambda) -> Value:
        """The tensor of an array, its axes in whatever order came out best."""
        return self.lower(simplified(array.body), array.indices)

    def lower(self, expr: Expr, order: Axes) -> Value:
        """The tensor of an expression that must be simplified. ``order`` holds all indices that
        are free in it, outermost first; axes that have to be ordered are ordered so."""
        key = (expr, order, self.guarded)
        if key not in self.done:
            self.done[key] = self._lower(expr, order)
        return self.done[key]

    def _lower(self, expr: Expr, order: Axes) -> Value:
        match expr:
            case Num(value):
                return Value(self.math.number(value))
            case Size():
                return Value(self.size(expr))
            case Idx(index):
                size = self.whole(index.size)
                node = self.graph.make("arange", (index.name, 0), (size,), Kind.INDEX, 1)
                self.graph.suggest(node, index.name, local=True)
                return Value(node, (index,))
            case Ref(name, at):
                return self._element(name, at, order)
            case ir.Add(terms):
                return self._sum(terms, order)
            case ir.Mul(factors):
                return self._product(factors, order)
            case Pow(base, exponent):
                return self._power(base, exponent, order)
            case Fn("extent", (Ref(name, ()), Num(int() as axis))):
                return Value(self._extent(name, axis))
            case Fn("log", (argument,)):
                return sums.logarithm(self, argument, order)
            case Fn(name, arguments):
                values = [self.lower(a, order) for a in arguments]
                nodes, axes = align_all(self.graph, values, order)
                return Value(self.math.function(name, tuple(nodes)), axes)
            case ir.Reduce():
                return sums.reduced(self, expr, order)
            case ir.Softmax():
                return sums.softmax(self, expr, order)
            case ir.Cases():
                return branches.cases(self, expr, order)
            case ir.Compare(op, left, right):
                return self._compare(ir.PYTHON_SIGNS[op], left, right, order)
            case ir.Logic(op, arguments):
                return self._logic(op, arguments, order)
            case ir.Call():
                return calls.call(self, expr, order)
            case ir.Concat():
                return calls.joined(self, expr, order)
            case ir.Iterate():
                return repeats.repeated(self, expr, order)

    def at(self, value: Value, where: dict[Index, Expr], order: Axes) -> Value:
        """The elements of a value at places for some of its axes; the others stay."""
        places_of = {axis: where.get(axis, Idx(axis)) for axis in value.axes}
        return places.at(self, value, places_of, order)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Inside a condition, where an index may be out of range."""
        before, self.guarded = self.guarded, True
        yield
        self.guarded = before

    # --- leaves --------------------------------------------------------------------------

    def size(self, size: Size) -> Node:
        """A size as a Python int."""
        if size in self.sizes:
            return self.sizes[size]
        if size.value is not None:
            return self.whole(size.value)
        if size.name in self.arrays:
            return self.arrays[size.name][1].node
        raise EmitError(f"the size {size.name} does not follow from the inputs")

    def whole(self, size: Expr) -> Node:
        """An expression of sizes as a Python int."""
        node = self.lower(simplified(size), ()).node
        if node.kind is Kind.WHOLE:
            return node
        quotient = _quotient(simplified(size))
        if quotient is not None:
            above, below = (self.whole(part) for part in quotient)
            return self.graph.infix("//", above, below)
        return self.graph.mapped("int", node, kind=Kind.WHOLE)

    def _extent(self, name: str, axis: int) -> Node:
        node = self.arrays[name][1].node
        place = self.graph.literal(str(axis - node.rank))
        return self.graph.make("extent", None, (node, place), Kind.WHOLE, 0, frozenset())

    def _element(self, name: str, at: tuple[Expr, ...], order: Axes) -> Value:
        if name not in self.arrays:
            raise EmitError(f"{name} is used as a number and is a function")
        formal, value = self.arrays[name]
        return self.at(value, dict(zip(formal, at, strict=True)), order)

    # --- arithmetic ----------------------------------------------------------------------

    def infix(self, sign: str, left: Value, right: Value, order: Axes) -> Value:
        """``left sign right`` on their common axes."""
        (one, other), axes = align_all(self.graph, [left, right], order)
        return Value(self.math.infix(sign, one, other), axes)

    def _sum(self, terms: tuple[Expr, ...], order: Axes) -> Value:
        """A sum; the first term that is not subtracted comes first."""
        signed = [_signed(term) for term in terms]
        head = next((at for at, (minus, _) in enumerate(signed) if not minus), 0)
        signed.insert(0, signed.pop(head))
        values = [self.lower(body, order) for _, body in signed]
        total = values[0]
        if signed[0][0]:
            total = Value(self.math.negative(total.node), total.axes)
        for (minus, _), value in zip(signed[1:], values[1:], strict=True):
            total = self.infix("-" if minus else "+", total, value, order)
        return total

    def _product(self, factors: tuple[Expr, ...], order: Axes) -> Value:
        """A product or quotient: its number first, then its factors as they stand."""
        minus, above, below = self.split(factors)
        return self.multiplied(minus, above, below, order)

    def split(
        self, factors: tuple[Expr, ...]
    ) -> tuple[bool, list[tuple[int, Expr]], list[tuple[int, Expr]]]:
        """Whether a product is negative, and its factors above and below the line, each with
        its place."""
        minus = False
        above: list[tuple[int, Expr]] = []
        below: list[tuple[int, Expr]] = []
        for at, factor in enumerate(factors):
            match factor:
                case Num(number) if not isinstance(number, float):
                    minus ^= number < 0
                    value = abs(Fraction(number))
                    if value.denominator > 1 and not is_decimal(value):
                        below.append((at, Num(value.denominator)))
                        value = Fraction(value.numerator)
                    if value != 1:
                        above.append((at, Num(value)))
                case Pow(base, ir.MINUS_ONE):
                    below.append((at, base))
                case Pow(base, Num(Fraction() as value)) if value == Fraction(-1, 2):
                    below.append((at, Pow(base, ir.HALF)))
                case _:
                    above.append((at, factor))
        return minus, above, below

    def multiplied(
        self,
        minus: bool,
        above: list[tuple[int, Expr]],
        below: list[tuple[int, Expr]],
        order: Axes,
    ) -> Value:
        """The product of the factors above the line over those below, in their order."""
        if not above:
            above = [(-1, ir.ONE)]
        (_, first), *others = above
        total = self.lower(first, order)
        if minus:
            total = Value(self.math.negative(total.node), total.axes)
        rest = [(at, "*", factor) for at, factor in others]
        rest += [(at, "/", factor) for at, factor in below]
        for _, sign, factor in sorted(rest, key=lambda part: part[0]):
            total = self.infix(sign, total, self.lower(factor, order), order)
        return total

    def _power(self, base: Expr, exponent: Expr, order: Axes) -> Value:
        if exponent == ir.HALF:
            return self._root(base, order)
        if exponent == ir.MINUS_ONE:
            return self.multiplied(False, [], [(0, base)], order)
        value = self.lower(base, order)
        if exponent == Num(2) and is_tensor(value.node):
            return Value(self.graph.mapped(".square", value.node), value.axes)
        return self.infix("**", value, self.lower(exponent, order), order)

    def _root(self, base: Expr, order: Axes) -> Value:
        norm = sums.norm(self, base, order)
        if norm is not None:
            return norm
        value = self.lower(base, order)
        if value.node.kind is Kind.NUMBER:
            half = self.math.number(Fraction(1, 2))
            return Value(self.graph.infix("**", value.node, half), value.axes)
        return Value(self.math.function("sqrt", (value.node,)), value.axes)

    # --- conditions ----------------------------------------------------------------------

    def _compare(self, sign: str, left: Expr, right: Expr, order: Axes) -> Value:
        values = [self.lower(left, order), self.lower(right, order)]
        kinds = {value.node.kind for value in values}
        if Kind.INDEX in kinds and not kinds <= {Kind.INDEX, Kind.WHOLE}:
            values = [Value(self.math.table(value.node), value.axes) for value in values]
        (one, other), axes = align_all(self.graph, values, order)
        if not is_tensor(one) and not is_tensor(other):
            one, other = self.math.tensor(one), other
        return Value(self.graph.infix(sign, one, other, Kind.BOOL), axes)

    def _logic(self, op: str, arguments: tuple[Expr, ...], order: Axes) -> Value:
        values = [self.lower(argument, order) for argument in arguments]
        if op == "not":
            return Value(self.graph.prefix("~", values[0].node), values[0].axes)
        total = values[0]
        for value in values[1:]:
            (one, other), axes = align_all(self.graph, [total, value], order)
            sign = "&" if op == "and" else "|"
            total = Value(self.graph.infix(sign, one, other, Kind.BOOL), axes)
        return total

    # --- whole arrays --------------------------------------------------------------------

    def full(self, value: Value, axes: Axes) -> Node:
        """The value with exactly these axes, each at its full length."""
        missing = [axis for axis in axes if axis not in value.axes]
        if not missing:
            return align(self.graph, value, axes)
        node = align(self.graph, Value(self.math.tensor(value.node), value.axes), axes)
        places = [
            self.whole(axis.size) if axis in missing else self.graph.literal("-1") for axis in axes
        ]
        if node.deps:
            lead = self.graph.make("leading", len(axes), (node,), Kind.OTHER)
            places.insert(0, self.graph.make("star", None, (lead,), Kind.OTHER))
        args = (node, *places)
        return self.graph.make("method", "expand", args, node.kind, len(axes), node.deps)


def _signed(expr: Expr) -> tuple[bool, Expr]:
    """Whether a term is subtracted, and what."""
    match expr:
        case Num(value) if value < 0:
            return True, Num(-value)
        case ir.Mul((Num(int() | Fraction() as value), *rest)) if value < 0:
            return True, ir.mul(Num(-value), *rest)
    return False, expr


def _quotient(size: Expr) -> tuple[Expr, Expr] | None:
    """The two parts of a size that is a quotient."""
    above: list[Expr] = []
    below: list[Expr] = []
    for factor in size.factors if isinstance(size, ir.Mul) else ():
        match factor:
            case Num(Fraction() as value):
                above.append(Num(value.numerator))
                below.append(Num(value.denominator))
            case Pow(base, ir.MINUS_ONE):
                below.append(base)
            case _:
                above.append(factor)
    return (ir.mul(*above), ir.mul(*below)) if below else None
