"""Random equations: whatever can be typed is emitted with the oracle's value, also in batches."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from notes2code import oracle
from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Call,
    Cases,
    Compare,
    Concat,
    Definition,
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Input,
    Lambda,
    Logic,
    Num,
    Pow,
    Reduce,
    Ref,
    Size,
    Softmax,
)

FUNCTIONS = "tanh sigmoid relu gelu sin cos silu softplus elu erf abs normal_cdf".split()
Scope = tuple[Index, ...]


class Generator:
    """An equation at random: sums of products above all, with all that an equation may hold."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sizes = [Size("n"), Size("m"), Size("p")]
        self.inputs: dict[str, Input] = {}
        self.indices = 0
        self._input(tuple(self.sizes[:2]))
        self._input((self.sizes[2],))
        for _ in range(self.random.randint(1, 4)):
            rank = self.random.choice([0, 1, 1, 2, 2, 2, 3])
            self._input(tuple(self.random.choice(self.sizes) for _ in range(rank)))

    def equation(self) -> Equation:
        outer = tuple(self.index() for _ in range(self.random.choice([0, 1, 1, 2, 2])))
        definitions: list[Definition] = []
        if self.random.random() < 0.3:
            own = tuple(self.index() for _ in range(self.random.choice([0, 1, 2])))
            definitions.append(Definition("D", Lambda(own, self.expr(2, own)), "D"))
            self.inputs["D"] = Input("D", tuple(i.size for i in own), "D")
        body = self.expr(self.random.choice([2, 3, 4]), outer)
        inputs = tuple(given for name, given in self.inputs.items() if name != "D")
        return Equation("y", inputs, tuple(definitions), Lambda(outer, body))

    # --- parts ---------------------------------------------------------------------------

    def _input(self, shape: tuple[Size, ...]) -> None:
        name = "xyzuvwQKV"[len(self.inputs)]
        self.inputs[name] = Input(name, shape, name)

    def index(self, size: Size | None = None) -> Index:
        self.indices += 1
        return Index(f"i{self.indices}", size or self.random.choice(self.sizes))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def place(self, size: Expr, scope: Scope) -> Expr:
        """A place along an axis, mostly an index of that axis."""
        fitting = [index for index in scope if index.size is size]
        if fitting and self.chance(0.93):
            return Idx(self.random.choice(fitting))
        if not scope or self.chance(0.3):
            return Num(self.random.choice([0, 1]))
        shifted = ir.add(Idx(self.random.choice(scope)), Num(self.random.choice([-1, 1])))
        if self.chance(0.5):
            return Fn("clip", (shifted, Num(0), ir.add(size, ir.MINUS_ONE)))
        return Fn("mod", (ir.add(shifted, Num(1)), size))

    def element(self, scope: Scope) -> Expr:
        arrays = [given for given in self.inputs.values() if given.kind == "array"]
        sizes = [index.size for index in scope]
        fitting = [given for given in arrays if all(size in sizes for size in given.shape)]
        given = self.random.choice(fitting or arrays)
        return Ref(given.name, tuple(self.place(size, scope) for size in given.shape))

    def leaf(self, scope: Scope) -> Expr:
        kind = self.random.random()
        if kind < 0.8:
            return self.element(scope)
        if kind < 0.88 and scope:
            return Idx(self.random.choice(scope))
        if kind < 0.95:
            return Num(self.random.choice([2, -1, 0.3, Fraction(1, 2), Fraction(1, 3)]))
        return self.random.choice(self.sizes)

    def condition(self, scope: Scope) -> Expr:
        signs = self.random.choices("<≤>≥=≠", k=2)
        first, second = (
            Compare(sign, self.side(scope), self.side(scope)) for sign in signs
        )  # fmt: skip
        match self.random.randrange(8):
            case 0:
                return Logic("and", (first, second))
            case 1:
                return Logic("or", (first, second))
            case 2:
                return Logic("not", (first,))
        return first

    def side(self, scope: Scope) -> Expr:
        if scope and self.chance(0.7):
            return ir.add(Idx(self.random.choice(scope)), Num(self.random.choice([-1, 0, 1])))
        return self.element(scope) if self.chance(0.5) else Num(self.random.choice([0, 1]))

    # --- expressions ---------------------------------------------------------------------

    def expr(self, depth: int, scope: Scope) -> Expr:
        if depth <= 0:
            return self.leaf(scope)
        kinds = [
            (6, self.add), (6, self.multiply), (4, self.divide), (3, self.power),
            (7, self.apply), (11, self.reduce), (5, self.softmax), (3, self.by_exponentials),
            (3, self.cases), (2, self.norm), (2, self.call), (2, self.joined),
        ]  # fmt: skip
        weights = [weight for weight, _ in kinds]
        (_, make) = self.random.choices(kinds, weights)[0]
        return make(depth - 1, scope)

    def add(self, depth: int, scope: Scope) -> Expr:
        first, second = self.expr(depth, scope), self.expr(depth, scope)
        return ir.add(first, ir.negative(second) if self.chance(0.4) else second)

    def multiply(self, depth: int, scope: Scope) -> Expr:
        return ir.mul(self.expr(depth, scope), self.expr(depth, scope))

    def divide(self, depth: int, scope: Scope) -> Expr:
        square = Pow(Fn("tanh", (self.expr(depth, scope),)), Num(2))
        return ir.mul(self.expr(depth, scope), ir.inverse(ir.add(Num(2), square)))

    def power(self, depth: int, scope: Scope) -> Expr:
        base = ir.add(Num(1), Pow(self.expr(depth, scope), Num(2)))
        exponents = [ir.HALF, ir.MINUS_ONE, Num(Fraction(-1, 2)), Num(Fraction(3, 2))]
        return Pow(base, self.random.choice(exponents))

    def apply(self, depth: int, scope: Scope) -> Expr:
        body = self.expr(depth, scope)
        match self.random.randrange(8):
            case 0:
                return Fn(self.random.choice(["min", "max"]), (body, self.expr(depth, scope)))
            case 1:
                return Fn("clip", (body, Num(-1), Num(1)))
            case 2:
                return Fn("exp", (Fn("tanh", (body,)),))
        return Fn(self.random.choice(FUNCTIONS), (body,))

    def reduce(self, depth: int, scope: Scope) -> Expr:
        kind = self.random.choice(["sum"] * 5 + ["mean", "mean", "max", "min", "prod"])
        index = self.index()
        inner = (*scope, index)
        if kind in ("sum", "mean") and self.chance(0.6):
            depths = [depth if self.chance(0.4) else 0 for _ in range(self.random.choice([2, 3]))]
            body = ir.mul(*(self.expr(d, inner) for d in depths))
        else:
            body = self.expr(depth, inner)
        if kind == "prod":
            body = Fn("tanh", (body,))
        where = self.condition(inner) if kind in ("sum", "prod") and self.chance(0.25) else None
        total = Reduce(kind, index, body, where)
        return ir.mul(ir.inverse(index.size), total) if self.chance(0.1) else total

    def softmax(self, depth: int, scope: Scope) -> Expr:
        if not scope:
            return self.leaf(scope)
        at = self.random.choice(scope)
        index = self.index(at.size)
        inner = (*(i for i in scope if i is not at or self.chance(0.2)), index)
        where = self.condition(inner) if self.chance(0.3) else None
        value = Softmax(index, self.expr(depth, inner), Idx(at), where)
        return Fn("log", (value,)) if where is None and self.chance(0.2) else value

    def by_exponentials(self, depth: int, scope: Scope) -> Expr:
        """A softmax written out, at an index or inside a sum."""
        index, other = self.index(), None
        power = Fn("exp", (Fn("tanh", (self.expr(depth, (*scope, index)),)),))
        below = ir.inverse(Reduce("sum", index, power))
        fitting = [i for i in scope if i.size is index.size]
        if fitting:
            at = Idx(self.random.choice(fitting))
            return ir.mul(ir.substitute(power, {index: at}), below)
        other = self.index(index.size)
        above = ir.substitute(power, {index: Idx(other)})
        return Reduce("sum", other, ir.mul(above, below, self.leaf((*scope, other))))

    def cases(self, depth: int, scope: Scope) -> Expr:
        count = self.random.choice([1, 1, 2])
        branches = tuple((self.condition(scope), self.expr(depth, scope)) for _ in range(count))
        return Cases(branches, self.expr(depth, scope))

    def norm(self, depth: int, scope: Scope) -> Expr:
        index = self.index()
        body = Pow(self.expr(depth, (*scope, index)), Num(2))
        return Pow(Reduce("sum", index, body), ir.HALF)

    def call(self, depth: int, scope: Scope) -> Expr:
        if not scope:
            return self.leaf(scope)
        at = self.random.choice(scope)
        index = self.index(at.size)
        self.inputs["g"] = Input("g", (), "g", "function")
        inner = (*(i for i in scope if i is not at), index)
        return Call("g", (Lambda((index,), self.expr(depth, inner)),), (Idx(at),))

    def joined(self, depth: int, scope: Scope) -> Expr:
        first, second = self.index(), self.index()
        parts = tuple(Lambda((i,), self.expr(depth, (*scope, i))) for i in (first, second))
        index = Index("joined", Size("", value=ir.add(first.size, second.size)))
        weight = Fn("sin", (Idx(index),))
        return Reduce("sum", index, ir.mul(Concat(parts, Idx(index)), weight))


@pytest.mark.parametrize("seed", range(60))
def test_random_equation(checks: Any, seed: int) -> None:
    equation = Generator(seed).equation()
    inputs = checks.inputs(equation, seed)
    if not np.isfinite(oracle.evaluate(equation, inputs)).all():
        pytest.skip("not finite")
    value = checks.function(equation)(**checks.tensors(inputs))
    checks.same(value, oracle.evaluate(equation, inputs), 1e-10, 1e-12)
    checks.agrees_in_batches(equation, seed)
