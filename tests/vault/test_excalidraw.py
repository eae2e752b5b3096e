"""Excalidraw drawings: notes of the Obsidian plugin and plain files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from notes2code.vault import Note

Read = Callable[..., Note]
Compress = Callable[[str], str]

HEAD = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n"
BANNER = "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==\n\n"


def text_element(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": "text", "text": text, "rawText": text, "isDeleted": False, **more}


def image(name: str, file: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": "image", "fileId": file, "isDeleted": False, **more}


SCENE = {
    "type": "excalidraw",
    "elements": [
        text_element("aaaaaaaa", "Encoder"),
        text_element("bbbbbbbb", "two\nlines"),
        text_element("cccccccc", "gone", isDeleted=True),
        {"id": "box", "type": "rectangle", "x": None},
        image("i1", "file1"),
        image("i2", "file2", isDeleted=True),
        image("i3", "file3"),
        image("i4", "file4", customData={"mermaidText": "graph TD\nA-->B"}),
    ],
    "files": {"file3": {"dataURL": "data:image/png;base64,AAAA"}},
}
NEW = """\
# Excalidraw Data

## Text Elements
Encoder ^aaaaaaaa

two
lines ^bbbbbbbb

## Element Links
aaaaaaaa: [[Other note]]

## Embedded Files
file1: $$\\frac{a}
{b}$$

file2: $$x$$

