"""The readers on real notes, where they lie beside the checkout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from notes2code.vault import Note, Vault, read_vault

Exact = Callable[[Note], None]


@pytest.fixture(scope="module")
def seeds(shared: Path) -> Vault:
    return read_vault(shared / "seeds" / "vault")


@pytest.fixture(scope="module")
def vaults(shared: Path) -> Vault:
    return read_vault(shared / "vaults")


def by_start(vault: Vault, start: str) -> Note:
    (note,) = [note for note in vault.notes if Path(note.path).name.startswith(start)]
    return note


def test_all_are_read_and_placed_exactly(seeds: Vault, vaults: Vault, exact: Exact) -> None:
    assert len(seeds.notes) == 5
    assert len(vaults.notes) >= 25
    for note in (*seeds.notes, *vaults.notes):
        exact(note)
        assert not [d for d in note.diagnostics if d.severity != "note"], note.path


def test_the_drawing_with_equations(seeds: Vault) -> None:
    note = by_start(seeds, "000_")
    assert note.kind == "excalidraw"
    # Four equations, each on a live image; the fifth image is deleted.
    assert len(note.formulas) == 4
    assert note.formulas[1].latex.startswith(r"\lim")
    assert [f.latex[-4:] for f in note.formulas[2:]] == ["1233", "9999"]
    assert Counter(e["type"] for e in note.scenes[0].data["elements"])["image"] == 4


def test_the_web_page(seeds: Vault) -> None:
    note = by_start(seeds, "001_")
    text = note.source.text
    assert note.title == "From Encoder-Decoder To Transformer"
    assert len(note.formulas) == text.count('<script type="math/tex">') == 23
    assert [code.language for code in note.code] == ["python"] * 3
    assert "xxxxxxxxxx" not in "".join(code.text for code in note.code)
    assert note.paragraphs[0].text == note.title
    sections = {formula.section[-1] for formula in note.formulas}
    assert {"Seq2Seq Learning", "Self-attention", "Multi-head Attention"} <= sections


def test_the_handwritten_notes(seeds: Vault) -> None:
    assert len([f for f in by_start(seeds, "002_").formulas if f.display]) == 2
    outline = by_start(seeds, "003_")
    headings = [p.text for p in outline.paragraphs if p.heading]
    assert headings[1:4] == ["2 query-key-value", "3 Encoder", "4. Feed Forward ."]
    assert "a5 Casual selfattention" in [p.text for p in outline.paragraphs]


def test_the_note_of_images(seeds: Vault) -> None:
    note = by_start(seeds, "004_")
    images = [link for link in note.links if link.embed]
    assert note.formulas[0].latex.endswith(r"+ M \right) V")
    assert len(note.formulas) == 2
    (told,) = note.diagnostics
    assert (told.code, told.line, told.column) == ("N2C009", 1, 1)
    assert told.message.startswith(f"{len(images)} embedded images are not read: ")


def test_drawings_and_canvases(vaults: Vault) -> None:
    equations = by_start(vaults, "Generative Modelling")
    assert len(equations.formulas) == 37
    kinds = Counter(note.kind for note in vaults.notes)
    assert (kinds["excalidraw"], kinds["canvas"]) == (10, 3)
    for note in vaults.notes:
        if note.kind == "excalidraw":
            assert note.scenes[0].data["elements"]


def test_tables_and_quotes(vaults: Vault) -> None:
    table = by_start(vaults, "Attention.md")
    assert r"v^⊤ \tanh(Ws_{i-1}+UH_j)" in [formula.latex for formula in table.formulas]
    quoted = [f for f in by_start(vaults, "001 Embedding").formulas if "Logits" in f.latex]
    assert len(quoted) == 1
    assert ">" not in quoted[0].latex
