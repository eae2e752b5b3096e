"""What a table of symbols says of the letters that begin its rows."""

from __future__ import annotations

from notes2code import compile_formula

SCORE = r"e = v^\top \tanh(W_a h)"


def rank_of_weight(table: str) -> int:
    """The axes of W_a in a score below a table."""
    formula = compile_formula(SCORE, context=table)
    return next(len(one.shape) for one in formula.inputs if one.name == "W_a")


def test_first_cell() -> None:
    assert rank_of_weight("| symbol | kind |\n|---|---|\n| $W_a$ | a scalar |\n") == 0


def test_other_cells() -> None:
    """The last cell speaks of what the row is about, the score, and not of the cell before it."""
    rows = "| what | weights | gives |\n|---|---|---|\n| score | $W_a$ | a scalar |\n"
    assert rank_of_weight(rows) == 2


def test_sizes() -> None:
    """Sizes are those of what begins the row, in whatever cell, and examples of a batch are left to
    the caller."""
    rows = "| name | what | shape |\n|---|---|---|\n| $x$ | input | (B, T, D) |\n"
    formula = compile_formula(r"\mu = \frac{1}{D} \sum_{i=1}^D x_i", context=rows)
    assert [one.shape for one in formula.inputs] == [("T", "D")]
