"""Time, size and depth stay bounded on notes that are made to break a reader."""

from __future__ import annotations

import time

import pytest

from notes2code.vault import read_note_text

# Each is repeated; a reader that looks far ahead from each of them takes quadratic time.
HOSTILE = [
    "$", "$a ", "$5 ", "$$ ", "$$a\n\n", "`", "` ", "``a`b", "```a ` ", "```\n", "~~~\n", "%%",
    "%% n2c: x %%\n", "\\(", "\\[a ", "\\begin{align}", "\\begin{align}\n", "\\begin{cases}x\n",
    "<!--", "<code", "<pre>", "<svg ", "[[", "![[a|", "](", "](a ", "[a](b ", "![", "[a", "#a", "# ",
    "**a ", "_a ", "*a_b", "&amp", "&#", "\\", "|", "| $a |b$ ", "|a|b|\n", "> ", "> a\n", "- ",
    "- a\n", "1. a\n", "  - ", "\t", " ", "\n", "a\n===\n", "a", "\ue000", "\0", "\r", "#1 a\n",
    "$a\n", "==", "[!a]", "<sub>", "[^a", " ^a", "$$\n# a\n", "\\text{", "- $$\n", "> $$\na\n",
    "    a\n\n", "{", "<a ", "<a b='", "<p>", "</p>", "<math>", "<span class=katex>", "<pre><code>",
    "<annotation encoding=tex>", "<script type=math/tex>", "<h1>", "<b><i></p>", "\\(a",
]  # fmt: skip


@pytest.mark.parametrize("path", ["a.md", "a.html", "a.canvas", "a.excalidraw"])
def test_time_grows_with_length(path: str) -> None:
    slow = []
    for sign in HOSTILE:
        text = sign * (60_000 // len(sign))
        started = time.perf_counter()
        read_note_text(path, text)
        seconds = time.perf_counter() - started
        if seconds > 4:
            slow.append((sign, round(seconds, 1)))
    assert slow == []


@pytest.mark.parametrize("sign", ["- ", "> ", "1. ", "- > ", "* "])
def test_depth(sign: str) -> None:
    note = read_note_text("a.md", sign * 3000 + "$x$")
    assert [formula.latex for formula in note.formulas] == ["x"]


def test_many_formulas() -> None:
    note = read_note_text("a.md", "$x_1$ " * 70_000)
    assert len(note.formulas) == 70_000
