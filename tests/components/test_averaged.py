"""What the weights of a softmax average, beside the formula that makes these."""

from __future__ import annotations

import pytest

from notes2code.components.compiled import Compiled
from notes2code.components.compiling import Compiler
from notes2code.components.library import library
from notes2code.meaning.linking.entries import Entry
from notes2code.meaning.linking.linker import Linker

WEIGHTS = r"\beta_i = \frac{\exp(s_i)}{\sum_k \exp(s_k)}"


def last(*formulas: str) -> Compiled:
    """What becomes of the last of some formulas of one section."""
    entries = [Entry(latex, "n.md", order=at) for at, latex in enumerate(formulas)]
    known = library()
    return Compiler(Linker(entries, known.scope), known).compiled(entries[-1])


def ranks(found: Compiled) -> list[int]:
    assert found.equation is not None
    return [len(given.shape) for given in found.equation.inputs]


@pytest.mark.parametrize("weights", [WEIGHTS, r"\beta_i = \mathrm{softmax}_i(s_i)"])
def test_weights_average_vectors_and_that_is_told(weights: str) -> None:
    found = last(weights, r"c = \sum_i \beta_i g_i")
    assert ranks(found) == [1, 2]
    (told,) = [one.message for one in found.problems if one.code == "N2C039"]
    assert told == "each element of `g` is taken for a vector, which the weights average"


@pytest.mark.parametrize(
    "formulas",
    [
        # A probability may average numbers, and so does what gives a loss.
        (r"p_i = \frac{\exp(s_i)}{\sum_k \exp(s_k)}", r"c = \sum_i p_i g_i"),
        (WEIGHTS, r"L = \sum_i \beta_i g_i"),
        # What is no softmax may be any number, and what the note defines is as it says.
        (r"\beta_i = \tanh(e_i)", r"c = \sum_i \beta_i g_i"),
        (WEIGHTS, r"g_i = w^\top x_i", r"c = \sum_i \beta_i g_i"),
        (WEIGHTS, r"g \in \mathbb{R}^n", r"c = \sum_i \beta_i g_i"),
        (WEIGHTS, r"g_i \in \mathbb{R}", r"c = \sum_i \beta_i g_i"),
        # The weights may be of what they average.
        (r"\beta_i = \frac{\exp(e_i)}{\sum_k \exp(e_k)}", r"c = \sum_i \beta_i e_i"),
    ],
)
def test_other_sums_are_of_numbers(formulas: tuple[str, ...]) -> None:
    found = last(*formulas)
    assert ranks(found) == [1, 1]
    assert all("vector" not in one.message for one in found.problems)
