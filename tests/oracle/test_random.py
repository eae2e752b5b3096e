"""Random small expressions: the source computes what ``evaluate`` computes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from notes2code.meaning import ir
from notes2code.meaning.ir import (
    Call,
    Cases,
    Compare,
    Concat,
    Equation,
    Expr,
    Fn,
    Idx,
    Index,
    Input,
    Lambda,
    Logic,
    Num,
    Reduce,
    Ref,
    Size,
    Softmax,
)
from notes2code.oracle import evaluate, helpers_source, numpy_source

SIZES = {Size("n"): 3, Size("m"): 4}
N, M = SIZES
INPUTS = (Input("x", (N,), "x"), Input("a", (N, M), "a"), Input("c", (), "c"))
OWN = Size("d")
AT, OVER = Index("p", OWN), Index("s", OWN)
LENGTH = ir.Pow(Reduce("sum", OVER, ir.Pow(Ref("v", (Idx(OVER),)), Num(2))), ir.HALF)
SCALED = Equation(
    "Scaled",
    (Input("v", (OWN,), "v"), Input("g", (), "g")),
    (),
    Lambda((AT,), ir.mul(Ref("v", (Idx(AT),)), Ref("g"), ir.inverse(ir.add(ir.ONE, LENGTH)))),
    ("v",),
)
GIVEN = {
    "x": np.array([0.5, -1.2, 0.8]),
    "a": np.sin(np.arange(12.0)).reshape(3, 4),
    "c": 0.7,
}

Scope = tuple[Index, ...]


@st.composite
def place(draw: st.DrawFn, size: Size, inside: Scope) -> Expr:
    """A position along an axis: an index that runs over it, or a number."""
    fitting: list[Expr] = [Idx(index) for index in inside if index.size is size]
    number = Num(draw(st.integers(0, SIZES[size] - 1)))
    return draw(st.sampled_from([*fitting, *fitting, number]))


@st.composite
def leaf(draw: st.DrawFn, inside: Scope) -> Expr:
    kind = draw(st.sampled_from("xxaacni"))
    match kind:
        case "x":
            return Ref("x", (draw(place(N, inside)),))
        case "a":
            return Ref("a", (draw(place(N, inside)), draw(place(M, inside))))
        case "c":
            return Ref("c")
        case "i" if inside:
            return Idx(draw(st.sampled_from(inside)))
        case _:
            numbers: list[Expr] = [Num(-1), Num(2), Num(0.5), N, M]
            return draw(st.sampled_from(numbers))


@st.composite
def condition(draw: st.DrawFn, inside: Scope) -> Expr:
    """A comparison of whole numbers, or two of them."""
    numbers: list[Expr] = [*map(Idx, inside), Num(1), Num(2)]
    sides = st.sampled_from(numbers)
    first = Compare(draw(st.sampled_from("<≤>≥=≠")), draw(sides), draw(sides))
    op = draw(st.sampled_from(["", "", "and", "or", "not"]))
    if not op:
        return first
    if op == "not":
        return Logic("not", (first,))
    return Logic(op, (first, draw(condition(inside))))


@st.composite
def expression(draw: st.DrawFn, inside: Scope, depth: int) -> Expr:
    """An expression over the indices in force."""
    if depth == 0:
        return draw(leaf(inside))

    def smaller(*more: Index) -> Expr:
        return draw(expression((*inside, *more), depth - 1))

    def bound() -> Index:
        return Index(draw(st.sampled_from("ijkv")), draw(st.sampled_from([N, M])))

    def where(index: Index) -> Expr | None:
        return draw(st.none() | condition((*inside, index)))

    kind = draw(st.sampled_from("add mul div pow fn two sum softmax cases lag concat call".split()))
    match kind:
        case "add":
            return ir.Add((smaller(), smaller()))
        case "mul":
            return ir.Mul((smaller(), draw(st.sampled_from([Num(-1), smaller()]))))
        case "div":
            below = draw(st.sampled_from([N, ir.add(ir.ONE, ir.Pow(smaller(), Num(2)))]))
            return ir.Mul((ir.inverse(below), smaller()))
        case "pow":
            return ir.Pow(smaller(), Num(2))
        case "fn":
            return Fn(draw(st.sampled_from(["tanh", "sigmoid", "relu", "abs"])), (smaller(),))
        case "two":
            return Fn(draw(st.sampled_from(["min", "max"])), (smaller(), smaller()))
        case "sum":
            index = bound()
            reducing = draw(st.sampled_from(["sum", "sum", "mean", "max", "min"]))
            return Reduce(reducing, index, smaller(index), where(index))
        case "softmax":
            index = bound()
            at = draw(place(index.size, inside))
            return Softmax(index, Fn("tanh", (smaller(index),)), at, where(index))
        case "cases":
            return Cases(((draw(condition(inside)), smaller()),), smaller())
        case "lag":
            at = draw(place(N, inside))
            before = Ref("x", (ir.add(at, Num(-1)),))
            return Cases(((Compare("=", at, ir.ZERO), smaller()),), before)
        case "concat":
            parts = tuple(Lambda((index,), smaller(index)) for index in (bound(), bound()))
            return Concat(parts, draw(st.integers(0, 5).map(Num) | place(N, inside)))
        case _:
            index = bound()
            arguments = (Lambda((index,), smaller(index)), Lambda((), smaller()))
            return Call("Scaled", arguments, (draw(place(index.size, inside)),))


@st.composite
def equation(draw: st.DrawFn) -> Equation:
    sizes = draw(st.sampled_from([(), (N,), (N, M), (M,)]))
    indices = tuple(Index("uvw"[at], size) for at, size in enumerate(sizes))
    body = draw(expression(indices, draw(st.integers(1, 4))))
    return Equation("y", INPUTS, (), Lambda(indices, body), functions={"Scaled": SCALED})


@settings(max_examples=150, deadline=None)
@given(equation())
def test_source_computes_what_evaluate_computes(random: Equation) -> None:
    source = numpy_source(random, "value")
    scope: dict[str, Any] = {}
    exec(f"import math\nimport numpy as np\n{helpers_source([random])}\n{source}", scope)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = np.asarray(scope["value"](*GIVEN.values()))
    value = evaluate(random, GIVEN)
    assert found.shape == value.shape
    np.testing.assert_allclose(found, value, rtol=1e-7, atol=1e-9)
