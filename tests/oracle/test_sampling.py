"""Random inputs: sizes that go together, and the same ones for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code.meaning import ir, type_formula
from notes2code.meaning.ir import Equation, Expr, Fn, Idx, Index, Input, Lambda, Num, Ref, Size
from notes2code.oracle import OracleError, evaluate, sample

ATTENTION = r"\mathrm{Attention}(Q,K,V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"


def typed(latex: str) -> Equation:
    equation = type_formula(latex).equation
    assert equation is not None
    return equation


def with_inputs(*shapes: tuple[Expr, ...], kind: str = "array") -> Equation:
    inputs = tuple(Input(f"x_{k}", shape, f"x_{k}", kind) for k, shape in enumerate(shapes))
    return Equation("y", inputs, (), Lambda((), Num(0)))


def test_sizes_differ_and_agree() -> None:
    equation = typed(ATTENTION)
    for seed in range(20):
        given = sample(equation, seed)
        n, d_k = given["Q"].shape
        m, d_v = given["V"].shape
        assert given["K"].shape == (m, d_k)
        assert len({n, m, d_k, d_v}) == 4
    assert len({sample(equation, seed)["Q"].shape for seed in range(20)}) > 3


def test_the_same_seed_gives_the_same_inputs() -> None:
    equation = typed(ATTENTION)
    first, again, other = sample(equation, 1), sample(equation, 1), sample(equation, 2)
    np.testing.assert_array_equal(first["V"], again["V"])
    assert first["V"].shape != other["V"].shape or (first["V"] != other["V"]).any()


def test_sizes_can_be_given() -> None:
    given = sample(typed(ATTENTION), 0, {"n": 1, "d_k": 9})
    assert given["Q"].shape == (1, 9)
    given = sample(typed(r"p_{k,2i} = \sin(k / 10000^{2i/d})"), 0, {"d": 7})
    assert given["d"] == 7


def test_compound_sizes_come_out_whole() -> None:
    d, h = Size("d"), Size("h")
    quotient = ir.mul(d, ir.inverse(h))
    half = Fn("floordiv", (ir.add(d, Num(1)), Num(2)))
    equation = with_inputs((d,), (h, quotient), (ir.mul(h, quotient), half))
    for seed in range(20):
        given = sample(equation, seed)
        (width,), (heads, part) = given["x_0"].shape, given["x_1"].shape
        assert heads * part == width and heads != width
        assert given["x_2"].shape == (width, (width + 1) // 2)


def test_an_axis_is_never_empty() -> None:
    d = Size("d")
    for seed in range(10):
        assert sample(with_inputs((d,), (ir.add(d, Num(-4)),)), seed)["x_1"].size > 0


def test_impossible_sizes_are_refused() -> None:
    d = Size("d")
    with pytest.raises(OracleError, match="no small sizes"):
        sample(with_inputs((d,), (ir.mul(ir.add(ir.mul(Num(2), d), Num(1)), ir.HALF),)), 0)
    with pytest.raises(OracleError, match="no small sizes"):
        sample(with_inputs((d,), (ir.mul(d, ir.inverse(Num(3))),)), 0, {"d": 4})


def test_numbers_are_positive_and_whole_where_they_are_sizes() -> None:
    h, d = Ref("x_0"), Size("d")
    equation = with_inputs((), (), (d,), (ir.mul(d, ir.inverse(h)),))
    given = sample(equation, 5)
    assert isinstance(given["x_0"], int)
    assert isinstance(given["x_1"], float) and 0.5 <= given["x_1"] <= 2
    assert given["x_3"].shape == (len(given["x_2"]) // given["x_0"],)


def test_functions_keep_the_rank_that_the_note_gives_them() -> None:
    equation = typed(r"y_t = \mathrm{Norm}(x_t + \mathrm{Sub}(x_t))")
    given = sample(equation, 0)
    assert given["Sub"](np.zeros(3)).shape == (3,)
    assert evaluate(equation, given).shape == given["x"].shape
    n = Size("n")
    at = Index("i", n)
    score = ir.Call("f", (Lambda((at,), Ref("x", (Idx(at),))), Lambda((), Num(2))), ())
    inputs = (Input("x", (n,), "x"), Input("f", (), "f", "function"))
    whole = Equation("y", inputs, (), Lambda((), score))
    assert evaluate(whole, sample(whole, 0)).shape == ()


def test_the_search_for_sizes_is_bounded() -> None:
    """An axis of a hundred factors: to try all their sizes would take hours."""
    equation = typed(rf"U = (u_{{{'BPQ' * 40}66666-k}}, \dots, u_{{-1}})")
    with pytest.raises(OracleError, match="no small sizes"):
        sample(equation, 0)


def test_no_axis_is_too_long_to_try() -> None:
    equation = typed(rf"U = (u_{{{'B' * 60}-k}}, \dots, u_{{-1}})")
    with pytest.raises(OracleError, match="no small sizes"):
        sample(equation, 0, {"B": 3})


@pytest.mark.parametrize(
    ("latex", "first"),
    [
        (r"l_i = p_{i, y_i}", 0),
        (r"L = \sum_{i=1}^{N} \sum_{j=1}^{C} \mathbf{1}[y_i = j] p_{ij}", 1),
    ],
)
def test_labels_are_places(latex: str, first: int) -> None:
    equation = typed(latex)
    for seed in range(5):
        given = sample(equation, seed)
        places = range(first, first + given["p"].shape[1])
        assert given["y"].dtype.kind == "i"
        assert {*given["y"]} <= {*places}
        assert len({*given["y"]}) > 1
