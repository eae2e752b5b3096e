"""However formulas refer to each other, none takes long: what grows too long is a plain formula.

Written out, most of these would take longer than anybody waits.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import notes2code
from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.components.proofs import same_value
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import MAX_CHAIN, Linker
from notes2code.oracle import OracleError, evaluate

LAST = 24


def name(number: int) -> str:
    return rf"\mathrm{{f{'abcdefghijklmnopqrstuvwxyz'[number]}}}"


def chain(step: str, last: str = "") -> list[str]:
    """Formulas in each of which ``g`` stands for the name of the next."""
    return [
        *(name(n) + step.replace("g", name(n + 1)) for n in range(LAST)),
        *([name(LAST) + last] if last else []),
    ]


def compiled(formulas: Sequence[str], notes: int = 1) -> list[Compiled]:
    entries = [
        Entry(latex, f"{order % notes}.md", (), order) for order, latex in enumerate(formulas)
    ]
    compiler = Compiler(Linker(entries, library().scope), library())
    return [compiler.compiled(entry) for entry in entries]


FAMILIES = {
    "sums": [f"A_{{{n}u}} = A_{{{n + 1}u}} + A_{{{n + 1}u}}" for n in range(18)],
    "products": [rf"A_{{{n}u}} = A_{{{n + 1}u}} A_{{{n + 1}u}}^\top" for n in range(18)],
    "attention": [
        rf"A_{{{n}u}} = \mathrm{{softmax}}(A_{{{n + 1}u}} A_{{{n + 1}u}}^\top) A_{{{n + 1}u}}"
        for n in range(12)
    ],
    "places": [f"A_{{{n}u, j}} = A_{{{n + 1}u, j + j}}" for n in range(LAST)],
    "functions, open": chain("(x) = g(x) + g(x)"),
    "functions": chain("(x) = g(x) + g(x)", "(x) = x"),
    "functions of functions": chain("(x) = g(g(x))", "(x) = x + 1"),
    "a call of two": [
        *(f"{name(n)}(x) = {name(n + 1)}(x) + {name(n + 2)}(x)" for n in range(LAST - 1)),
        *(f"{name(n)}(x) = x" for n in (LAST - 1, LAST)),
    ],
}


@pytest.mark.parametrize("formulas", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("notes", [1, 3])
def test_what_grows_without_end_is_a_plain_formula(formulas: list[str], notes: int) -> None:
    found = compiled(formulas, notes)
    assert found[0].status in ("formula", "component")


@pytest.mark.parametrize(
    "latex",
    [
        "y = " + " + ".join(["x"] * 400),
        "y = " + " + ".join(rf"\exp(x + {n})" for n in range(100)),
        "y = " + " ".join(f"(x + {n})" for n in range(100)),
        "Y = " + " ".join(f"W_{{{a}{b}}}" for a in "abcdefgh" for b in "pqrstuvw"),
    ],
)
def test_long_formulas_are_plain_formulas(latex: str) -> None:
    assert compiled([latex])[0].status == "formula"


@pytest.mark.parametrize(
    "latex", ["y = 9^{9^{9}} x", "y = 10^{10^{10}} x", "y = (1/3)^{100000000} x"]
)
def test_powers_without_end_are_not_computed(latex: str) -> None:
    found = compiled([latex])[0]
    assert found.status == "rejected"
    assert [problem.code for problem in found.problems] == ["N2C020"]


def test_a_long_row_of_functions_is_no_fault() -> None:
    """It is as deep as Python's own limit of calls inside calls allows, and longer."""
    found = compiled([f"f_{{{n}}}(x) = f_{{{n + 1}}}(x) + 1" for n in range(2 * MAX_CHAIN)])
    assert {one.status for one in found} == {"formula"}


def test_definitions_that_are_too_long_to_be_compared_differ() -> None:
    doubling = compiled(chain("(x) = g(x) + g(x)", "(x) = x"))[0].equation
    squaring = compiled(chain("(x) = g(x) + g(x)", "(x) = x^2"))[0].equation
    assert doubling is not None and squaring is not None
    assert not same_value(doubling, squaring)
    with pytest.raises(OracleError, match="too long"):
        evaluate(doubling, {"x": 1.0})


def test_calls_that_stay_short_are_evaluated() -> None:
    formula = notes2code.compile_formula(r"y = f(f(f(f(a)))), \quad f(t) = 2t")
    assert formula.reference(a=1.0) == 16
