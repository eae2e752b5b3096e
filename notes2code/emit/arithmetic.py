"""Operations element by element, and the conversions between what they act on.

Whole numbers stay exact until they meet real ones. Tables, which depend on indices alone, are
computed in at least single precision, so that positions beyond 256 are told apart in bfloat16,
and take the arrays' dtype where they meet arrays. What depends on no array is in float64.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite, isnan, pi

from notes2code.emit.graph import EmitError, Graph, Kind, Node, below, is_python, is_tensor

PLAIN = {
    "exp": "torch.exp", "log": "torch.log", "sin": "torch.sin", "cos": "torch.cos",
    "tan": "torch.tan", "arcsin": "torch.asin", "arccos": "torch.acos", "arctan": "torch.atan",
    "sinh": "torch.sinh", "cosh": "torch.cosh", "tanh": "torch.tanh",
    "sigmoid": "torch.sigmoid", "erf": "torch.erf", "relu": "F.relu", "gelu": "F.gelu",
    "elu": "F.elu", "silu": "F.silu", "sqrt": "torch.sqrt",
}  # fmt: skip
"""Functions of one real number."""

WHOLE = {"abs": ".abs", "sign": ".sign", "floor": ".floor", "ceil": ".ceil", "round": ".round"}
"""Functions of one number that keep whole numbers whole."""

PAIRS = {"min": "torch.minimum", "max": "torch.maximum"}
OF_PYTHON = frozenset("exp log sin cos tan sinh cosh tanh erf sqrt floor ceil".split())
"""Functions that ``math`` has too."""

TOO_LARGE = 2**63
"""The first whole number that torch does not take as one."""


@dataclass(slots=True)
class Arithmetic:
    """Makes element by element nodes. ``like`` is an array whose dtype and device the result
    has, None where a formula has no array. ``numbers`` are the inputs that are numbers and must
    be tensors here."""

    graph: Graph
    like: Node | None = None
    numbers: set[str] = field(default_factory=set)

    # --- numbers -------------------------------------------------------------------------

    def number(self, value: int | float | Fraction) -> Node:
        """A number as Python writes it."""
        if isinstance(value, float) and not isfinite(value):
            odd = self.graph.path("math.nan" if isnan(value) else "math.inf")
            return self.graph.prefix("-", odd) if value < 0 else odd
        if value == pi:
            return self.graph.path("math.pi")
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
        if value < 0:
            return self.graph.prefix("-", self.number(-value))
        if isinstance(value, Fraction) and not is_decimal(value):
            above, below = self.number(value.numerator), self.number(value.denominator)
            return self.graph.infix("/", above, below, Kind.FLOAT)
        if isinstance(value, int) and value < TOO_LARGE:
            return self.graph.literal(str(value), Kind.WHOLE)
        return self.graph.literal(repr(float(value)), Kind.FLOAT)

    # --- conversions ---------------------------------------------------------------------

    def dtype(self) -> Node:
        """The dtype of what depends on arrays."""
        if self.like is None:
            return self.graph.path("torch.float64")
        return self.graph.attribute(self.like, "dtype")

    def place(self) -> tuple[Node, ...]:
        """The keyword arguments that put a new tensor where the arrays are."""
        dtype = self.graph.keyword("dtype", self.dtype())
        if self.like is None:
            return (dtype,)
        return (dtype, self.graph.keyword("device", self.graph.attribute(self.like, "device")))

    def tensor(self, node: Node) -> Node:
        """A Python number or an input that is a number as a tensor."""
        if is_tensor(node):
            return node
        if node.kind is Kind.NUMBER:
            self._demand(node)
            return node
        return self.graph.call("torch.tensor", node, *self.place(), kind=Kind.REAL, rank=0)

    def _demand(self, node: Node) -> None:
        """Let the numbers that a node is made of be tensors."""
        for inner in below(node):
            if inner.op == "name" and inner.kind is Kind.NUMBER:
                self.numbers.add(inner.data)

    def real(self, node: Node) -> Node:
        """A tensor in the arrays' dtype."""
        node = self.tensor(node)
        if node.kind in (Kind.REAL, Kind.NUMBER):
            return node
        if self.like is None and node.kind is not Kind.BOOL:
            return self.table(node)
        return self.graph.make("method", "to", (node, self.dtype()), Kind.REAL)

    def table(self, node: Node) -> Node:
        """Whole numbers as real ones; the tensors they are made of are made real from the start."""
        if node.kind is not Kind.INDEX:
            return node
        return self.graph.make("cast", None, (node,), Kind.TABLE)

    # --- operations ----------------------------------------------------------------------

    def infix(self, sign: str, left: Node, right: Node) -> Node:
        """``left sign right`` for numbers."""
        kind, left, right = self._meet(sign, left, right)
        return self.graph.infix(sign, left, right, kind)

    def _meet(self, sign: str, left: Node, right: Node) -> tuple[Kind, Node, Node]:
        """What the operation gives, and the operands as it needs them."""
        left, right = (self.real(x) if x.kind is Kind.BOOL else x for x in (left, right))
        kinds = {left.kind, right.kind}
        exact = sign in ("+", "-", "*", "%", "//")
        if Kind.REAL in kinds:
            return Kind.REAL, self._met(left), self._met(right)
        if kinds <= {Kind.INDEX, Kind.WHOLE}:
            if exact:
                return max(kinds), left, right
            if kinds == {Kind.WHOLE}:
                return Kind.FLOAT, left, right
        if Kind.INDEX in kinds or Kind.TABLE in kinds:
            return Kind.TABLE, self.table(left), self.table(right)
        return max(kinds), left, right

    def _met(self, node: Node) -> Node:
        """An operand next to one in the arrays' dtype. Whole numbers need no conversion there,
        as long as their tensors are not made real for another operation."""
        if node.kind is Kind.INDEX:
            return self.graph.make("meet", None, (node,), Kind.REAL)
        return self.real(node) if node.kind is Kind.TABLE else node

    def negative(self, node: Node) -> Node:
        """Minus a number."""
        node = self.real(node) if node.kind is Kind.BOOL else node
        return self.graph.prefix("-", node)

    def function(self, name: str, args: tuple[Node, ...]) -> Node:
        """A function of :class:`notes2code.meaning.ir.Fn` at aligned arguments."""
        if name in ("mod", "floordiv"):
            return self.infix("%" if name == "mod" else "//", *args)
        if name == "clip":
            return self._clip(*args)
        if name in PAIRS:
            return self._extreme(name, *args)
        (body,) = args
        if is_python(body):
            return self._of_python(name, body)
        body = self.real(body) if body.kind is Kind.BOOL else self.tensor(body)
        if name in WHOLE:
            if name in ("floor", "ceil") and body.kind is Kind.INDEX:
                return body
            return self.graph.mapped(WHOLE[name], body)
        if name == "softplus":
            threshold = self.graph.literal("threshold=40")
            return self.graph.mapped("F.softplus", self.table(body), threshold)
        if name == "gelu_tanh":
            approximate = self.graph.literal('approximate="tanh"')
            return self.graph.mapped("F.gelu", self.table(body), approximate)
        if name == "normal_cdf":
            return self._normal_cdf(self.table(body))
        return self.graph.mapped(self._path(name), self.table(body))

    def _normal_cdf(self, body: Node) -> Node:
        """Φ by the complementary error function, which is exact far below zero too."""
        root = self.graph.mapped("math.sqrt", self.number(2), kind=Kind.FLOAT)
        scaled = self.infix("/", self.negative(body), root)
        half = self.number(Fraction(1, 2))
        return self.infix("*", half, self.graph.mapped("torch.erfc", scaled))

    def _path(self, name: str) -> str:
        if name not in PLAIN:
            raise EmitError(f"there is no PyTorch function for {name}")
        return PLAIN[name]

    def _of_python(self, name: str, body: Node) -> Node:
        if name in OF_PYTHON:
            kind = Kind.WHOLE if name in ("floor", "ceil") else Kind.FLOAT
            return self.graph.mapped(f"math.{name}", body, kind=kind)
        if name == "abs":
            return self.graph.mapped("abs", body)
        return self.function(name, (self.tensor(body),))

    def _extreme(self, name: str, left: Node, right: Node) -> Node:
        if is_python(left) and is_python(right):
            return self.graph.mapped(name, left, right)
        if is_python(left):
            left, right = right, left
        if is_python(right):
            bound = self.graph.keyword("max" if name == "min" else "min", right)
            whole = left.kind is Kind.INDEX and right.kind is Kind.WHOLE
            left = left if whole else self.table(self.tensor(left))
            return self.graph.mapped(".clamp", left, bound, kind=left.kind)
        kind, left, right = self._meet("+", self.tensor(left), self.tensor(right))
        return self.graph.mapped(PAIRS[name], left, right, kind=kind)

    def _clip(self, body: Node, low: Node, high: Node) -> Node:
        if is_python(low) and is_python(high) and not is_python(body):
            whole = {body.kind, low.kind, high.kind} <= {Kind.INDEX, Kind.WHOLE}
            body = body if whole else self.table(self.tensor(body))
            return self.graph.mapped(".clamp", body, low, high)
        return self._extreme("min", self._extreme("max", body, low), high)

    def where(self, keep: Node, yes: Node, no: Node) -> Node:
        """``yes`` where a condition holds, else ``no``."""
        one, zero = self.number(1), self.number(0)
        if (yes, no) == (one, zero):
            return self.real(keep)
        if (yes, no) == (zero, one):
            return self.real(inverted(self.graph, keep))
        if is_python(yes) and is_python(no):
            if _is_exact(yes) and _is_exact(no):
                yes, no = self._floating(yes), self._floating(no)
                return self.real(self.graph.mapped("torch.where", keep, yes, no, kind=Kind.BOOL))
            no = self.tensor(no)
        yes, no = (self.tensor(x) if x.kind is Kind.NUMBER else x for x in (yes, no))
        kind, yes, no = self._meet("+", yes, no)
        kind = Kind.REAL if kind is Kind.NUMBER else kind
        return self.graph.mapped("torch.where", keep, yes, no, kind=kind)

    def _floating(self, node: Node) -> Node:
        """A literal as a float."""
        if node.op == "prefix":
            return self.graph.prefix("-", self._floating(node.args[0]))
        return self.number(float(node.data)) if node.op == "literal" else node

    def masked(self, body: Node, drop: Node, fill: Node) -> Node:
        """The body with ``fill`` where ``drop`` holds."""
        if not is_tensor(body):
            return self.where(inverted(self.graph, drop), body, fill)
        body = self.real(body) if body.kind is Kind.BOOL else body
        body = self.table(body) if fill.kind is Kind.FLOAT else body
        return self.graph.mapped(".masked_fill", body, drop, fill, kind=body.kind)


OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def inverted(graph: Graph, condition: Node) -> Node:
    """Where a condition does not hold. Of real numbers, which may be NaN, an order is negated as
    a whole."""
    if condition.op == "infix" and condition.data in OPPOSITE:
        left, right = condition.args
        if Kind.REAL in (left.kind, right.kind) and condition.data not in ("==", "!="):
            return graph.prefix("~", condition)
        return graph.infix(OPPOSITE[condition.data], left, right, Kind.BOOL)
    if condition.op == "infix" and condition.data in "&|":
        sign = "|" if condition.data == "&" else "&"
        left, right = (inverted(graph, arg) for arg in condition.args)
        return graph.infix(sign, left, right, kind=Kind.BOOL)
    return graph.prefix("~", condition)


def _is_exact(node: Node) -> bool:
    """Whether a number is the same in every dtype: infinity or a small whole number."""
    if node.op == "prefix":
        return _is_exact(node.args[0])
    if node.op == "path":
        return bool(node.data == "math.inf")
    return node.op == "literal" and node.kind is Kind.WHOLE and int(node.data) <= 256


def is_decimal(number: Fraction) -> bool:
    """Whether a decimal fraction writes a number exactly."""
    denominator = number.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1 and len(repr(float(number))) < 12
