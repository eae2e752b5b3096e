"""Reads JSON Canvas files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from notes2code.diagnostics import Problem, Severity, Span
from notes2code.vault.content import Content
from notes2code.vault.jsontext import PlacedStr, load_json
from notes2code.vault.labels import read_label
from notes2code.vault.markdown import read_markdown
from notes2code.vault.model import Link, Scene
from notes2code.vault.scene import empty


def read_canvas(text: str) -> Content:
    """Read a canvas: its text nodes are Markdown, its file nodes embed notes and images."""
    if not text.strip():
        return Content(problems=(empty("canvas"),))
    try:
        canvas = load_json(text)
    except json.JSONDecodeError as error:
        return _damaged(f"it is no JSON: {error.msg}", error.pos)
    except ValueError as error:
        return _damaged(str(error), 0)
    if not isinstance(canvas, dict):
        return _damaged("it holds no nodes", 0)
    nodes, edges = (_objects(canvas, name) for name in ("nodes", "edges"))
    if nodes is None or edges is None:
        return _damaged("its nodes and edges are no lists of objects", 0)
    scene = Scene("canvas", "canvas", canvas, 0, len(text))
    problems = () if nodes else (empty("canvas"),)
    return Content.joined([
        *(part for node in nodes for part in _node(node, text)),
        *(part for edge in edges for part in _label(edge, text)),
        Content(scenes=(scene,), problems=problems),
    ])  # fmt: skip


def _objects(canvas: dict[str, Any], name: str) -> list[dict[str, Any]] | None:
    """A list of a canvas, which may be missing; none when it is something else."""
    value = canvas.get(name, [])
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    return None


def _node(node: dict[str, Any], text: str) -> Iterator[Content]:
    written, file = node.get("text"), node.get("file")
    if node.get("type") == "text" and isinstance(written, PlacedStr):
        content = read_markdown(written)
        scenes = (replace(s, id=f"{node.get('id')}-{s.id}") for s in content.scenes)
        yield replace(content, scenes=tuple(scenes)).through(written.places(text))
    elif node.get("type") == "file" and isinstance(file, PlacedStr):
        anchor = str(node.get("subpath") or "").lstrip("#")
        link = Link(str(file), anchor, True, file.start, file.start + len(file))
        yield Content(links=(link,))
    else:
        yield from _label(node, text)


def _label(item: dict[str, Any], text: str) -> Iterator[Content]:
    """The label of a group or an edge."""
    label = item.get("label")
    if isinstance(label, PlacedStr) and label.strip():
        yield read_label(label, label.places(text))


def _damaged(reason: str, at: int) -> Content:
    return Content(
        problems=(
            Problem(
                "N2C014",
                Severity.ERROR,
                f"the canvas cannot be read: {reason}",
                Span(at, at + 1),
                "open the canvas in Obsidian and save it, or restore an older version",
            ),
        )
    )
