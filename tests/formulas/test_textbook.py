"""What a note does not define and the textbook does: it is taken, and told."""

from __future__ import annotations

import pytest

from notes2code import compile_formula


def warned(latex: str, context: str = "") -> list[str]:
    problems = compile_formula(latex, context=context).diagnostics
    return [one.message for one in problems if str(one.severity) == "warning"]


@pytest.mark.parametrize(
    ("latex", "function", "weights"),
    [
        (r"y = x + \mathrm{FFN}(x)", "FFN", "W_1, b_1, W_2, b_2"),
        (r"Y = X + \mathrm{MultiHead}(X, X, X)", "MultiHead", "W_Q, W_K, W_V, W_O"),
        (r"A = \mathrm{RoPE}(X W_q) \mathrm{RoPE}(X W_k)^\top", "RoPE", ""),
    ],
)
def test_the_textbooks_function_is_told_once(latex: str, function: str, weights: str) -> None:
    (message,) = [text for text in warned(latex) if "textbook" in text]
    assert message.startswith(f"`{function}`")
    assert weights in message


@pytest.mark.parametrize(
    "latex",
    [
        r"y = \mathrm{LayerNorm}(x + z)",
        r"Y = \mathrm{Attention}(X W_Q, X W_K, X W_V)",
        r"\mathrm{FFN}(x) = \mathrm{GELU}(x A) B, \quad y = x + \mathrm{FFN}(x)",
        r"y = x + g(x)",
        r"y = x + \mathrm{DecoderLayer}(x)",  # which is given two things where it is the textbook's
    ],
)
def test_what_is_one_thing_or_defined_is_not_told(latex: str) -> None:
    assert not any("textbook" in text for text in warned(latex))
