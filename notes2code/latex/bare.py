r"""A formula without what only sets it: ``\boxed{\begin{aligned} y &:= x. \tag{3} \end{aligned}}``
says ``y = x``, also to what looks at how a formula begins and ends."""

from __future__ import annotations

import re

from notes2code.latex.stream import ALIGNMENTS

_LOOKS = re.compile(
    r"\\(?:tag\*?|label|color)\s*\{[^{}]*\}"
    r"|\\(?:nonumber|notag|(?:display|text|script)style)(?![A-Za-z])"
    r"|\\q?quad\s*\([\d.]+\)\s*$"
)
_DEFINES = re.compile(r":=|≔|≜|\\(?:coloneqq?|triangleq|doteq)(?![A-Za-z])")
_SPACER = r"\\(?:[,;:!>]|q?quad(?![A-Za-z]))"
_SPACERS = re.compile(
    rf"(?P<before>=\s*)?(?:{_SPACER}\s*)+(?:(?P<behind>&?\s*=)(?P<more>(?:\s*{_SPACER})*))?"
)
"""Spaces, and the sign of a definition, which they only move away from its sides."""

_LAST = re.compile(r"(?<![.…])[.,;]\s*$")
_OPEN = re.compile(r"\\(?:left|right)\s*\.\s*$")
"""A delimiter that is not seen, whose stop ends nothing."""

_FRAMES = 8
"""How many frames, one in another, are taken off at most."""

_FRAME = re.compile(r"\s*(?:\\boxed\s*|\\textcolor\s*\{[^{}]*\}\s*)?\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ROWS = re.compile(
    r"\s*\\begin\{(?P<name>[a-z]+\*?)\}(?:\[[tbc]\])?(?P<rows>.*)\\end\{(?P=name)\}\s*", re.DOTALL
)
_ALIGNS = re.compile(r"&(?=\s*(?:=|\\(?:approx|sim|propto)(?![A-Za-z])))|(?<==)\s*&")


def bare(latex: str) -> str:
    """The formula alone; every character that stays is where it was."""
    latex = _DEFINES.sub(lambda found: f"{'=':>{len(found.group())}}", latex)
    latex = _SPACERS.sub(_unspaced, latex)
    for _ in range(_FRAMES):
        inner = _unaligned(_unframed(_unstopped(_LOOKS.sub(_blank, latex))))
        if inner == latex:
            break
        latex = inner
    return latex


def _unstopped(latex: str) -> str:
    """A formula without the sign that ends its sentence."""
    return latex if _OPEN.search(latex) else _LAST.sub(_blank, latex)


def _unframed(latex: str) -> str:
    """A formula without the box, the colour or the braces around all of it."""
    frame = _FRAME.match(latex)
    depth, at = 1, frame.end() if frame else len(latex)
    while depth and (brace := _BRACE.search(latex, at)):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        at = brace.end()
    if frame is None or depth or latex[at:].strip():
        return latex
    return f"{' ' * frame.end()}{latex[frame.end() : at - 1]}{' ' * (len(latex) - at + 1)}"


def _unaligned(latex: str) -> str:
    """A formula without the environment around all of it, and the signs that align its rows."""
    whole = _ROWS.fullmatch(latex)
    if whole is None or whole["name"].rstrip("*") not in ALIGNMENTS or r"\begin" in whole["rows"]:
        return latex
    rows = _ALIGNS.sub(_blank, whole["rows"])
    if re.search(r"(?<!\\)&", rows):  # remarks in columns of their own
        return latex
    start, stop = whole.span("rows")
    return f"{' ' * start}{rows}{' ' * (len(latex) - stop)}"


def _unspaced(found: re.Match[str]) -> str:
    """The sign of a definition without the spaces beside it; other spaces as they are."""
    before, behind, more = (found[part] or "" for part in ("before", "behind", "more"))
    if not before and not behind:
        return found.group()
    between = " " * (len(found.group()) - len(before + behind + more))
    return f"{before}{between}{behind}{' ' * len(more)}"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
