"""Sizes of models in the properties of notes: plain numbers reach the code, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.model_sizes import sizes_of
from notes2code.rendering import render
from notes2code.vault import read_note_text, read_vault


def test_numbers_are_taken() -> None:
    note = read_note_text("N.md", "---\nd_model: 8\ndropout: 0\nx: 3\n---\n# N\n")
    assert sizes_of(note) == ({"d_model": 8, "dropout": 0.0}, ())


@pytest.mark.parametrize(
    "written",
    [
        "d_model: big",
        "num_heads: 0",
        "d_ff: -1",
        "dropout: 1",
        "dropout: .nan",
        "vocab_size: 2.5",
        "max_len: [1]",
        "max_len: 9999999999999",
        "num_layers: true",
        "d_ff: '4'",
    ],
)
def test_anything_else_is_named_at_its_line(written: str) -> None:
    note = read_note_text("N.md", f"---\ntags: a\n{written}\n---\n# N\n")
    sizes, (problem,) = sizes_of(note)
    assert sizes == {}
    assert (problem.code, problem.line, problem.excerpt) == ("N2C052", 3, written)
    assert written.split(":")[0] in problem.message


def test_the_author_is_told(tmp_path: Path) -> None:
    (tmp_path / "N.md").write_text("---\nd_model: wide\n---\n# N\n", encoding="utf-8")
    rendered = render(compile_vault(read_vault(tmp_path), library()), "transformer")
    assert [d.code for d in rendered.remarks["N.md"]] == ["N2C052"]
