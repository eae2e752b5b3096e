"""Queries and keys that are defined as columns, and multiplied as rows."""

from __future__ import annotations

import pytest

from notes2code import compile_formula

SCORES = r"S = \frac{Q K^\top}{\sqrt{d}}"


def _told(latex: str, *context: str) -> list[str]:
    told = compile_formula(latex, context=context).diagnostics
    return [one.message for one in told if one.code == "N2C042"]


@pytest.mark.parametrize(
    "context",
    [
        [r"Q = W_Q X", r"K = W_K X"],
        [r"Q = W_Q \cdot X, \quad K = W_K \cdot X"],
        [r"Q = W^q Y", r"K = W^k X"],
    ],
)
def test_columns_that_are_multiplied_as_rows_are_told(context: list[str]) -> None:
    (message,) = _told(SCORES, *context)
    assert "a column for each token" in message


@pytest.mark.parametrize(
    ("latex", "context"),
    [
        (SCORES, [r"Q = X W_Q", r"K = X W_K"]),
        (SCORES, [r"Q = W_Q x", r"K = W_K x"]),
        (SCORES, [r"Q = W_Q X"]),
        (r"S = \frac{Q^\top K}{\sqrt{d}}", [r"Q = W_Q X", r"K = W_K X"]),
    ],
)
def test_layouts_that_meet_are_not(latex: str, context: list[str]) -> None:
    assert not _told(latex, *context)


def test_columns_in_one_display_are_told() -> None:
    rest = r"A = \mathrm{softmax}(Q K^\top)"
    (message,) = _told(rf"Q = W_Q X, \quad K = W_K X, \quad {rest}")
    assert "a column for each token" in message
    assert not _told(rf"Q = X W_Q, \quad K = X W_K, \quad {rest}")
