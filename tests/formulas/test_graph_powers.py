"""Matrices that are applied again, and may be raised to a power."""

from __future__ import annotations

import pytest

from notes2code import compile_formula


@pytest.mark.parametrize(
    ("latex", "name"),
    [
        (r"Y = \mathrm{softmax}(S^K X \Theta)", "S_K"),
        (r"H = \hat A^K X W", "A_K_hat"),
        (r"H = P^k x", "P_k"),
    ],
)
def test_it_is_told_that_it_is_no_power(latex: str, name: str) -> None:
    told = [one.message for one in compile_formula(latex).diagnostics if one.code == "N2C039"]
    assert told == [f"`{name}` is taken to be a matrix of its own, and no power of one"]


@pytest.mark.parametrize("latex", [r"Y = W^K X", r"Y = P^Q X + P^K Z", r"Y = A^{(K)} X W"])
def test_nothing_is_told_of_labels(latex: str) -> None:
    assert not compile_formula(latex).diagnostics
