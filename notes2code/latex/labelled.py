r"""Cases whose rows have names and not conditions: several formulas, written as one.

score(h, s) = \begin{cases} h^\top s & \text{dot} \\ h^\top W s & \text{general} \end{cases}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from notes2code.latex.words import HIDDEN, SEEN

_CASES = re.compile(
    r"(?P<left>[^=&]*?)(?P<sign>:?=)\s*(?:\\left\s*\\\{|\\\{)?\s*"
    r"\\begin\{(?P<name>[dr]?cases|array|aligned|matrix)\}(?:\{[^{}]*\})?"
    r"(?P<rows>.*)\\end\{(?P=name)\}\s*(?:\\right\s*\.)?[\s.,;]*",
    re.DOTALL,
)
_PIECE = re.compile(r"\\begin\b|\\end\b|\\\\(?:\s*\[[^\]]*\])?|\\.|[{}]", re.DOTALL)
_SPACE = r"(?:\\(?:q?quad|[,;:!> ])|[&~\s])*"
_LABEL = re.compile(
    rf"(?:&\s*)?(?P<body>.*?){_SPACE}(?:\\(?:text(?:rm|bf|it)?|mathrm|mbox)\s*"
    rf"\{{\s*[(\[]?\s*(?P<label>[A-Za-z][A-Za-z'’ -]*?)\s*[)\]]?\s*\}}"
    rf"|(?<=&)\s*(?P<word>[A-Za-z]{{3,}})){_SPACE}[.,;]?\s*",
    re.DOTALL,
)
_ALIGNED = re.compile(r"\s*\\begin\{aligned\}(?P<rows>.*)\\end\{aligned\}\s*", re.DOTALL)
_TABLE = re.compile(r"\\begin\b.*\\end\b", re.DOTALL)
_NAME = re.compile(r"\s*(?:\\[A-Za-z]+\*?\s*\{[^{}]*\}|\\?[A-Za-z]+)(?!\s*\^)")


@dataclass(frozen=True)
class Part:
    """One of several formulas written as one: its name among them, "" for none, and its text in
    pieces, each with its place in the text of all. The name of a row of cases stands above what is
    defined: ``score^{\\text{dot}}(h, s) = …``."""

    label: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def latex(self) -> str:
        """The formula."""
        return "".join(text for text, _ in self.pieces)


def labelled(latex: str) -> tuple[Part, ...]:
    """The formulas of cases whose rows all have names; none where it is not such a formula."""
    whole = _CASES.fullmatch(latex)
    name = _NAME.match(whole["left"]) if whole else None
    if whole is None or name is None:
        return ()
    found: list[Part] = []
    table = _ALIGNED.fullmatch(latex, *whole.span("rows")) or whole
    for start, row in _rows(table["rows"]):
        labelled = _LABEL.fullmatch(row)
        if labelled is None or not labelled["body"].strip() or _is_condition(labelled):
            return ()
        here = table.start("rows") + start
        which = "label" if labelled["label"] else "word"
        label = labelled[which]
        pieces = (
            (" ", here),  # the formula begins where its row does
            (name[0], name.start()),
            (rf"^{{\text{{{label}}}}}", here + labelled.start(which)),
            (whole["left"][name.end() :], name.end()),
            ("= ", whole.start("sign")),
            (labelled["body"], here + labelled.start("body")),
        )
        found.append(Part(label, pieces))
    return tuple(found) if len(found) > 1 else ()


def _is_condition(row: re.Match[str]) -> bool:
    """Whether a row has a condition: words for what is seen, or one before what is its remark."""
    words = (row["label"] or row["word"]).lower().split()
    apart = "&" in _TABLE.sub("", row["body"]).strip("& \t\n")
    return apart or not SEEN.union(HIDDEN).isdisjoint(words)


def _rows(text: str) -> Iterator[tuple[int, str]]:
    """The rows of an environment with their offsets, without the space before them; an empty last
    one is none."""
    start = depth = 0
    ends: list[tuple[int, int]] = []
    for piece in _PIECE.finditer(text):
        if piece[0] in ("{", r"\begin"):
            depth += 1
        elif piece[0] in ("}", r"\end"):
            depth -= 1
        elif piece[0].startswith(r"\\") and depth == 0:
            ends.append(piece.span())
    for end, following in [*ends, (len(text), len(text))]:
        row = text[start:end]
        if row.strip():
            yield start + len(row) - len(row.lstrip()), row.strip()
        start = following
