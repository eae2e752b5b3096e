"""Sizes of models in the properties of notes: plain numbers reach the code, nothing else does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.model_sizes import sizes_of
from notes2code.rendering import Rendered, render
from notes2code.vault import read_note_text, read_vault


def test_numbers_are_taken() -> None:
    note = read_note_text("N.md", "---\nd_model: 8\ndropout: 0\nx: 3\n---\n# N\n")
    assert sizes_of(note) == ({"d_model": 8, "dropout": 0.0}, ())


@pytest.mark.parametrize(
    "written",
    [
        "n_embd: 64\nn_head: 4\nn_layer: 2\nblock_size: 32",
        "dim: 64\nn_heads: 4\nn_layers: 2\nmax_seq_len: 32",
        "hidden_size: 64\nnum_attention_heads: 4\nnum_hidden_layers: 2\n"
        "max_position_embeddings: 32\nd_model: 64",
    ],
)
def test_they_have_the_names_of_configurations(written: str) -> None:
    note = read_note_text("N.md", f"---\n{written}\n---\n# N\n")
    sizes = {"d_model": 64, "num_heads": 4, "num_layers": 2, "max_len": 32}
    assert sizes_of(note) == (sizes, ())


def test_another_number_for_the_same_is_told() -> None:
    note = read_note_text("N.md", "---\ndim: 3\nd_model: 4\n---\n# N\n")
    sizes, (problem,) = sizes_of(note)
    assert sizes == {"d_model": 4}
    assert (problem.code, problem.line) == ("N2C052", 2)
    assert problem.message == "the property `dim` is not used: another gives d_model as 4"


@pytest.mark.parametrize(
    "written",
    [
        "d_model: big",
        "n_embd: wide",
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


GPT = r"""P = \mathrm{softmax}(h_N W_e^\top), \quad h_l = \mathrm{Block}(h_{l-1}), \quad
l = 1, \dots, N, \quad h_0 = U W_e + W_p"""


@pytest.fixture
def rendered(tmp_path: Path) -> Callable[..., Rendered]:
    """Render notes (texts by name)."""

    def of(notes: dict[str, str]) -> Rendered:
        for name, text in notes.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return render(compile_vault(read_vault(tmp_path), library()), "transformer")

    return of


def _config(rendered: Rendered) -> list[str]:
    """The fields of a configuration as they stand in the code."""
    body = (
        rendered.files["transformer/models.py"]
        .split("class GPTConfig(ModelConfig):")[1]
        .split("class GPT(")[0]
    )
    return [line.strip() for line in body.splitlines() if re.match(r"    \w+: ", line)]


def test_they_are_the_defaults_of_a_model(rendered: Callable[..., Rendered]) -> None:
    """Those of the note with the formula, else those of a note that names it, else of any."""
    notes = {
        "A.md": "---\nvocab_size: 99\nd_ff: 7\nnum_layers: 9\n---\n# A\n",
        "B.md": "---\nvocab_size: 77\nnum_layers: 3\n---\n# GPT\n",
        "C.md": f"---\nvocab_size: 50\ndropout: 0.25\n---\n# C\n\n$$\n{GPT}\n$$\n",
    }
    assert _config(rendered(notes)) == [
        "vocab_size: int = 50",
        "max_len: int",
        "d_model: int",
        "num_heads: int",
        "d_ff: int = 7",
        "num_layers: int = 3",
        "dropout: float = 0.25",
    ]


ENCODER = r"\mathrm{TextEncoder}(U) = \mathrm{Encoder}(UE + PE)"


def test_what_all_configurations_say_stands_in_their_base(
    rendered: Callable[..., Rendered],
) -> None:
    """And nowhere else; what one of them says in another way, each says itself."""
    sizes = "vocab_size: 50\nd_model: 8\nnum_heads: 2\nd_ff: 16\nmax_len: 9\nnum_layers"
    notes = {
        "A.md": f"---\n{sizes}: 1\n---\n# A\n\n$$\n{GPT}\n$$\n",
        "B.md": f"---\n{sizes}: 2\n---\n# B\n\n$$\n{ENCODER}\n$$\n",
    }
    models = rendered(notes).files["transformer/models.py"]
    fields = {
        name: re.findall(r"^    (\w+: [^\n]*\d)$", body, re.MULTILINE)
        for name, body in re.findall(r"^class (\w*Config)\b(.*?)(?=\n\n\n)", models, re.M | re.S)
    }
    assert fields.pop("ModelConfig") == [
        "vocab_size: int = 50",
        "max_len: int = 9",
        "d_model: int = 8",
        "num_heads: int = 2",
        "d_ff: int = 16",
        "dropout: float = 0.0",
    ]
    assert sorted(fields.values()) == [["num_layers: int = 1"], ["num_layers: int = 2"]]


def test_a_model_whose_sizes_do_not_go_together_is_left_out(
    rendered: Callable[..., Rendered],
) -> None:
    found = rendered({"C.md": f"---\nd_model: 10\nnum_heads: 4\n---\n\n$$\n{GPT}\n$$\n"})
    assert "transformer/models.py" not in found.files
    (remark,) = found.remarks["C.md:7:1"]
    assert (
        remark.code == "N2C053" and "d_model (10) is no multiple of num_heads (4)" in remark.message
    )


def test_the_author_is_told(rendered: Callable[..., Rendered]) -> None:
    remarks = rendered({"N.md": "---\nd_model: wide\n---\n# N\n"}).remarks
    assert [d.code for d in remarks["N.md"]] == ["N2C052"]


@pytest.mark.parametrize(
    ("layers", "example"),
    [(2, "GPTConfig(max_len=128)"), (400, "d_model=64, num_heads=4, d_ff=128, num_layers=2")],
)
def test_examples_are_of_a_size_that_can_be_made(
    layers: int, example: str, rendered: Callable[..., Rendered]
) -> None:
    """The tests of the package run them, and a model of billions of weights fills the memory."""
    sizes = f"vocab_size: 1000\nd_model: 512\nnum_heads: 8\nd_ff: 2048\nnum_layers: {layers}"
    files = rendered({"A.md": f"---\n{sizes}\n---\n# A\n\n$$\n{GPT}\n$$\n"}).files
    assert example in " ".join(files["README.md"].split())
    assert f"num_layers: int = {layers}" in files["transformer/models.py"]
