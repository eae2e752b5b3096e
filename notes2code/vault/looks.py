"""Cheap tests of whether a piece of text is mathematics."""

from __future__ import annotations

import re

_GREEK_AND_SIGNS = "Α-ωϕϑϵ√∑∏∫∂∇∞∈≤≥≠≈→×·⊙⊗⊕⊤ᵀ′″₀-₉ᵢⱼₖₙₘₓ⁰¹²³⁴-⁹ⁿ"
_MATH = re.compile(rf"\\[A-Za-z]+|[\^_=<>{_GREEK_AND_SIGNS}]")
_FORMULA = re.compile(
    rf"softmax|\\[A-Za-z]{{2,}}|[\^={_GREEK_AND_SIGNS}]"
    r"|(?<!\w)[A-Za-z]{1,2}_\{?\w|[\w)]\s*@\s*[\w(]",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"""["#;$]|://|[=!]=|[-+*/|&:]=|=>|->|\w\.\w+\(|(?<!\w)--?[A-Za-z]{2,}|:\s*$|\\\\|\\$"""
    r"|\b(?:import|from|def|return|self|class|for|while|print|lambda|elif|assert|const|let|var)\b"
    r"|</?[A-Za-z]|(?<!\w)__|__(?!\w)"
)
_LONGEST = 400


def looks_like_math(text: str) -> bool:
    """Whether brackets that can be math or plain text (``\\[…\\]``) hold math."""
    return _MATH.search(text) is not None


def looks_like_formula(code: str) -> bool:
    """Whether a code span, or one line of a code block, is a formula and not a program.

    A formula has an operator, a subscript or a sign of mathematics, and nothing that
    only programs, commands and paths have.
    """
    return (
        2 < len(code) <= _LONGEST
        and _FORMULA.search(code) is not None
        and _PROGRAM.search(code) is None
    )
