"""Finds the LaTeX of the formulas that a web page shows.

A page holds a formula as its source in the text, in a script or annotation, as what a
program drew from it, or as several of these at once; each formula is given once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from notes2code.vault.htmltokens import Tag, add_decoded
from notes2code.vault.looks import looks_like_math
from notes2code.vault.model import SourceMap
from notes2code.vault.placed import PlacedText

_DRAWN_BY_MATHJAX_2 = {
    "MathJax", "MathJax_SVG", "MathJax_CHTML", "MathJax_Display", "MathJax_SVG_Display",
    "MathJax_CHTML_Display", "MathJax_MathML",
}  # fmt: skip
_DISPLAYED = {"MathJax_Display", "MathJax_SVG_Display", "MathJax_CHTML_Display", "katex-display"}
_CDATA = re.compile(r"\s*+%?+\s*+<!\[CDATA\[")
_IN_TEXT = re.compile(
    r"\\\((?P<paren>(?:[^\\]|\\[^()])*+)\\\)"
    r"|\\\[(?P<bracket>(?:[^\\]|\\[^\[\]])*+)\\\]"
    r"|\$\$(?P<dollars>[^$]++)\$\$"
)
_SHORT = 4


@dataclass(frozen=True, slots=True)
class Source:
    """The LaTeX of a formula and the places of its characters in the file."""

    latex: str
    places: SourceMap
    display: bool


def script_source(text: str, tag: Tag, start: int, end: int) -> Source | None:
    """The formula in a ``<script type="math/tex">``, whose content is ``text[start:end]``."""
    display = "mode=display" in tag.values.get("type", "").lower().replace(" ", "")
    if wrapper := _CDATA.match(text, start, end):
        start = wrapper.end()
        end = start + len(text[start:end].rstrip().removesuffix("]]>").rstrip().removesuffix("%"))
    written = PlacedText()
    written.add(text[start:end], start)
    return _source(written, display)


def annotation_source(text: str, start: int, end: int, display: bool) -> Source | None:
    """The formula in an ``<annotation>``, or in an attribute, with its entities decoded."""
    written = PlacedText()
    add_decoded(written, text, start, end)
    return _source(written, display)


def is_math_script(tag: Tag) -> bool:
    """Whether a script holds a formula and no program."""
    return tag.values.get("type", "").lower().startswith("math/tex")


def is_annotation(tag: Tag) -> bool:
    """Whether an element of MathML holds the formula's LaTeX."""
    return tag.name == "annotation" and "tex" in tag.values.get("encoding", "").lower()


def is_drawn(tag: Tag) -> bool:
    """Whether an element shows one formula as a program drew it."""
    classes = tag.classes
    return (
        tag.name in ("mjx-container", "math")
        or "katex" in classes
        or not _DRAWN_BY_MATHJAX_2.isdisjoint(classes)
    )


def is_displayed(tag: Tag) -> bool:
    """Whether an element puts its formula on a line of its own."""
    return (
        not _DISPLAYED.isdisjoint(tag.classes)
        or tag.values.get("display") in ("true", "block")
        or {"math", "display"} <= set(tag.classes)
    )


def attribute_source(text: str, tag: Tag, display: bool) -> Source | None:
    """The formula that a drawn element names in an attribute."""
    for name in ("alttext", "data-latex", "data-tex"):
        if tag.values.get(name):
            return annotation_source(text, *tag.spans[name], display)
    return None


def sources_in_text(text: str, places: SourceMap) -> Iterator[tuple[re.Match[str], Source]]:
    """The formulas between ``\\(…\\)``, ``\\[…\\]`` and ``$$…$$`` in running text."""
    for match in _IN_TEXT.finditer(text):
        name = match.lastgroup or ""
        latex = match[name].strip()
        math = name == "dollars" or looks_like_math(latex) or len(latex) < _SHORT
        if latex and math:
            left = match.end(name) - len(match[name].lstrip())
            yield match, Source(latex, places.part(left, len(latex)), name != "paren")


def _source(written: PlacedText, display: bool) -> Source | None:
    latex, places = written.stripped()
    return Source(latex, places, display) if latex else None
