"""Reads Markdown as Obsidian writes it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from notes2code.vault.codeblocks import code_formulas, code_language, code_text
from notes2code.vault.content import Content
from notes2code.vault.directives import Directive, assign_directives
from notes2code.vault.frontmatter import FrontMatter
from notes2code.vault.lines import Lines
from notes2code.vault.links import wikilink_text
from notes2code.vault.looks import looks_like_formula, undelimited
from notes2code.vault.masked import WORD, body, mask, number
from notes2code.vault.model import CodeBlock, Formula, Paragraph, Scene, SourceMap
from notes2code.vault.outline import Heading, Outline
from notes2code.vault.pieces import LINE_PREFIX, Kind
from notes2code.vault.prose import plain_text
from notes2code.vault.verbatim import find_pieces

# Only blocks: what stands in a line is found by `verbatim` and `prose`, faster and with
# columns. Reference definitions would swallow footnotes, HTML blocks the math in them.
_BLOCKS = (
    MarkdownIt("commonmark", {"maxNesting": 200})
    .enable("table")
    .disable(["inline", "reference", "html_block"])
)
_CALLOUT = re.compile(r"\[!([\w-]+)(?:\|[^\]]*)?\][+-]?[ \t]*")
# `#3 Encoder`, `#4. Feed Forward`: a heading in handwritten outlines, for Markdown none.
_NUMBERED = re.compile(r"#(\d+\.?[ \t]+\S.*)")
_TAG_BEFORE_WORDS = re.compile(r"#([^\s#]+[ \t]+[^\s#].*)")
_TAG_IN_HEADING = re.compile(r"(?<!\S)#[^\s#]*[^\s#\d][^\s#]*")


class _Placed(NamedTuple):
    """A formula and the lines of the masked text it stands on."""

    formula: Formula
    first: int
    last: int
    start: int


class _Text(NamedTuple):
    """A paragraph to be, and the lines of the masked text it stands on."""

    text: str
    start: int
    end: int
    first: int
    last: int
    heading: int = 0


def read_markdown(text: str, front: FrontMatter | None = None, end: int | None = None) -> Content:
    """Read ``text``, from behind its front matter up to ``end``."""
    front = front or FrontMatter(0)
    return _Reader(text, front, len(text) if end is None else end).read()


class _Reader:
    def __init__(self, text: str, front: FrontMatter, end: int) -> None:
        self.text, self.front, self.end = text, front, end
        self.found = find_pieces(text, front.end, end)
        self.pieces = self.found.pieces
        self.masked = mask(text, front.end, end, self.pieces)
        self.lines = Lines(self.masked, front.end)
        self.in_code: set[int] = set()
        self.in_table: set[int] = set()
        self.bodies: dict[int, tuple[str, SourceMap]] = {}
        self.headings: list[Heading] = []
        self.paragraphs: list[_Text] = []
        self.code: list[tuple[CodeBlock, int]] = []
        self.formulas: list[_Placed] = []
        self.scenes: list[Scene] = []
        self.code_lines: set[int] = set()
        self.row, self.cursor = -1, 0

    def read(self) -> Content:
        tokens = _BLOCKS.parse(self.masked)
        for before, token in pairwise(tokens):
            if token.type == "inline":
                self.inline(before, token)
            elif token.type in ("fence", "code_block"):
                self.block(token)
        if tokens and tokens[0].type in ("fence", "code_block"):
            self.block(tokens[0])
        self.read_pieces()
        return self.content()

    # Blocks

    def inline(self, before: Token, token: Token) -> None:
        first, last = token.map or [0, 0]
        if before.type in ("th_open", "td_open"):
            self.cell(first, token.content)
        elif not token.content:
            return
        elif before.type == "heading_open" and not (
            before.markup in ("-", "=") and self.is_display(token.content)
        ):
            self.heading(int(before.tag[1]), first, last, token.content, token.level == 1)
        else:
            self.paragraph(first, token.content, token.level == 1)

    def is_display(self, content: str) -> bool:
        """Whether text ends in a line of display math; below it ``---`` makes no heading."""
        word = WORD.fullmatch(content.rpartition("\n")[2].strip())
        return word is not None and self.pieces[number(word)].kind is Kind.DISPLAY

    def heading(self, level: int, first: int, last: int, content: str, top: bool) -> None:
        """A heading; one in a quote or list opens no section of the note."""
        text = plain_text(content, self.render)
        start = self.start_of(first, content.split("\n", 1)[0])
        end = self.lines.start(last - 1) + len(self.lines.text(last - 1).rstrip())
        self.paragraphs.append(_Text(text, start, end, first, last - 1, level))
        if top:
            text = " ".join(_TAG_IN_HEADING.sub("", text).split())
            self.headings.append(Heading(first, last - 1, level, text))

    def start_of(self, line: int, content: str) -> int:
        """The offset at which ``content``, the end of a line, starts in it."""
        at = self.lines.text(line).rfind(content.strip())
        return self.lines.start(line) + max(at, 0)

    def paragraph(self, first: int, content: str, top: bool) -> None:
        numbered = _NUMBERED.fullmatch(content) if top else None
        if numbered:
            self.heading(1, first, first + 1, numbered[1], top)
            return
        if content[0] not in "[#" and "\n#" not in content:
            self.add_paragraph(first, content)
            return
        groups: list[tuple[int, list[str]]] = []
        alone = True
        for line, written in enumerate(content.split("\n"), first):
            callout = _CALLOUT.match(written) if not groups else None
            tagged = _TAG_BEFORE_WORDS.fullmatch(written.strip())
            text = written[callout.end() :] if callout else tagged[1] if tagged else written
            if alone or tagged:
                groups.append((line, [text]))
            else:
                groups[-1][1].append(text)
            alone = bool(callout or tagged)
        for line, texts in groups:
            self.add_paragraph(line, "\n".join(texts))

    def add_paragraph(self, first: int, content: str) -> None:
        text = plain_text(content.strip(), self.render)
        if text:
            last = first + content.count("\n")
            start = self.start_of(first, content.partition("\n")[0])
            end = self.lines.start(last) + len(self.lines.text(last).rstrip())
            self.paragraphs.append(_Text(text, start, end, first, last))

    def cell(self, line: int, content: str) -> None:
        """One cell of a table; the cells of a row come in their order."""
        base = self.front.end
        start, end = self.lines.start(line) - base, self.lines.end(line) - base
        if line != self.row:
            self.row = line
            prefix = LINE_PREFIX.match(self.masked, start, end)
            self.cursor = prefix.end() if prefix else start
            self.cursor += self.masked.startswith("|", self.cursor)
        written = content.replace("|", r"\|")
        at = max(self.masked.find(written, self.cursor, end), self.cursor)
        self.in_table.update(number(word) for word in WORD.finditer(content))
        if text := plain_text(content, self.render):
            start = base + at
            self.paragraphs.append(_Text(text, start, start + len(written), line, line))
        bar = self.masked.find("|", at + len(written), end)
        self.cursor = bar + 1 if bar >= 0 else end

    def block(self, token: Token) -> None:
        first, last = token.map or [0, 0]
        held = range(
            bisect_left(self.pieces, self.lines.start(first), key=lambda piece: piece.start),
            bisect_left(self.pieces, self.lines.end(last - 1), key=lambda piece: piece.start),
        )
        if token.type == "code_block" and held and self.is_display_block(token, held[0]):
            return
        self.in_code.update(held)
        self.code_lines.update(range(first, last))
        text, places = code_text(token, self.text, self.lines)
        start = places.offset(0)
        language = code_language(token)
        if language == "mermaid":
            name = f"mermaid-{len(self.scenes) + 1}"
            self.scenes.append(Scene(name, "mermaid", text, start, start + len(text)))
            return
        if language != "math":
            self.code.append((CodeBlock(text, language, places), first))
        for formula in code_formulas(text, language, places):
            self.add_formula(formula, first, last - 1)

    def is_display_block(self, token: Token, index: int) -> bool:
        """Whether indented "code" is math: it starts with a display formula."""
        content_start = len(token.content) - len(token.content.lstrip())
        return (
            self.pieces[index].kind is Kind.DISPLAY
            and WORD.match(token.content, content_start) is not None
        )

    # Pieces

    def body(self, index: int) -> tuple[str, SourceMap]:
        if index not in self.bodies:
            in_table = index in self.in_table
            self.bodies[index] = body(self.text, self.pieces[index], in_table)
        return self.bodies[index]

    def render(self, word: re.Match[str]) -> str:
        """The text of a piece in running text."""
        index = number(word)
        piece = self.pieces[index]
        if piece.kind in (Kind.INLINE, Kind.DISPLAY):
            latex = " ".join(self.body(index)[0].split())
            return f"${latex}$" if latex else ""
        if piece.kind is Kind.CODE:
            return self.body(index)[0]
        written = self.text[piece.start : piece.end]
        if piece.kind is Kind.LINK:
            return wikilink_text(written)
        return written if piece.kind is Kind.BROKEN else ""

    def read_pieces(self) -> None:
        for index, piece in enumerate(self.pieces):
            if index in self.in_code or piece.kind in (Kind.LINK, Kind.COMMENT, Kind.BROKEN):
                continue
            latex, places = self.body(index)
            code = piece.kind is Kind.CODE
            if code:
                start, latex = undelimited(latex)
                places = places.part(start, len(latex))
            if latex and (not code or looks_like_formula(latex)):
                formula = Formula(latex, places, piece.kind is Kind.DISPLAY, code=code)
                line = self.lines.of(piece.start)
                self.add_formula(formula, line, line)

    def add_formula(self, formula: Formula, first: int, last: int) -> None:
        self.formulas.append(_Placed(formula, first, last, formula.places.offset(0)))

    def directives(self) -> Iterator[Directive]:
        for index, piece in enumerate(self.pieces):
            if piece.kind is Kind.COMMENT and index not in self.in_code:
                written = self.text[piece.body_start : piece.body_end].strip()
                if written.startswith("n2c:"):
                    line = self.lines.of(piece.start)
                    yield Directive(written[4:].strip(), piece.start, piece.end, line)

    # Sections and tags

    def content(self) -> Content:
        formulas = sorted(self.formulas, key=lambda placed: placed.start)
        tags = self.line_tags()
        outline = Outline(
            self.headings,
            tags,
            self.first_lines() if tags else {},
            {placed.first for placed in formulas if not placed.formula.code},
            self.front.tags,
        )
        owned, problems = assign_directives(
            list(self.directives()), [(p.start, p.first, p.last) for p in formulas]
        )
        return Content(
            tuple(
                self.in_section(placed, outline, tags, owned.get(index, ()))
                for index, placed in enumerate(formulas)
            ),
            tuple(replace(code, section=outline.at(line).path) for code, line in self.code),
            tuple(self.paragraphs_in(outline, tags)),
            tuple(self.found.links),
            tuple(self.scenes),
            (*self.found.problems, *problems),
            outline.note_tags,
        )

    def line_tags(self) -> dict[int, list[str]]:
        tags: dict[int, list[str]] = {}
        for offset, tag in self.found.tags:
            line = self.lines.of(offset)
            if line not in self.code_lines:
                tags.setdefault(line, []).append(tag)
        return tags

    def first_lines(self) -> dict[int, int]:
        """The first line with text below each heading, by the last line of the heading."""
        below: dict[int, int] = {}
        for heading in self.headings:
            line = heading.last + 1
            while line < self.lines.count and not self.lines.text(line).strip():
                line += 1
            below[heading.last] = line
        return below

    def in_section(
        self,
        placed: _Placed,
        outline: Outline,
        tags: dict[int, list[str]],
        directives: tuple[str, ...],
    ) -> Formula:
        section = outline.at(placed.first)
        own = tags.get(placed.first, ())
        held = tuple(dict.fromkeys((*section.tags, *own))) if own else section.tags
        formula = placed.formula
        return Formula(
            formula.latex, formula.places, formula.display, section.path, held, formula.code,
            directives,
        )  # fmt: skip

    def paragraphs_in(self, outline: Outline, tags: dict[int, list[str]]) -> Iterator[Paragraph]:
        for found in self.paragraphs:
            section = outline.at(found.first)
            lines = range(found.first, found.last + 1) if tags else ()
            own = [tag for line in lines for tag in tags.get(line, ())]
            held = tuple(dict.fromkeys((*section.tags, *own))) if own else section.tags
            yield Paragraph(found.text, found.start, found.end, section.path, held, found.heading)
