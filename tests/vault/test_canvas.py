"""JSON Canvas files."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from notes2code.vault import Note

Read = Callable[..., Note]

CANVAS = {
    "nodes": [
        {"id": "a", "type": "text", "text": '# Score\n\n> $$\n> \\frac{a}\n> {b}\n> $$\n\n"é" $x$'},
        {"id": "b", "type": "file", "file": "dir/Note.md", "subpath": "#Part"},
        {"id": "c", "type": "file", "file": "figure.png"},
        {"id": "d", "type": "group", "label": "Encoder $N$"},
        {"id": "e", "type": "link", "url": "https://a.b"},
        {"id": "f", "type": "text", "text": "```mermaid\ngraph TD\n```"},
    ],
    "edges": [{"id": "g", "fromNode": "a", "toNode": "b", "label": "feeds"}],
}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_nodes(read: Read, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(CANVAS, indent=indent, ensure_ascii=ascii_only)
    note = read(text, "a.canvas")
    assert note.kind == "canvas"
    assert [(f.latex, f.display, f.section) for f in note.formulas] == [
        ("\\frac{a}\n{b}", True, ("Score",)),
        ("x", False, ("Score",)),
        ("N", False, ()),
    ]
    assert [p.text for p in note.paragraphs if "frac" not in p.text] == [
        "Score", '"é" $x$', "Encoder $N$", "feeds",
    ]  # fmt: skip
    assert [(k.target, k.anchor, k.embed) for k in note.links] == [
        ("dir/Note.md", "Part", True),
        ("figure.png", "", True),
    ]
    assert text[note.links[0].start : note.links[0].end] == "dir/Note.md"
    assert [(s.id, s.kind) for s in note.scenes] == [
        ("f-mermaid-1", "mermaid"),
        ("canvas", "canvas"),
    ]
    assert note.scenes[1].data == CANVAS
    assert [d.code for d in note.diagnostics] == ["N2C009"]


def test_problems_in_a_node_are_placed(read: Read) -> None:
    text = json.dumps({"nodes": [{"id": "a", "type": "text", "text": "é\n$$ a = b"}]})
    (told,) = read(text, "a.canvas").diagnostics
    assert (told.code, told.line) == ("N2C006", 1)
    assert text[told.column - 1 : told.end_column - 1] == "$$"


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "N2C015", 1),
        ('{"nodes": [], "edges": []}', "N2C015", 1),
        ("{}", "N2C015", 1),
        ('{"nodes": [', "N2C014", 12),
        ("[]", "N2C014", 1),
        ('{"nodes": 3}', "N2C014", 1),
        ('{"nodes": [3]}', "N2C014", 1),
        ('{"nodes": [], "edges": [null]}', "N2C014", 1),
        ('{"a":' * 5000, "N2C014", 1),
    ],
)
def test_damaged_canvases(read: Read, text: str, code: str, column: int) -> None:
    (told,) = read(text, "a.canvas").diagnostics
    assert (told.code, told.column) == (code, column)


def test_repeated_names_keep_places_right(read: Read) -> None:
    text = '{"x": "$no$", "x": "y", "nodes": [{"type": "text", "type": "text", "text": "$a$"}]}'
    (formula,) = read(text, "a.canvas").formulas
    assert formula.places.offset(0) == text.index("$a$") + 1
