"""Every kind of node, built by hand, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

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
    Reduce,
    Ref,
    Size,
    Softmax,
)
from notes2code.oracle import OracleError, evaluate, helpers_source, numpy_source

N, M = Size("n"), Size("m")
I, J, K = Index("i", N), Index("j", M), Index("k", N)  # noqa: E741
VECTOR = np.array([1.0, -2.0, 4.0])
MATRIX = np.arange(12.0).reshape(3, 4) - 5
X = Input("x", (N,), "x")
A = Input("a", (N, M), "a")


def element(name: str, *indices: Index) -> Ref:
    return Ref(name, tuple(map(Idx, indices)))


def imaginary(value: complex) -> Num:
    return Num(value)  # type: ignore[arg-type]


def compare(op: str, left: Expr | Index, right: Expr | Index | int) -> Compare:
    def side(part: Expr | Index | int) -> Expr:
        return (
            Idx(part) if isinstance(part, Index) else Num(part) if isinstance(part, int) else part
        )

    return Compare(op, side(left), side(right))


def equation(
    body: Expr, indices: tuple[Index, ...] = (), inputs: tuple[Input, ...] = (X, A)
) -> Equation:
    return Equation("", inputs, (), Lambda(indices, body))


def values(
    body: Expr, indices: tuple[Index, ...] = (), **inputs: Any
) -> list[np.ndarray[Any, Any]]:
    """The value from ``evaluate`` and that of the source."""
    known = {"x": VECTOR, "a": MATRIX, **inputs}
    kinds = {"x": X, "a": A, "f": Input("f", (), "f", "function")}
    used = {e.array for e in ir.walk(body) if isinstance(e, Ref)}
    used |= {e.function for e in ir.walk(body) if isinstance(e, Call)}
    names = [name for name in kinds if name in {"x", *used, *inputs}]
    whole = equation(body, indices, tuple(kinds[name] for name in names))
    given = {name: known[name] for name in names}
    return [evaluate(whole, given), run(whole, given)]


def run(whole: Equation, given: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The value of an equation from its source."""
    scope: dict[str, Any] = {}
    source = numpy_source(whole, "value")
    exec(f"import math\nimport numpy as np\n{helpers_source([whole])}\n{source}", scope)
    return np.asarray(scope["value"](*(given[i.name] for i in whole.inputs)))


def check(expected: Any, body: Expr, indices: tuple[Index, ...] = (), **inputs: Any) -> None:
    for value in values(body, indices, **inputs):
        assert value.shape == np.shape(expected)
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-15)


# --- numbers and functions ---------------------------------------------------------------------


def test_numbers() -> None:
    check(1 / 3, Num(Fraction(1, 3)))
    check(2.5, Num(2.5))
    check(3, N)
    check([0, 1, 2], Idx(I), (I,))
    check(-np.inf, Num(float("-inf")))
    for value in values(imaginary(1 + 2j)):
        assert value.dtype == np.complex128
        assert value == 1 + 2j


def test_complex_numbers_turn() -> None:
    turned = ir.mul(element("x", I), Fn("exp", (ir.mul(imaginary(1j), Idx(I)),)))
    check(VECTOR * np.exp(1j * np.arange(3)), turned, (I,))
    with pytest.raises(OracleError, match="complex"):
        evaluate(equation(Fn("relu", (imaginary(1j),)), inputs=()), {})


