"""Reads plain ``.excalidraw`` files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from notes2code.diagnostics import Span
from notes2code.vault.content import Content
from notes2code.vault.excalidraw import mermaid_scenes
from notes2code.vault.jsontext import PlacedStr
from notes2code.vault.labels import read_label
from notes2code.vault.model import Formula, Link, Scene
from notes2code.vault.scene import (
    Drawing,
    SceneError,
    damaged,
    element_text,
    empty,
    is_mermaid,
    unpack_file,
)


def read_excalidraw_file(text: str) -> Content:
    """Read a drawing whose file is the JSON of its scene."""
    if not text.strip():
        return Content(problems=(empty("drawing"),))
    try:
        drawing = Drawing(unpack_file(text))
    except SceneError as error:
        at = error.position
        return Content(problems=(damaged(str(error), Span(at, at + 1)),))
    latex = drawing.latex()
    whole = Span(0, len(text))
    scene = Scene("drawing", "excalidraw", drawing.data(latex, {}), whole.start, whole.end)
    formulas = tuple(_formulas(latex.values(), text))
    parts = Content(
        formulas,
        links=tuple(_images(drawing, latex)),
        scenes=(scene, *mermaid_scenes(drawing, whole)),
        problems=() if drawing.elements else (empty("drawing"),),
    )
    return Content.joined([*_labels(drawing, text), parts])


def _labels(drawing: Drawing, text: str) -> Iterator[Content]:
    for item in drawing.of_type("text"):
        label = element_text(item)
        if isinstance(label, PlacedStr):
            yield read_label(label, label.places(text))


def _formulas(equations: Iterable[str], text: str) -> Iterator[Formula]:
    for latex in equations:
        written = latex.strip()
        if isinstance(latex, PlacedStr) and written:
            left = len(latex) - len(latex.lstrip())
            yield Formula(written, latex.places(text).part(left, len(written)), display=True)


def _images(drawing: Drawing, latex: dict[str, str]) -> Iterator[Link]:
    """Images proper, which cannot be read."""
    for image in drawing.of_type("image"):
        name = image.get("fileId")
        if isinstance(name, PlacedStr) and name not in latex and not is_mermaid(image):
            yield Link("data:", "", True, name.start, name.start + len(name))
