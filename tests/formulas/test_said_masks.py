"""Masks of which the text says what they hide."""

from __future__ import annotations

import numpy as np
import pytest

from notes2code import compile_formula
from tables import Case, check, softmax

ATTENTION = r"Z = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}} + %s\right) V"


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        ("M", "where $M$ is the causal mask."),
        ("M", "Here the look-ahead mask $M$ keeps the model from cheating."),
        ("M", r"$M$ is a mask with $-\infty$ above the diagonal and $0$ elsewhere."),
        ("B", "$B$ is the causal mask of the decoder."),
        (r"M_{\text{causal}}", r"where $M_{\text{causal}}$ is the causal mask"),
        ("M", "其中 $M$ 是因果掩码。"),
        ("M", "wobei $M$ die kausale Maske ist"),
        ("M", "$M$ est le masque causal, et $Q$, $K$ et $V$ sont les entrées"),
        ("M", "где $M$ — каузальная маска"),
    ],
)
def test_a_mask_that_the_text_calls_causal_hides_later_keys(mask: str, text: str) -> None:
    latex = ATTENTION % mask
    check(Case(latex, "Q[n,d_k] K[m,d_k] V[m,d_v]", _causal, context=text))
    problems = compile_formula(latex, context=text).diagnostics
    assert any("hide later keys" in problem.message for problem in problems)


def _causal(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(np.where(np.tri(*scores.shape, dtype=bool), scores, -np.inf)) @ v


@pytest.mark.parametrize(
    "text",
    [
        "where $M$ is a mask.",
        "where $M$ is the padding mask.",
        "where $M$ is a padding mask or a causal mask.",
        "where $M$ is an optional causal mask.",
        "$M$ is no causal mask.",
        "$M$ ist keine kausale Maske.",
        "The decoder has a causal mask. The matrix $M$ is learned.",
        r"where $M$ is the causal mask: $$M_{ij} = -|i - j|$$",
    ],
)
def test_any_other_mask_is_an_input(text: str) -> None:
    formula = compile_formula(ATTENTION % "M", context=text)
    hides = any("hide later keys" in problem.message for problem in formula.diagnostics)
    assert not hides


def test_what_is_multiplied_by_a_mask_is_not_hidden_by_minus_infinity() -> None:
    latex = r"Z = \mathrm{softmax}(Q K^\top \odot M) V"
    formula = compile_formula(latex, context="where $M$ is the causal mask.")
    assert "M" in {given.name for given in formula.inputs}


def test_a_mask_that_is_called_so_hides_later_keys_where_attention_is_said_to_be_causal() -> None:
    latex, inputs = ATTENTION % r"\text{mask}", "Q[n,d_k] K[m,d_k] V[m,d_v]"
    for text in (
        "The attention is causal: $Q$, $K$ and $V$ are given.",
        "It is masked, so that $Q$ sees no future keys.",
    ):
        check(Case(latex, inputs, _causal, context=text))


@pytest.mark.parametrize(
    "text",
    [
        "The attention is not causal, $Q$ is given.",
        "The attention of $Q$ is causal. A padding mask is added.",
        "The weights of $Q$ sum to one.",
    ],
)
def test_a_mask_of_which_that_is_not_said_is_an_input(text: str) -> None:
    formula = compile_formula(ATTENTION % r"\text{mask}", context=text)
    assert "mask" in {given.name for given in formula.inputs}
