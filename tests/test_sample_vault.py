"""The sample vault: what it tells is what it compiles to, and its drawings are read."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from notes2code.compilation import Compilation, CompiledFormula, compile_vault
from notes2code.components.library import library
from notes2code.diagnostics import Severity
from notes2code.vault import Note, Scene, read_vault

ROOT = Path(__file__).resolve().parents[1]
SLIPS = "What goes wrong.md"
COMPONENTS = [
    "scaled_dot_product_attention",
    "bilinear_attention",
    "additive_attention",
    "kernel_attention",
    "self_attention",
    "causal_self_attention",
    "cross_attention",
    "multi_head_attention",
    "synthesizer_attention",
    "sinusoidal_positional_encoding",
    "feed_forward",
    "layer_norm",
    "add_norm",
    "token_embedding",
    "output_head",
    "encoder_layer",
    "encoder",
    "decoder_layer",
    "decoder",
    "encoder_decoder",
    "text_encoder",
    "transformer_block",
    "gpt",
    "seq2seq_attention",
    "cross_entropy",
    "bleu",
]


@pytest.fixture(scope="module")
def compilation() -> Compilation:
    return compile_vault(read_vault(ROOT / "vault"), library())


@pytest.fixture(scope="module")
def notes(compilation: Compilation) -> dict[str, Note]:
    return {note.path.removesuffix(".md"): note for note in compilation.vault.notes}


def test_it_reads_without_diagnostics(compilation: Compilation) -> None:
    vault = compilation.vault
    assert [*vault.diagnostics, *(d for note in vault.notes for d in note.diagnostics)] == []


def test_every_link_leads_to_a_note_and_a_heading_of_it(notes: dict[str, Note]) -> None:
    headings = {
        name: {p.text for p in note.paragraphs if p.heading} for name, note in notes.items()
    }
    for note in notes.values():
        for link in note.links:
            assert link.target in notes, (note.path, link)
            assert not link.anchor or link.anchor in headings[link.target], (note.path, link)


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_is_reached(compilation: Compilation, name: str) -> None:
    recognised = (formula.compiled.recognised for formula in compilation.formulas)
    reached = {found.component.name for found in recognised if found}
    assert name in reached | {mention.component.name for mention in compilation.mentions}


def test_nothing_is_wrong_but_what_goes_wrong(compilation: Compilation) -> None:
    others = [formula for formula in compilation.formulas if formula.note.path != SLIPS]
    assert len(others) > 100
    for formula in others:
        assert formula.compiled.status != "rejected", formula.id
        assert {d.severity for d in formula.diagnostics} <= {Severity.NOTE}, formula.diagnostics


def test_every_slip_is_met_as_its_section_says(compilation: Compilation) -> None:
    """The callouts of the note tell the code; what they do not tell must not happen."""
    note = next(note for note in compilation.vault.notes if note.path == SLIPS)
    told: dict[str, tuple[str, str]] = {}
    for paragraph in note.paragraphs:
        if callout := re.search(r"(Refused|Warned of), (N2C\d{3})", paragraph.text):
            told[paragraph.section[-1]] = callout[1], callout[2]
    met: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for formula in compilation.formulas:
        if formula.note is note:
            met[formula.formula.section[-1]] |= _what_is_said(formula)
    assert {heading: said for heading, said in met.items() if said} == {
        heading: {callout} for heading, callout in told.items()
    }
    assert [verdict for verdict, _ in told.values()] == ["Refused"] * 8 + ["Warned of"] * 3


def _what_is_said(formula: CompiledFormula) -> set[tuple[str, str]]:
    rejected = formula.compiled.status == "rejected"
    worst = Severity.ERROR if rejected else Severity.WARNING
    verdict = "Refused" if rejected else "Warned of"
    return {(verdict, d.code) for d in formula.diagnostics if d.severity == worst}


ENCODER_DECODER = """
words of the source > Input embedding > + > Multi-head self-attention > Add & norm > Feed forward
  > Add & norm > Cross-attention > Add & norm > Feed forward > Add & norm > Linear > Softmax
  > probabilities of the next word
