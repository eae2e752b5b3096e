"""Which of two things joined below each other is the matrix, and which is one row of it."""

from __future__ import annotations

import pytest

from notes2code import compile_formula

DECLARED = (r"P \in \mathbb{R}^{(N+1) \times D}",)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"z = [c_{first}; y E] + P", ["`c_{first}` is taken to be a matrix"]),
        # Near misses: a capital is a matrix by custom, and a small letter behind it one row.
        (r"z = [C; y E] + P", []),
        (r"z = [C; y] + P", []),
    ],
)
def test_a_small_letter_that_is_taken_for_the_matrix_is_told(latex: str, told: list[str]) -> None:
    compiled = compile_formula(latex, context=DECLARED)
    found = [p.message.partition(",")[0] for p in compiled.diagnostics if p.code == "N2C039"]
    assert found == told
