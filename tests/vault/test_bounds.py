"""Notes that are made to break a reader are read; size and depth stay bounded."""

from __future__ import annotations

import pytest

from notes2code.vault import read_note_text

# Each is repeated; a reader that looks far ahead from each of them takes quadratic time.
HOSTILE = [
    "$", "$a ", "$5 ", "$$ ", "$$a\n\n", "`", "` ", "``a`b", "```a ` ", "```\n", "~~~\n", "%%",
    "%% n2c: x %%\n", "\\(", "\\[a ", "\\\\(", "\\\\[a ",
    "\\begin{align}", "\\begin{align}\n", "\\begin{cases}x\n",
    "<!--", "<code", "<pre>", "<svg ", "[[", "![[a|", "](", "](a ", "[a](b ", "![", "[a",
    "#a", "# ", "**a ", "_a ", "*a_b", "&amp", "&#", "\\", "|", "| $a |b$ ", "|a|b|\n",
    "> ", "> a\n", "- ", "- a\n", "1. a\n", "  - ", "\t", " ", "\n", "a\n===\n", "a", "\ue000",
    "\0", "\r", "#1 a\n", "$a\n", "==", "[!a]", "<sub>", "[^a", " ^a", "$$\n# a\n", "\\text{",
    "- $$\n", "> $$\na\n", "    a\n\n", "{", "<a ", "<a b='", "<p>", "</p>", "<math>",
    "<span class=katex>", "<pre><code>", "<annotation encoding=tex>",
    "<script type=math/tex>", "<h1>", "<b><i></p>", "\\(a",
]  # fmt: skip


IN_DRAWINGS = [
    "## Drawing\n", "## Drawing\n{", "## Drawing\n```json\n", "a: $$x\n", "a: $$x$$\n",
    " ^aaaaaaaa\n", "# Excalidraw Data\n", "## Text Elements\n", "## Embedded Files\n",
    "a: [[b]]\n", "==⚠", "%%\n",
]  # fmt: skip


@pytest.mark.parametrize("path", ["a.md", "a.html", "a.canvas", "a.excalidraw"])
def test_hostile_notes_are_read(path: str) -> None:
    for sign in HOSTILE:
        assert read_note_text(path, sign * (30_000 // len(sign))).path == path


def test_hostile_drawings_are_read() -> None:
    head = "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n## Text Elements\n"
    for start in (head, head + "## Embedded Files\n", head + "## Drawing\n```json\n"):
        for sign in IN_DRAWINGS:
            note = read_note_text("a.md", start + sign * (30_000 // len(sign)))
            assert note.kind == "excalidraw"


@pytest.mark.parametrize("sign", ["- ", "> ", "1. ", "- > ", "* "])
def test_depth(sign: str) -> None:
    note = read_note_text("a.md", sign * 3000 + "$x$")
    assert [formula.latex for formula in note.formulas] == ["x"]


def test_many_formulas() -> None:
    note = read_note_text("a.md", "$x_1$ " * 70_000)
    assert len(note.formulas) == 70_000
