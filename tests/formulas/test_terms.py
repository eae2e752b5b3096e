"""The terms of a sum are what they are in whichever order they stand."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from notes2code.oracle import sample

SUMS: list[tuple[str, tuple[str, str], dict[str, int]]] = [
    ("y", ("x", r"\sigma \epsilon"), {"x": 1, "sigma": 0, "epsilon": 1}),
    ("A", ("W", r"\sigma \epsilon"), {"W": 2, "sigma": 0, "epsilon": 2}),
    ("w_{new}", ("w_{old}", r"\eta \cdot g"), {"w_old": 1, "eta": 0, "g": 1}),
    ("x_{k+1}", ("x_k", r"\alpha_k d_k"), {"x": 1, "alpha": 0, "d": 1}),
    ("y_i", (r"\gamma \hat x_i", r"\beta"), {"gamma": 1, "x_hat": 2, "beta": 1}),
    ("z", ("W x", "c"), {"W": 2, "x": 1, "c": 1}),
    ("y", ("x", "c"), {"x": 1, "c": 0}),
    ("y", ("a", "b"), {"a": 0, "b": 0}),
    ("m", ("p", "q"), {"p": 1, "q": 1}),
    ("s", (r"W \cdot x", r"U \cdot r"), {"W": 2, "x": 1, "U": 2, "r": 1}),
]


@pytest.mark.parametrize(
    "name, terms, ranks", SUMS, ids=[" + ".join(terms) for _, terms, _ in SUMS]
)
def test_either_order(name: str, terms: tuple[str, str], ranks: dict[str, int]) -> None:
    one, other = (
        compile_formula(f"{name} = {' + '.join(order)}") for order in (terms, terms[::-1])
    )
    for formula in (one, other):
        assert {given.name: len(given.shape) for given in formula.inputs} == ranks
    given = sample(one.equation, 0)
    np.testing.assert_allclose(one.reference(**given), other.reference(**given))


def test_inputs_are_in_the_order_in_which_they_are_written() -> None:
    found = compile_formula(r"y_t = \alpha x_t + (1 - \alpha) y_{t-1}")
    assert [given.name for given in found.inputs] == ["alpha", "x", "y"]


@pytest.mark.parametrize("letter", "ijl")
@pytest.mark.parametrize("declared", [r"x_i \in \mathbb{R}^d", r"x_1, \dots, x_n \in \mathbb{R}^d"])
def test_what_is_declared_of_one_of_several_is_said_of_each(letter: str, declared: str) -> None:
    found = compile_formula(rf"E = \sum_{letter} x_{letter}^2", context=[declared])
    assert [(given.name, given.shape) for given in found.inputs] == [("x", ("n", "d"))]
    x = np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(found.reference(x=x), (x**2).sum(0))


def test_what_is_declared_of_one_by_its_label_is_not() -> None:
    found = compile_formula(r"y = \sum_i w_i x_i", context=[r"w_k \in \mathbb{R}^d"])
    assert [(given.name, len(given.shape)) for given in found.inputs] == [("w", 1), ("x", 2)]


@pytest.mark.parametrize(
    ("declared", "latex", "shapes"),
    [
        (r"w_i \in \mathbb{R}^d", r"s = \sum_j w_j", {"w": ("n", "d")}),
        (r"\tilde{x}_i \in \mathbb{R}^d", r"s = \sum_j \tilde{x}_j", {"x_tilde": ("n", "d")}),
        (r"\lambda_i \in \mathbb{R}^d", r"y_i = \lambda_i", {"lambda_": ("n", "d")}),
        (r"h_{ij} \in \mathbb{R}", r"y_{lk} = h_{lk}^2", {"h": ("n", "m")}),
        (r"h_i \in \mathbb{R}, z \in \mathbb{R}^d", r"y_j = h_j z", {"h": ("n",), "z": ("d",)}),
        (r"\phi_i \in \mathbb{R}", r"y_i = \phi_i (z + u)", {"phi": ("n",)}),
    ],
)
def test_any_letter_and_any_index_may_be_declared(
    declared: str, latex: str, shapes: dict[str, tuple[str, ...]]
) -> None:
    found = {given.name: given for given in compile_formula(latex, context=[declared]).inputs}
    assert {name: len(found[name].shape) for name in shapes} == {
        name: len(shape) for name, shape in shapes.items()
    }
    assert all(found[name].kind == "array" for name in shapes)


@pytest.mark.parametrize("letter", ["r", "g", "p", r"\delta"])
def test_nobody_transposes_what_a_number_scales(letter: str) -> None:
    found = compile_formula(rf"G = {letter} x^\top")
    one, x = found.inputs
    assert (len(one.shape), len(x.shape)) == (1, 1)
    given = {one.name: np.arange(3.0), x.name: np.arange(4.0)}
    np.testing.assert_array_equal(found.reference(**given), np.outer(*given.values()))
