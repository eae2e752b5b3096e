"""BLEU's penalty is what the note says, in the code and in what its tests expect."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import pytest

from building import Package, package_of

BLEU = r"\mathrm{BLEU} = BP \cdot \exp\left(\sum_{n=1}^{N} w_n \log p_n\right)"
CASES = r"BP = \begin{cases} 1 & \text{if } c > r \\ e^{%s} & \text{if } c \le r \end{cases}"

PENALTIES: dict[str, tuple[list[str], Callable[[int, int], float]]] = {
    "usual": ([CASES % "1 - r/c"], lambda c, r: 1 if c > r else math.exp(1 - r / c)),
    "turned round": ([CASES % "1 - c/r"], lambda c, r: 1 if c > r else math.exp(1 - c / r)),
    "a ratio": ([r"BP = \min(1, c/r)"], lambda c, r: min(1, c / r)),
    "labelled": ([r"BP = \min(1, e^{1 - r_w/c_w})"], lambda c, r: min(1, math.exp(1 - r / c))),
    "left to custom": ([], lambda c, r: 1 if c > r else math.exp(1 - r / c)),
}

REFUSED = {
    "another name": [BLEU.replace("BP", r"\lambda")],
    "another number": [BLEU, r"BP = e^{-\lambda r/c}"],
    "one length": [BLEU, r"BP = e^{-1/c}"],
    "cases that leave lengths out": [
        BLEU,
        r"BP = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c < r \end{cases}",
    ],
}


UNIFORM = (
    [BLEU, "w_n = 1/N"],
    [r"\mathrm{BLEU} = BP \cdot \exp\left(\frac{1}{N} \sum_{n=1}^{N} \log p_n\right)"],
    [r"\mathrm{BLEU} = BP \cdot \left(\prod_{n=1}^{N} p_n\right)^{1/N}"],
    [r"\mathrm{BLEU} = BP \left(\prod_{n=1}^{N} p_n\right)^{1/N}"],
    [r"\mathrm{BLEU} = BP \cdot \prod_{n=1}^{N} \sqrt[N]{p_n}"],
)
HALVED = r"\exp(\min(0, 1 - \frac{len_{label}}{len_{pred}})) \prod_{n=1}^{k} p_n^{1/2^n}"
CANDIDATE, REFERENCE = "the boat lies by a bank".split(), "the boat lies by the bank here".split()
ONE, TWO, SHORT = 5 / 6, 3 / 5, math.exp(1 - 7 / 6)


@pytest.mark.parametrize("formulas", UNIFORM)
def test_all_n_grams_may_count_alike(
    formulas: list[str],
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[[Package], bool],
) -> None:
    files = package_of([*formulas, CASES % "1 - r/c"])
    score = imported(files).bleu(CANDIDATE, REFERENCE, max_n=2)
    assert score == pytest.approx(SHORT * (ONE * TWO) ** 0.5)
    assert run_tests(files)


def test_longer_n_grams_may_count_half(
    imported: Callable[[Package], ModuleType], run_tests: Callable[[Package], bool]
) -> None:
    files = package_of([HALVED])
    score = imported(files).bleu(CANDIDATE, REFERENCE, max_n=2)
    assert score == pytest.approx(SHORT * ONE**0.5 * TWO**0.25)
    assert run_tests(files)


@pytest.mark.parametrize("name", PENALTIES)
def test_the_penalty_is_the_notes(
    name: str, imported: Callable[[Package], ModuleType], run_tests: Callable[[Package], bool]
) -> None:
    formulas, penalty = PENALTIES[name]
    files = package_of([BLEU, *formulas])
    bleu = imported(files).bleu
    words = "a b c d e f g".split()
    for length in (2, 5, 7):
        expected = penalty(length, 5)
        assert bleu(words[:length], words[:5], (1.0,)) == pytest.approx(
            expected * min(1, 5 / length)
        )
    assert run_tests(files)


@pytest.mark.parametrize("name", REFUSED)
def test_a_penalty_of_anything_else_is_refused(name: str) -> None:
    assert "transformer/metrics.py" not in package_of(REFUSED[name])


@pytest.mark.parametrize(
    "note",
    [
        r"\mathrm{BLEU} = BP \cdot \exp\left(\frac{1}{4} \sum_{n=1}^{4} \log p_n\right)",
        r"\mathrm{BLEU} = BP \cdot \exp\left(\sum_{n=1}^{4} \frac{\log p_n}{4}\right)",
        r"\mathrm{BLEU} = BP \cdot \left(\prod_{n=1}^4 p_n\right)^{1/4}",
        r"\mathrm{BLEU} = BP \prod_{n=1}^4 p_n^{\frac14}",
    ],
)
def test_four_may_stand_for_the_longest_n_grams(
    note: str, run_tests: Callable[[Package], bool], imported: Callable[[Package], ModuleType]
) -> None:
    files = package_of([note])
    assert run_tests(files)
    words = "the cat sat on the mat today".split()
    # 5 of 6 words, 4 of 5 pairs, 3 of 4 triples and 2 of 3 fours are in the longer text.
    expected = math.exp(1 - 7 / 6) * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    assert imported(files).bleu([*words[:5], "rug"], words) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "note",
    [
        r"\mathrm{BLEU} = BP \cdot \exp\left(\frac{1}{5} \sum_{n=1}^{4} \log p_n\right)",
        r"\mathrm{BLEU} = BP \cdot \left(\prod_{n=1}^4 p_n\right)^{1/3}",
    ],
)
def test_other_fractions_make_it_something_else(note: str) -> None:
    assert "transformer/metrics.py" not in package_of([note])
