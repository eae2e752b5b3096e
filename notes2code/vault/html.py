"""Reads web pages, above all what note-taking programs export."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import unquote

from notes2code.diagnostics import Problem, Span, warning
from notes2code.vault.content import Content
from notes2code.vault.htmlcode import CodeText
from notes2code.vault.htmlmath import (
    Source,
    annotation_source,
    attribute_source,
    is_annotation,
    is_displayed,
    is_drawn,
    is_math_script,
    script_source,
)
from notes2code.vault.htmlrun import Run, without_own_signs
from notes2code.vault.htmltokens import VOID, Tag, Text, add_decoded, html_tokens
from notes2code.vault.looks import looks_like_formula
from notes2code.vault.model import CodeBlock, Formula, Link, Paragraph, Scene
from notes2code.vault.placed import PlacedText

_PAGE = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_BODY = re.compile(r"<body[\s>]", re.IGNORECASE)
_HEADING = re.compile(r"h([1-6])")
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section"
    " summary table tbody td tfoot th thead tr ul".split()
)
_UNSEEN = frozenset(
    "button iframe nav noframes noscript script select style svg template textarea xmp".split()
)
_UNSEEN_CLASSES = frozenset(
    "MathJax_Preview katex-html CodeMirror-measure CodeMirror-gutters CodeMirror-cursors"
    " CodeMirror-gutter-wrapper CodeMirror-linenumber linenos lineno line-numbers-rows"
    " header-anchor headerlink anchor-link md-header-anchor".split()
)
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:|//)")


def read_html(text: str) -> tuple[str, Content]:
    """Read a page; returns its title, or nothing where it has none, and what it holds."""
    reader = _Reader(without_own_signs(text))
    reader.read()
    return reader.title, reader.content()


@dataclass(slots=True)
class _Open:
    """An element that is not closed yet; ``role`` says what its end brings about."""

    name: str
    role: str = ""


@dataclass(slots=True)
class _Drawn:
    """A formula as a program drew it; its source can also stand in a script behind it."""

    start: int
    display: bool
    source: Source | None = None
    attribute: Source | None = None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.title = self.first_heading = ""
        self.open: list[_Open] = []
        self.names: Counter[str] = Counter()
        self.visible = _BODY.search(text) is None
        self.unseen = False
        self.drawn: _Drawn | None = None
        self.waiting: _Drawn | None = None
        self.script: Tag | None = None
        self.code: CodeText | None = None
        self.code_span: PlacedText | None = None
        self.run = Run()
        self.sections: list[tuple[int, str]] = []
        self.code_formulas: list[Formula] = []
        self.formulas: list[Formula] = []
        self.blocks: list[CodeBlock] = []
        self.paragraphs: list[Paragraph] = []
        self.links: list[Link] = []
        self.scenes: list[Scene] = []
        self.lost: list[Span] = []

    def read(self) -> None:
        page = _PAGE.search(self.text)
        for token in html_tokens(self.text, page.start() if page else 0):
            if isinstance(token, Text):
                self.read_text(token)
            elif token.closing:
                self.close(token)
            else:
                self.start(token)
        while self.open:
            self.leave(self.open.pop(), len(self.text))
        self.flush()
        self.title = self.title or self.first_heading

    def content(self) -> Content:
        problems: tuple[Problem, ...] = ()
        if self.lost:
            problems = (_only_drawn(len(self.lost), self.lost[0]),)
        formulas = sorted(self.formulas, key=lambda formula: formula.places.offset(0))
        return Content(
            tuple(formulas), tuple(self.blocks), tuple(self.paragraphs), tuple(self.links),
            tuple(self.scenes), problems,
        )  # fmt: skip

    # Elements

    def start(self, tag: Tag) -> None:
        role = self.role(tag)
        # Only foreign elements (SVG, MathML), which are all in these, can end at once.
        foreign = self.unseen or self.drawn is not None
        if tag.name not in VOID and not (foreign and self.text[tag.end - 2] == "/"):
            self.open.append(_Open(tag.name, role))
            self.names[tag.name] += 1

    def role(self, tag: Tag) -> str:
        """Take note of a start tag; returns the role of its element."""
        if tag.name == "body":
            self.visible = True
        if self.unseen:
            return ""
        if self.drawn:
            return self.inside_drawn(self.drawn, tag)
        if tag.name == "title" and not self.title:
            return "title"
        if tag.name == "script" and is_math_script(tag):
            self.script = tag
            return "script"
        if tag.name in _UNSEEN or not _UNSEEN_CLASSES.isdisjoint(tag.classes):
            self.unseen = True
            return "unseen"
        if not self.visible:
            return ""
        return self.code.start(tag) if self.code else self.visible_role(tag)

    def inside_drawn(self, drawn: _Drawn, tag: Tag) -> str:
        drawn.display |= is_displayed(tag)
        if is_annotation(tag):
            return "annotation"
        drawn.attribute = drawn.attribute or attribute_source(self.text, tag, drawn.display)
        return ""

    def visible_role(self, tag: Tag) -> str:
        if is_drawn(tag):
            self.settle()
            display = is_displayed(tag) or any(item.role == "display" for item in self.open[-4:])
            self.drawn = _Drawn(tag.start, display)
            self.inside_drawn(self.drawn, tag)
            return "drawn"
        if tag.name == "pre" or "CodeMirror" in tag.classes:
            self.flush()
            self.code = CodeText(self.text, tag)
            return "code block"
        if tag.name == "code":
            self.code_span = PlacedText()
            return "code"
        if tag.name in _BLOCKS:
            self.flush()
            return "block"
        if tag.name in ("a", "img"):
            self.link(tag)
        self.run.element(tag.name, False, tag.start)
        return "display" if is_displayed(tag) else "inline"

    def close(self, tag: Tag) -> None:
        """Close the innermost element of that name, and those left open in it."""
        if not self.names[tag.name]:
            return
        while True:
            item = self.open.pop()
            self.names[item.name] -= 1
            self.leave(item, tag.start)
            if item.name == tag.name:
                return

    def leave(self, item: _Open, end: int) -> None:
        if item.role == "unseen":
            self.unseen = False
        elif item.role == "drawn":
            self.waiting, self.drawn = self.drawn, None
        elif item.role == "code block":
            self.finish_code()
        elif item.role == "line" and self.code:
            self.code.line_open = False
        elif item.role == "code":
            self.finish_code_span()
        elif item.role == "block":
            heading = _HEADING.fullmatch(item.name)
            self.flush(int(heading[1]) if heading else 0)
            self.visible &= item.name != "body"
        elif item.role == "script":
            self.script = None
        elif item.role == "inline":
            self.run.element(item.name, True, end)

    def link(self, tag: Tag) -> None:
        written = tag.values.get("src" if tag.name == "img" else "href", "").strip()
        embed = tag.name == "img"
        outside = _SCHEME.match(written) is not None
        if not written or written.startswith("#") or (outside and not embed):
            return
        if written.startswith("data:"):
            written = "data:"
        path, _, anchor = written.partition("#")
        self.links.append(Link(unquote(path), unquote(anchor), embed, tag.start, tag.end))

    # Text

    def read_text(self, token: Text) -> None:
        role = self.open[-1].role if self.open else ""
        if role == "title":
            self.read_title(token)
        elif self.unseen:
            return
        elif self.drawn:
            if role == "annotation":
                self.drawn.source = annotation_source(
                    self.text, token.start, token.end, self.drawn.display
                )
        elif self.script:
            source = script_source(self.text, self.script, token.start, token.end)
            if source:
                self.waiting = None
                self.run.formula(source)
        elif self.visible and not token.raw:
            self.read_visible(token)

    def read_title(self, token: Text) -> None:
        title = PlacedText()
        add_decoded(title, self.text, token.start, token.end)
        self.title = " ".join(title.whole()[0].split())

    def read_visible(self, token: Text) -> None:
        if self.code:
            self.code.text(token)
            return
        if self.text[token.start : token.end].strip():
            self.settle()
        self.run.text(self.text, token.start, token.end)
        if self.code_span:
            add_decoded(self.code_span, self.text, token.start, token.end)

    def settle(self) -> None:
        """Take a drawn formula's own source, now that no script follows it."""
        drawn, self.waiting = self.waiting, None
        if drawn is None:
            return
        source = drawn.source or drawn.attribute
        if source is None:
            self.lost.append(Span(drawn.start, drawn.start + 1))
        else:
            self.run.formula(Source(source.latex, source.places, drawn.display))

    def section(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.sections)

    def flush(self, heading: int = 0) -> None:
        """End the paragraph that was gathered."""
        self.settle()
        text, start, end, sources = self.run.finish()
        self.run = Run()
        if heading and text:
            while self.sections and self.sections[-1][0] >= heading:
                self.sections.pop()
            self.sections.append((heading, " ".join(text.split())))
            if heading == 1:
                self.first_heading = self.first_heading or self.sections[-1][1]
        section = self.section()
        for source in sources:
            formula = Formula(source.latex, source.places, source.display, section)
            self.formulas.append(formula)
        for code in self.code_formulas:
            self.formulas.append(Formula(code.latex, code.places, False, section, code=True))
        self.code_formulas.clear()
        if text:
            self.paragraphs.append(Paragraph(text, start, end, section, heading=heading))

    # Code

    def finish_code_span(self) -> None:
        if self.code_span:
            latex, places = self.code_span.stripped()
            if looks_like_formula(latex):
                self.code_formulas.append(Formula(latex, places, display=False, code=True))
        self.code_span = None

    def finish_code(self) -> None:
        if self.code is None:
            return
        name = f"mermaid-{len(self.scenes) + 1}"
        block, formulas, scene = self.code.finish(self.section(), name)
        self.blocks.extend(block)
        self.formulas.extend(formulas)
        self.scenes.extend(scene)
        self.code = None


def _only_drawn(number: int, place: Span) -> Problem:
    told = f"{number} formulas are" if number > 1 else "a formula is"
    return warning(
        "N2C010",
        f"{told} only drawn on this page, without the LaTeX, and cannot be read",
        place,
        "read the note itself, or export it with a program that keeps the LaTeX",
    )
