"""What a formula has at a span, as it may be shown or written again."""

from __future__ import annotations

import re
from itertools import accumulate

from notes2code.diagnostics import Span

_OPENED = re.compile(r"\\[A-Za-z]+\*?\s*\{\s*$")
_BRACES = re.compile(r"[{}]")


def quoted(latex: str, span: Span) -> str:
    """A formula's text at a span, on one line; whole where it begins or ends inside the braces of a
    command such as ``\\mathrm{softmax}``."""
    text = latex[span.start : span.end]
    if "{" not in text and "}" not in text:
        return " ".join(text.split())
    depths = [*accumulate(1 if brace == "{" else -1 for brace in _BRACES.findall(text))]
    if min(depths, default=0) < 0:
        opened = _OPENED.search(latex[: span.start])
        text = opened[0] + text if opened else text
    if depths and depths[-1] > min(0, *depths):
        text += latex[span.end : latex.find("}", span.end) + 1]
    return " ".join(text.split())
