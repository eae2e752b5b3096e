"""Reads drawings that the Obsidian Excalidraw plugin keeps in Markdown notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from notes2code.diagnostics import Problem, Severity, Span, note, warning
from notes2code.vault.content import Content
from notes2code.vault.frontmatter import FrontMatter
from notes2code.vault.labels import read_label
from notes2code.vault.markdown import read_markdown
from notes2code.vault.model import Formula, Link, Scene, SourceMap
from notes2code.vault.placed import PlacedText
from notes2code.vault.scene import Drawing, SceneError, damaged, unpack

# Headings are found anywhere in a line: editing can glue one to the line before it.
_DATA = re.compile(r"##? Excalidraw Data[ \t]*\r?$", re.MULTILINE)
_TEXTS = re.compile(r"##? Text Elements[ \t]*\r?$", re.MULTILINE)
_TEXTS_END = re.compile(r"##? (?:Element Links|Embedded [Ff]iles)[ \t]*\r?$", re.MULTILINE)
_FILES = re.compile(r"##? Embedded [Ff]iles[ \t]*\r?$", re.MULTILINE)
_FILES_END = re.compile(r"^#{1,2} ", re.MULTILINE)
_SCENE = re.compile(
    r"##? Drawing[ \t]*\r?\n[^`{]{0,200}(?:```(compressed-)?json[ \t]*\r?\n|(?=\{))"
)
_BANNER = re.compile(r"\s*==⚠[^\n]*")
_TEXT_END = re.compile(r"[ \t\n]\^(\S{8})[ \t]*\r?(?=\n|\Z)")
_EQUATION = re.compile(r"^([\w-]+):[ \t]*\$\$", re.MULTILINE)
_EQUATION_END = re.compile(r"\$\$[ \t]*\r?$", re.MULTILINE)
_FILE = re.compile(
    r"^([\w-]+):[ \t]*(?:!?\[\[([^\[\]\n]*)\]\]|((?:https?|file|ftps?)://\S+))", re.MULTILINE
)
_REMOVE_PROPERTY = "remove the property excalidraw-plugin, or restore an older version"
_FALSE = (None, False, 0, "", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class _Equation:
    file_id: str
    formula: Formula
    span: Span


def is_excalidraw(front: FrontMatter, text: str) -> bool:
    """Whether a Markdown note is a drawing, which its properties say and not its name."""
    if front.properties:
        return front.properties.get("excalidraw-plugin") not in _FALSE
    written = re.search(r"^excalidraw-plugin:[ \t]*(\S*)", text[: front.end], re.MULTILINE)
    return written is not None and written[1] not in _FALSE


def read_excalidraw(text: str, front: FrontMatter) -> Content:
    """Read a drawing that the Obsidian plugin keeps in a Markdown note."""
    # The last one counts: a text on the drawing can read like the heading.
    scene = next(reversed(list(_SCENE.finditer(text, front.end))), None)
    end = scene.start() if scene else len(text)
    headings = [pattern.search(text, front.end, end) for pattern in (_DATA, _TEXTS)]
    start = next((heading.start() for heading in headings if heading), end)
    card = _read_card(text, front, start)
    texts = _texts(text, start, end)
    labels = [
        read_label(text[place.start : place.end], SourceMap.at(place.start), card.tags)
        for place in texts.values()
    ]
    files = _section(text, _FILES, _FILES_END, start, end)
    equations, problems = _equations(text, files, card.tags)
    drawing, damage = _decode(text, scene)
    rest = _on_drawing(drawing, scene, text, texts, equations, _links(text, files))
    return replace(
        Content.joined([card, *labels, Content(problems=(*problems, *damage)), rest]),
        tags=card.tags,
    )


def _read_card(text: str, front: FrontMatter, end: int) -> Content:
    """Read the back of the card: the note's own Markdown between its head and the data."""
    written = text[:end].rstrip()
    if written.endswith("%%"):
        written = written[:-2].rstrip()
    if written.endswith("#"):
        written = written[:-1]
    banner = _BANNER.match(text, front.end)
    begin = min(banner.end() if banner else front.end, len(written))
    return read_markdown(text, replace(front, end=begin), max(begin, len(written)))


def _section(
    text: str, heading: re.Pattern[str], ends: re.Pattern[str], start: int, end: int
) -> Span:
    """The range below a heading of the drawing's data, empty when there is none."""
    found = heading.search(text, start, end)
    if found is None:
        return Span(end, end)
    close = ends.search(text, found.end(), end)
    return Span(found.end(), close.start() if close else end)


