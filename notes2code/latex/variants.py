r"""Several ways to do one thing, each behind its name, written as one formula.

\text{Post-LN:} \quad y = N(x + F(x)) \qquad \text{Pre-LN:} \quad y = x + F(N(x))
"""

from __future__ import annotations

import re
from itertools import pairwise

from notes2code.latex.labelled import SPACE, Labelled

_LABEL = re.compile(
    r"\\(?:text(?:rm|bf|it)?|mathrm|mbox)\s*\{\s*(?P<label>[^{}:：]+?)\s*[:：]\s*\}"
)
_ENVIRONMENT = re.compile(
    r"\s*\\begin\{(?P<name>aligned|align\*?|gathered|split)\}(?P<body>.*)\\end\{(?P=name)\}\s*",
    re.DOTALL,
)
_EMPTY = re.compile(SPACE)
_TARGET = re.compile(rf"{SPACE}(?P<target>[^=]*?){SPACE}:?=(?!=)")
_END = re.compile(rf"(?:{SPACE}(?:\\\\|[.,;]))*{SPACE}$")


def variants(latex: str) -> tuple[Labelled, ...]:
    """The formulas behind each name; none where there are not several, or where they do not
    define the same and so are steps of one thing."""
    whole = _ENVIRONMENT.fullmatch(latex)
    start, end = whole.span("body") if whole else (0, len(latex))
    labels = list(_LABEL.finditer(latex, start, end))
    if len(labels) < 2 or not _EMPTY.fullmatch(latex, start, labels[0].start()):
        return ()
    ends = [*(label.start() for label in labels[1:]), end]
    found: list[Labelled] = []
    targets: list[str] = []
    for label, stop in zip(labels, ends, strict=True):
        behind = label.end()
        target = _TARGET.match(latex, behind, stop)
        if target is None:
            return ()
        targets.append("".join(target["target"].split()))
        last = _END.search(latex, behind, stop)
        body = latex[behind : last.start() if last else stop]
        pieces: tuple[tuple[str, int], ...] = ((body, behind),)
        if whole:  # the formula begins where its name does
            pieces = ((" ", label.start()), (latex[:start], 0), *pieces, (latex[end:], end))
        found.append(Labelled(label["label"], pieces))
    return tuple(found) if any(a == b for a, b in pairwise(sorted(targets))) else ()