def test_arithmetic() -> None:
    x = element("x", I)
    check(VECTOR - 3, ir.Add((x, Num(-3))), (I,))
    check(2 * VECTOR, ir.Add((x, x)), (I,))
    check(-VECTOR / 3, ir.Mul((ir.MINUS_ONE, x, ir.inverse(N))), (I,))
    check(VECTOR / (3 * 4), ir.Mul((ir.inverse(N), ir.inverse(M), x)), (I,), a=MATRIX)
    check(1 / VECTOR, ir.inverse(x), (I,))
    check(VECTOR**2, ir.Pow(x, Num(2)), (I,))
    check(VECTOR**-2.0, ir.Pow(x, Num(-2)), (I,))
    check(np.sqrt(3), ir.Pow(N, ir.HALF))
    check(1 / np.sqrt(3), ir.Pow(N, Num(Fraction(-1, 2))))
    check(2.0 ** (3**2), ir.Pow(Num(2), ir.Pow(N, Num(2))))
    check(8.0**2, ir.Pow(ir.Pow(Num(2), N), Num(2)))
    check(9, ir.Pow(Num(-3), Num(2)))
    check([1, 1, 1], Fn("floor", (ir.mul(ir.inverse(Num(49)), Num(49)),)), (I,))
    check([7, 11, 6], ir.add(Num(8), ir.negative(ir.add(x, ir.negative(Idx(I)), Num(0)))), (I,))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sigmoid": lambda x: np.exp(-np.logaddexp(0, -x)),
    "relu": lambda x: np.where(x < 0, 0, x),
    "elu": lambda x: np.where(x < 0, np.expm1(x), x),
    "silu": lambda x: x * np.exp(-np.logaddexp(0, -x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "sign": lambda x: (x > 0) * 1.0 - (x < 0),
    "abs": lambda x: np.sqrt(x * x),
    "floor": lambda x: x - x % 1,
    "ceil": lambda x: x + -x % 1,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_number(name: str) -> None:
    halved = VECTOR / 2.7
    check(FUNCTIONS[name](halved), Fn(name, (element("x", I),)), (I,), x=halved)


def test_more_functions() -> None:
    x = element("x", I)
    check(np.log(np.abs(VECTOR)), Fn("log", (Fn("abs", (x,)),)), (I,))
    check([0.8427007929497149], Fn("erf", (x,)), (I,), x=np.array([1.0]))
    check([0.8413447460685429], Fn("normal_cdf", (x,)), (I,), x=np.array([1.0]))
    check([0.8413447460685429], Fn("gelu", (x,)), (I,), x=np.array([1.0]))
    check([0, -2, 2], Fn("min", (x, Idx(I), Num(9))), (I,))
    check([9, 9, 9], Fn("max", (x, Idx(I), Num(9))), (I,))
    check([0, -1, 0], Fn("clip", (x, Num(-1), Num(0))), (I,))
    check([1, 1, 1], Fn("mod", (x, Num(3))), (I,))
    check([0, -1, 1], Fn("floordiv", (x, Num(3))), (I,))
    with pytest.raises(OracleError, match="zeta"):
        evaluate(equation(Fn("zeta", (Num(1),)), inputs=()), {})


# --- along indices ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sum", "prod", "mean", "max", "min"])
def test_reductions(kind: str) -> None:
    check(getattr(np, kind)(MATRIX, axis=1), Reduce(kind, J, element("a", I, J)), (I,))
    below = Reduce(kind, J, element("a", I, J), compare("≤", J, I))
    wanted = [getattr(np, kind)(row[: at + 1]) for at, row in enumerate(MATRIX)]
    check(wanted, below, (I,))


def test_reductions_of_nothing() -> None:
    never = compare("<", J, 0)
    wanted = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf}
    for kind, value in wanted.items():
        check([value] * 3, Reduce(kind, J, element("a", I, J), never), (I,))
    with pytest.warns(RuntimeWarning):
        check([np.nan] * 3, Reduce("mean", J, element("a", I, J), never), (I,))


def test_a_sum_of_what_does_not_depend_on_its_index() -> None:
    check(3 * VECTOR, Reduce("sum", K, element("x", I)), (I,))
    check(VECTOR.sum() * np.ones(3), Reduce("sum", K, element("x", K)), (I,))


def test_softmax() -> None:
    weights = np.exp(MATRIX) / np.exp(MATRIX).sum(1, keepdims=True)
    along = Softmax(Index("l", M), Ref("a", (Idx(I), Idx(J))), Idx(J))
    other = Index("l", M)
    taken = Softmax(other, element("a", I, other), Idx(J))
    check(weights, taken, (I, J))
    check(weights[:, 2], Softmax(other, element("a", I, other), Num(2)), (I,))
    check(np.full((3, 4), 0.25), along, (I, J))
    causal = np.tril(np.exp(MATRIX))
    limited = Softmax(other, element("a", I, other), Idx(J), compare("≤", other, I))
    check(causal / causal.sum(1, keepdims=True), limited, (I, J))
    none = Softmax(other, element("a", I, other), Idx(J), compare("<", other, 0))
    check(np.zeros((3, 4)), none, (I, J))


def test_the_same_index_may_be_bound_again() -> None:
    inner = Reduce("sum", K, ir.Pow(element("x", K), Num(2)))
    outer = Reduce("sum", K, ir.mul(element("x", K), inner))
    check(VECTOR.sum() * (VECTOR**2).sum(), outer)


def test_concatenation() -> None:
    parts = (Lambda((J,), element("a", I, J)), Lambda((K,), ir.mul(Num(2), element("x", K))))
    total = Index("t", Size("", value=ir.add(M, N)))
    wanted = np.hstack([MATRIX, np.tile(2 * VECTOR, (3, 1))])
    check(wanted, Concat(parts, Idx(total)), (I, total))
    single = Index("o", Size("", value=ir.ONE))
    pair = Index("p", Size("", value=Num(2)))
    numbers = (Lambda((single,), element("x", I)), Lambda((single,), Num(7)))
    check(np.stack([VECTOR, [7] * 3], axis=1), Concat(numbers, Idx(pair)), (I, pair))


# --- conditions -------------------------------------------------------------------------------


def test_cases() -> None:
    x = element("x", I)
    cases = ((compare(">", x, 3), Num(1)), (compare("<", x, 0), ir.negative(x)))
    check([0, 2, 1], Cases(cases, ir.ZERO), (I,))
    check([np.nan, 2, 1], Cases(cases, None), (I,))


@pytest.mark.parametrize(
    ("op", "wanted"),
    [("<", "001"), ("≤", "011"), (">", "100"), ("≥", "110"), ("=", "010"), ("≠", "101")],
)
def test_comparisons(op: str, wanted: str) -> None:
    body = Cases(((compare(op, Num(1), I), Num(1)),), ir.ZERO)
    check([int(sign) for sign in wanted], body, (I,))


def test_logic() -> None:
    first, last = compare("=", I, 0), compare("=", I, 2)
    rows: list[tuple[str, tuple[Expr, ...], list[int]]] = [
        ("or", (first, last), [1, 0, 1]),
        ("and", (first, last), [0, 0, 0]),
        ("not", (first,), [0, 1, 1]),
        ("and", (Logic("not", (first,)), Logic("or", (first, last))), [0, 0, 1]),
    ]
    for op, arguments, wanted in rows:
        check(wanted, Cases(((Logic(op, arguments), Num(1)),), ir.ZERO), (I,))


def before(at: Index) -> Ref:
    return Ref("x", (ir.add(Idx(at), Num(-1)),))


def test_elements_that_a_condition_leaves_out_need_not_exist() -> None:
    first = compare("=", I, 0)
    check([0, 1, -2], Cases(((first, ir.ZERO),), before(I)), (I,))
    lagged = Reduce("sum", K, Ref("x", (ir.add(Idx(I), ir.negative(Idx(K))),)), compare("≤", K, I))
    check(np.cumsum(VECTOR), lagged, (I,))
    double = Reduce("sum", K, ir.mul(element("x", K), Reduce("sum", Index("t", N), lagged_at(K))))
    check(np.sum(VECTOR * 9 * np.array([0, *VECTOR[:-1]])), ir.mul(Num(3), double))
    and_then = Logic("and", (compare(">", I, 0), compare(">", before(I), 0)))
    check([0, 1, 0], Cases(((and_then, Num(1)),), ir.ZERO), (I,))


def lagged_at(at: Index) -> Cases:
    return Cases(((compare("=", at, 0), ir.ZERO),), before(at))


def test_positions_are_computed_in_whole_numbers() -> None:
    halved = Fn("floor", (ir.mul(Idx(I), ir.HALF),))
    quotient = Fn("floordiv", (ir.add(Idx(I), Num(1)), Num(2)))
    other = Fn("mod", (ir.mul(Num(2), Idx(I)), N))
    back = Fn("clip", (ir.add(Num(1), ir.negative(Idx(I))), Num(0), ir.add(N, Num(-1))))
    last = Fn("max", (Idx(I), Fn("min", (Num(1), Fn("abs", (ir.negative(Idx(I)),))))))
    up = Fn("ceil", (ir.mul(Idx(I), ir.HALF),))
    doubled = ir.mul(ir.add(Idx(I), Idx(I)), ir.HALF)
    for place, at in [
        (halved, [0, 0, 1]),
        (quotient, [0, 1, 1]),
        (other, [0, 2, 1]),
        (back, [1, 0, 0]),
        (last, [0, 1, 2]),
        (up, [0, 1, 1]),
        (doubled, [0, 1, 2]),
    ]:
        check(VECTOR[at], Ref("x", (place,)), (I,))


def test_elements_outside_an_array_are_an_error() -> None:
    for place in (
        before(I),
        Ref("x", (ir.add(Idx(I), Num(1)),)),
        Ref("x", (ir.mul(Idx(I), ir.HALF),)),
    ):
        with pytest.raises(OracleError, match="x has no element at"):
            evaluate(equation(place, (I,), (X,)), {"x": VECTOR})


# --- definitions and calls --------------------------------------------------------------------


def test_definitions_are_arrays_of_their_own() -> None:
    double = Definition("d", Lambda((I,), ir.mul(Num(2), element("x", I))), "d")
    square = Definition("s", Lambda((K,), ir.Pow(element("d", K), Num(2))), "s")
    whole = Equation("y", (X,), (double, square), Lambda((), Reduce("sum", I, element("s", I))))
    for value in (evaluate(whole, {"x": VECTOR}), run(whole, {"x": VECTOR})):
        assert value == 84


ROWS = Size("r")
R = Index("r", ROWS)
CENTRED = Equation(
    "Centre",
    (Input("v", (ROWS,), "v"), Input("s", (), "s")),
    (Definition("mu", Lambda((), Reduce("mean", R, element("v", R))), "mu"),),
    Lambda((R,), ir.mul(ir.add(element("v", R), ir.negative(Ref("mu"))), Ref("s"))),
    ("v",),
)


def call_centred(at: Expr, *, scale: Expr) -> Call:
    arguments = (Lambda((J,), element("a", I, J)), Lambda((), scale))
    return Call("Centre", arguments, (at,))


def test_a_function_is_mapped_over_the_indices_around_its_call() -> None:
    place = Index("p", M)
    whole = Equation(
        "y",
        (X, A),
        (),
        Lambda((I, place), call_centred(Idx(place), scale=element("x", I))),
        functions={"Centre": CENTRED},
    )
    wanted = (MATRIX - MATRIX.mean(1, keepdims=True)) * VECTOR[:, None]
    given = {"x": VECTOR, "a": MATRIX}
    np.testing.assert_allclose(evaluate(whole, given), wanted)
    np.testing.assert_allclose(run(whole, given), wanted)


def test_a_function_of_sizes_and_of_functions() -> None:
    count = Size("count")
    q = Index("q", count)
    ramp = Equation(
        "Ramp",
        (Input("count", (), "count", "size"), Input("g", (), "g", "function")),
        (),
        Lambda((q,), Call("g", (Lambda((), Idx(q)),), ())),
        ("count",),
    )
    arguments = (Lambda((), N), Lambda((), Ref("f")))
    whole = Equation(
        "y",
        (X, Input("f", (), "f", "function")),
        (),
        Lambda((I,), ir.mul(element("x", I), Call("Ramp", arguments, (Idx(I),)))),
        functions={"Ramp": ramp},
    )
    given = {"x": VECTOR, "f": lambda number: number + 10}
    np.testing.assert_allclose(evaluate(whole, given), VECTOR * [10, 11, 12])
    np.testing.assert_allclose(run(whole, given), VECTOR * [10, 11, 12])


def test_a_python_function_gets_whole_arrays() -> None:
    place = Index("p", M)
    body = Call("f", (Lambda((J,), element("a", I, J)),), (Idx(place),))
    wanted = np.cumsum(MATRIX, axis=1)
    for value in values(body, (I, place), f=np.cumsum):
        np.testing.assert_allclose(value, wanted)
    with pytest.raises(OracleError, match="f gave"):
        values(body, (I, place), f=np.sum)


# --- what goes wrong --------------------------------------------------------------------------


PRODUCT = equation(Reduce("sum", I, ir.mul(element("x", I), element("a", I, J))), (J,))


def test_shapes_that_disagree_name_both_inputs() -> None:
    with pytest.raises(OracleError) as caught:
        evaluate(PRODUCT, {"x": VECTOR, "a": MATRIX[:2]})
    assert str(caught.value) == (
        "a has shape (2, 4), but its axis 0 must be n = 3, as x has shape (3,)"
    )
    assert isinstance(caught.value, ValueError)


def test_compound_sizes_are_checked() -> None:
    heads, width = Size("h"), Size("d")
    at = Index("t", Size("", value=ir.mul(heads, width)))
    inputs = (
        Input("w", (ir.mul(heads, width),), "w"),
        Input("b", (heads,), "b"),
    )
    row = ir.mul(element("w", at), Ref("b", (Fn("floordiv", (Idx(at), width)),)))
    whole = equation(row, (at,), inputs)
    given = {"w": np.arange(6.0), "b": np.array([1.0, 10.0])}
    for value in (evaluate(whole, given), run(whole, given)):
        np.testing.assert_allclose(value, [0, 1, 2, 30, 40, 50])
    with pytest.raises(OracleError, match=r"w has shape \(7,\).* must be h\*d = 6, as b has"):
        evaluate(whole, {"w": np.arange(7.0), "b": np.array([1.0, 10.0])})


def test_ranks_and_names_are_checked() -> None:
    with pytest.raises(OracleError, match=r"a has shape \(3,\), but must be \(n, m\)"):
        evaluate(PRODUCT, {"x": VECTOR, "a": VECTOR})
    with pytest.raises(TypeError, match="missing inputs: a"):
        evaluate(PRODUCT, {"x": VECTOR})
    with pytest.raises(TypeError, match="no inputs of this equation: y, z"):
        evaluate(PRODUCT, {"x": VECTOR, "a": MATRIX, "y": 1, "z": 2})
    with pytest.raises(TypeError, match="x must hold numbers"):
        evaluate(PRODUCT, {"x": ["p"] * 3, "a": MATRIX})
    counted = equation(Idx(I), (I,), (Input("n", (), "n", "size"),))
    np.testing.assert_array_equal(evaluate(counted, {"n": 4}), [0, 1, 2, 3])
    with pytest.raises(TypeError, match="n must be a whole number"):
        evaluate(counted, {"n": 2.5})
    with pytest.raises(OracleError, match="the size n is -1"):
        evaluate(counted, {"n": -1})


def test_sizes_must_be_whole() -> None:
    half = Index("i", Size("", value=ir.mul(N, ir.HALF)))
    whole = equation(Ref("x", (ir.mul(Num(2), Idx(half)),)), (half,), (X,))
    np.testing.assert_array_equal(evaluate(whole, {"x": np.arange(4.0)}), [0, 2])
    with pytest.raises(OracleError, match="not a whole number"):
        evaluate(whole, {"x": VECTOR})


def test_what_would_not_fit_into_memory_is_refused() -> None:
    big = Size("big")
    indices = tuple(Index(letter, big) for letter in "pqrst")
    body = Fn("exp", (ir.add(*map(Idx, indices)),))
    whole = equation(body, indices, (Input("big", (), "big", "size"),))
    with pytest.raises(OracleError, match="smaller sizes"):
        evaluate(whole, {"big": 600})
    deep: Expr = Num(1)
    for number in range(40):
        deep = Reduce("sum", Index(f"i{number}", N), deep)
    with pytest.raises(OracleError, match="indices inside each other"):
        evaluate(equation(deep, (), (X,)), {"x": VECTOR})


def test_numbers_that_would_fill_memory_are_refused() -> None:
    tower = ir.Pow(Num(10), ir.Pow(Num(10), Num(10)))
    huge = Index("i", Size("", value=tower))
    long = Index("i", Size("", value=ir.Pow(Num(10), Num(12))))
    for index in (huge, long):
        with pytest.raises(OracleError):
            evaluate(
                equation(Reduce("sum", index, Fn("exp", (Idx(index),)))), {"x": VECTOR, "a": MATRIX}
            )
    with pytest.raises(OracleError, match="too large"):
        evaluate(equation(Num(10**400), inputs=()), {})
    assert evaluate(equation(tower, inputs=()), {}) == np.inf
    with pytest.raises(OverflowError):
        run(equation(tower, inputs=()), {})


def test_names_that_nothing_explains_are_refused() -> None:
    for body in (Ref("y"), Call("g", (), ()), Size("s")):
        whole = equation(body, (), (X,))
        with pytest.raises(OracleError):
            evaluate(whole, {"x": VECTOR})
        with pytest.raises(OracleError):
            numpy_source(whole, "value")