words so far, moved one place to the right > Output embedding > + > Masked multi-head attention
  > Add & norm > Cross-attention
Positional encoding > + > Add & norm > Add & norm > Add & norm
"""
GPT_BLOCK = """
words so far > Token embedding > + > Layer norm > Masked multi-head attention > + > Layer norm
  > Feed forward (MLP) > + > Layer norm > Linear > Softmax > probabilities of the next word
Position embedding > + > +
"""
DRAWINGS = [
    ("Encoder-decoder.excalidraw", "compressed-json", ENCODER_DECODER, 25),
    ("GPT block.excalidraw", "json", GPT_BLOCK, 15),
]


@pytest.mark.parametrize(("name", "fence", "ways", "arrows"), DRAWINGS)
def test_a_drawing_is_read_with_its_texts_and_arrows(
    notes: dict[str, Note], name: str, fence: str, ways: str, arrows: int
) -> None:
    """Each arrow is bound at both ends, and together they are the ways that data takes."""
    note = notes[name]
    assert f"```{fence}\n" in note.source.text
    elements = _elements(note)
    texts = {item["rawText"] for item in elements.values() if item["type"] == "text"}
    assert texts <= {paragraph.text for paragraph in note.paragraphs}
    drawn = []
    for arrow in (item for item in elements.values() if item["type"] == "arrow"):
        ends = [elements[arrow[end]["elementId"]] for end in ("startBinding", "endBinding")]
        for end in ends:
            assert {"id": arrow["id"], "type": "arrow"} in end["boundElements"]
        drawn.append(tuple(_label(end, elements) for end in ends))
    assert len(drawn) == arrows
    expected = set()
    for way in ways.replace("\n  ", " ").strip().split("\n"):
        stations = way.split(" > ")
        expected |= set(pairwise(stations))
    assert set(drawn) == expected


@pytest.mark.parametrize("name", [drawing[0] for drawing in DRAWINGS])
def test_a_drawing_has_its_equations_recognised(
    compilation: Compilation, notes: dict[str, Note], name: str
) -> None:
    note = notes[name]
    images = [item for item in _elements(note).values() if item["type"] == "image"]
    formulas = [formula for formula in compilation.formulas if formula.note is note]
    shown = _scene(note).data["latex"]
    assert {image["fileId"] for image in images} == set(shown)
    assert sorted(shown.values()) == sorted(formula.formula.latex for formula in formulas)
    assert len(formulas) == 2
    assert {formula.compiled.status for formula in formulas} == {"component"}


def test_drawings_are_embedded_where_they_belong(notes: dict[str, Note]) -> None:
    for text, drawing in (("Transformer", DRAWINGS[0][0]), ("GPT", DRAWINGS[1][0])):
        assert drawing in {link.target for link in notes[text].links if link.embed}


def test_compiling_it_takes_no_torch() -> None:
    code = (
        "import sys, notes2code.compilation as c, notes2code.components.library as lib\n"
        "from notes2code.vault import read_vault\n"
        "assert c.compile_vault(read_vault(sys.argv[1]), lib.library()).formulas\n"
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(ROOT / "vault")], cwd=ROOT, check=True)


def _scene(note: Note) -> Scene:
    (scene,) = note.scenes
    return scene


def _elements(note: Note) -> dict[str, Any]:
    return {item["id"]: item for item in _scene(note).data["elements"]}


def _label(item: dict[str, Any], elements: dict[str, Any]) -> str:
    """The text of a box, which is bound to it and it to the text, or of a bare text."""
    if item["type"] == "text":
        return str(item["rawText"])
    (text,) = (elements[other["id"]] for other in item["boundElements"] if other["type"] == "text")
    assert text["containerId"] == item["id"]
    return str(text["rawText"])
