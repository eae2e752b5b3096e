"""Functions of two elements of one array, called by another formula."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import FormulaError, compile_formula
from tables import Case, check, softmax, table


def _causal(scores: np.ndarray) -> np.ndarray:
    return np.where(np.tri(*scores.shape) > 0, scores, -np.inf)


@table(
    Case(
        r"w_{ij} = \frac{\exp(r(z_i, z_j))}{\sum_k \exp(r(z_i, z_k))}",
        "z[n,d]",
        lambda z: softmax(z @ z.T),
        context=[r"r(z_i, z_j) = z_i^\top z_j"],
    ),
    Case(
        r"w_{ij} = \mathrm{softmax}_j(\text{score}(\mathbf{z}_i, \mathbf{z}_j)), \quad j \le i",
        "z[n,d]",
        lambda z: softmax(_causal(z @ z.T)),
        context=[r"\text{score}(\mathbf{z}_i, \mathbf{z}_j) = \mathbf{z}_i \cdot \mathbf{z}_j"],
    ),
    # The first of the two stays the first.
    Case(
        r"y_{ij} = r(z_j, z_i)",
        "z[n,d] A[d,p] B[d,p]",
        lambda z, a, b: (z @ b) @ (z @ a).T,
        context=[r"r(z_i, z_j) = (A^\top z_i) \cdot (B^\top z_j)"],
        shapes={"A": ("d", "p"), "B": ("d", "p")},
    ),
)
def test_value(case: Case) -> None:
    check(case)


def test_two_elements_are_not_three() -> None:
    with pytest.raises(FormulaError, match="takes"):
        compile_formula(r"y_i = r(z_i, z_j, z_k)", context=[r"r(z_i, z_j) = z_i^\top z_j"])


@pytest.mark.parametrize("score", ["f_{att}", r"\text{align}", r"g_{\text{score}}"])
def test_what_scores_pairs_gives_numbers_for_two_vectors(score: str) -> None:
    f = compile_formula(
        rf"e_{{ti}} = {score}(a_i, z_t), \quad w_{{ti}} = \mathrm{{softmax}}_i(e_{{ti}})"
    )
    assert {one.name: len(one.shape) for one in f.inputs if one.kind == "array"} == {"a": 2, "z": 2}
    assert len(f.equation.value.indices) == 2


@pytest.mark.parametrize(
    ("latex", "rank"),
    [
        (r"h_{ij} = \text{att}(x_i, u_j) M", 3),  # what meets a matrix is a vector
        (r"h_{ij} = \text{align}(x_i, u_j) \odot v", 3),
        (r"h_{ij} = \text{attn}(x_{ij}, u_{ij})", 2),
    ],
)
def test_attention_whose_value_goes_on_is_no_score(latex: str, rank: int) -> None:
    f = compile_formula(latex)
    assert len(f.shape or ()) == rank
    assert f.shape is not None
    assert f.shape[-1] in {size for one in f.inputs for size in one.shape}


def test_attention_to_all_keys_is_no_score() -> None:
    f = compile_formula(r"c_t = f_{att}(q_t, K)")
    assert len(f.equation.value.indices) == 2


SCORE = r"\mathrm{score}(x_i, x_j) = \frac{q_i \cdot k_j}{\sqrt{d_k}}"
SHARES = (
    r"\alpha_{ij} = \mathrm{softmax}(\mathrm{score}(x_i, x_j))",
    r"\alpha_{ij} = \frac{\exp(\mathrm{score}(x_i, x_j))}"
    r"{\sum_{k=1}^N \exp(\mathrm{score}(x_i, x_k))}",
)


@pytest.mark.parametrize("latex", SHARES)
def test_a_score_of_queries_and_keys_is_one_of_their_places(latex: str) -> None:
    formula = compile_formula(latex, context=[SCORE])
    assert formula.component == "scaled_dot_product_attention"
    made = compile_formula(latex, context=[SCORE, r"q_i = x_i W^Q, \quad k_i = x_i W^K"])
    assert made.component == "self_attention"
    assert not (*formula.diagnostics, *made.diagnostics)


def test_the_places_of_a_score_may_be_turned_round() -> None:
    check(
        Case(
            r"f_{ij} = s(x_j, x_i)",
            "q[n,d] k[n,d]",
            lambda q, k: (q @ k.T).T,
            context=[r"s(x_i, x_j) = q_i^\top k_j"],
        )
    )


def test_a_score_of_two_arrays_is_none_of_one() -> None:
    with pytest.raises(FormulaError, match="takes"):
        compile_formula(
            r"\alpha_{ij} = \mathrm{softmax}(\mathrm{score}(x_i, y_j))", context=[SCORE]
        )
