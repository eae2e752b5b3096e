r"""A formula without what only sets it: ``\begin{aligned} y &:= x. \tag{3} \end{aligned}`` says
``y = x``, also to what looks at how a formula begins and ends."""

from __future__ import annotations

import re

from notes2code.latex.stream import ALIGNMENTS

_WHOLE = re.compile(
    r"\s*(?P<begin>\\begin\{(?P<name>[a-z]+\*?)\}(?:\[[tbc]\])?)(?P<rows>.*)"
    r"(?P<end>\\end\{(?P=name)\})\s*",
    re.DOTALL,
)
_ALIGNS = re.compile(r"&(?=\s*(?:=|\\(?:approx|sim|propto)(?![A-Za-z])))|(?<==)\s*&")
_NUMBERS = re.compile(r"\\(?:tag\*?|label)\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_DEFINES = re.compile(r":=|≔|\\coloneqq?(?![A-Za-z])")
_LAST = re.compile(r"(?<![.…])(?<!\\right)(?<!\\left)[.,;]\s*$")


def bare(latex: str) -> str:
    """The formula alone; every character that stays is where it was."""
    latex = _NUMBERS.sub(_blank, latex)
    latex = _DEFINES.sub(lambda found: f"{'=':>{len(found.group())}}", latex)
    latex = _LAST.sub(_blank, latex)
    whole = _WHOLE.fullmatch(latex)
    if whole is None or whole["name"].rstrip("*") not in ALIGNMENTS or r"\begin" in whole["rows"]:
        return latex
    rows = _LAST.sub(_blank, _ALIGNS.sub(_blank, whole["rows"]))
    if re.search(r"(?<!\\)&", rows):  # remarks in columns of their own
        return latex
    start, stop = whole.span("rows")
    return f"{' ' * start}{rows}{' ' * (len(latex) - stop)}"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
