"""What is said of notes that are damaged, and that the rest of them is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notes2code.vault import Note, read_vault
from notes2code.vault.decode import decode

Read = Callable[..., Note]


def told(note: Note) -> list[tuple[str, str, int, int]]:
    return [(d.code, str(d.severity), d.line, d.column) for d in note.diagnostics]


@pytest.mark.parametrize(
    ("text", "line", "column", "rest"),
    [
        ("$$\na = b\n\nSome words about $x$ here.\n\n$$\ny\n$$\n", 1, 1, ["x", "y"]),
        ("text $$ a = b\n\n# Heading\n\n$x$", 1, 6, ["x"]),
        ("$$\na = b\n# Heading\n\n$$\nx\n$$", 1, 1, ["x"]),
        ("> $$\n> a = b\n\n$$\nx\n$$", 1, 3, ["x"]),
        ("$$\na = b\n```python\nx = 1\n```\n\n$y$", 1, 1, ["y"]),
        ("$$\na = b\n\n여기에 설명이 있습니다\n\n$$x$$", 1, 1, ["x"]),
        ("\\begin{align}\na = b\n\n$x$", 1, 1, ["x"]),
    ],
)
def test_unclosed_math(read: Read, text: str, line: int, column: int, rest: list[str]) -> None:
    note = read(text)
    assert told(note) == [("N2C006", "error", line, column)]
    assert [formula.latex for formula in note.formulas] == rest
    assert note.diagnostics[0].excerpt == text.split("\n")[0]
    assert note.diagnostics[0].caret.start == column - 1


@pytest.mark.parametrize("text", ["costs $$", "$$", "makes $$ and more\n\ntext", "a $$\n\n\n"])
def test_dollars_without_math_are_a_warning(read: Read, text: str) -> None:
    note = read(text + "\n\n# Next\n\n$x$")
    assert [(d.code, d.severity) for d in note.diagnostics] == [("N2C006", "warning")]
    assert [(f.latex, f.section) for f in note.formulas] == [("x", ("Next",))]


def test_an_unclosed_comment_hides_what_is_below(read: Read) -> None:
    note = read("$x$\n\n%%\n$$y$$\n")
    assert told(note) == [("N2C007", "warning", 3, 1)]
    assert [formula.latex for formula in note.formulas] == ["x"]


def test_percent_signs_in_text_are_no_comment(read: Read) -> None:
    note = read("100%% of $x$\n\n$y$")
    assert [formula.latex for formula in note.formulas] == ["x", "y"]
    assert note.diagnostics == ()


@pytest.mark.parametrize(
    ("yaml", "line", "column"),
    [
        ("title: a: b", 2, 9),
        ("a: 1\nb: [1, 2", 3, 4),
        ("tags: [a", 2, 7),
        ("tags: [a\nb: c", 2, 7),
        ("a: {b: c\n\n\nd: 1", 2, 4),
        ('title: "a\nb: c', 2, 8),
        ("a: [b, c d: e: f]", 2, 14),
        ("- a\n- b", 2, 1),
        ("a: &x [1]\nb: *x", 1, 1),
        ("a: " + "[" * 60 + "]" * 60, 1, 1),
        ("a: " + "[" * 60000, 1, 1),
        ("a: " + "x" * 70000, 1, 1),
        ("date: 2024-13-45", 1, 1),
        ("a: {{title}}", 1, 1),
        ("a: \x01", 1, 1),
    ],
)
def test_broken_properties(read: Read, yaml: str, line: int, column: int) -> None:
    note = read(f"---\n{yaml}\n---\n# H\n$x$")
    (found,) = note.diagnostics
    assert (found.code, found.severity) == ("N2C005", "warning")
    assert found.line in range(1, line + 2) and found.column >= 1
    if column > 1:
        assert (found.line, found.column) == (line, column)
    assert note.properties == {}
    assert [(f.latex, f.section) for f in note.formulas] == [("x", ("H",))]


@pytest.mark.parametrize("head", ["---\n---\n", "---\r\na: 1\r\n---\r\n", "--- \na: 1\n---", ""])
def test_sound_heads(read: Read, head: str) -> None:
    assert read(head + "\n$x$").diagnostics == ()


def test_bytes() -> None:
    assert decode(b"\xef\xbb\xbfa") == ("a", [])
    text, (problem,) = decode("é$x$".encode() + b"\xe9 b \xff")
    assert text == "é$x$\ufffd b \ufffd"
    assert (problem.code, problem.span.start, "0xE9" in problem.message) == ("N2C004", 4, True)
    text, (problem,) = decode(b"a\0b")
    assert (text, problem.code, problem.span.start) == ("a\0b", "N2C004", 1)
    text, (problem,) = decode("a é".encode("utf-16"))
    assert (text, problem.code) == ("a é", "N2C004")


def test_a_damaged_note_keeps_its_place(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.md").write_bytes(b"# H\r\n\r\ncaf\xe9 $x$\r\n\r\n$y \xff$\r\n")
    (tmp_path / "b.md").write_text("$z$")
    first, second = read_vault(tmp_path).notes
    assert [(d.code, d.line, d.column) for d in first.diagnostics] == [("N2C004", 3, 4)]
    assert [f.latex for f in first.formulas] == ["x", "y \ufffd"]
    assert [f.latex for f in second.formulas] == ["z"]