file3: [[figure.png#part|100]]

file5: https://a.b/c.png

%%
## Drawing
```compressed-json
SCENE
```
%%"""
OLD = NEW.replace("# Excalidraw Data\n\n", "").replace("## ", "# ").replace("Files", "files")
GLUED = NEW.replace("\n\n## Embedded", "## Embedded").replace("%%\n## Draw", "%%## Draw")
EARLY = NEW.replace("# Excalidraw", "%%\n# Excalidraw", 1).replace("\n\n%%\n## Draw", "\n\n## Draw")


def packed(compress: Compress, scene: object = SCENE) -> str:
    written = compress(json.dumps(scene))
    return "\n\n".join(written[i : i + 256] for i in range(0, len(written), 256))


@pytest.mark.parametrize("layout", [NEW, OLD, GLUED, EARLY], ids=["new", "old", "glued", "early"])
def test_layouts(read: Read, compress: Compress, layout: str) -> None:
    text = HEAD + BANNER + layout.replace("SCENE", packed(compress))
    note = read(text, "Any name.md")
    assert (note.kind, note.tags) == ("excalidraw", ("excalidraw",))
    assert [f.latex for f in note.formulas] == ["\\frac{a}\n{b}"]
    assert note.formulas[0].display
    assert note.formulas[0].tags == ("excalidraw",)
    assert [p.text for p in note.paragraphs] == ["Encoder", "two\nlines"]
    assert text[note.paragraphs[1].start : note.paragraphs[1].end] == "two\nlines"
    assert [(k.target, k.anchor) for k in note.links] == [("figure.png", "part")]
    assert [(d.code, str(d.severity)) for d in note.diagnostics] == [
        ("N2C013", "note"),
        ("N2C009", "note"),
    ]
    drawing, mermaid = note.scenes
    assert [e["id"] for e in drawing.data["elements"]] == [
        "aaaaaaaa", "bbbbbbbb", "box", "i1", "i3", "i4",
    ]  # fmt: skip
    assert drawing.data["latex"] == {"file1": "\\frac{a}\n{b}"}
    assert "files" not in drawing.data
    assert (mermaid.kind, mermaid.data) == ("mermaid", "graph TD\nA-->B")


@pytest.mark.parametrize("fence", ["```json\n{}\n```\n", "{}\n"])
def test_uncompressed_scenes(read: Read, fence: str) -> None:
    scene = json.dumps({"elements": [text_element("aaaaaaaa", "[[x]] ```")]}, indent=1)
    body = fence.replace("{}", scene.replace("[[", "&#91;&#91;"))
    note = read(f"{HEAD}\n# Text Elements\n[[x]] ```json ^aaaaaaaa\n\n%%\n# Drawing\n{body}%%")
    assert note.diagnostics == ()
    assert note.scenes[0].data["elements"][0]["text"] == "[[x]] ```"
    assert note.scenes[0].data["elements"][0]["rawText"] == "[[x]] ```json"


def test_the_back_of_the_card_is_a_note(read: Read, compress: Compress) -> None:
    card = "# Notes #attention\n\nThe score $q^\\top k$ and\n\n$$\na\n$$\n\n#\n%%\n"
    text = HEAD + BANNER + card + NEW.replace("SCENE", packed(compress))
    note = read(text)
    assert [f.latex for f in note.formulas] == ["q^\\top k", "a", "\\frac{a}\n{b}"]
    assert [f.section for f in note.formulas] == [("Notes",), ("Notes",), ()]
    assert note.formulas[0].tags == ("excalidraw", "attention")
    assert note.formulas[2].tags == ("excalidraw",)
    assert [p.text for p in note.paragraphs[:2]] == [
        "Notes #attention",
        "The score $q^\\top k$ and",
    ]


def test_math_and_links_in_texts(read: Read, compress: Compress) -> None:
    elements = [text_element("aaaaaaaa", "softmax of $QK^\\top$\n[[Note|name]]")]
    note = read(
        f"{HEAD}# Excalidraw Data\n\n## Text Elements\n{elements[0]['text']} ^aaaaaaaa\n\n%%\n"
        f"## Drawing\n```compressed-json\n{packed(compress, {'elements': elements})}\n```\n%%"
    )
    assert [(f.latex, f.display) for f in note.formulas] == [("QK^\\top", False)]
    assert note.paragraphs[0].text == "softmax of $QK^\\top$\nname"
    assert note.links[0].target == "Note"


def test_damaged_data(read: Read, compress: Compress) -> None:
    whole = packed(compress)
    for scene in (whole[: len(whole) // 2], "!!", "", packed(compress, [1])):
        text = HEAD + NEW.replace("SCENE", scene)
        note = read(text)
        errors = [d for d in note.diagnostics if d.severity == "error"]
        line = text.split("\n").index("```compressed-json") + 2
        assert [(d.code, d.line) for d in errors] == [("N2C011", line)]
        assert [f.latex for f in note.formulas] == ["\\frac{a}\n{b}", "x"]
        assert [p.text for p in note.paragraphs] == ["Encoder", "two\nlines"]
        assert note.scenes == ()


def test_a_place_in_broken_json(read: Read) -> None:
    note = read(f"{HEAD}\n## Drawing\n```json\n{{\n  'a': 1}}\n```\n")
    assert [(d.code, d.line, d.column) for d in note.diagnostics] == [("N2C011", 9, 3)]


def test_a_stale_scene(read: Read, compress: Compress) -> None:
    elements = [text_element("aaaaaaaa", "old"), text_element("dddddddd", "new")]
    note = read(HEAD + NEW.replace("SCENE", packed(compress, {"elements": elements})))
    (told,) = [d for d in note.diagnostics if d.severity == "warning"]
    assert told.code == "N2C012"
    assert told.message.endswith(
        "1 of the note's texts are not in it and 1 of its texts are not in the note"
    )
    assert note.scenes[0].data["elements"][0]["rawText"] == "Encoder"


def test_unclosed_equations(read: Read, compress: Compress) -> None:
    layout = NEW.replace("file2: $$x$$", "file2: $$x")
    note = read(HEAD + layout.replace("SCENE", packed(compress)))
    assert [d.code for d in note.diagnostics if d.severity == "error"] == ["N2C006"]
    assert [f.latex for f in note.formulas] == ["\\frac{a}\n{b}"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [("parsed", "excalidraw"), ("raw", "excalidraw"), ("unlocked", "excalidraw"),
     ("true", "excalidraw"), ("false", "markdown"), ("''", "markdown"), ("", "markdown"),
     ("parsed\nbroken: a: b", "excalidraw")],
)  # fmt: skip
def test_properties_make_a_drawing(read: Read, value: str, kind: str) -> None:
    note = read(f"---\nexcalidraw-plugin: {value}\n---\ntext $x$\n")
    assert note.kind == kind
    assert [f.latex for f in note.formulas] == ["x"]


def test_without_data(read: Read) -> None:
    note = read(f"{HEAD}\ntext")
    assert [(d.code, d.severity) for d in note.diagnostics] == [("N2C011", "warning")]


def test_plain_files(read: Read) -> None:
    scene = {
        "elements": [
            text_element("t", "score \\ $\\frac{a}{\\text{“b”}}$\n$$c$$"),
            text_element("d", "$gone$", isDeleted=True),
            image("i1", "f1", customData={"latex": " x \\cdot y"}),
            image("i2", "f2"),
            image("i3", "f3"),
        ],
        "files": {"f2": {"customData": {"latex": "z"}}, "f4": {"latex": "unused"}},
    }
    note = read(json.dumps(scene), "a/b.excalidraw")
    assert (note.kind, note.title) == ("excalidraw", "b")
    assert [(f.latex, f.display) for f in note.formulas] == [
        ("\\frac{a}{\\text{“b”}}", False),
        ("c", True),
        ("x \\cdot y", True),
        ("z", True),
    ]
    assert note.paragraphs[0].text == "score \\ $\\frac{a}{\\text{“b”}}$\n$c$"
    assert [d.message for d in note.diagnostics] == [
        "an embedded image is not read: an image in the note itself"
    ]
    assert len(note.scenes[0].data["elements"]) == 4


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [("", "N2C015", 1), ('{"elements": []}', "N2C015", 1), ("{\n\n]", "N2C011", 3),
     ("[]", "N2C011", 1), ("[" * 100_000, "N2C011", 1), ('{"elements": 1}', "N2C011", 1)],
)  # fmt: skip
def test_damaged_plain_files(read: Read, text: str, code: str, line: int) -> None:
    note = read(text, "a.excalidraw")
    assert [(d.code, d.line) for d in note.diagnostics] == [(code, line)]


def test_odd_elements_do_no_harm(read: Read) -> None:
    elements = [1, None, {}, {"type": "text"}, {"type": "text", "text": 3, "id": []},
                {"type": "image", "fileId": []}, {"type": "image", "customData": 3}]  # fmt: skip
    note = read(json.dumps({"elements": elements, "files": []}), "a.excalidraw")
    assert note.diagnostics == ()
    assert read('{"elements": [{"type": "text", "text": "\\ud83d $x$"}]}', "a.excalidraw").formulas
