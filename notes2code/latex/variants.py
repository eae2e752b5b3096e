r"""Several ways to do one thing, written as one formula, each behind its name, or behind *or*.

\text{Post-LN:} \quad y = N(x + F(x)) \qquad \text{Pre-LN:} \quad y = x + F(N(x))
e_{ij} = s_i^\top h_j \quad \text{or} \quad e_{ij} = s_i^\top W h_j
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from notes2code.latex.joining import OR, any_of
from notes2code.latex.labelled import Part

_LABEL = re.compile(r"\\(?:text(?:rm|bf|it)?|mathrm|mbox)\s*\{(?P<label>[^{}:：]+)[:：]\s*\}")
_OR = re.compile(
    r"\\(?:text(?:rm|bf|it)?|mathrm|mbox)\s*\{\s*(?:"
    rf"{any_of(OR | {'alternatively'})}[\s,:]*"
    r"|(?:e\.\s?g\.|z\.\s?B\.)[^{}]*)\}"
)
"""What stands between two ways, or before an example of one."""
_BEGIN = re.compile(r"\s*\\begin\{(aligned|align\*?|gathered|split)\}")
_SIGN = re.compile(r"\\\\|\\[A-Za-z]+|\\.|.", re.DOTALL)
_IDLE = frozenset(["\\\\", "\\quad", "\\qquad", *(f"\\{x}" for x in ",;:!> "), *"&~.,;"])
"""Signs that part formulas and say nothing, as space does."""


def variants(latex: str) -> tuple[Part, ...]:
    """The formulas behind each name; none where there are not several, or where they do not
    define the same and so are steps of one thing."""
    start, end = _inside(latex)
    labels = list(_LABEL.finditer(latex, start, end))
    if len(labels) < 2 or any(_signs(latex[start : labels[0].start()])):
        return ()
    ends = [*(label.start() for label in labels[1:]), end]
    found: list[Part] = []
    targets: set[str] = set()
    for label, stop in zip(labels, ends, strict=True):
        signs = list(_signs(latex[label.end() : stop]))
        texts = [sign[0] for sign in signs]
        if "=" not in texts:
            return ()
        targets.add("".join(texts[: texts.index("=")]).removesuffix(":"))
        behind = label.end()
        pieces: tuple[tuple[str, int], ...] = ((latex[behind : behind + signs[-1].end()], behind),)
        if start:  # the formula begins where its name does
            pieces = ((" ", label.start()), (latex[:start], 0), *pieces, (latex[end:], end))
        found.append(Part(label["label"].strip(), pieces))
    return tuple(found) if len(targets) < len(found) else ()


def alternatives(latex: str) -> tuple[Part, ...]:
    """The formulas on both sides of each *or*; none where these do not all define the same."""
    words = list(_OR.finditer(latex))
    starts = [0, *(word.end() for word in words)]
    ends = [*(word.start() for word in words), len(latex)]
    texts = [latex[start:end] for start, end in zip(starts, ends, strict=True)]
    lefts = ["".join(sign[0] for sign in _signs(text.partition("=")[0])) for text in texts]
    whole = all("=" in text and text.count("{") == text.count("}") for text in texts)
    if not words or not whole or len(set(lefts)) > 1 or _ENVIRONMENT.search(latex):
        return ()
    found = []
    for text, start in zip(texts, starts, strict=True):
        first, *_, last = _signs(text)
        found.append(Part("", ((text[first.start() : last.end()], start + first.start()),)))
    return tuple(found)


_ENVIRONMENT = re.compile(r"\\(?:begin|left)\b")
"""What may begin in one part and end in another."""


def _inside(latex: str) -> tuple[int, int]:
    """Where what stands in the environment around a whole formula begins and ends."""
    begin = _BEGIN.match(latex)
    last = rf"\end{{{begin[1]}}}" if begin else ""
    if begin is None or not latex.rstrip().endswith(last):
        return 0, len(latex)
    return begin.end(), latex.rindex(last)


def _signs(text: str) -> Iterator[re.Match[str]]:
    """The signs of a text, one by one, but for those that say nothing."""
    for sign in _SIGN.finditer(text):
        if sign[0] not in _IDLE and not sign[0].isspace():
            yield sign
