"""Counts what is drawn: boxes, and the arrows between them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

from notes2code.diagnostics import Diagnostic, Problem, Severity, Span
from notes2code.vault import Note, Scene

_BOXES = frozenset(("rectangle", "diamond", "ellipse"))
_NODES = frozenset(("text", "file", "group"))


def counts(scene: Scene) -> tuple[int, int]:
    """How many boxes and arrows a drawing has."""
    match scene.kind:
        case "excalidraw":
            types = _types(scene.data, "elements")
            return sum(types[name] for name in _BOXES), types["arrow"]
        case "canvas":
            types = _types(scene.data, "nodes")
            return sum(types[name] for name in _NODES), len(_items(scene.data, "edges"))
        case "mermaid":
            return _mermaid(str(scene.data))


def remark(note: Note, scene: Scene) -> Diagnostic:
    """That a drawing makes no model."""
    message = "this drawing is read for its equations and labels only; no model is made from it"
    help = "write what it shows as formulas, or name the components in the note"
    end = max(scene.end, scene.start)
    problem = Problem("N2C079", Severity.NOTE, message, Span(scene.start, end), help)
    return note.source.diagnostic(problem)


def _items(data: Any, name: str) -> list[dict[str, Any]]:
    found = data.get(name) if isinstance(data, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _types(data: Any, name: str) -> Counter[str]:
    return Counter(str(item.get("type")) for item in _items(data, name))


# --- Mermaid ------------------------------------------------------------------------------------

_FLOWCHART = re.compile(r"(?:graph|flowchart)\b")
_KEYWORD = re.compile(
    r"(?:graph|flowchart|subgraph|end|direction|style|class|classDef|click|linkStyle)\b"
)
_LABEL = re.compile(
    r"\|[^|\n]*\||(?<=--)\s[^-=|\n]*(?=--)|(?<===)\s[^-=|\n]*(?===)|(?<=-\.)\s[^-=|\n]*(?=\.-)|:::\w+"
)
_LINK = re.compile(r"[<ox]?(?:-{2,}|={2,}|-\.+-|~{3,})[>ox]?")
_NAME = re.compile(r"\w+")


def _mermaid(source: str) -> tuple[int, int]:
    """The nodes and links of a flowchart; other diagrams have neither."""
    lines = [line.strip() for line in re.split(r"[;\n]", _without_texts(source))]
    stated = [line for line in lines if line and not line.startswith("%%")]
    if not stated or not _FLOWCHART.match(stated[0]):
        return 0, 0
    nodes: set[str] = set()
    links = 0
    for line in stated:
        if _KEYWORD.match(line):
            continue
        chain = [_names(part) for part in _LINK.split(_LABEL.sub("", line))]
        nodes.update(*chain)
        links += sum(len(a) * len(b) for a, b in pairwise(chain))
    return len(nodes), links


def _names(part: str) -> list[str]:
    """The names of nodes joined by ``&``."""
    found = (_NAME.match(name.strip()) for name in part.split("&"))
    return [match[0] for match in found if match]


def _without_texts(source: str) -> str:
    """The source without what stands in quotes or brackets: the texts of nodes."""
    kept: list[str] = []
    depth, quoted = 0, False
    for character in source:
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth = max(0, depth - 1)
        elif depth == 0 or character == "\n":
            kept.append(character)
    return "".join(kept)
