"""The norm before the way out of a model that is only named, where its note writes or says one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from building import Package, without_training
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import Rendered, render
from notes2code.vault import read_vault

NOTE = r"""# GPT

Each block
$$ Z \leftarrow Z + \mathrm{CausalSelfAttention}(\mathrm{LN}_1(Z)) $$
$$ Z \leftarrow Z + \mathrm{FFN}(\mathrm{LN}_2(Z)) $$

"""
SIZES = {"vocab_size": 11, "max_len": 8, "d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 8}


def rendered(folder: Path, text: str) -> Rendered:
    (folder / "Note.md").write_text(NOTE + text, encoding="utf-8")
    return render(compile_vault(read_vault(folder), library()), "transformer")


@pytest.mark.parametrize(
    "said",
    [
        "A final layer norm stands before the head.",
        "When all blocks have run, a final layer norm is applied, as in the original paper.",
        "There is an additional LayerNorm in front of the logits.",
        "A layer normalization follows after the final block, and one after the last layer.",
        "最后一个LayerNorm 在输出之前。",
        "Die abschließende Layer-Norm steht vor der Ausgabe.",
        r"$$ \mathrm{logits} = \mathrm{LN}_f(Z^{(L)}) \, E^\top $$",
        r"$$ p = \mathrm{softmax}(\mathrm{LayerNorm}(Z) U + c) $$",
        r"$$ \mathrm{logits} = \mathrm{head}(\text{ln\_f}(Z)) $$",
        r"$$ p = \mathrm{softmax}(\mathrm{Linear}(\mathrm{LayerNorm}(Z))) $$",
        r"$$ p = \mathrm{softmax}(\text{lm\_head}(\mathrm{RMSNorm}(Z))) $$",
    ],
)
def test_a_norm_before_the_way_out_is_built(said: str, tmp_path: Path) -> None:
    code = rendered(tmp_path, said).files["transformer/models.py"]
    assert "self.norm = LayerNorm(config.d_model)" in code
    assert "its last norm in" in code
    assert "Note.md:7;" in " ".join(code.split())


@pytest.mark.parametrize(
    "said",
    [
        "",
        "There is no final layer norm.",
        "Some models have a final layer norm.",
        "A final layer norm is typically added.",
        "Oft steht eine letzte Layer-Norm vor der Ausgabe.",
        "通常最后一个LayerNorm 在输出之前。",
        "The final norm of the gradients is clipped.",
        r"$$ \mathrm{logits} = Z^{(L)} E^\top $$",
        r"$$ Q = \mathrm{LayerNorm}(Z) U $$",
        r"$$ Q = \mathrm{query}(\mathrm{LayerNorm}(Z)) $$",
        r"$$ \mathrm{logits} = \mathrm{head}(\mathrm{dense}(Z)) $$",
        r"$$ a = \mathrm{softmax}(\mathrm{score}(\mathrm{LayerNorm}(Z))) $$",
        r"$$ g = \mathrm{softmax}(\mathrm{LayerNorm}(Z) W_g) $$",
    ],
)
def test_a_model_that_is_said_to_have_none_has_none(said: str, tmp_path: Path) -> None:
    assert "self.norm = " not in rendered(tmp_path, said).files["transformer/models.py"]


def test_it_is_in_the_formula_and_computed(
    tmp_path: Path,
    imported: Callable[[Package], ModuleType],
    run_tests: Callable[..., bool],
) -> None:
    files = rendered(tmp_path, r"$$ \mathrm{logits} = \mathrm{ln}_f(Z^{(L)}) E^\top $$").files
    package = imported(files)
    model = package.GPT(package.GPTConfig(**SIZES)).double().eval()
    tokens = torch.tensor([[3, 1, 4, 1, 5]])
    h = model.W_e(tokens) + model.W_p(torch.arange(5))
    for layer in model.layers:
        h = layer(h)
    normed = (h - h.mean(-1, keepdim=True)) / (h.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()
    torch.testing.assert_close(model(tokens), normed @ model.W_e.weight.T)
    assert run_tests(without_training(files))


def test_a_loss_that_is_a_sum_trains(tmp_path: Path, run_tests: Callable[..., bool]) -> None:
    """The loss of all tokens is not multiplied by how many they are."""
    text = r"$$ L = -\sum_i \log \mathrm{softmax}(s)_{i, y_i} $$"
    files = rendered(tmp_path, text).files
    assert 'reduction="sum"' in files["transformer/losses.py"]
    assert run_tests(files, "tests/test_train.py::test_the_loss_is_that_of_the_tokens_there_are")


def test_heads_of_the_note_that_a_model_is_not_built_from_are_told(tmp_path: Path) -> None:
    note = r"""# GPT
$$ \mathrm{MultiHead}(X) = [H_1, \dots, H_h] W^O, \quad
H_i = \mathrm{softmax}\left(\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{d_k}}\right) X W_i^V $$
"""
    (tmp_path / "Note.md").write_text(note, encoding="utf-8")
    found = render(compile_vault(read_vault(tmp_path), library()), "transformer").diagnostics
    (told,) = (one.message for one in found if one.code == "N2C057")
    assert told.startswith("GPT may not be") and "not from MultiHeadAttention (Note.md:2)" in told


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("The output projection is not tied to the embeddings.", True),
        ("The embeddings and $W_{out}$ do not share their weights.", True),
        ("", False),
        ("The output projection may not be tied to the embeddings.", False),
        ("The lm_head is tied to the embeddings. Yet the head is not tied.", False),
    ],
)
@pytest.mark.parametrize("norm", ["A final layer norm stands before the head.", ""])
def test_so_is_a_matrix_of_its_own_for_the_way_out(
    norm: str, said: str, own: bool, tmp_path: Path, run_tests: Callable[..., bool]
) -> None:
    files = rendered(tmp_path, f"{norm} {said}").files
    code = files["transformer/models.py"]
    assert ("self.W = Linear(config.d_model, config.vocab_size, bias=False)" in code) == own
    assert ("its own way out in" in " ".join(code.split())) == own
    assert ("self.norm = LayerNorm(config.d_model)" in code) == bool(norm)
    assert run_tests(files, "-k", "gpt_is_the_formula")


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("The LM head shares its weights with the token embedding: no separate matrix.", False),
        ("The LM head shares the embedding's matrix instead of having its own.", False),
        ("The LM head is tied to the embedding, without a bias.", False),
        ("The output layer has no bias and shares its weights with the token embedding.", False),
        ("The output layer does not share its weights with the position embedding.", False),
        ("The LM head is not only tied to the embedding.", False),
        ("The output layer and the embedding use weight tying, no extra parameters.", False),
        ("The bias of the LM head is not shared, and it is tied to the embedding.", False),
        ("The LM head is untied from the embedding, without a bias.", True),
        ("There is no weight tying of the LM head and the embedding.", True),
        ("The embedding and the LM head do not use the same matrix.", True),
        ("No weights are shared by the LM head and the embedding.", True),
        ("输出层与词嵌入不共享权重。", True),
    ],
)
def test_only_who_denies_the_tie_unties(said: str, own: bool, tmp_path: Path) -> None:
    code = rendered(tmp_path, said).files["transformer/models.py"]
    assert ("self.W = Linear(config.d_model, config.vocab_size, bias=False)" in code) == own
