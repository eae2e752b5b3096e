"""Formulas whose sizes a note gives in figures: the classes, and their tests, take any."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from building import Package, package_of
from notes2code.components.library import library
from notes2code.emit.any_size import of_any_size
from notes2code.meaning.ir import Equation
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker
from notes2code.oracle import numpy_source

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(QK^\top / \sqrt{64}) V"
HEADS = (
    r"\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_8) W^O,"
    r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)"
)
WEIGHTS = r"W_i^Q, W_i^K, W_i^V \in \mathbb{R}^{512 \times 64}, W^O \in \mathbb{R}^{512 \times 512}"
NORMED = r"y = \mathrm{LayerNorm}(x + \mathrm{MultiHead}(x, x, x))"
LAYER = rf"{NORMED}, \quad z = \mathrm{{LayerNorm}}(y + \mathrm{{FFN}}(y))"


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        (
            "ScaledDotProductAttention",
            [ATTENTION, r"Q, K \in \mathbb{R}^{10 \times 64}, V \in \mathbb{R}^{10 \times 32}"],
        ),
        (
            "ScaledDotProductAttention",
            [r"o_i = \sum_{j=1}^{10} \mathrm{softmax}_j(q_i^\top k_j / 8) v_j"],
        ),
        (
            "FeedForward",
            [
                r"\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2, \quad x \in \mathbb{R}^{512}",
                r"W_1 \in \mathbb{R}^{512 \times 2048}, W_2 \in \mathbb{R}^{2048 \times 512}",
            ],
        ),
        ("MultiHeadAttention", [ATTENTION, HEADS, WEIGHTS]),
        ("EncoderLayer", [ATTENTION, HEADS, WEIGHTS, LAYER]),
    ],
)
def test_emitted_tests_pass(
    name: str, notes: list[str], run_tests: Callable[[Package], bool]
) -> None:
    package = package_of(notes)
    assert f'    "{name}",\n' in package["transformer/__init__.py"]
    assert run_tests(package)


def _equation(latex: str) -> Equation:
    entry = Entry(latex, "Note.md", (), 0)
    equation = Linker([entry], library().scope).typed(entry).own.equation
    assert equation is not None
    return equation


def test_one_name_for_one_number() -> None:
    source = numpy_source(of_any_size(_equation(r"s = \sum_{j=1}^{7} a_j b_j")), "s")
    assert "7" not in source
    assert "len(a)" in source


def test_numbers_that_are_computed_with_stay() -> None:
    mean = _equation(r"s = \frac{1}{7} \sum_{j=1}^{7} x_j / 7")
    assert of_any_size(mean) is mean
