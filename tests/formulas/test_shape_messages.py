"""What is said of shapes that do not meet: both operands, their shapes, whose sizes they are."""

from __future__ import annotations

import pytest

import notes2code

DECLARED = r"$Q \in \mathbb{R}^{n \times d_k}$, $K \in \mathbb{R}^{m \times d_k}$, "
DECLARED += r"$W^V \in \mathbb{R}^{d \times d_v}$, $A \in \mathbb{R}^{3 \times 4}$"


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (
            r"S = \frac{Q^\top K}{2}",
            "`Q^\\top` is d_k×n and `K` is m×d_k; n and m are different sizes "
            "(n: the rows of `Q`, as declared; m: the rows of `K`, as declared)",
        ),
        (
            r"S = Q + K",
            "`Q` is n×d_k and `K` is m×d_k; n and m are different sizes "
            "(n: the rows of `Q`, as declared; m: the rows of `K`, as declared)",
        ),
        (
            r"S = \mathrm{softmax}(QK^\top) W^V",
            "`\\mathrm{softmax}(QK^\\top)` is n×m and `W^V` is d×d_v; m and d are different sizes "
            "(m: the rows of `K`, as declared; d: the rows of `W_V`, as declared)",
        ),
        (
            r"s_i = \sum_l Q_{il} K_{il}",
            "n and m are different sizes "
            "(n: the rows of `Q`, as declared; m: the rows of `K`, as declared)",
        ),
        (r"y = A A", "`A` is 3×4 and `A` is 3×4; 4 and 3 are different sizes"),
    ],
)
def test_the_message_names_operands_and_arrays(formula: str, message: str) -> None:
    with pytest.raises(notes2code.FormulaError) as raised:
        notes2code.compile_formula(formula, context=DECLARED)
    (problem,) = raised.value.diagnostics
    assert problem.message == f"shapes do not meet: {message}"


def test_pairs_with_features_are_no_scores() -> None:
    declared = r"$R \in \mathbb{R}^{n \times n \times d}$"
    with pytest.raises(notes2code.FormulaError) as raised:
        notes2code.compile_formula(r"A = \mathrm{softmax}(QK^\top + R) V", context=declared)
    (problem,) = raised.value.diagnostics
    assert "`R` is n×n×d and `QK^\\top` n×m" in problem.message
