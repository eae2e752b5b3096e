"""Counting boxes and arrows."""

from __future__ import annotations

from typing import Any

import pytest

from notes2code.inspection.drawings import counts
from notes2code.vault import Scene


def mermaid(source: str) -> tuple[int, int]:
    return counts(Scene("m", "mermaid", source, 0, 1))


def test_excalidraw() -> None:
    types = ["rectangle", "ellipse", "diamond", "text", "arrow", "arrow", "line", "image"]
    data = {"elements": [{"type": name} for name in types]}
    assert counts(Scene("e", "excalidraw", data, 0, 1)) == (3, 2)


def test_canvas() -> None:
    nodes = [{"type": name} for name in ("text", "file", "group", "link")]
    data: dict[str, Any] = {"nodes": nodes, "edges": [{"fromNode": "a"}, {"fromNode": "b"}]}
    assert counts(Scene("c", "canvas", data, 0, 1)) == (3, 2)


@pytest.mark.parametrize("data", [None, [], {}, {"elements": 3}, {"elements": [None, 1, {}]}])
def test_a_strange_scene_has_nothing(data: Any) -> None:
    assert counts(Scene("e", "excalidraw", data, 0, 1)) == (0, 0)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("graph TD\nA --> B\nB --> C", (3, 2)),
        ("flowchart LR; A-->B-->C-->A", (3, 3)),
        ('graph TD\nA["x --> y"] --> B(round) --- C{"if"}', (3, 2)),
        ("graph TD\nA -- with text --> B\nA -->|label| C\nA == big ==> D\nA -. dots .-> E", (5, 4)),
        ("graph TD\nA & B --> C & D", (4, 4)),
        ("graph TD\nsubgraph one\nA:::big --> B\nend\nstyle A fill:#f9f\nclassDef big x\n", (2, 1)),
        ("%% a comment\ngraph TD\n%% A --> B\nA[alone]", (1, 0)),
        ("graph TD\nA([norm]) ==> B[[sub]]\nB <--> C\nC --x D\nC ~~~ A", (4, 4)),
        ("sequenceDiagram\nA->>B: hello", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_mermaid(source: str, expected: tuple[int, int]) -> None:
    assert mermaid(source) == expected


@pytest.mark.parametrize("piece", ["A -- ", "A[", "--", "A --> B & ", "|a", "-- x", "== = "])
def test_counting_what_is_long_and_makes_no_sense_ends(piece: str) -> None:
    """Trying every way to read it would take hours."""
    assert max(mermaid("graph TD\n" + piece * 20_000)) <= 80_000
