"""What the text says of the embeddings of a model that is only named, and the model has not."""

from __future__ import annotations

from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

TRANSLATES = "# Transformer for translation\n\nAn encoder and a decoder. "
WRITES = "# GPT\n\nBlocks on blocks. "


def doubts(folder: Path, text: str) -> list[str]:
    """What is told of the models of a note with a text."""
    note = f"{text}\n\n$$ \\mathrm{{FFN}}(x) = \\max(0, x W_1 + b_1) W_2 + b_2 $$\n"
    (folder / "Note.md").write_text(note, encoding="utf-8")
    found = render(compile_vault(read_vault(folder), library()), "transformer").diagnostics
    return [one.message for one in found if one.code == "N2C057"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{TRANSLATES}Positional embeddings are learned.", "its positions are sines"),
        (f"{TRANSLATES}It has learned position embeddings.", "its positions are sines"),
        (f"{TRANSLATES}Learned positional embeddings are added when tokens enter.", "are sines"),
        (f"{TRANSLATES}它使用可学习的位置编码。", "its positions are sines"),
        (rf"{TRANSLATES}We multiply the embeddings by $\sqrt{{d_{{model}}}}$.", "multiplies the"),
        (rf"{WRITES}Token embeddings are scaled by $\sqrt{{d}}$.", "multiplies the embeddings"),
        (f"{WRITES}嵌入乘以 $\\sqrt{{d}}$。", "multiplies the embeddings"),
    ],
)
def test_what_the_model_has_not_is_told(tmp_path: Path, text: str, told: str) -> None:
    (doubt,) = doubts(tmp_path, text)
    assert told in doubt and "Note.md:3" in doubt


@pytest.mark.parametrize(
    "text",
    [
        f"{WRITES}Positional embeddings are learned.",
        f"{TRANSLATES}Positional embeddings are not learned.",
        f"{TRANSLATES}BERT has learned position embeddings.",
        f"{TRANSLATES}Positional embeddings may be learned.",
        f"{TRANSLATES}Positional embeddings are typically learned.",
        f"{TRANSLATES}The embeddings are learned.",
        rf"{WRITES}Embeddings are not scaled by $\sqrt{{d}}$.",
        rf"{WRITES}Scores are scaled by $\sqrt{{d}}$.",
    ],
)
def test_of_what_it_has_or_the_note_does_not_say_nothing_is_told(tmp_path: Path, text: str) -> None:
    assert doubts(tmp_path, text) == []
