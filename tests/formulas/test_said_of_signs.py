"""What the text says of a sign or a letter: the product that ``⊗`` is, and what is a function; and
places that a function is given."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning import shapes as shapes_of
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from tables import Case, check, softmax, table

OUTER = r"Here $\otimes$ denotes the outer product."
ALIBI = r"\mathrm{score}(i, j) = q_i^\top k_j - m (i - j)"
SCORE = r"\mathrm{score}(i, j) = q_i^\top k_j / \sqrt{d}"


def gaps(rows: int, columns: int) -> np.ndarray:
    """How far each row is behind each column."""
    return np.arange(rows)[:, None] - np.arange(columns)


@table(
    Case(r"M = v \otimes k", "v[d] k[m]", np.outer, context=OUTER),
    Case(
        r"M_t = M_{t-1} + v_t \otimes k_t",
        "M[d,m] v[d] k[m]",
        lambda old, v, k: old + np.outer(v, k),
        context="The memory adds the outer product of a value and its key to $M_{t-1}$:",
    ),
    Case(
        r"M = v \otimes k",
        "v[d] k[m]",
        np.outer,
        context=r"其中 $\otimes$ 表示外积，$\odot$ 表示逐元素相乘。",
    ),
    Case(
        r"g = a \otimes b",
        "a[d] b[d]",
        lambda a, b: a * b,
        context=r"where $\otimes$ is the element-wise product",
    ),
    Case(
        r"Y = A \oplus B",
        "A[n,d] B[n,e]",
        lambda a, b: np.hstack([a, b]),
        context=r"其中，$\oplus$ 表示拼接操作。",
    ),
    Case(
        r"Y = A \oplus B",
        "A[n,d] B[n,d]",
        np.add,
        context=r"where $\oplus$ is addition, and $[\cdot]$ concatenation",
    ),
)
def test_products_in_a_circle(case: Case) -> None:
    check(case)


def test_kronecker_products_are_refused() -> None:
    with pytest.raises(FormulaError, match="Kronecker"):
        compile_formula(r"C = A \otimes B", context=r"Let $\otimes$ be the Kronecker product.")


@table(
    Case(
        r"b_{ij} = q_i^\top k_j + \gamma(i - j)",
        "q[n,d] k[m,d] gamma()",
        lambda q, k, f: q @ k.T + f(gaps(len(q), len(k))),
        context=r"The function $\gamma$ maps a distance to a number.",
    ),
    Case(
        r"b_{ij} = q_i^\top k_j + \gamma(i - j)",
        "q[n,d] k[m,d] gamma()",
        lambda q, k, f: q @ k.T + f(gaps(len(q), len(k))),
        context=r"Hier ist $\gamma(\cdot)$ eine Funktion. $\gamma$ ist eine gelernte Funktion.",
    ),
    Case(
        r"b_{ij} = q_i^\top k_j + \gamma (i - j)",
        "q[n,d] k[m,d] gamma",
        lambda q, k, g: q @ k.T + g * gaps(len(q), len(k)),
        context=r"The number $\gamma$ tells how much a distance counts.",
    ),
)
def test_letters_that_are_called_functions(case: Case) -> None:
    check(case)


@table(
    Case(ALIBI, "q[n,d] k[m,d] m", lambda q, k, m: q @ k.T - m * gaps(len(q), len(k))),
    Case(
        r"a_{ij} = \mathrm{softmax}_j(\mathrm{score}(i, j))",
        "q[n,d] k[m,d] m",
        lambda q, k, m: softmax(q @ k.T - m * gaps(len(q), len(k))),
        context=f"$$ {ALIBI} $$",
    ),
    Case(
        r"a_{ij} = \frac{\exp(\mathrm{score}(i, j))}{\sum_{l=1}^{n} \exp(\mathrm{score}(i, l))}",
        "q[m,d] k[n,d]",
        lambda q, k: softmax(q @ k.T / np.sqrt(q.shape[1])),
        context=f"$$ {SCORE} $$",
    ),
    Case(
        r"o_i = \sum_{j=1}^{n} \mathrm{score}(i, j) v_j",
        "q[m,d] k[n,d] v[n,e]",
        lambda q, k, v: q @ k.T @ v / np.sqrt(q.shape[1]),
        context=f"$$ {SCORE} $$",
    ),
)
def test_places_that_a_function_is_given(case: Case) -> None:
    check(case)


def test_a_far_sections_numbered_weights_are_others() -> None:
    formulas = {
        r"W_1 \in \mathbb{R}^{3 \times 7}": "Classifier",
        r"h = W_1 x": "Classifier",
        r"F(x) = \max(0, x W_1 + b_1) W_2 + b_2": "Feed forward",
        r"g = \tanh(W_1 z)": "Gate",
    }
    entries = [Entry(one, "N.md", (at,), order) for order, (one, at) in enumerate(formulas.items())]
    compiler = Compiler(Linker(entries, library().scope), library())
    equations = [compiler.compiled(entry).equation for entry in entries[2:]]
    shapes = [
        {i.name: shapes_of.text(i.shape[0]) for i in e.inputs if i.shape} for e in equations if e
    ]
    assert [found["W_1"] for found in shapes] == ["d", "3"]  # the gate's may be those of h


def test_what_a_notes_function_calls_is_one_function() -> None:
    formulas = (r"\mathrm{Res}(x) = x + Z(x)", r"u = \mathrm{Res}(\mathrm{Res}(a))")
    entries = [Entry(latex, "N.md", (), order) for order, latex in enumerate(formulas)]
    equation = Compiler(Linker(entries, library().scope), library()).compiled(entries[1]).equation
    assert equation is not None
    assert [one.name for one in equation.inputs] == ["a", "Z"]


def test_a_layers_number_tells_no_row() -> None:
    attention = r"\mathrm{Mix}(X) = \mathrm{softmax}(X A X^\top) X"
    formula = compile_formula(
        r"Y^{(l)} = \mathrm{Mix}^{(l)}(X^{(l)})", context=f"$$ {attention} $$"
    )
    assert {one.name: len(one.shape) for one in formula.inputs} == {"X": 3, "A": 3}


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"f_i = F * \alpha", "for no convolution"),
        (r"y = r + \gamma (\min_j Q_j - \alpha \log \pi)", "the number 3.14…, and no policy"),
        (r"U = X + W_2 \sigma(W_1 \mathrm{LN}(X))", "`X` is taken to be a vector"),
    ],
)
def test_a_sign_of_two_things_is_told(latex: str, told: str) -> None:
    assert any(told in one.message for one in compile_formula(latex).diagnostics)


@pytest.mark.parametrize(
    "latex",
    [
        r"y = W * x",
        r"L = -\frac{1}{2} \log(2\pi) - \frac{1}{2} x^2",
        r"y = \frac{X \cdot Y}{\|X\| \|Y\|}",
    ],
)
def test_a_sign_of_one_thing_is_not_told(latex: str) -> None:
    assert not compile_formula(latex).diagnostics
