"""What is among the k largest: experts that are chosen, keys that are seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from notes2code import FormulaError, compile_formula

RNG = np.random.default_rng(11)
SCORES = RNG.permutation(24).reshape(4, 6) / 7.0
"""All different, so that the largest of a row are told apart."""


def chosen(scores: np.ndarray, k: int) -> np.ndarray:
    """Whether each element is among the k largest of its row: by sorting, not by counting."""
    kept = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(kept, np.argsort(-scores, axis=-1)[..., :k], True, axis=-1)
    return kept


def cases(value: str, condition: str, otherwise: str) -> str:
    rows = rf"{value} & {condition} \\ {otherwise} & \text{{otherwise}}"
    return rf"\begin{{cases}} {rows} \end{{cases}}"


def agrees(latex: str, given: dict[str, object], expected: np.ndarray) -> None:
    formula = compile_formula(latex)
    assert {one.name for one in formula.inputs} == given.keys()
    np.testing.assert_allclose(formula.reference(**given), expected)
    tensors = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
    np.testing.assert_allclose(formula.function()(**tensors), expected)


ROWS = np.where(chosen(SCORES, 2), SCORES, 0.0)


@pytest.mark.parametrize(
    "condition",
    [
        r"s_{t,i} \in \mathrm{TopK}(\{s_{t,j} \mid 1 \le j \le n\}, k)",
        r"s_{t,i} \in \mathrm{Topk}(\{s_{t,j}\}_{j=1}^{n}, k)",
        r"s_{t,i} \in \text{Top-K}(s_t, k)",
        r"s_{t,i} \in \mathrm{topk}_k(s_t)",
        r"i \in \mathrm{TopK}(s_t, k)",
        r"i \in \mathrm{ArgTopK}(s_t, k)",
        r"\text{if } i \in \mathrm{TopK}(s_t, k)",
        r"i \in \text{Top-}k(s_t)",
    ],
)
def test_scores_of_each_token(condition: str) -> None:
    agrees("g_{t,i} = " + cases("s_{t,i}", condition, "0"), {"s": SCORES, "k": 2}, ROWS)


@pytest.mark.parametrize("of", ["s_t", "s_{t}"])
def test_scores_whose_first_index_is_the_experts(of: str) -> None:
    latex = "g_{i,t} = " + cases("s_{i,t}", rf"i \in \mathrm{{TopK}}({of}, k)", "0")
    agrees(latex, {"s": SCORES.T, "k": 2}, ROWS.T)


def test_those_that_are_not_among_them() -> None:
    latex = "g_i = " + cases("0", r"i \notin \mathrm{TopK}(s, 3)", "s_i")
    agrees(latex, {"s": SCORES[1]}, np.where(chosen(SCORES[1], 3), SCORES[1], 0.0))


@pytest.mark.parametrize(
    "words",
    [
        r"\text{if } v_i \text{ is in the top } k \text{ elements of } v",
        r"\text{if } v_i \text{ is among the top-} k \text{ values of } v.",
    ],
)
def test_words(words: str) -> None:
    latex = r"\mathrm{Keep}(v, k)_i = " + cases("v_i", words, r"-\infty")
    agrees(latex, {"v": SCORES[2], "k": 2}, np.where(chosen(SCORES[2], 2), SCORES[2], -np.inf))


def test_a_sum_over_the_chosen() -> None:
    values = RNG.normal(size=(6, 5))
    latex = r"y_t = \sum_{i \in \text{Top-}2(s_t)} s_{t,i} x_i"
    agrees(latex, {"s": SCORES, "x": values}, ROWS @ values)


def test_shares_of_the_chosen() -> None:
    latex = r"\hat g_i = \frac{g_i}{\sum_{j \in \mathrm{TopK}(g, k)} g_j}"
    kept = chosen(SCORES[0], 3)
    agrees(latex, {"g": SCORES[0], "k": 3}, SCORES[0] / SCORES[0][kept].sum())


def test_what_is_chosen_by_one_thing_and_kept_of_another() -> None:
    bias = RNG.permutation(6) * 0.31
    among = r"s_{t,i} + b_i \in \mathrm{Topk}(\{s_{t,j} + b_j \mid 1 \le j \le N_r\}, K_r)"
    latex = "g_{t,i} = " + cases("s_{t,i}", among, "0")
    expected = np.where(chosen(SCORES + bias, 2), SCORES, 0.0)
    agrees(latex, {"s": SCORES, "b": bias, "K_r": 2}, expected)


def test_a_list_with_another_name() -> None:
    latex = "g_i = " + cases("s_i", r"s_i \in \mathrm{TopK}(r, k)", "0")
    with pytest.raises(FormulaError, match="condition"):
        compile_formula(latex)


@pytest.mark.parametrize("name", ["S", r"\mathcal{S}", r"S_{k}"])
def test_the_chosen_under_a_name(name: str) -> None:
    mean = rf"\frac{{1}}{{|{name}|}} \sum_{{i \in {name}}} \ell_i"
    latex = rf"{name} = \mathrm{{TopK}}(\ell, k), \quad L = {mean}"
    kept = chosen(SCORES[3], 4)
    agrees(latex, {"ell": SCORES[3], "k": 4}, SCORES[3][kept].mean())


def test_equal_elements_are_told_of() -> None:
    formula = compile_formula("g_i = " + cases("s_i", r"i \in \mathrm{TopK}(s, 2)", "0"))
    assert [one.code for one in formula.diagnostics] == ["N2C039"]
    assert "equal" in formula.diagnostics[0].message
    given = np.array([1.0, 3.0, 2.0, 2.0])
    np.testing.assert_array_equal(formula.reference(s=given), [0.0, 3.0, 2.0, 2.0])


def test_the_chosen_that_another_formula_names() -> None:
    """The set is given, as the note on it says; what a call leaves open is no array and no set."""
    latex = r"L = \frac{1}{|S|} \sum_{i \in S} \ell_i"
    for chooses in (r"S = \mathrm{TopK}(\ell, k)", r"S = f(\ell, k)"):
        formula = compile_formula(latex, context=[chooses])
        given = {"S": np.array([0, 1, 0, 1]), "ell": np.array([5.0, 1.0, 7.0, 2.0])}
        assert formula.reference(**given) == 1.5


def test_a_number_behind_the_letter_that_counts_is_below_it() -> None:
    formula = compile_formula(r"m_i = \max_{j=j1}^{j2} S_{ij}")
    assert [one.code for one in formula.diagnostics] == ["N2C026", "N2C026"]
    scores = np.array([[5.0, 1.0, 3.0], [4.0, 7.0, 2.0]])
    np.testing.assert_array_equal(formula.reference(S=scores, j_1=2), [3.0, 7.0])
