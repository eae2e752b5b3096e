"""Left-hand sides that name two neighbours at once, as rotations do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, table

TURN = (
    r"\begin{pmatrix} \cos(p\theta_k) & -\sin(p\theta_k) \\ \sin(p\theta_k) & \cos(p\theta_k) "
    r"\end{pmatrix}"
)
PAIR = r"\begin{pmatrix} u_{2k} \\ u_{2k+1} \end{pmatrix}"


def _turned(theta: Any, u: Any, p: Any) -> Any:
    even, odd = u[::2], u[1::2]
    cos, sin = np.cos(p * theta), np.sin(p * theta)
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(-1)


@table(
    # What is written for both places is an array as long as the other, and no list of pairs.
    Case(rf"\tilde u_{{2k, 2k+1}} = {TURN} {PAIR}", "theta[n] u[2*n] p", _turned),
    Case(rf"u'_{{2k:2k+1}} = {TURN} {PAIR}", "theta[n] u[2*n] p", _turned),
    Case(rf"f(u, p)_{{[2k, 2k+1]}} = {TURN} {PAIR}", "theta[n] u[2*n] p", _turned),
    Case(
        rf"\begin{{bmatrix}} f(u, p)_{{2k}} \\ f(u, p)_{{2k+1}} \end{{bmatrix}} = {TURN} {PAIR}",
        "theta[n] u[2*n] p",
        _turned,
    ),
    Case(
        r"y_{2k, 2k+1} = \begin{pmatrix} -u_{2k+1} \\ u_{2k} \end{pmatrix}",
        "u[d]",
        lambda u: np.stack([-u[1::2], u[::2]], -1).reshape(-1),
    ),
)
def test_pairs_defined(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("left", [r"g(u, p)_{2k, 2k+1}", r"\hat u_{2k-1, 2k}"])
def test_a_rotation_of_pairs_is_one(left: str) -> None:
    pair = PAIR if "+" in left else PAIR.replace("2k}", "2k-1}").replace("2k+1", "2k")
    assert compile_formula(f"{left} = {TURN} {pair}").component == "rotary_embedding"


def test_a_block_that_is_no_column_stays_one() -> None:
    assert len(compile_formula(rf"R_{{2k, 2k+1}} = {TURN}").shape) == 3


@pytest.mark.parametrize(
    ("value", "given", "expected"),
    [(r"\left\| C \right\|", {}, [5.0, 13.0]), (r"u^\top C", {"u": [1.0, 2.0]}, [11.0, 29.0])],
)
def test_a_number_made_of_a_column_is_no_pair(
    value: str, given: dict[str, Any], expected: list[float]
) -> None:
    column = value.replace("C", r"\begin{pmatrix} a_i \\ b_i \end{pmatrix}")
    formula = compile_formula(r"r_{2i, 2i+1} = " + column)
    given = {"a": [3.0, 5.0], "b": [4.0, 12.0], "d": 4, **given}
    assert formula.reference(**given) == pytest.approx(expected)
