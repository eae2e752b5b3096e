"""Heads that are joined without a word of what the whole is given."""

from __future__ import annotations

import pytest

from notes2code import compile_formula

ATTENTION = r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}(Q K^\top / \sqrt{d_k}) V"
JOINED = r" = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O"


@pytest.mark.parametrize("name", [r"\mathrm{MultiHead}", r"\text{Multi-Head Attention}"])
def test_they_are_given_what_the_attention_is(name: str) -> None:
    found = compile_formula(name + JOINED, context=[ATTENTION])
    assert found.component == "multi_head_attention"
    given = {one.name: len(one.shape) for one in found.inputs}
    assert given == {"Q": 2, "K": 2, "V": 2, "W_Q": 3, "W_K": 3, "W_V": 3, "W_O": 2}
    assert "`head` is taken to be `Attention` of projections: none is defined" in {
        problem.message for problem in found.diagnostics
    }


@pytest.mark.parametrize(
    ("name", "context"),
    [
        # Near misses: no name of such attention, queries of the note's own, and no attention.
        (r"\mathrm{Output}", [ATTENTION]),
        (r"\mathrm{MultiHead}", [ATTENTION, r"Q = A \cdot X"]),
        (r"\mathrm{MultiHead}", []),
        # Nor are heads of a function that nothing defines.
        (r"\mathrm{MHA}", [r"\mathrm{Attention}(Q, K, V) = \phi(Q) (\phi(K)^\top V)"]),
    ],
)
def test_other_heads_are_given(name: str, context: list[str]) -> None:
    found = compile_formula(name + JOINED, context=context)
    assert [one.name for one in found.inputs] == ["head", "W_O"]


def test_heads_of_linear_attention_are_those_of_the_class() -> None:
    linear = r"\mathrm{Attention}(Q, K, V) = \phi(Q) (\phi(K)^\top V)"
    found = compile_formula(r"\mathrm{MHA}" + JOINED, context=[linear])
    assert (found.component, found.diagnostics) == ("multi_head_attention", ())