def _texts(text: str, start: int, end: int) -> dict[str, Span]:
    """The texts on the drawing, by element id."""
    section = _section(text, _TEXTS, _TEXTS_END, start, end)
    texts: dict[str, Span] = {}
    position = section.start
    for match in _TEXT_END.finditer(text, section.start, section.end):
        written = text[position : match.start()]
        left = position + len(written) - len(written.lstrip())
        texts[match[1]] = Span(left, max(left, position + len(written.rstrip())))
        position = match.end()
    return texts


def _equations(
    text: str, section: Span, tags: tuple[str, ...]
) -> tuple[list[_Equation], list[Problem]]:
    """The LaTeX equations among the embedded files."""
    equations: list[_Equation] = []
    problems: list[Problem] = []
    starts = list(_EQUATION.finditer(text, section.start, section.end))
    limits = [*(match.start() for match in starts[1:]), section.end]
    for match, limit in zip(starts, limits, strict=False):
        close = _EQUATION_END.search(text, match.end(), limit)
        if close is None:
            sign = Span(match.end() - 2, match.end())
            message = "the formula that starts with $$ is not closed"
            problems.append(
                Problem("N2C006", Severity.ERROR, message, sign, "write $$ behind the formula")
            )
            continue
        latex = PlacedText()
        latex.add(text[match.end() : close.start()], match.end())
        formula = Formula(*latex.stripped(), display=True, tags=tags)
        if formula.latex:
            equations.append(_Equation(match[1], formula, Span(match.start(), close.end())))
    return equations, problems


def _links(text: str, section: Span) -> dict[str, Link]:
    """The embedded files that are no equations, by file id."""
    links: dict[str, Link] = {}
    for match in _FILE.finditer(text, section.start, section.end):
        path, _, anchor = (match[3] or match[2].partition("|")[0]).partition("#")
        links[match[1]] = Link(path.strip(), anchor.strip(), True, match.start(), match.end())
    return links


def _decode(text: str, scene: re.Match[str] | None) -> tuple[Drawing | None, list[Problem]]:
    if scene is None:
        missing = "the note says that it is a drawing, but holds no drawing data"
        return None, [warning("N2C011", missing, Span(0, 3), _REMOVE_PROPERTY)]
    end = text.find("`", scene.end()) if scene[1] else -1  # JSON can hold a fence itself
    written = text[scene.end() : len(text) if end < 0 else end]
    try:
        return Drawing(unpack(written, compressed=bool(scene[1]))), []
    except SceneError as error:
        at = scene.end() + error.position
        return None, [damaged(str(error), Span(at, at + 1))]


def _on_drawing(
    drawing: Drawing | None,
    scene: re.Match[str] | None,
    text: str,
    texts: dict[str, Span],
    equations: list[_Equation],
    links: dict[str, Link],
) -> Content:
    """What the live elements show; all there is when the scene cannot be decoded."""
    if drawing is None or scene is None:
        return Content(
            tuple(equation.formula for equation in equations), links=tuple(links.values())
        )
    live = drawing.image_ids
    problems = [_unused(equation) for equation in equations if equation.file_id not in live]
    raw = {name: text[span.start : span.end] for name, span in texts.items()}
    mark = Span(scene.start(), scene.start() + len(scene[0].split("\n")[0]))
    if any(counts := drawing.stale(raw)):
        problems.append(_stale(*counts, mark))
    latex = {equation.file_id: equation.formula.latex for equation in equations}
    data = drawing.data(latex, raw)
    return Content(
        tuple(equation.formula for equation in equations if equation.file_id in live),
        links=tuple(link for name, link in links.items() if name in live),
        scenes=(
            Scene("drawing", "excalidraw", data, mark.start, mark.end),
            *mermaid_scenes(drawing, mark),
        ),
        problems=tuple(problems),
    )


def mermaid_scenes(drawing: Drawing, place: Span) -> Iterator[Scene]:
    """The Mermaid diagrams that stand on a drawing as images."""
    for number, source in enumerate(drawing.mermaid(), 1):
        yield Scene(f"mermaid-{number}", "mermaid", source, place.start, place.end)


def _unused(equation: _Equation) -> Problem:
    return note(
        "N2C013",
        "this equation is not on the drawing and was left out",
        equation.span,
        "delete the line, or put the equation on the drawing again",
    )


def _stale(lost: int, unknown: int, place: Span) -> Problem:
    told = f"{lost} of the note's texts are not in it" if lost else ""
    told += " and " if lost and unknown else ""
    told += f"{unknown} of its texts are not in the note" if unknown else ""
    return warning(
        "N2C012",
        f"the drawing is older than the note's texts: {told}",
        place,
        "open the note in Obsidian's Excalidraw view and save it",
    )
