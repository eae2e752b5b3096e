"""Decodes the scene of an Excalidraw drawing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from notes2code.diagnostics import Problem, Severity, Span, note
from notes2code.vault.jsontext import load_json, whole_characters
from notes2code.vault.lzstring import DamagedError, decompress_from_base64

_LARGEST = 32 * 2**20
_SHORT_ID = 8
_MERMAID = "mermaidText"


class SceneError(ValueError):
    """The scene cannot be decoded; ``position`` is the place of the error where it is known."""

    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(reason)
        self.position = position


def unpack(written: str, compressed: bool) -> Any:
    """Decode the scene in a note, which may be followed by other text. Raises SceneError."""
    try:
        scene = decompress_from_base64(written, _LARGEST) if compressed else written
    except DamagedError as error:
        raise SceneError(str(error)) from None
    scene = scene[: scene.rfind("}") + 1].replace("&#91;", "[")
    return decode(scene, json.loads, known_place=not compressed)


def unpack_file(text: str) -> Any:
    """Decode a plain ``.excalidraw`` file; its strings are PlacedStr. Raises SceneError."""
    return decode(text, load_json, known_place=True)


def decode(scene: str, loads: Callable[[str], Any], known_place: bool) -> Any:
    """Decode JSON; the place of an error is told when ``scene`` is the file's own text."""
    try:
        return loads(whole_characters(scene))
    except json.JSONDecodeError as error:
        raise SceneError(f"it is no JSON: {error.msg}", error.pos * known_place) from None
    except RecursionError:
        raise SceneError("it is nested too deeply") from None
    except ValueError as error:
        raise SceneError(str(error)) from None


class Drawing:
    """A decoded scene, of which only what is on the drawing is looked at."""

    def __init__(self, scene: Any) -> None:
        """Raises SceneError when ``scene`` is no Excalidraw scene."""
        if not isinstance(scene, dict) or not isinstance(scene.get("elements"), list):
            raise SceneError("it holds no list of elements")
        elements = [item for item in scene["elements"] if isinstance(item, dict)]
        self._scene = scene
        self.ids = {_text(item, "id") for item in elements}
        self.elements = [item for item in elements if not item.get("isDeleted")]

    def of_type(self, name: str) -> Iterator[dict[str, Any]]:
        """The live elements of a type."""
        return (item for item in self.elements if item.get("type") == name)

    @property
    def image_ids(self) -> set[str]:
        """The files that live images show."""
        return {_text(image, "fileId") for image in self.of_type("image")}

    def mermaid(self) -> Iterator[str]:
        """The Mermaid source of each live image that was made from it."""
        return (_custom(image, _MERMAID) for image in self.of_type("image") if is_mermaid(image))

    def stale(self, texts: Mapping[str, str]) -> tuple[int, int]:
        """How many of the note's texts, by id, the scene lacks, and the note of the scene's.

        Ids longer than eight characters are not yet in the note.
        """
        own = {_text(item, "id") for item in self.of_type("text")}
        kept = {name for name in own if 0 < len(name) <= _SHORT_ID}
        return len(texts.keys() - self.ids), len(kept - texts.keys())

    def data(self, latex: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, Any]:
        """The scene with its live elements and without its files.

        ``latex`` gives equations by file id and ``texts`` the note's texts by element id;
        where they differ from the scene's, the note is right.
        """
        data = {name: value for name, value in self._scene.items() if name != "files"}
        data["elements"] = [
            {**item, "rawText": texts[name]}
            if item.get("type") == "text" and (name := _text(item, "id")) in texts
            else item
            for item in self.elements
        ]
        data["latex"] = {name: latex[name] for name in latex if name in self.image_ids}
        return data

    def latex(self) -> dict[str, str]:
        """Equations that the scene itself holds, by the file id of their live image."""
        files = self._scene.get("files")
        found: dict[str, str] = {}
        for image in self.of_type("image"):
            name = _text(image, "fileId")
            file = files.get(name) if isinstance(files, dict) else None
            latex = _custom(image, "latex") or _custom(file, "latex") or _text(file, "latex")
            if latex:
                found[name] = latex
        return found


def is_mermaid(image: Mapping[str, Any]) -> bool:
    """Whether an image was drawn from Mermaid source."""
    return _custom(image, _MERMAID) != ""


def _custom(item: Any, name: str) -> str:
    """A text that a plugin stored with an element or file, or nothing."""
    return _text(item.get("customData"), name) if isinstance(item, dict) else ""


def element_text(item: Mapping[str, Any]) -> str:
    """The text of a text element as its author typed it."""
    return _text(item, "rawText") or _text(item, "originalText") or _text(item, "text")


def damaged(reason: str, span: Span) -> Problem:
    """The problem of a scene that cannot be decoded."""
    return Problem(
        "N2C011",
        Severity.ERROR,
        f"the drawing cannot be read: {reason}",
        span,
        "open the drawing in Excalidraw and save it, or restore an older version",
    )


def empty(what: str) -> Problem:
    """The remark that a drawing or canvas holds nothing."""
    return note("N2C015", f"the {what} is empty", Span(0, 1), f"delete it, or draw the {what}")


def _text(item: Any, name: str) -> str:
    """A text that ``item`` should hold; nothing where it holds none."""
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, str) else ""
