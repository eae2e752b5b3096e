"""Cheap tests of whether a piece of text is mathematics, a program or prose."""

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
    r"""["#;$]|://|[=!]=|[-+*/|&:]=|=>|->|\w\.[a-z]\w|\w\.\w+\(|:\s*$|\\\\|\\$"""
    r"|(?<![\w=(\[{])(?<![=+*/,(]\s)-[A-Za-z]{2,}|(?<!\w)--[A-Za-z]{2,}"
    r"|\b(?:import|from|def|return|self|class|for|while|print|lambda|elif|assert|const|let|var(?!\())\b"
    r"|</?[A-Za-z]|(?<!\w)__|__(?!\w)"
)
_LONGEST = 400
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")
_UNQUOTED_BLANK = re.compile(r"\n[ \t]*\r?\n")
_OTHER_BLOCK = re.compile(r"^[ \t>]*(?:\#{1,6}[ \t]+\S|`{3}|~{3})", re.MULTILINE)
_TEXT_IN_MATH = re.compile(r"\\(?:text\w*|mbox|mathrm|operatorname\*?|tag)\s*\{[^{}]*\}")
_PROSE = re.compile(r"\b(?:[^\W\d_]{2,}+[ ,]++){3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")


def looks_like_math(text: str) -> bool:
    """Whether brackets that can be math or plain text (``\\[…\\]``) hold math."""
    return _MATH.search(text) is not None


_DELIMITED = re.compile(r"\$\$?([^$]+)\$\$?|\\\((.+)\\\)|\\\[(.+)\\\]", re.DOTALL)


_REMARK = re.compile(r"\s+#\s.*|\s{2,}(?:(?://|←|—|–).*|[(\[][^\W\d_][\w '’-]{2,}[)\]])")


def without_remark(line: str) -> str:
    """A line of a code block without what is said of it behind, as ``a = b   # first`` and ``a = b
    (the first)``, set apart by two spaces, are."""
    found = _REMARK.search(line)
    return line if found is None or line[found.end() :].strip() else line[: found.start()]


def undelimited(code: str) -> tuple[int, str]:
    """The formula in code that shows it with its delimiters, as ``$x$``, and where it begins."""
    found = _DELIMITED.fullmatch(code)
    if found is None or found.lastindex is None:
        return 0, code
    inner = found.group(found.lastindex)
    return found.start(found.lastindex) + len(inner) - len(inner.lstrip()), inner.strip()


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


def holds_blocks(text: str, start: int, end: int, quoted: bool) -> bool:
    """Whether ``text[start:end]``, taken for math of several lines, runs over other blocks.

    Math can hold a blank line, but no heading or fence, and no words or ``$`` behind a
    blank line; ``quoted`` math ends where its quote ends.
    """
    if _OTHER_BLOCK.search(text, text.index("\n", start), end):
        return True
    if quoted and _UNQUOTED_BLANK.search(text, start, end):
        return True
    blank = _BLANK_LINE.search(text, start, end)
    if blank is None:
        return False
    rest = _TEXT_IN_MATH.sub("", text[blank.end() : end])
    return "$" in rest.replace(r"\$", "") or _PROSE.search(rest) is not None
